"""Coded tensors of a graph, put together by the codes that they hold, and seen from nodes."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from errorflow.graph.model import Graph
from errorflow.graph.order import run_order
from errorflow.quant.assign import Assigned
from errorflow.quant.operators import MOVING, flowing
from errorflow.quant.selecting import keys_of
from errorflow.quant.switching import units
from errorflow.quant.units import Units


class CodedGraph:
    """A graph under a plan. Tensors and nodes are numbers."""

    def __init__(self, graph: Graph, assigned: Assigned) -> None:
        self.graph, self.assigned = graph, assigned
        self._producers: list[int] = graph.producers.tolist()
        self._inputs = graph.node_inputs.lists()
        self._outputs = graph.node_outputs.lists()
        self._order: list[int] = run_order(graph).tolist()
        self._keys = keys_of(graph)

    @cached_property
    def units(self) -> Units:
        found: Units = units(self.graph)
        return found

    @cached_property
    def places(self) -> Mapping[int, int]:
        """Places of the nodes in the order of running."""
        return {node: place for place, node in enumerate(self._order)}

    def name(self, node: int) -> str:
        """Name by which plans know it."""
        return self._keys.best(node)

    def maker(self, tensor: int) -> int:
        """-1: none."""
        return self._producers[tensor]

    @cached_property
    def _roots(self) -> Mapping[int, int]:
        """First tensor that holds the codes of each coded one."""
        found: dict[int, int] = {}
        for tensor in sorted(self.assigned.activations, key=self._made_at):
            maker = self._producers[tensor]
            source = self._inputs[maker][0] if tensor in self.assigned.moved and maker >= 0 else -1
            found[tensor] = found.get(source, tensor)
        return found

    def _made_at(self, tensor: int) -> tuple[int, int]:
        maker = self._producers[tensor]
        return (-1 if maker < 0 else self.places[maker]), tensor

    @cached_property
    def _copies(self) -> Mapping[int, list[int]]:
        found: dict[int, list[int]] = {}
        for tensor, root in self._roots.items():
            found.setdefault(root, []).append(tensor)
        return found

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """Coded tensors that are no constants, without those that only hold the codes of others; as they are made."""
        return tuple(self._copies)

    @cached_property
    def constants(self) -> tuple[int, ...]:
        """Constants in the order in which they are first read."""
        found = {tensor for tensor in self.assigned.constants if self.readers(tensor)}
        return tuple(sorted(found, key=lambda tensor: (self.places[self.readers(tensor)[0]], tensor)))

    def copies(self, tensor: int) -> Sequence[int]:
        """Lists all that hold the same codes, itself too; none of what is not coded."""
        if tensor in self.assigned.constants:
            return (tensor,)
        root = self._roots.get(tensor)
        return () if root is None else self._copies[root]

    def readers(self, constant: int) -> list[int]:
        """Lists readers in the order of running, those that read it under another name too."""
        return self._readers.get(constant, [])

    @cached_property
    def _readers(self) -> Mapping[int, list[int]]:
        found: dict[int, list[int]] = {}
        for node in self._order:
            if self.graph.op_types[node] == "Identity" and self._known_as(node) in self.assigned.constants:
                continue
            for tensor in dict.fromkeys(map(self._source, self._inputs[node])):
                if tensor in self.assigned.constants:
                    found.setdefault(tensor, []).append(node)
        return found

    def _known_as(self, node: int) -> int:
        return self._source(self._inputs[node][0]) if self._inputs[node] else -1

    def _source(self, tensor: int) -> int:
        """Finds the constant that goes by another name, as some exporters leave it."""
        while tensor >= 0 and tensor not in self.assigned.constants:
            maker = self._producers[tensor]
            if maker < 0 or self.graph.op_types[maker] != "Identity" or not self._inputs[maker]:
                break
            tensor = self._inputs[maker][0]
        return tensor

    @cached_property
    def working(self) -> tuple[int, ...]:
        """Nodes in the order of running, without those that only move codes or pass on constants."""
        return tuple(node for node in self._order if self._works(node))

    def _works(self, node: int) -> bool:
        """Whether a node computes; one that moves values does where its codes are its own."""
        made = self._outputs[node]
        if not self.assigned.constants.keys().isdisjoint(made):
            return False
        return self.graph.op_types[node] not in MOVING or any(self._roots.get(each) == each for each in made)

    def around(self, node: int) -> tuple[int, ...]:
        """Lists what is coded of what it reads and makes."""
        read = [self._source(tensor) for tensor in self._flowing[node]]
        made = [tensor for tensor in self._outputs[node] if tensor >= 0]
        return tuple(dict.fromkeys(copy for tensor in (*read, *made) for copy in self.copies(tensor)))

    @cached_property
    def _flowing(self) -> Sequence[Sequence[int]]:
        found = []
        for node, inputs in zip(self.graph.nodes(), self._inputs, strict=True):
            found.append([inputs[at] for at in flowing(node) if at < len(inputs) and inputs[at] >= 0])
        return found

    def feeding(self, node: int) -> tuple[int, ...]:
        """Lists the nodes that make what it reads, past those that only move it."""
        found: dict[int, None] = {}
        for tensor in self._flowing[node]:
            maker = self._producers[tensor]
            while maker >= 0 and self.graph.op_types[maker] in MOVING and self._inputs[maker]:
                maker = self._producers[self._inputs[maker][0]]
            if maker >= 0:
                found[maker] = None
        return tuple(found)

    def upstreams(self) -> Iterator[tuple[int, list[int], list[int]]]:
        """Each node that works, with all nodes before it and what is coded of them; sets are bits of numbers."""
        nodes: dict[int, int] = {}
        tensors: dict[int, int] = {}
        working = frozenset(self.working)
        for place, node in enumerate(self._order):
            before, coded = 1 << place, 0
            for tensor in self._inputs[node]:
                maker = self._producers[tensor] if tensor >= 0 else -1
                if maker in nodes:
                    before |= nodes[maker]
                    coded |= tensors[maker]
            for tensor in self.around(node):
                coded |= 1 << tensor
            nodes[node], tensors[node] = before, coded
            if node in working and coded:
                others = [self._order[at] for at in _bits(before) if at != place]
                yield node, [node, *others], _bits(coded)


def _bits(number: int) -> list[int]:
    """The places of the ones."""
    text = bin(number)[:1:-1]
    return [place for place, digit in enumerate(text) if digit == "1"]
