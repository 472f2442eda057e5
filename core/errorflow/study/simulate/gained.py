"""Gains at the outputs when nodes of a simulation are put to float."""

from collections.abc import Iterator, Sequence

import numpy as np

from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.compare.metrics.sums import Sums
from errorflow.explain.blame.limits import CLEAN, NEARLY_ALL
from errorflow.explain.blame.model import ModelVerdict, Remedy, Switched
from errorflow.explain.blame.righting import ALONE, RightedErrors, gain_of, switched_by
from errorflow.graph.model import Graph
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.switching import in_units, switched
from errorflow.run.engine.engine import Engine
from errorflow.run.engine.table import Table
from errorflow.study.simulate.noise import Noise
from errorflow.study.simulate.pooled import pooled_sums

# Of samples that are tried.
SAMPLES = 16


def drawn(samples: int, worst: int, most: int = SAMPLES) -> tuple[int, ...]:
    """Draws samples evenly, and the worst one with them: on one that is easy for the model, outputs saturate."""
    others = [sample for sample in range(samples) if sample != worst]
    places = np.linspace(0, len(others) - 1, min(len(others), most - (worst >= 0))).round().astype(int).tolist()
    return tuple(([worst] if worst >= 0 else []) + [others[place] for place in places])


def gained(
    engine: Engine, plan: Plan, noise: Noise, bad: Sequence[str], worst: int = -1, progress: Progress = SILENT
) -> dict[int, Switched]:
    """Finds what is gained at these outputs, by their tensors."""
    bench = EngineBench(engine, plan, drawn(engine.samples, worst), progress)
    outputs = [name for name in noise.outputs if name in bad]
    return switched_by(bench, outputs, lambda name: _loudest_first(noise, noise.outputs.index(name)))


def measured_by(table: Table, names: Sequence[str]) -> RightedErrors:
    pooled = ((name, pooled_sums(table, name)) for name in names)
    powers = {name: _powers(sums) for name, sums in pooled if sums is not None}
    return RightedErrors(powers, {name: np.array(list(_each(table, name))) for name in powers})


def _each(table: Table, name: str) -> Iterator[float]:
    for place in range(len(table.samples)):
        sums = table.sums(name, place)
        yield 0.0 if sums is None else _powers(sums)[0]


def _powers(sums: Sums) -> tuple[float, float]:
    return np.inf if sums.broken else float(sums.dd), float(sums.rr)


@dataclass(frozen=True, slots=True)
class EngineBench:
    """A `SwitchBench` on the samples of a simulation."""

    engine: Engine
    plan: Plan
    samples: tuple[int, ...]
    progress: Progress

    in_groups = False

    @property
    def graph(self) -> Graph:
        return self.engine.graph

    def run(self, sets: Sequence[Sequence[int]], names: Sequence[str], text: str = ALONE) -> list[RightedErrors]:
        """Runs the plan with each of these sets of nodes in float."""
        names = [name for name in names if name in self.engine.shapes]
        plans = [switched(self.graph, self.plan, nodes, FLOAT) if nodes else self.plan for nodes in sets]
        tables = self.engine.run_many(plans, names, self.samples, text=text, progress=self.progress)
        return [measured_by(table, names) for table in tables] if names else [RightedErrors({}) for _ in sets]


def _loudest_first(noise: Noise, place: int) -> dict[int, float]:
    """Maps nodes to their share of the noise, what makes no numbers before all others."""
    found: dict[int, float] = {}
    with np.errstate(all="ignore"):
        powers = noise.powers[:, place]
        shares = np.where(np.isfinite(powers), powers / np.nansum(powers[np.isfinite(powers)]), np.inf)
    for source, share in zip(noise.sources, np.nan_to_num(shares, posinf=np.inf).tolist(), strict=True):
        found[source.node] = found.get(source.node, 0.0) + share
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def gained_in_channels(
    engine: Engine, plan: Plan, model: ModelVerdict, worst: int = -1, progress: Progress = SILENT
) -> dict[int, Switched]:
    """The same at outputs that are good as a whole, of whose quiet channels nothing is left: all channels alike, for
    the nodes that the estimate names.
    """
    graph, outputs, samples = engine.graph, frozenset(engine.outputs), drawn(engine.samples, worst)
    found: dict[int, Switched] = {}
    for tensor, verdict in model.outputs:
        name, nodes = graph.tensor_names[tensor], [each.node for each in verdict.top]
        if name not in outputs or not nodes:
            continue
        plans = [plan, *(switched(graph, plan, in_units(graph, (node,)), FLOAT) for node in nodes)]
        before, *after = (_in_channels(engine, each, name, samples, progress) for each in plans)
        shares = {node: max(gain_of(before**2, error**2), 0.0) for node, error in zip(nodes, after, strict=True)}
        best = int(np.argmin(after))
        others = tuple(each for each in in_units(graph, (nodes[best],)) if each != nodes[best])
        is_enough = shares[nodes[best]] >= NEARLY_ALL or after[best] <= CLEAN
        remedy = Remedy((nodes[best],), len(nodes), before, after[best], others=others)
        found[tensor] = Switched(shares, remedy if is_enough else None)
    return found


def _in_channels(engine: Engine, plan: Plan, name: str, samples: Sequence[int], progress: Progress) -> float:
    """The relative error of each channel, their root of the mean square; infinite where values are no numbers."""
    error = size = np.zeros(())
    for sample in samples:
        golden, mine = (engine.values(each, [name], sample, progress)[name] for each in (None, plan))
        others = tuple(axis for axis in range(golden.ndim) if axis != min(1, golden.ndim - 1))
        with np.errstate(all="ignore"):
            error = error + np.square(np.subtract(mine, golden, dtype=np.float64)).sum(axis=others)
        size = size + np.square(golden, dtype=np.float64).sum(axis=others)
    if not np.isfinite(error).all():
        return np.inf
    # A channel that is all zero has no relative error.
    ratios = error[size > 0] / size[size > 0]
    return float(np.sqrt(ratios.mean())) if ratios.size else 0.0
