"""Who reads what of whom, with conversions taken for part of the line."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Column, Ints, Ragged, T
from errorflow.explain.difference.operators import COLLECTS, CONVERSIONS, work_of
from errorflow.graph.model import Graph


def by_value(column: Column[T], answers: "list[bool] | list[str]") -> "NDArray[np.generic]":
    """What was answered for each distinct value, row by row."""
    return np.array(answers)[column.codes] if len(column.values) else np.array(answers)


def conversions(graph: Graph) -> NDArray[np.bool_]:
    """For each node whether it only converts."""
    found = by_value(graph.op_types, [value in CONVERSIONS for value in graph.op_types.values])
    return found.astype(bool)


@dataclass(frozen=True, eq=False)
class Flow:
    """Lines between nodes. Numbers from `len(graph)` on are the inputs of the graph, in their order."""

    graph: Graph
    # What each node does, by `operators.work_of`.
    works: list[str]
    # Equally long: from which node, to which node, at which of its inputs.
    starts: Ints
    ends: Ints
    places: Ints
    readers: Ragged
    sources: Ragged
    # By the name of the tensor, or the place at the node that collects them, what makes the outputs of the graph.
    exits: dict[str, int]

    @classmethod
    def of(cls, graph: Graph, through: NDArray[np.bool_]) -> "Flow":
        """`through`: nodes that count as part of the line."""
        roots = _roots(graph, through)
        makers = np.append(graph.producers, -1)
        inputs = graph.inputs
        makers[inputs] = np.where(makers[inputs] < 0, len(graph) + np.arange(len(inputs)), makers[inputs])
        tensors, ends = graph.node_inputs.values, graph.node_inputs.owners()
        places = np.arange(len(tensors)) - graph.node_inputs.starts[:-1][ends] if len(tensors) else tensors
        starts = makers[np.where(tensors >= 0, roots[tensors], -1)]
        keep = (starts >= 0) & ~through[ends]
        starts, ends, places = (column[keep].astype(np.int32) for column in (starts, ends, places))
        lines = np.arange(len(starts), dtype=np.int32)
        works = [work_of(value) for value in graph.op_types.values]
        return cls(
            graph,
            [works[code] for code in graph.op_types.codes.tolist()],
            starts,
            ends,
            places,
            Ragged.grouped(starts, lines, len(graph) + len(inputs)),
            Ragged.grouped(ends, lines, len(graph)),
            _exits(graph, roots),
        )


def _exits(graph: Graph, roots: Ints) -> dict[str, int]:
    names = {graph.tensor_names[tensor]: int(graph.producers[roots[tensor]]) for tensor in graph.outputs.tolist()}
    collects = {code for code, value in enumerate(graph.op_types.values) if value == COLLECTS}
    for node in [n for n, code in enumerate(graph.op_types.codes.tolist()) if code in collects]:
        for place, tensor in enumerate(graph.node_inputs[node].tolist()):
            names[f":{place}"] = int(graph.producers[roots[tensor]]) if tensor >= 0 else -1
    return {name: maker for name, maker in names.items() if maker >= 0}


def _roots(graph: Graph, through: NDArray[np.bool_]) -> Ints:
    """For each tensor the one that it is a conversion of; itself if of none."""
    roots = np.arange(len(graph.tensor_names) + 1, dtype=np.int32)
    reads, makes = np.diff(graph.node_inputs.starts) > 0, np.diff(graph.node_outputs.starts) > 0
    nodes = np.flatnonzero(through & reads & makes)
    source = graph.node_inputs.values[graph.node_inputs.starts[nodes]]
    made = graph.node_outputs.values[graph.node_outputs.starts[nodes]]
    real = (source >= 0) & (made >= 0)
    roots[made[real]] = source[real]
    for _ in range(len(roots).bit_length()):  # each turn halves what is left of the way; a circle never ends
        roots = roots[roots]
    return roots
