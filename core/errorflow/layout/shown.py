"""Which parts of a graph are drawn at all: constants, and what is computed from constants only, are left out."""

from dataclasses import dataclass

import numpy as np

from errorflow.arrays import Ints, Ragged
from errorflow.graph.model import Graph
from errorflow.layout.level import Bools
from errorflow.layout.reads import Reads, reads

# Operators without inputs that stand for a constant. In a graph that names no inputs everything else without inputs
# counts as one.
CONSTANTS = frozenset({"Const", "Constant", "ConstantOfShape", "FileConstant", "Variable", "VariableV2", "VarHandleOp"})


@dataclass(frozen=True, eq=False)
class Shown:
    nodes: Bools  # (nodes,)
    inputs: Ints  # tensors that are drawn as input boxes
    outputs: Ints
    constants: Ints  # tensors that are drawn as constant boxes
    reads: Reads


def shown(graph: Graph, *, constants: bool) -> Shown:
    real_inputs = np.setdiff1d(graph.inputs, graph.constants).astype(np.int32)
    outputs = _unique(graph.outputs)
    read = reads(graph)
    if constants:
        rest = np.intersect1d(graph.constants, read.tensors).astype(np.int32)
        return Shown(np.ones(len(graph), bool), real_inputs, outputs, rest, read)
    nodes = _reached(graph, read, real_inputs)
    nodes |= _upstream(graph, read, ~nodes, outputs)
    return Shown(nodes, real_inputs, outputs, np.zeros(0, np.int32), read)


def _unique(values: Ints) -> Ints:
    """Without repetitions, in the given order."""
    return np.array(list(dict.fromkeys(values.tolist())), np.int32)


def _reached(graph: Graph, read: Reads, inputs: Ints) -> Bools:
    """Nodes that depend on a real input; where the graph names none, on anything but constants."""
    start, end = read.edges(graph)
    reached = np.zeros(len(graph), bool)
    if len(inputs):
        tensors = np.zeros(len(graph.tensor_names), bool)
        tensors[inputs] = True
        reached[read.readers[tensors[read.tensors]]] = True
    else:
        sources = np.bincount(end, minlength=len(graph)) == 0
        constant = np.array([value in CONSTANTS for value in graph.op_types.values], bool)
        reached = sources & ~constant[graph.op_types.codes]
        if not reached.any():
            return np.ones(len(graph), bool)
    return _spread(reached, start, end)


def _upstream(graph: Graph, read: Reads, among: Bools, outputs: Ints) -> Bools:
    """Nodes of `among` that an output is made by or, through others of them, depends on."""
    start, end = read.edges(graph)
    makers = graph.producers[outputs]
    wanted = np.zeros(len(graph), bool)
    wanted[makers[makers >= 0]] = True
    wanted &= among
    inside = among[start] & among[end]
    return _spread(wanted, end[inside], start[inside])


def _spread(marked: Bools, start: Ints, end: Ints) -> Bools:
    """What is marked, and all that edges lead to from there."""
    readers = Ragged.grouped(start, end, len(marked))
    first, values = readers.starts.tolist(), readers.values.tolist()
    flags = marked.tolist()
    queue = [node for node, flag in enumerate(flags) if flag]
    for node in queue:  # grows while it is walked
        for reader in values[first[node] : first[node + 1]]:
            if not flags[reader]:
                flags[reader] = True
                queue.append(reader)
    return np.array(flags, bool)
