"""Blame between two models that can both be run, by nodes of the original in the place of the candidate's.

Both are run as one model with a switch for each node, on the inputs of the comparison. What a node makes that is put
right is not rounded either, and it reads what the candidate's nodes hand it. What is gone at the output is its share.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.compare.match.model import Pair
from errorflow.compare.match.quantized.places import QuantizedPlaces
from errorflow.explain.blame.exact import ExactPlan, NodeWork
from errorflow.explain.blame.limits import CLEAN
from errorflow.explain.blame.model import Blame, Switched
from errorflow.explain.blame.righting import ALONE, Order, RightedErrors, switched_by
from errorflow.graph.model import Graph
from errorflow.quant.units import units_of
from errorflow.run.model import Array
from errorflow.run.ort import weights_of
from errorflow.run.spliced import SplicedModels, SpliceSpec

# Groups that are tried alone; of a model with more, those that are most suspect.
GROUPS = 48
_FLOATS = frozenset(("float32", "float16", "float64"))


def spliced_shares(
    original: Path, candidate: Path, theirs: Graph, plan: ExactPlan, judged: Blame, progress: Progress = SILENT
) -> dict[int, Switched]:
    """Finds what is gained at each bad output, by its tensor. `theirs`: the candidate's graph, with all types known."""
    assert judged.evidence is not None
    ends = [tensor for tensor, error in judged.evidence.ends if error > CLEAN]
    if not ends:
        return {}
    sites = Sites.of(plan.original, theirs, progress)
    spec = sites.spec()
    with SplicedModels(original, candidate, spec, weights_of(plan.original) + weights_of(theirs)) as models:
        bench = SplicedBench(plan, models, spec, sites.feeds(plan), progress)
        names = [judged.graph.tensor_names[tensor] for tensor in ends]
        known = [name for name in names if name in bench.golden]
        return switched_by(bench, known, lambda name: bench.alone(name, judged)) if known else {}


@dataclass(frozen=True)
class Sites:
    """Tensors of the candidate that carry those of the original."""

    original: Graph
    places: QuantizedPlaces

    @classmethod
    def of(cls, original: Graph, candidate: Graph, progress: Progress = SILENT) -> "Sites":
        return cls(original, QuantizedPlaces.of(original, candidate, progress))

    def carriers(self, tensor: int) -> Iterator[int]:
        """Yields those of real numbers and of the same shape, in the order in which they are made."""
        graph = self.places.candidate.graph
        value = self.places.found[tensor][0] if tensor in self.places.found else -1
        for carrier in self.places.candidate.carriers.get(value, ()):
            shapes = self.original.shapes[tensor], graph.shapes[carrier]
            if graph.dtypes[carrier] in _FLOATS and (None in shapes or shapes[0] == shapes[1]):
                yield carrier

    def spec(self) -> SpliceSpec:
        graph, own = self.places.candidate.graph, self.original
        carriers: dict[str, tuple[str, ...]] = {}
        types: dict[str, str] = {}
        for tensor, name in enumerate(own.tensor_names):
            found = tuple(self.carriers(tensor))
            if found:
                carriers[name] = tuple(graph.tensor_names[each] for each in found)
            types |= {graph.tensor_names[each]: str(graph.dtypes[each]) for each in found}
        odd = {name: kind for name, kind in types.items() if kind != "float32"}
        nodes = {
            node: made
            for node in range(len(own))
            if (made := tuple(own.tensor_names[each] for each in own.node_outputs[node].tolist() if each >= 0))
            and all(name in carriers for name in made)
        }
        return SpliceSpec(nodes, carriers, odd)

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
class SplicedBench:
    """A `SwitchBench` on the inputs of a comparison."""

    plan: ExactPlan
    models: SplicedModels
    spec: SpliceSpec
    feeds: Mapping[str, Array]
    progress: Progress

    @property
    def graph(self) -> Graph:
        return self.plan.graph

    @cached_property
    def golden(self) -> dict[str, tuple[str, Array]]:
        """Maps tensors that can be measured to what the candidate calls them, and to the original's values."""
        pairs = ((name, self.plan.pair_of(tensor)) for tensor, name in enumerate(self.graph.tensor_names))
        return {name: found for name, pair in pairs if pair is not None and (found := _golden(pair)) is not None}

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
        names = [name for name in names if name in self.golden]
        wanted = [self.golden[name][0] for name in names]
        found = []
        for done, each in enumerate(switches):
            self.progress.step(done, len(switches), text)
            (values,) = self.models.run(self.feeds, [each], wanted)
            golden = (self.golden[name][1] for name in names)
            powers = (_powers(mine, right) for mine, right in zip(values, golden, strict=True))
            found.append(RightedErrors(dict(zip(names, powers, strict=True))))
        return found

    def alone(self, name: str, judged: Blame) -> Order:
        """Measures what each group makes alone: all others are put right."""
        every = frozenset(number for numbers in self.numbers.values() for number in numbers)
        groups = self._groups(judged)
        rests = [tuple(every - set(numbers)) for numbers in groups.values()]
        (base,) = self._run([tuple(every)], [name])
        found = self._run(rests, [name], "Running one group of the candidate at a time")
        powers = [max(each.power(name) - base.power(name), 0.0) for each in found]
        total = sum(power for power in powers if np.isfinite(power))
        shares = {node: power / total if total else 0.0 for node, power in zip(groups, powers, strict=True)}
        return dict(sorted(shares.items(), key=lambda each: -each[1]))

    def _groups(self, judged: Blame) -> dict[int, tuple[int, ...]]:
        """Numbers by the node that stands for a group: the one that is most suspect."""
        units = units_of(self.graph)
        doubt = np.fmax(np.nan_to_num(judged.blame_shares), np.nan_to_num(judged.introduced, posinf=1e9))
        found: dict[int, list[int]] = {}
        for node in self.numbers:
            found.setdefault(int(units.of[node]), []).append(node)
        worst = {max(nodes, key=lambda node: doubt[node]): nodes for nodes in found.values()}
        chosen = sorted(worst, key=lambda node: -doubt[node])[:GROUPS]
        return {node: tuple({each for one in worst[node] for each in self.numbers[one]}) for node in sorted(chosen)}


def _golden(pair: Pair) -> tuple[str, Array] | None:
    mine, right = pair.candidate, pair.reference
    if mine is None or right is None or mine.info.dtype not in _FLOATS or mine.info.shape != right.info.shape:
        return None
    try:
        return mine.info.name, right.read()
    except ErrorflowError:
        return None


def _powers(mine: Array, right: Array) -> tuple[float, float]:
    with np.errstate(all="ignore"):
        error = np.square(np.subtract(mine, right, dtype=np.float64)).sum()
        size = np.square(right, dtype=np.float64).sum()
    return float(error) if np.isfinite(error) else np.inf, float(size)
