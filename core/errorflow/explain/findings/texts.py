"""The words of a graph's nodes and tensors, indexed once and searched many times."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints, Ragged
from errorflow.base.progress import SILENT, Progress
from errorflow.explain.findings.text_index import TextIndex
from errorflow.graph.describe import value_text
from errorflow.graph.model import Graph

Bools = NDArray[np.bool_]
# So much of an attribute's value can be searched for; nodes whose attributes are decoded in one go.
_VALUE, _PORTION = 200, 500


class Texts:
    """Texts of nodes and tensors, searched whatever the case."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        # None: they were not read yet, and nothing is found in them.
        self.attributes: TextIndex | None = None

    def anything(self, text: str, tensors: bool = True) -> Bools:
        """Searches name and type, and with `tensors` what a node makes and the graph's inputs that it reads."""
        found = self.names.containing(text) | self.types(text)
        return found | self._makes_or_is_given(text) if tensors else found

    def types(self, text: str, exact: bool = False) -> Bools:
        wanted = text.lower()
        types = self.graph.op_types.values
        hits = [t.lower() == wanted if exact else wanted in t.lower() for t in types]
        return np.array(hits, bool)[self.graph.op_types.codes] if types else np.zeros(0, bool)

    def reads_or_makes(self, text: str) -> Bools:
        hits = self.tensors.containing(text)
        return self._linked(self.graph.node_inputs, hits) | self._linked(self.graph.node_outputs, hits)

    def in_attributes(self, text: str) -> Bools:
        return np.zeros(len(self.graph), bool) if self.attributes is None else self.attributes.containing(text)

    def makes_type(self, text: str, exact: bool = False) -> Bools:
        """Nodes with an output of a type that begins with `text`: float for float16, and int8 not for uint8."""
        wanted = text.lower()
        types = self.graph.dtypes.values
        hits = [t.lower() == wanted if exact else t.lower().startswith(wanted) for t in types]
        if not types:
            return np.zeros(len(self.graph), bool)
        return self._linked(self.graph.node_outputs, np.array(hits, bool)[self.graph.dtypes.codes])

    def read_attributes(self, progress: Progress = SILENT) -> TextIndex:
        """Decodes the attributes of all nodes, which may take seconds; keep the result in `attributes`."""
        total = len(self.graph)
        texts = []
        for node in range(total):
            if node % _PORTION == 0:
                progress.step(node, total, "Reading attributes")
            values = self.graph.attributes(node).items()
            texts.append(" ".join(f"{name}={value_text(value, _VALUE)}" for name, value in values))
        return TextIndex(texts)

    @cached_property
    def names(self) -> TextIndex:
        """Names of nodes; nameless ones go by their titles."""
        names = self.graph.node_names
        return TextIndex([name if name else title_of(self.graph, node) for node, name in enumerate(names)])

    @cached_property
    def tensors(self) -> TextIndex:
        return TextIndex(self.graph.tensor_names)

    def _makes_or_is_given(self, text: str) -> Bools:
        """Tensors are named after who makes them: who is after a Softmax is not after what reads it. Inputs are."""
        hits = self.tensors.containing(text)
        given = hits & (self.graph.producers < 0)
        return self._linked(self.graph.node_inputs, given) | self._linked(self.graph.node_outputs, hits)

    def _linked(self, links: Ragged, hits: Bools) -> Bools:
        """Marks the nodes that have one of some tensors."""
        found = np.zeros(len(self.graph), bool)
        real = links.values >= 0
        found[links.owners()[real][hits[links.values[real]]]] = True
        return found


def title_of(graph: Graph, node: int) -> str:
    """The name, or for a nameless node that of what it makes: the type stands beside it."""
    name = graph.node_names[node]
    if name:
        return name
    outputs = real_outputs(graph, node)
    return f"→ {graph.tensor_names[int(outputs[0])]}" if len(outputs) else "(no name)"


def real_outputs(graph: Graph, node: int) -> Ints:
    """The tensors that a node makes, without those that are left out."""
    outputs = graph.node_outputs[node]
    return outputs[outputs >= 0]
