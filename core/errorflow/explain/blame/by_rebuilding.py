"""Blame from the dumps of a candidate that cannot be run, by the original with what each of its nodes missed.

What the candidate's node made is what the original's makes of the same inputs, and a difference. The original with all
of these differences is the candidate, tensor by tensor; a node is put right by leaving its difference out. Behind it
the differences stay as they were dumped: the device's own answer to other inputs is not known.

A product and its activation are one: what the activation cuts off anyway is no difference that stays.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import replace
from errorflow.compare.match.model import Pair
from errorflow.explain.blame.by_splicing import End, RunBench, bad_ends, powers_of, with_inside
from errorflow.explain.blame.exact import NARROW, ExactBench, NodeWork, PairValues
from errorflow.explain.blame.front import links_of, reached
from errorflow.explain.blame.limits import CLEAN, LOST, MOST, NEARLY_ALL
from errorflow.explain.blame.model import Blame, Switched
from errorflow.graph.model import Graph
from errorflow.quant.units import ACTIVATIONS, units_of
from errorflow.run.model import Array
from errorflow.run.ort import weights_of
from errorflow.run.spliced import FedFolder, RebuiltSpec, SplicedModels
from errorflow.run.splicing import TensorPiece

# Of all differences.
TOTAL = 1 << 30
# Of fewer values one is the largest by chance, and not because a range ends there.
SEVERAL = 8


def rebuilt_shares(model: Path, bench: ExactBench, judged: Blame, progress: Progress = SILENT) -> dict[int, Switched]:
    """Finds what is gained at each bad output, by its tensor, where the candidate can be rebuilt."""
    inner = frozenset(inner_tensors(bench.plan.graph))
    with FedFolder() as fed:
        missed = _Missed(replace(bench, plan=bench.plan.hiding(inner)), fed, inner)
        return missed.shares(model, judged, progress) if missed.is_found(progress) else {}


def inner_tensors(graph: Graph) -> list[int]:
    """Finds the tensors that no node reads but an activation which is switched together with their maker."""
    units, outputs = units_of(graph).of, frozenset(graph.outputs.tolist())
    cuts = [op_type in ACTIVATIONS for op_type in graph.op_types]
    found = []
    for tensor, maker in enumerate(graph.producers.tolist()):
        readers = graph.consumers[tensor].tolist() if maker >= 0 and tensor not in outputs else ()
        if readers and all(units[each] == units[maker] and cuts[each] for each in readers):
            found.append(tensor)
    return found


class _Missed:
    """Finds what each node of the candidate missed, as pieces by numbers: those that were run, then what is between."""

    def __init__(self, bench: ExactBench, fed: FedFolder, inner: frozenset[int]) -> None:
        self._bench, self._fed, self._inner = bench, fed, inner
        self._above, self._below = links_of(bench.plan.graph)
        self._givens: dict[tuple[int, str], tuple[object, str]] = {}
        self._works: list[NodeWork] = []
        self._read: list[dict[str, Pair]] = []
        self._pieces: list[TensorPiece] = []
        self._numbers: dict[int, int] = {}
        # By node, the pieces of what it makes, and of what it read otherwise than it was made.
        self._own: dict[int, list[int]] = {}
        # Those whose differences are small.
        self._small: set[int] = set()

    def is_found(self, progress: Progress) -> bool:
        """Whether all of it could be looked at and kept."""
        for work, made in self._bench.each(progress):
            if self._fed.size > TOTAL:
                return False
            if not isinstance(made, str):
                self._add(work, *made)
        for number, (work, read) in enumerate(zip(self._works, self._read, strict=True)):
            if self._fed.size > TOTAL:
                return False
            known = {name: self._given(stored, stored.read) for name, stored in work.known.items()}
            fed = {name: self._source(work, name, pair) for name, pair in read.items()}
            self._pieces[number] = replace(self._pieces[number], fed={**fed, **known})
        return self._fed.size <= TOTAL

    def _add(self, work: NodeWork, both: PairValues, again: Array) -> None:
        made = () if work.way is None else work.way.made
        piece = TensorPiece(made, {}, work.name, half=again.dtype == np.float32 and _is_half(work.pair, both.mine))
        if self._keep(work.node, piece, both.mine, again) is None:
            return  # whole numbers of its own stay as they were dumped
        self._numbers[id(work.pair)] = len(self._works)
        self._works.append(work)
        self._read.append({name: self._first(pairs) for name, pairs in work.fed.items()})

    def _first(self, pairs: Sequence[Pair]) -> Pair:
        """Chooses the first that can be read, which is what was fed."""
        return next(pair for pair in pairs if not isinstance(self._bench.values.of(pair), str))

    def _keep(self, node: int, piece: TensorPiece, mine: Array, right: Array) -> int | None:
        """Adds a piece of a node with its difference; None: that cannot be added."""
        same = (mine == right) | ((mine != mine) & (right != right))
        if not same.all() and not mine.dtype.kind == right.dtype.kind == "f":
            return None
        number = len(self._pieces)
        if not same.all():
            lost = ~np.isfinite(right) & ~same
            with np.errstate(all="ignore"):
                error = np.where(same | lost, 0, np.subtract(mine, right, dtype=right.dtype))
            low, high = _cut(mine, right, error)
            error = error if low is None and high is None else np.where(_beyond(mine, right, low, high), 0, error)
            piece = replace(piece, error=f"errorflow/error:{number}", low=low, high=high)
            self._fed.add(piece.error, error)
            wrong, size = powers_of(mine, right)
            self._small |= {number} if wrong <= LOST**2 * size else set()
            if lost.any():
                piece = replace(piece, dumped=f"errorflow/dumped:{number}")
                self._fed.add(piece.dumped, mine.astype(right.dtype))
        self._pieces.append(piece)
        self._own.setdefault(node, []).append(number)
        return number

    def _source(self, work: NodeWork, name: str, pair: Pair) -> int | str:
        """Finds what a node reads: what another made, perhaps with a difference of its own, or else what was dumped."""
        if id(pair) in self._numbers:
            return self._numbers[id(pair)]
        plan, values = self._bench.plan, self._bench.values
        both, tensor = values.of(pair), plan.tensor_of(pair)
        assert not isinstance(both, str)
        maker = None if tensor is None else plan.pair_of(tensor)
        made = "" if maker is None or id(maker) not in self._numbers else values.of(maker)
        node = -1 if tensor is None else int(plan.graph.producers[tensor])
        found: int | None = None
        if not isinstance(made, str) and made.mine.shape == both.mine.shape and made.mine.dtype == both.mine.dtype:
            if np.array_equal(both.mine, made.mine, equal_nan=both.mine.dtype.kind == "f"):
                return self._numbers[id(maker)]
            found = self._keep(work.node, TensorPiece((), {name: self._numbers[id(maker)]}, name), both.mine, made.mine)
        elif node >= 0 and self._is_first(node):  # what is before it was not dumped: all of its error is its own
            given = self._given(both, lambda: both.golden, work.types.get(name, ""))
            found = self._keep(node, TensorPiece((), {name: given}, name), both.mine, both.golden)
            self._numbers |= {} if found is None else {id(pair): found}
        return self._given(pair, lambda: both.mine, work.types.get(name, "")) if found is None else found

    def _is_first(self, node: int) -> bool:
        """Whether no node before it was looked at."""
        graph = self._bench.plan.graph
        before = reached(self._above, [node], np.ones(len(graph), bool), len(graph))
        return not any(before[each] for each in self._own if each != node)

    def _given(self, whose: object, read: Callable[[], Array], kind: str = "") -> str:
        """Feeds an array once, however many nodes read it."""
        key = id(whose), kind
        if key not in self._givens:
            self._givens[key] = whose, f"errorflow/given:{len(self._givens)}"
            self._fed.add(self._givens[key][1], read(), kind)
        return self._givens[key][1]

    def shares(self, model: Path, judged: Blame, progress: Progress) -> dict[int, Switched]:
        plan = self._bench.plan
        found = dict(self._ends(with_inside(plan.graph, bad_ends(judged))))
        asked = tuple(dict.fromkeys(number for number, _ in found.values()))
        spec = RebuiltSpec(tuple(self._pieces), asked)
        with SplicedModels([model], spec, self._fed, weights_of(plan.original.graph)) as models:
            made = dict(zip(asked, models.run((), asked, progress=progress), strict=True)) if asked else {}
            alike = {name: (number, both) for name, (number, both) in found.items() if _is_like(made[number], both)}
            # A dump may have the output in another shape than the model.
            golden = {name: both.golden.reshape(made[number].shape) for name, (number, both) in alike.items()}
            ends = {name: End(number, partial(golden.__getitem__, name)) for name, (number, _) in alike.items()}
            together = self._together()
            numbers = {node: tuple(own) for node, own in self._own.items()}
            bench = RunBench(plan.graph, models, numbers, ends, progress, together, self._draws)
            return bench.shares(judged) if ends else {}

    def _draws(self, nodes: Set[int], count: int) -> list[frozenset[int]]:
        """Draws so many: as it was dumped, and with small differences behind these nodes turned round by chance.

        What is rounded there gets other values, so that what cancelled an error by chance does so no longer.
        """
        graph = self._bench.plan.graph
        behind = reached(self._below, sorted(nodes), np.ones(len(graph), bool), len(graph))
        behind[sorted(nodes)] = False
        own = {number for node in np.flatnonzero(behind).tolist() for number in self._own.get(node, ())}
        small = np.array(sorted(own & self._small), int)
        if not nodes or not len(small):
            return [frozenset()]
        dice = np.random.default_rng(count)  # other ones for another number
        turned = (small[dice.random(len(small)) < MOST] for _ in range(count - 1))
        return [frozenset(), *(frozenset(each.tolist()) for each in turned)]

    def _ends(self, names: Iterable[str]) -> Iterator[tuple[str, tuple[int, PairValues]]]:
        plan = self._bench.plan
        for name in names:
            tensor = plan.graph.tensor_index(name)
            pair = None if tensor is None else plan.pair_of(tensor)
            both = "" if pair is None or id(pair) not in self._numbers else self._bench.values.of(pair)
            if not isinstance(both, str):
                yield name, (self._numbers[id(pair)], both)

    def _together(self) -> dict[int, frozenset[int]]:
        """Gives nodes with hidden tensors the pieces of who reads them; by piece, all that have to be put right."""
        found = dict[int, frozenset[int]]()
        for node, pieces in [*self._own.items()]:
            members = {node}
            waiting = [node]
            while waiting:
                fresh = self._hidden_before(waiting.pop()) - members
                members |= fresh
                waiting += fresh
            found |= dict.fromkeys(pieces, frozenset(members))
            for each in members - {node}:
                self._own[each] = [*self._own.get(each, ()), *pieces]
        return found

    def _hidden_before(self, node: int) -> set[int]:
        graph = self._bench.plan.graph
        return {int(graph.producers[tensor]) for tensor in self._inner.intersection(graph.node_inputs[node].tolist())}


def _is_half(pair: Pair, mine: Array) -> bool:
    """Whether a narrow type made infinite what was too large for it."""
    kind = "" if pair.candidate is None else pair.candidate.info.dtype
    return kind in NARROW and not (np.isfinite(mine).all() and (np.abs(mine) >= NARROW[kind]).any())


def _cut(mine: Array, right: Array, error: Array) -> tuple[float | None, float | None]:
    """Finds where values are cut off: most of a difference that is no rounding is of values beyond the candidate's
    smallest and largest ones. None: they are not.
    """
    if not mine.dtype == right.dtype == np.float32 or mine.size < SEVERAL or not np.isfinite(mine).all():
        return None, None
    low, high = float(mine.min()), float(mine.max())
    powers = np.square(error, dtype=np.float64)
    if powers.sum() <= CLEAN**2 * np.square(right, dtype=np.float64).sum():
        return None, None
    ends = (low, None), (None, high)
    cut = [powers[_beyond(mine, right, *end)].sum() for end in ends]
    if not sum(cut) >= MOST * powers.sum():
        return None, None
    return low if cut[0] else None, high if cut[1] else None


def _beyond(mine: Array, right: Array, low: float | None, high: float | None) -> NDArray[np.bool_]:
    below = np.less(right, mine) & (mine == low) if low is not None else np.zeros(mine.shape, bool)
    above = np.greater(right, mine) & (mine == high) if high is not None else np.zeros(mine.shape, bool)
    return np.asarray(below | above)


def _is_like(mine: Array, both: PairValues) -> bool:
    """Whether what was rebuilt is what was dumped, but for a small part of what that differs from the reference."""
    if mine.size != both.mine.size:
        return False
    mine = mine.reshape(both.mine.shape)
    if (np.isfinite(both.mine) != np.isfinite(mine)).any():
        return False
    off, _ = powers_of(mine, both.mine)
    wrong, _ = powers_of(np.where(np.isfinite(both.mine), both.mine, both.golden), both.golden)
    return off <= (1 - NEARLY_ALL) * wrong
