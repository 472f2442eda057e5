"""Shown parts of a graph: constants, and what is computed from constants only, are left out."""

import numpy as np

from errorflow.base.arrays import Ints, Ragged, distinct
from errorflow.base.values import dataclass
from errorflow.graph.model import Graph
from errorflow.layout.level import Bools
from errorflow.layout.reads import Reads, reads

# Operators without inputs that stand for a constant. In a graph that names no inputs everything else without inputs
# counts as one.
CONSTANTS = frozenset({"Const", "Constant", "ConstantOfShape", "FileConstant", "Variable", "VariableV2", "VarHandleOp"})
# Operators that stand for what leaves a graph: what they read needs no box of its own.
ENDS = frozenset({"NetOutput"})


@dataclass(frozen=True, eq=False)
class Shown:
    nodes: Bools  # (nodes,)
    inputs: Ints  # tensors that are drawn as input boxes
    input_nodes: Ints  # for each input the node that is nothing but it, and gets no box of its own; -1: there is none
    outputs: Ints  # tensors that are drawn as output boxes
    constants: Ints  # tensors that are drawn as constant boxes
    reads: Reads


def shown(graph: Graph, *, constants: bool) -> Shown:
    inputs = distinct(graph.inputs)
    real_inputs = inputs[~np.isin(inputs, graph.constants)]
    outputs = _unique(graph.outputs)
    read = reads(graph)
    input_nodes = _input_nodes(graph, real_inputs)
    if constants:
        nodes = np.ones(len(graph), bool)
        constant = distinct(graph.constants)
        rest = constant[np.isin(constant, read.tensors)]
    else:
        nodes = _reached(graph, read, real_inputs)
        nodes |= _upstream(graph, read, ~nodes, outputs)
        rest = np.zeros(0, np.int32)
    nodes[input_nodes[input_nodes >= 0]] = False
    return Shown(nodes, real_inputs, input_nodes, _unended(graph, read, nodes, outputs), rest, read)


def _input_nodes(graph: Graph, inputs: Ints) -> Ints:
    """Nodes such as `Data` of Ascend, which read nothing and make just one tensor."""
    makers = graph.producers[inputs]
    alone = np.diff(graph.node_outputs.starts) == 1
    alone[graph.node_inputs.owners()[graph.node_inputs.values >= 0]] = False
    return np.where((makers >= 0) & np.append(alone, False)[makers], makers, -1).astype(np.int32)


def _unended(graph: Graph, read: Reads, nodes: Bools, outputs: Ints) -> Ints:
    """Outputs that no drawn operator stands for."""
    ends = np.array([value in ENDS for value in graph.op_types.values], bool)
    ending = nodes & ends[graph.op_types.codes]
    return outputs[~np.isin(outputs, read.tensors[ending[read.readers]])]


def _unique(values: Ints) -> Ints:
    """Removes repetitions; the order stays."""
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
    """Spreads marks to all that edges lead to from there."""
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
