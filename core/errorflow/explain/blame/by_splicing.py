"""Blame between two models that can both be run, by nodes of the original in the place of the candidate's.

Both are run as one model with a switch for each node, on the inputs of the comparison. What a node makes that is put
right is not rounded either, and it reads what the candidate's nodes hand it. What is gone at the output is its share.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, field, replace
from errorflow.compare.match.model import Pair
from errorflow.compare.match.quantized.places import QuantizedPlaces
from errorflow.explain.blame.exact import MOST_NODES, ExactPlan, NodeWork, OriginalModel
from errorflow.explain.blame.limits import CLEAN, NEARLY_ALL
from errorflow.explain.blame.model import Blame, Switched
from errorflow.explain.blame.righting import ALONE, Order, RightedErrors, gain_of, inside, switched_by
from errorflow.graph.model import Graph, Model, Shape
from errorflow.quant.units import Units, units_of
from errorflow.run.model import Array
from errorflow.run.ort import weights_of
from errorflow.run.spliced import SplicedModels, SpliceSpec

# Bad outputs that are looked at, the worst ones.
OUTPUTS = 16
# Groups that are tried alone; of a model with more, those that are most suspect.
GROUPS = 48
_FLOATS = frozenset(("float32", "float16", "float64"))


def spliced_shares(
    original: Path, candidate: Callable[[], Model], plan: ExactPlan, judged: Blame, progress: Progress = SILENT
) -> dict[int, Switched]:
    """Finds what is gained at each bad output, by its tensor, where nodes that can be put right explain its error.

    `candidate` reads that model with all types known; it is not asked where no output is bad.
    """
    assert judged.evidence is not None
    ends = [tensor for tensor, error in sorted(judged.evidence.ends, key=lambda end: -end[1]) if error > CLEAN]
    if not ends:
        return {}
    model = candidate()
    sites = Sites.of(plan.original, model.graph, progress)
    bare = SplicedBench(plan, sites.spec(plan), progress)
    names = [judged.graph.tensor_names[tensor] for tensor in ends[:OUTPUTS]]
    known = [name for name in names if bare.pair_of(name) is not None]
    inner = [each for name in known for each in inside(bare.graph, name)]
    spec = replace(bare.spec, outputs=bare.outputs([*known, *inner]))
    with SplicedModels(original, model.path, spec, weights_of(sites.original) + weights_of(model.graph)) as models:
        bench = replace(bare, spec=spec, models=models, feeds=sites.feeds(plan))
        orders = bench.alone(known, judged) if known and bench.numbers else {}
        return switched_by(bench, list(orders), orders.__getitem__) if orders else {}


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
                found[graph.tensor_names[tensor]] = stored.read()
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


@dataclass(frozen=True)
class SplicedBench:
    """A `SwitchBench` on the inputs of a comparison."""

    plan: ExactPlan
    spec: SpliceSpec
    progress: Progress
    models: SplicedModels | None = None
    feeds: Mapping[str, Array] = field(default_factory=dict)

    @property
    def graph(self) -> Graph:
        return self.plan.graph

    def outputs(self, names: Iterable[str]) -> tuple[str, ...]:
        """Names them as the candidate does."""
        pairs = (self.pair_of(name) for name in names)
        return tuple(dict.fromkeys(pair.candidate.info.name for pair in pairs if pair is not None and pair.candidate))

    def pair_of(self, name: str) -> Pair | None:
        """Finds the pair of a tensor that can be measured in the spliced model."""
        number = self.graph.tensor_index(name)
        pair = None if number is None else self.plan.pair_of(number)
        if pair is None or pair.candidate is None or pair.reference is None:
            return None
        mine, right = pair.candidate.info, pair.reference.info
        return pair if mine.dtype in _FLOATS and mine.shape == right.shape else None

    @cached_property
    def numbers(self) -> dict[int, tuple[int, ...]]:
        """Maps nodes of the painted graph to the numbers of the original's nodes that stand for them."""
        makers = {name: number for number, made in self.spec.nodes.items() for name in made}
        found: dict[int, tuple[int, ...]] = {}
        for node in range(len(self.graph)):
            works = (work for work in self.plan.work_of(node) if isinstance(work, NodeWork) and work.way is not None)
            made = (name for work in works if work.way is not None for name in work.way.made)
            found[node] = tuple(dict.fromkeys(makers[name] for name in made if name in makers))
        return {node: numbers for node, numbers in found.items() if numbers}

    def run(self, sets: Sequence[Sequence[int]], names: Sequence[str], text: str = ALONE) -> list[RightedErrors]:
        switches = [tuple({number for node in nodes for number in self.numbers.get(node, ())}) for nodes in sets]
        return self._run(switches, names, text)

    def _run(self, switches: Sequence[Sequence[int]], names: Sequence[str], text: str = ALONE) -> list[RightedErrors]:
        pairs = {name: pair for name in names if (pair := self.pair_of(name)) is not None}
        golden = {name: pair.reference.read() for name, pair in pairs.items() if pair.reference is not None}
        wanted = [pair.candidate.info.name for pair in pairs.values() if pair.candidate is not None]
        assert self.models is not None, "the two are ready to be run"
        found = []
        for done, each in enumerate(switches):
            self.progress.step(done, len(switches), text)
            values = self.models.run(self.feeds, each, wanted, self.progress)
            powers = (_powers(mine, right) for mine, right in zip(values, golden.values(), strict=True))
            found.append(RightedErrors(dict(zip(golden, powers, strict=True))))
        return found

    def alone(self, names: Sequence[str], judged: Blame) -> dict[str, Order]:
        """Measures what each group makes alone: all others are put right. Left out is an output of whose error much
        stays with all put right: what is wrong there has no switch.
        """
        every = tuple({number for numbers in self.numbers.values() for number in numbers})
        groups = self._groups(judged)
        tried = dict(list(groups.items())[:GROUPS])
        rests = [tuple(set(every) - set(numbers)) for numbers in tried.values()]
        before, base, *found = self._run([(), every, *rests], names, "Running one group of the candidate at a time")
        orders: dict[str, Order] = {}
        for name in names:
            if gain_of(before.power(name), base.power(name)) >= NEARLY_ALL:
                powers = [max(each.power(name) - base.power(name), 0.0) for each in found]
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


def _powers(mine: Array, right: Array) -> tuple[float, float]:
    with np.errstate(all="ignore"):
        error = np.square(np.subtract(mine, right, dtype=np.float64)).sum()
        size = np.square(right, dtype=np.float64).sum()
    return float(error) if np.isfinite(error) else np.inf, float(size)
