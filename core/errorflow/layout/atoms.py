"""Atoms of a drawing: operators, inputs, outputs, constants, and the tensors between them."""

import re
from collections import Counter

import numpy as np

from errorflow.base.arrays import Ints, distinct
from errorflow.base.values import dataclass
from errorflow.graph.model import Graph
from errorflow.layout.drawing import LONGEST_TYPE, Floats, Kind, shortened, widths
from errorflow.layout.shown import Shown

ALIKE = 3  # inputs whose names differ in a number only: so many belong to what reads them, not to the model
MANY = 40  # other inputs: if they are more, they do too
DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, eq=False)
class Atoms:
    kinds: Ints  # (a,)
    nodes: Ints  # (a,) -1 for inputs, outputs, constants
    tensors: Ints  # (a,) -1 for operators
    input_nodes: Ints  # (a,) of an input: the node that is nothing but it; -1: none
    labels: tuple[str, ...]
    widths: Floats
    groups: Ints  # (a,) innermost group, -1: none
    sources: Ints  # (k,) nets: the atom that makes it
    net_tensors: Ints  # (k,) -1: a control edge
    nets: Ints  # (e,) ends of nets
    sinks: Ints  # (e,)

    def ordered(self) -> "Atoms":
        """The same with the members of each group, inner groups included, one after the other."""
        order = np.argsort(self.groups, kind="stable")
        number = np.empty(len(order), np.int32)
        number[order] = np.arange(len(order), dtype=np.int32)
        return Atoms(
            self.kinds[order],
            self.nodes[order],
            self.tensors[order],
            self.input_nodes[order],
            tuple(self.labels[i] for i in order.tolist()),
            self.widths[order],
            self.groups[order],
            number[self.sources],
            self.net_tensors,
            self.nets,
            number[self.sinks],
        )


def atoms(graph: Graph, visible: Shown) -> Atoms:
    """Makes all atoms, still without a group."""
    nodes = np.flatnonzero(visible.nodes).astype(np.int32)
    ends = (visible.inputs, visible.constants, visible.outputs)
    tensors = np.concatenate(ends).astype(np.int32)
    kinds = np.repeat([Kind.OPERATOR, Kind.INPUT, Kind.CONSTANT, Kind.OUTPUT], [len(nodes), *map(len, ends)])
    types = [shortened(op_type, LONGEST_TYPE) for op_type in graph.op_types.values]
    labels = [types[code] for code in graph.op_types.codes[nodes].tolist()]
    labels += [shortened(graph.tensor_names[tensor]) for tensor in tensors.tolist()]
    sources, nets, sinks, net_tensors = _nets(graph, visible, nodes)
    input_nodes = np.full(len(labels), -1, np.int32)
    input_nodes[len(nodes) : len(nodes) + len(visible.inputs)] = visible.input_nodes
    return Atoms(
        kinds=kinds.astype(np.int32),
        nodes=np.concatenate([nodes, np.full(len(tensors), -1, np.int32)]),
        tensors=np.concatenate([np.full(len(nodes), -1, np.int32), tensors]),
        input_nodes=input_nodes,
        labels=tuple(labels),
        widths=widths(labels),
        groups=np.full(len(labels), -1, np.int32),
        sources=sources,
        net_tensors=net_tensors,
        nets=nets,
        sinks=sinks,
    )


def _nets(graph: Graph, visible: Shown, nodes: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Sources of nets, ends of nets as net and sink, and the tensor of each net."""
    item_of = np.full(len(graph), -1, np.int32)
    item_of[nodes] = np.arange(len(nodes), dtype=np.int32)
    maker = np.full(len(graph.tensor_names), -1, np.int32)
    made = graph.producers >= 0
    maker[made] = item_of[graph.producers[made]]
    boxed = np.concatenate([visible.inputs, visible.constants])
    maker[boxed] = len(nodes) + np.arange(len(boxed), dtype=np.int32)
    outputs = len(nodes) + len(boxed) + np.arange(len(visible.outputs), dtype=np.int32)

    tensors = np.concatenate([visible.reads.tensors, visible.outputs])
    sinks = np.concatenate([item_of[visible.reads.readers], outputs])
    keep = sinks >= 0
    tensors, sinks = tensors[keep], sinks[keep]
    keep = maker[tensors] >= 0
    pairs = distinct(tensors[keep].astype(np.int64) << 32 | sinks[keep])
    net_tensors, nets = np.unique(pairs >> 32, return_inverse=True)
    waits = _control(graph, item_of)
    sources = np.concatenate([maker[net_tensors], waits[:, 0]])
    nets = np.concatenate([nets, len(net_tensors) + np.arange(len(waits))])
    return (
        sources.astype(np.int32),
        nets.astype(np.int32),
        np.concatenate([pairs & 0xFFFFFFFF, waits[:, 1]]).astype(np.int32),
        np.concatenate([net_tensors, np.full(len(waits), -1)]).astype(np.int32),
    )


def _control(graph: Graph, item_of: Ints) -> Ints:
    """(c, 2): control edges between drawn nodes, from and to."""
    if not len(graph.waits_for):
        return np.zeros((0, 2), np.int32)
    edges = np.column_stack([item_of[graph.waits_for.values], item_of[graph.waits_for.owners()]])
    return np.unique(edges[(edges >= 0).all(axis=1)], axis=0)


def belonging(graph: Graph, tensors: Ints) -> list[bool]:
    """Marks inputs or outputs that come in numbers, such as the keys and values of every layer."""
    forms = [DIGITS.sub("#", graph.tensor_names[tensor]) for tensor in tensors.tolist()]
    counts = Counter(forms)
    found = [counts[form] >= ALIKE for form in forms]
    return found if found.count(False) <= MANY else [True] * len(found)
