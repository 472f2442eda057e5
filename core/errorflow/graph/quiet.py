"""A graph without its noise: nodes that only convert a value are taken out and become part of the edge.

Tensors keep their numbers, so that a tensor means the same in both graphs.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import CodedColumn, Ints, Ragged, T, frozen
from errorflow.base.values import dataclass, replace, word_list
from errorflow.graph.model import Graph, Subgraph

Bools = NDArray[np.bool_]

# They round a value, or bring it into another type or layout; its elements stay what and where they are.
CONVERSIONS: Final = frozenset(
    word_list(
        "QuantizeLinear DequantizeLinear FakeQuantize FakeQuant Quantize Dequantize AscendQuant AscendQuantV2 "
        "AscendDequant AscendAntiQuant AscendRequant Quant Dequant Cast CastLike Identity TransData"
    )
)
# What changes the form of a value and not what it says.
NOISE: Final = CONVERSIONS | {"Reshape", "Flatten", "Squeeze", "Unsqueeze"}


@dataclass(frozen=True, eq=False)
class Quiet:
    """The quiet graph, and how the numbers of nodes in it and in the full graph go together."""

    graph: Graph
    nodes: Ints  # (quiet nodes,): their numbers in the full graph
    # (nodes,): the number in the quiet graph of the node itself, or for one that was taken out, of the node that its
    # value comes from or else goes to; -1: there is none.
    stand_ins: Ints


def quiet(graph: Graph) -> Quiet:
    """The graph without nodes that only convert: one value in, at most constants beside it, one value out."""
    removed = _removable(graph)
    removed &= ~_needed(graph, removed, _roots(graph, removed))
    roots = _roots(graph, removed)
    kept = np.flatnonzero(~removed).astype(np.int32)
    number = np.full(len(graph), -1, np.int32)
    number[kept] = np.arange(len(kept), dtype=np.int32)
    names = _names(graph, roots)
    small = _without(graph, kept, number, names)
    return Quiet(small, frozen(kept), frozen(_stand_ins(graph, small, number, removed, names)))


def _removable(graph: Graph) -> Bools:
    noise = np.array([value in NOISE for value in graph.op_types.values], bool)
    found: Bools = noise[graph.op_types.codes] if len(noise) else np.zeros(0, bool)
    owners = [body.owner for body in graph.subgraphs]
    found[[owner for owner in owners if owner >= 0]] = False
    constant = _constant(graph)
    every = graph.node_outputs.values
    made = np.bincount(every[every >= 0], minlength=len(graph.tensor_names))
    made[graph.inputs] += 1
    for node in np.flatnonzero(found).tolist():
        inputs, outputs = graph.node_inputs[node], graph.node_outputs[node]
        beside = inputs[1:][inputs[1:] >= 0]
        one_in = len(inputs) > 0 and inputs[0] >= 0 and constant[beside].all()
        # What a broken file has made twice is not this one's alone.
        found[node] = one_in and len(outputs) == 1 and outputs[0] >= 0 and made[outputs[0]] == 1
    return found


def _constant(graph: Graph) -> Bools:
    """Tensors that come from the file, or from a node that reads nothing."""
    reads_nothing = np.append(np.diff(graph.node_inputs.starts) == 0, True)  # the last: made by no node
    constant: Bools = reads_nothing[graph.producers]
    constant[graph.inputs] = False
    constant[graph.constants] = True
    return constant


def _roots(graph: Graph, removed: Bools) -> Ints:
    """Finds for each tensor the one that it is a conversion of; itself if of none."""
    roots = np.arange(len(graph.tensor_names), dtype=np.int32)
    nodes = np.flatnonzero(removed)
    roots[_first(graph.node_outputs, nodes)] = _first(graph.node_inputs, nodes)
    for _ in range(len(roots).bit_length()):  # each turn halves what is left of the way; a circle never ends
        roots = roots[roots]
    return roots


def _first(rows: Ragged, nodes: NDArray[np.intp]) -> Ints:
    return rows.values[rows.starts[nodes]]


def _needed(graph: Graph, removed: Bools, roots: Ints) -> Bools:
    """Conversions that cannot go: in a circle, and where an output of the graph would lose its name."""
    needed = np.zeros(len(graph), bool)
    nodes = np.flatnonzero(removed)
    makers = graph.producers[roots[_first(graph.node_outputs, nodes)]]
    needed[nodes] = (makers >= 0) & removed[makers]
    outputs = np.unique(graph.outputs)
    uses = np.bincount(roots[outputs], minlength=len(roots))
    for output in outputs.tolist():
        root, maker = int(roots[output]), int(graph.producers[output])
        if maker >= 0 and removed[maker] and (uses[root] > 1 or graph.producers[root] < 0):
            needed[maker] = True
    return needed


def _names(graph: Graph, roots: Ints) -> Ints:
    """Finds for each tensor the one that stands for it: the first of all its forms, or the one that the graph gives
    out.
    """
    final = np.arange(len(roots), dtype=np.int32)
    final[roots[graph.outputs]] = graph.outputs
    return final[roots]


def _without(graph: Graph, kept: Ints, number: Ints, names: Ints) -> Graph:
    outputs = _renamed(graph.node_outputs, kept, names)
    made = outputs.values >= 0
    producers = np.full(len(names), -1, np.int32)
    producers[outputs.values[made]] = outputs.owners()[made]
    decode = graph.attributes
    return replace(
        graph,
        node_names=tuple(graph.node_names[node] for node in kept.tolist()),
        op_types=_picked(graph.op_types, kept),
        domains=_picked(graph.domains, kept),
        node_inputs=_renamed(graph.node_inputs, kept, names),
        node_outputs=outputs,
        producers=frozen(producers),
        origins=_picked(graph.origins, kept),
        waits_for=_waits(graph, kept, number),
        subgraphs=tuple(_owned(body, number) for body in graph.subgraphs),
        attributes=lambda node: decode(int(kept[node])),
    )


def _renamed(rows: Ragged, kept: Ints, names: Ints) -> Ragged:
    """The rows of the kept nodes, with the tensors that stand for those in them."""
    lengths = np.diff(rows.starts)[kept]
    starts = np.append(0, np.cumsum(lengths))
    source = np.repeat(rows.starts[kept] - starts[:-1], lengths) + np.arange(starts[-1])
    values = rows.values[source]
    return Ragged(frozen(starts), frozen(np.where(values >= 0, names[values], -1)))


def _waits(graph: Graph, kept: Ints, number: Ints) -> Ragged:
    if not len(graph.waits_for):
        return graph.waits_for
    rows = [number[graph.waits_for[node]] for node in kept.tolist()]
    return Ragged.of([row[row >= 0].tolist() for row in rows])


def _owned(body: Subgraph, number: Ints) -> Subgraph:
    return replace(body, owner=int(number[body.owner])) if body.owner >= 0 else body


def _picked(column: CodedColumn[T], kept: Ints) -> CodedColumn[T]:
    return CodedColumn(frozen(column.codes[kept]), column.values)


def _stand_ins(graph: Graph, small: Graph, number: Ints, removed: Bools, names: Ints) -> Ints:
    found = number.copy()
    for node in np.flatnonzero(removed).tolist():
        tensor = int(names[graph.node_outputs[node][0]])
        near = [int(small.producers[tensor]), *small.consumers[tensor][:1].tolist()]
        found[node] = next((other for other in near if other >= 0), -1)
    return found
