"""Blame between two models that can both be run, by nodes of the original in the place of the candidate's.

Both are run as one model with a switch for each node, on the inputs of the comparison. What a node makes that is put
right is not rounded either, and it reads what the candidate's nodes hand it. What is gone at the output is its share.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, field, replace
from errorflow.compare.match.model import Pair
from errorflow.compare.match.quantized.places import QuantizedPlaces
from errorflow.explain.blame.exact import MOST_NODES, ExactPlan, NodeWork, OriginalModel
from errorflow.explain.blame.limits import CLEAN, NAMED, NEARLY_ALL
from errorflow.explain.blame.model import Blame, Switched
from errorflow.explain.blame.righting import ALONE, APART, Order, RightedErrors, gain_of, inside, switched_by
from errorflow.graph.model import Graph, Model, Shape
from errorflow.quant.switching import in_units
from errorflow.quant.units import Units, units_of
from errorflow.run.model import Array
from errorflow.run.ort import weights_of
from errorflow.run.spliced import FedFolder, SplicedModels, SpliceSpec

# Bad outputs that are looked at, the worst ones.
OUTPUTS = 16
# Groups that are tried alone; of a model with more, those that are most suspect.
GROUPS = 48
# Draws while sets are looked for, and when what was found is tried once more.
SEARCHED, PROVEN = 3, 6
_FLOATS = frozenset(("float32", "float16", "float64"))


def spliced_shares(
    original: Path, candidate: Callable[[], Model], plan: ExactPlan, judged: Blame, progress: Progress = SILENT
) -> dict[int, Switched]:
    """Finds what is gained at each bad output, by its tensor, where nodes that can be put right explain its error.

    `candidate` reads that model with all types known.
    """
    model = candidate()
    sites = Sites.of(plan.original, model.graph, progress)
    graph, spec = plan.graph, sites.spec(plan)
    ends: dict[str, End] = {}
    for name in with_inside(graph, bad_ends(judged)):
        pair = _measurable(plan, name)
        if pair is not None and pair.candidate is not None and pair.reference is not None:
            ends[name] = End(pair.candidate.info.name, cache(pair.reference.read))
    numbers = _numbers(plan, spec)
    if not numbers or not ends:
        return {}
    spec = replace(spec, outputs=tuple(dict.fromkeys(str(end.seen) for end in ends.values())))
    weights = weights_of(sites.original) + weights_of(model.graph)
    with FedFolder.of(sites.feeds(plan)) as fed, SplicedModels([original, model.path], spec, fed, weights) as models:
        return RunBench(graph, models, numbers, ends, progress).shares(judged)


def bad_ends(judged: Blame) -> list[str]:
    """Names the worst of the outputs that are bad, or parts of them."""
    assert judged.evidence is not None
    ends = sorted(judged.evidence.ends, key=lambda end: -end[1])
    return [judged.graph.tensor_names[tensor] for tensor, error in ends if error > CLEAN][:OUTPUTS]


def with_inside(graph: Graph, names: Sequence[str]) -> list[str]:
    """The same with what those are made of that saturate."""
    return list(dict.fromkeys([*names, *(each for name in names for each in inside(graph, name))]))


def _measurable(plan: ExactPlan, name: str) -> Pair | None:
    """Finds the pair of a tensor that can be measured in the spliced model."""
    number = plan.graph.tensor_index(name)
    pair = None if number is None else plan.pair_of(number)
    if pair is None or pair.candidate is None or pair.reference is None:
        return None
    mine, right = pair.candidate.info, pair.reference.info
    return pair if mine.dtype in _FLOATS and mine.shape == right.shape else None


def _numbers(plan: ExactPlan, spec: SpliceSpec) -> dict[int, tuple[int, ...]]:
    """Maps nodes of the painted graph to the numbers of the original's nodes that stand for them."""
    makers = {name: number for number, made in spec.nodes.items() for name in made}
    found: dict[int, tuple[int, ...]] = {}
    for node in range(len(plan.graph)):
        works = (work for work in plan.work_of(node) if isinstance(work, NodeWork) and work.way is not None)
        made = (name for work in works if work.way is not None for name in work.way.made)
        found[node] = tuple(dict.fromkeys(makers[name] for name in made if name in makers))
    return {node: numbers for node, numbers in found.items() if numbers}


@dataclass(frozen=True)
class Sites:
    """Tensors of the candidate that carry those of the original."""

    model: OriginalModel
    places: QuantizedPlaces

    @classmethod
    def of(cls, model: OriginalModel, candidate: Graph, progress: Progress = SILENT) -> "Sites":
        return cls(model, QuantizedPlaces.of(model.graph, candidate, progress))

    @property
    def original(self) -> Graph:
        return self.model.graph

    def carriers(self, tensor: int) -> Iterator[int]:
        """Yields those of the same shape, in the order in which they are made."""
        graph = self.places.candidate.graph
        value = self.places.found[tensor][0] if tensor in self.places.found else -1
        for carrier in self.places.candidate.carriers.get(value, ()):
            if _may_be_alike(self.original.shapes[tensor], graph.shapes[carrier]):
                yield carrier

    def spec(self, plan: ExactPlan) -> SpliceSpec:
        graph, own = self.places.candidate.graph, self.original
        carriers: dict[str, tuple[str, ...]] = {}
        reads: dict[str, str] = {}
        types: dict[str, tuple[str, str]] = {}
        for tensor, name in enumerate(own.tensor_names):
            every, stored = list(self.carriers(tensor)), plan.reference_of(name)
            real = [each for each in every if graph.dtypes[each] in _FLOATS]
            kind = own.dtypes[tensor] or ("" if stored is None else stored.info.dtype)  # few models say all their types
            if real and kind in _FLOATS:
                carriers[name] = tuple(graph.tensor_names[each] for each in real)
                pairs = ((each, (str(graph.dtypes[each]), kind)) for each in real)
                types |= {graph.tensor_names[each]: kinds for each, kinds in pairs if kinds[0] != kinds[1]}
            elif every and graph.dtypes[every[0]] == kind:
                reads[name] = graph.tensor_names[every[0]]
        known = _Known(self.model, carriers.keys() | reads.keys())
        nodes = {
            node: made
            for node in range(len(own))
            if (made := tuple(own.tensor_names[each] for each in own.node_outputs[node].tolist() if each >= 0))
            and all(name in carriers for name in made)
            and known.can_stand_alone(node)
        }
        return SpliceSpec(nodes, carriers, reads, types)

    def feeds(self, plan: ExactPlan) -> dict[str, Array]:
        """The inputs of both runs, by the candidate's names."""
        graph = self.places.candidate.graph
        by_value = {value: tensor for tensor, (value, _) in self.places.found.items()}
        found: dict[str, Array] = {}
        for tensor in graph.inputs.tolist():
            ours = by_value.get(self.places.candidate.of[tensor])
            stored = None if ours is None else plan.reference_of(self.original.tensor_names[ours])
            if stored is not None:
                array, kind = stored.read(), graph.dtypes[tensor]
                is_real = kind in _FLOATS and array.dtype.kind == "f"
                found[graph.tensor_names[tensor]] = array.astype(kind) if is_real else array
        return found


@dataclass(frozen=True)
class _Known:
    """Nodes of the original that can stand in the candidate's place: the candidate has what they read."""

    model: OriginalModel
    names: Collection[str]

    def can_stand_alone(self, node: int) -> bool:
        """Whether all that it reads is there, is constant, or is made within its own group."""
        return self._is_there(node, int(self.units.of[node]), 0)

    @cached_property
    def units(self) -> Units:
        return units_of(self.model.graph)

    def _is_there(self, node: int, group: int, depth: int) -> bool:
        if depth > MOST_NODES or self.model.refused(node):
            return False
        graph = self.model.graph
        for tensor in graph.node_inputs[node].tolist():
            if tensor < 0 or tensor in self.model.constants or graph.tensor_names[tensor] in self.names:
                continue
            maker = int(graph.producers[tensor])
            is_inner = maker >= 0 and (int(self.units.of[maker]) == group or not len(graph.node_inputs[maker]))
            if not is_inner or not self._is_there(maker, group, depth + 1):
                return False
        return True


def _may_be_alike(one: Shape, two: Shape) -> bool:
    if one is None or two is None:
        return True
    fixed = (isinstance(each, int) and isinstance(other, int) for each, other in zip(one, two, strict=False))
    return len(one) == len(two) and all(
        each == other for each, other, known in zip(one, two, fixed, strict=True) if known
    )


@dataclass(frozen=True, slots=True)
class End:
    """A tensor that is looked at: as the spliced models call it, and how the reference's is read."""

    seen: str | int
    golden: Callable[[], Array]


@dataclass(frozen=True, slots=True)
class RunBench:
    """A `SwitchBench` on the inputs of a comparison."""

    graph: Graph
    models: SplicedModels
    # By node of the painted graph, the switches that put it right.
    numbers: Mapping[int, tuple[int, ...]]
    # By the painted tensor's name.
    ends: Mapping[str, End]
    progress: Progress
    # By switch, all nodes that are to be put right for it; else one that has it is enough.
    together: Mapping[int, Set[int]] = field(default_factory=dict)
    # Draws, by nodes that are put right and a number, of differences behind them that fall otherwise then: the median
    # of these runs counts. None: nothing is left to chance.
    draws: Callable[[Set[int], int], Sequence[Set[int]]] | None = None
    _known: dict[tuple[Set[int], tuple[str, ...]], RightedErrors] = field(default_factory=dict)

    @property
    def in_groups(self) -> bool:
        """Whether it is: what is rounded behind a node of a group would be rounded behind the next one as well."""
        return self.draws is not None

    def shares(self, judged: Blame) -> dict[int, Switched]:
        """Finds what is gained at the bad ones of these ends."""
        orders = self._alone([name for name in bad_ends(judged) if name in self.ends], judged)
        found = switched_by(self, list(orders), orders.__getitem__) if orders else {}
        return found if self.draws is None else {tensor: self._proven(tensor, each) for tensor, each in found.items()}

    def run(self, sets: Sequence[Sequence[int]], names: Sequence[str], text: str = ALONE) -> list[RightedErrors]:
        ends = tuple(name for name in names if name in self.ends)
        for done, nodes in enumerate(map(frozenset, sets)):
            if (nodes, ends) not in self._known:
                self.progress.step(done, len(sets), text)
                self._known[nodes, ends] = self._drawn(nodes, ends, SEARCHED)
        return [self._known[frozenset(each), ends] for each in sets]

    def _drawn(self, nodes: Set[int], ends: Sequence[str], number: int) -> RightedErrors:
        draws = [frozenset[int]()] if self.draws is None else self.draws(nodes, number)
        drawn = [self._powers(self._switches(nodes), ends, flipped) for flipped in draws]
        errors = np.median([[error for error, _ in each] for each in drawn], axis=0).tolist() if ends else []
        sizes = (size for _, size in drawn[0])
        return RightedErrors(dict(zip(ends, zip(errors, sizes, strict=True), strict=True)))

    def _proven(self, tensor: int, found: Switched) -> Switched:
        """Tries once more what was chosen, with other draws: the best of many may be so by chance."""
        name = self.graph.tensor_names[tensor]
        before = self._drawn(frozenset(), [name], PROVEN).power(name)
        named = sorted(found.shares, key=lambda node: -found.shares[node])[:NAMED]
        again = {node: self._gain(in_units(self.graph, (node,)), name, before) for node in named}
        shares = {node: max(min(share, again.get(node, share)), 0.0) for node, share in found.shares.items()}
        remedy = found.remedy
        if remedy is not None:
            gain = self._gain((*remedy.nodes, *remedy.others), name, before)
            remedy = replace(remedy, of_dumps=True) if gain >= remedy.gain - APART else None
        return Switched(shares, remedy, of_dumps=True)

    def _gain(self, nodes: Sequence[int], name: str, before: float) -> float:
        return gain_of(before, self._drawn(frozenset(nodes), [name], PROVEN).power(name))

    def _switches(self, nodes: Set[int]) -> Set[int]:
        found = {number for node in nodes for number in self.numbers.get(node, ())}
        return frozenset(number for number in found if self.together.get(number, frozenset()) <= nodes)

    def _powers(
        self, switches: Set[int], names: Sequence[str], flipped: Set[int] = frozenset()
    ) -> list[tuple[float, float]]:
        ends = [self.ends[name] for name in names]
        values = self.models.run(switches, [end.seen for end in ends], flipped, self.progress)
        return [powers_of(mine, end.golden()) for mine, end in zip(values, ends, strict=True)]

    def _alone(self, names: Sequence[str], judged: Blame) -> dict[str, Order]:
        """Measures what each group makes alone: all others are put right. Left out is an output of whose error much
        stays with all put right: what is wrong there has no switch.
        """
        every = frozenset(number for numbers in self.numbers.values() for number in numbers)
        groups = self._groups(judged)
        tried = dict(list(groups.items())[:GROUPS])
        rests = [every - set(numbers) for numbers in tried.values()]
        runs = [frozenset(), every, *rests]
        # Of what saturates hardly anybody moves the output alone; what goes into it tells, unless that is good.
        (whole,) = self.run([()], with_inside(self.graph, names))
        seen = [next((each for each in inside(self.graph, name) if whole.error(each) > CLEAN), name) for name in names]
        found = []
        for done, switches in enumerate(runs):
            self.progress.step(done, len(runs), "Running one group of the candidate at a time")
            found.append([power for power, _ in self._powers(switches, seen)])
        orders: dict[str, Order] = {}
        for name, (before, base, *made) in zip(names, zip(*found, strict=True), strict=True):
            if gain_of(before, base) >= NEARLY_ALL:
                powers = [max(power - base, 0.0) for power in made]
                orders[name] = {**_in_parts(tried, powers), **dict.fromkeys([*groups][GROUPS:], 0.0)}
        return orders

    def _groups(self, judged: Blame) -> dict[int, tuple[int, ...]]:
        """Numbers by the node that stands for a group, the most suspect first."""
        units = units_of(self.graph)
        doubt = np.fmax(np.nan_to_num(judged.blame_shares), np.nan_to_num(judged.introduced, posinf=1e9))
        found: dict[int, list[int]] = {}
        for node in self.numbers:
            found.setdefault(int(units.of[node]), []).append(node)
        worst = {max(nodes, key=lambda node: doubt[node]): nodes for nodes in found.values()}
        chosen = sorted(worst, key=lambda node: -doubt[node])
        return {node: tuple({each for one in worst[node] for each in self.numbers[one]}) for node in chosen}


def _in_parts(nodes: Iterable[int], powers: Sequence[float]) -> Order:
    """Divides by their sum, the loudest first; what makes no numbers is louder than all that does."""
    total = sum(power for power in powers if np.isfinite(power))
    parts = (power / total if total and np.isfinite(power) else power for power in powers)
    return dict(sorted(zip(nodes, parts, strict=True), key=lambda each: -each[1]))


def powers_of(mine: Array, right: Array) -> tuple[float, float]:
    """Powers of what is wrong, infinite where that is no number, and of what is right."""
    known = np.isfinite(right)  # what the reference has no number for is no error of the candidate
    with np.errstate(all="ignore"):
        error = np.square(np.subtract(mine, right, dtype=np.float64))[known].sum()
        size = np.square(right, dtype=np.float64)[known].sum()
    return float(error) if np.isfinite(error) else np.inf, float(size)
