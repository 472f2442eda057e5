"""The original model as blame asks for it: what leads from tensors that the candidate has to one that it makes."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from errorflow.base.language import say
from errorflow.explain.blame.front import links_of, reached
from errorflow.graph.model import Graph, Model
from errorflow.run.parts import KNOWN_DOMAINS

# A tensor that needs more nodes than this to be made of known ones says nothing of a single node any more.
MOST_NODES = 32
RANDOM = frozenset(
    ("Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike")
)
_BFLOAT = "bfloat16"
# Sizes and places: no error of values is in them, so the reference's stand for the candidate's where no dump has them.
_WHOLE = frozenset(("int64", "int32", "bool"))


@dataclass(frozen=True, slots=True)
class Way:
    """The nodes that make a tensor out of `fed`, by the tensors that they make; `known` are the reference's own."""

    made: tuple[str, ...]
    fed: tuple[str, ...]
    known: tuple[str, ...]
    # Names of the nodes but for the last one.
    others: tuple[str, ...]


@dataclass(frozen=True)
class Original:
    """A model that can be run."""

    graph: Graph
    functions: Collection[str] = ()

    @classmethod
    def of(cls, model: Model) -> "Original":
        return cls(model.graph, frozenset(function.domain for function in model.functions))

    def way_to(
        self, name: str, is_known: Callable[[str], bool], reference: Mapping[str, object], most: int = MOST_NODES
    ) -> Way | str:
        """How to make the tensor of known ones with so many nodes at `most`, or why that cannot be done.

        Where what a node reads is not known, the nodes before it are run as well: a candidate may have fused them.
        """
        tensor = self.graph.tensor_index(name)
        if tensor is None or self.graph.producers[tensor] < 0:
            return say("no node of the original model makes what it makes")
        nodes: dict[int, None] = {}
        fed: dict[str, None] = {}
        whole: dict[str, None] = {}
        waiting = [int(self.graph.producers[tensor])]
        while waiting:
            node = waiting.pop()
            if node in nodes:
                continue
            nodes[node] = None
            problem = self._refused(node)
            if problem or len(nodes) > most:
                return problem if problem else say("nothing near what it reads is in the dump")
            for read in self._read(node):
                label = self.graph.tensor_names[read]
                if is_known(label):
                    fed[label] = None
                elif label in reference and self.graph.dtypes[read] in _WHOLE:
                    whole[label] = None
                elif self.graph.producers[read] >= 0:
                    waiting.append(int(self.graph.producers[read]))
                elif read not in self._constants:
                    return say("what it reads, {}, is not in the dump", label)
        outputs = self.graph.node_outputs
        made = tuple(self.graph.tensor_names[out] for node in nodes for out in outputs[node].tolist() if out >= 0)
        others = tuple(
            self.graph.title(node)
            for node in list(nodes)[1:]
            if self._read(node)  # what only unpacks a constant is part of its reader
        )
        return Way(made, tuple(fed), tuple(whole), others)

    def behind(self, names: Iterable[str]) -> frozenset[str]:
        """All tensors that something of these flows into."""
        graph = self.graph
        tensors = [tensor for tensor in map(graph.tensor_index, names) if tensor is not None]
        readers = [node for tensor in tensors for node in graph.consumers[tensor].tolist()]
        found = reached(links_of(graph)[1], readers, np.ones(len(graph), bool), len(graph))
        found[readers] = True
        made = np.flatnonzero((graph.producers >= 0) & found[graph.producers])
        return frozenset(graph.tensor_names[tensor] for tensor in made.tolist())

    def strange_types(self, names: Iterable[str]) -> dict[str, str]:
        """Of these tensors the types that numpy lacks, as far as the model says them and nodes can be fed with them."""
        found: dict[str, str] = {}
        for name in names:
            tensor = self.graph.tensor_index(name)
            if tensor is not None and self.graph.dtypes[tensor] == _BFLOAT:
                found[name] = _BFLOAT
        return found

    @cached_property
    def _constants(self) -> frozenset[int]:
        return frozenset(self.graph.constants.tolist())

    def _read(self, node: int) -> list[int]:
        return [tensor for tensor in self.graph.node_inputs[node].tolist() if tensor >= 0]

    def _refused(self, node: int) -> str:
        op_type, domain = self.graph.op_types[node], self.graph.domains[node]
        if node in self._owners:
            return say("{} has branches or a body of its own", op_type)
        if op_type in RANDOM:
            return say("{} makes random values", op_type)
        if domain not in KNOWN_DOMAINS and domain not in self.functions:
            return say("ONNX Runtime does not know {}:{}", domain, op_type)
        return ""

    @cached_property
    def _owners(self) -> frozenset[int]:
        return frozenset(body.owner for body in self.graph.subgraphs)
