"""Reads of every node: its inputs, and what the bodies of control flow read from around it without saying so."""

import numpy as np

from errorflow.base.arrays import Ints
from errorflow.base.values import dataclass
from errorflow.graph.model import Graph


@dataclass(frozen=True, eq=False)
class Reads:
    """Two columns: a tensor, and a node that reads it."""

    tensors: Ints
    readers: Ints

    def edges(self, graph: Graph) -> tuple[Ints, Ints]:
        """The nodes that make what is read, as far as nodes make it, and those that read it."""
        makers = graph.producers[self.tensors]
        made = makers >= 0
        return makers[made], self.readers[made]


def reads(graph: Graph) -> Reads:
    values, owners = graph.node_inputs.values, graph.node_inputs.owners()
    used = values >= 0
    inner = _by_bodies(graph)
    tensors = np.concatenate([values[used], inner[:, 0]])
    return Reads(tensors.astype(np.int32), np.concatenate([owners[used], inner[:, 1]]).astype(np.int32))


def _by_bodies(graph: Graph) -> Ints:
    """(c, 2): a tensor, and the node a body of which reads it."""
    pairs = []
    for body in graph.subgraphs:
        for name in sorted(_missing(body.graph)):
            tensor = graph.tensor_index(name)
            if tensor is not None and 0 <= body.owner < len(graph):
                pairs.append((tensor, body.owner))
    return np.array(pairs, np.int32).reshape(-1, 2)


def _missing(graph: Graph) -> set[str]:
    """Names of tensors that the graph, or a body in it, reads and does not make."""
    known = graph.producers >= 0
    known[graph.inputs] = True
    known[graph.constants] = True
    read = np.zeros(len(graph.tensor_names), bool)
    values = graph.node_inputs.values
    read[values[values >= 0]] = True
    read[graph.outputs] = True
    names = {graph.tensor_names[tensor] for tensor in np.flatnonzero(read & ~known).tolist()}
    for body in graph.subgraphs:
        for name in _missing(body.graph):
            tensor = graph.tensor_index(name)
            if tensor is None or not known[tensor]:
                names.add(name)
    return names
