"""Noise of the outputs by its makers: each group of nodes is quantized alone, and its error at the outputs measured.

Noise of independent makers adds up, so that the sum says what the whole plan should do. Where it does more, nodes
work together; where it does less, outputs saturate.
"""

import math
from collections.abc import Sequence
from functools import reduce
from operator import add

import numpy as np

from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.compare.metrics.sums import Sums
from errorflow.explain.blame.model import Floats
from errorflow.graph.model import Graph
from errorflow.quant.assign import Assigned
from errorflow.quant.operators import MOVING
from errorflow.quant.plan import Plan
from errorflow.quant.units import Units, main_node, units_of
from errorflow.run.engine.engine import Engine
from errorflow.run.engine.table import Table
from errorflow.study.simulate.pooled import pooled_sums


@dataclass(frozen=True, slots=True)
class NoiseSource:
    """A group of nodes, or an input of the model, and what of it is coded."""

    # The node that stands for the group; that of the first reader for an input.
    node: int
    name: str
    tensors: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Noise:
    """Powers of the errors that each source alone makes at each output."""

    sources: tuple[NoiseSource, ...]
    outputs: tuple[str, ...]
    # Sources × outputs; NaN: it makes values that are no numbers.
    powers: Floats
    # Of the references.
    sizes: Floats
    samples: tuple[int, ...] = ()

    def predicted_sqnr(self, output: int) -> float:
        """Predicts in decibels, if all that is coded made noise of its own."""
        power, size = float(np.nansum(self.powers[:, output])), float(self.sizes[output])
        return math.inf if not power else 10 * math.log10(size / power) if size else -math.inf

    def measured(self, output: int, table: Table) -> Sums:
        """Measures what all groups together do to the output, on the same samples."""
        found = (table.sums(self.outputs[output], table.samples.index(sample)) for sample in self.samples)
        return reduce(add, (sums for sums in found if sums is not None), Sums())

    def shares(self, output: int) -> Floats:
        """Computes shares of the sum."""
        powers = np.nan_to_num(self.powers[:, output])
        total = float(powers.sum())
        return powers / total if total else powers


def noise_of(engine: Engine, plan: Plan, samples: Sequence[int] = (0,), progress: Progress = SILENT) -> Noise:
    """Runs the model once for each group of which something is coded."""
    sources = sources_of(engine.graph, engine.assigned(plan), units_of(engine.graph))
    outputs = tuple(name for name in engine.outputs if name in engine.shapes)
    powers, sizes = np.zeros((len(sources), len(outputs))), np.zeros(len(outputs))
    assigned = engine.assigned(plan)
    plans = [alone(plan, assigned, engine.graph, source) for source in sources]
    text = "Quantizing one group at a time"
    tables = engine.run_many(plans, outputs, samples, exactly=False, text=text, progress=progress)
    for number, table in enumerate(tables):
        for place, output in enumerate(outputs):
            sums = pooled_sums(table, output)
            if sums is not None:
                powers[number, place] = math.nan if sums.broken else float(sums.dd)
                sizes[place] = float(sums.rr)
    return Noise(sources, outputs, powers, sizes, tuple(samples))


def alone(plan: Plan, assigned: Assigned, graph: Graph, source: NoiseSource) -> Plan:
    """The plan with nothing coded but what belongs to the source."""
    wished = assigned.precisions(graph.tensor_names)
    return plan.only({name: wished[name] for name in source.tensors})


def sources_of(graph: Graph, assigned: Assigned, units: Units) -> tuple[NoiseSource, ...]:
    """Inputs first, then the groups in the order of running; what is only moved goes with what it was."""
    owned: dict[int, list[int]] = {}
    fed: list[NoiseSource] = []
    readers = graph.consumers
    for tensor in sorted(assigned.activations):
        maker = int(graph.producers[tensor])
        name = graph.tensor_names[tensor]
        if maker >= 0:
            owned.setdefault(int(units.of[maker]), []).append(tensor)
        elif len(readers[tensor]):
            fed.append(NoiseSource(int(readers[tensor][0]), name, (name,)))
    for tensor in sorted(assigned.constants):
        if len(readers[tensor]):
            owned.setdefault(int(units.of[readers[tensor][0]]), []).append(tensor)
    found = [
        NoiseSource(
            main_node(graph, units, unit), units.names[unit], tuple(graph.tensor_names[each] for each in owned[unit])
        )
        for unit in sorted(owned)
        if not _only_moves(graph, units, unit, assigned, owned[unit])
    ]
    return (*fed, *found)


def _only_moves(graph: Graph, units: Units, unit: int, assigned: Assigned, tensors: Sequence[int]) -> bool:
    moves = all(graph.op_types[node] in MOVING for node in units.nodes[unit].tolist())
    return moves and assigned.moved.issuperset(tensors)
