"""Reach of a box: all that leads to it and depends on it, found a little at a time so that the window stays live."""

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ragged
from errorflow.base.values import dataclass
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing, Kind

# Nodes visited in one go: a few milliseconds.
_PORTION = 4000


@dataclass(frozen=True, slots=True)
class Start:
    """Nodes to search from, against the flow and with it; a tensor that belongs to the way in any case."""

    up: list[int]
    down: list[int]
    tensor: int = -1


class Neighbours:
    """Node by node what it reads from and what reads from it, as plain lists: walking numpy one by one is slow."""

    def __init__(self, graph: Graph) -> None:
        start, end, _ = graph.edges
        self.down = _lists(Ragged.grouped(start, end, len(graph)))
        self.up = _lists(Ragged.grouped(end, start, len(graph)))


_MADE: WeakKeyDictionary[Graph, Neighbours] = WeakKeyDictionary()


def neighbours_of(graph: Graph) -> Neighbours:
    """Found once for a graph, however often it is drawn."""
    found = _MADE.get(graph)
    if found is None:
        found = _MADE[graph] = Neighbours(graph)
    return found


class Reach:
    """A search in both directions; call `advance` until it says that it is done."""

    def __init__(self, graph: Graph, neighbours: Neighbours, start: "Start") -> None:
        self._graph = graph
        self._start = start
        self._before = _Search(neighbours.up, start.up, len(graph))
        self._after = _Search(neighbours.down, start.down, len(graph))

    def advance(self) -> bool:
        """Searches on; whether everything is found."""
        before, after = self._before.advance(_PORTION), self._after.advance(_PORTION)
        return before and after

    def tensors(self) -> NDArray[np.bool_]:
        """Marks the tensors on the way from the inputs to the box, or from it to the outputs."""
        graph = self._graph
        before, after = self._before.seen(), self._after.seen()
        on = np.zeros(len(graph.tensor_names) + 1, bool)  # one more: what is left out is -1
        on[graph.node_inputs.values[before[graph.node_inputs.owners()]]] = True
        on[graph.node_outputs.values[after[graph.node_outputs.owners()]]] = True
        on[self._start.tensor] = True
        return on[:-1]


class _Search:
    def __init__(self, lists: tuple[list[int], list[int]], nodes: list[int], size: int) -> None:
        self._starts, self._values = lists
        self._seen = bytearray(size)
        self._open = list(nodes)
        for node in nodes:
            self._seen[node] = 1

    def advance(self, portion: int) -> bool:
        starts, values, seen, waiting = self._starts, self._values, self._seen, self._open
        while waiting and portion > 0:
            portion -= 1
            node = waiting.pop()
            for other in values[starts[node] : starts[node + 1]]:
                if not seen[other]:
                    seen[other] = 1
                    waiting.append(other)
        return not waiting

    def seen(self) -> NDArray[np.bool_]:
        return np.frombuffer(self._seen, np.uint8).astype(bool)


def start_of(drawing: Drawing, graph: Graph, box: int) -> Start:
    """A box's own nodes; for an input those that read it, for an output the one that makes it."""
    kind, tensor = int(drawing.kinds[box]), int(drawing.tensors[box])
    if kind == Kind.OUTPUT:
        maker = int(graph.producers[tensor])
        return Start([maker] if maker >= 0 else [], [], tensor)
    if kind in (Kind.INPUT, Kind.CONSTANT):
        return Start([], graph.consumers[tensor].tolist(), tensor)
    nodes = drawing.nodes_of_box(box).tolist()
    return Start(nodes, nodes)


def _lists(ragged: Ragged) -> tuple[list[int], list[int]]:
    return ragged.starts.tolist(), ragged.values.tolist()
