"""Links between boxes."""

from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints, Ragged
from errorflow.base.values import dataclass
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing, Floats, Kind
from errorflow_viewer.canvas.cells import Indices

_ENDS = (Kind.INPUT, Kind.OUTPUT, Kind.CONSTANT)


class Links:
    """Answers from the graph, in terms of what is drawn."""

    def __init__(self, drawing: Drawing, graph: Graph) -> None:
        self._drawing = drawing
        self._graph = graph

    def tensors_into(self, box: int) -> Ints:
        """Tensors that the box reads and does not make itself."""
        if self._drawing.kinds[box] == Kind.OUTPUT:
            return self._drawing.tensors[box : box + 1]
        nodes = self._drawing.nodes_of_box(box)
        read = _tensors(self._graph.node_inputs, nodes)
        return read[~np.isin(read, _tensors(self._graph.node_outputs, nodes))]

    def tensors_out_of(self, box: int) -> Ints:
        """Tensors that the box makes."""
        if self._drawing.kinds[box] in (Kind.INPUT, Kind.CONSTANT):
            return self._drawing.tensors[box : box + 1]
        return _tensors(self._graph.node_outputs, self._drawing.nodes_of_box(box))

    def maker(self, tensor: int) -> int | None:
        """The box that the tensor comes from."""
        node = int(self._graph.producers[tensor])
        if node >= 0:
            return self._drawing.box_of_node(node)
        sources = [box for box in self._ends.get(tensor, ()) if self._drawing.kinds[box] != Kind.OUTPUT]
        return sources[0] if sources else None

    def readers(self, tensor: int) -> list[int]:
        """The boxes that the tensor goes to."""
        nodes = self._graph.consumers[tensor].tolist() if tensor < len(self._graph.consumers) else []
        boxes = [self._drawing.box_of_node(node) for node in nodes]
        boxes += [box for box in self._ends.get(tensor, ()) if self._drawing.kinds[box] == Kind.OUTPUT]
        return [box for box in dict.fromkeys(boxes) if box is not None]

    def producers(self, box: int) -> list[int]:
        """Boxes that this one reads from, in the order of its inputs."""
        makers = [self.maker(tensor) for tensor in self.tensors_into(box).tolist()]
        return [maker for maker in dict.fromkeys(makers) if maker is not None and maker != box]

    def consumers(self, box: int) -> list[int]:
        """Boxes that read from this one."""
        readers = [reader for tensor in self.tensors_out_of(box).tolist() for reader in self.readers(tensor)]
        return [reader for reader in dict.fromkeys(readers) if reader != box]

    def drawn(self, tensors: Ints) -> Ints:
        """Chooses those that have lines: of what is made and read within one box there are none."""
        found: Ints = tensors[np.isin(tensors, self._spans[0])]
        return found

    def lines_of(self, tensor: int) -> Floats:
        """The lines that draw the tensor."""
        tensors, starts, stops = self._spans
        place = int(np.searchsorted(tensors, tensor))
        if place == len(tensors) or tensors[place] != tensor:
            return self._drawing.lines[:0]
        return self._drawing.lines[starts[place] : stops[place]]

    @cached_property
    def _spans(self) -> tuple[Ints, Indices, Indices]:
        """Tensors in rising order, where the lines of each begin and where they end."""
        tensors = self._drawing.line_tensors
        starts = np.flatnonzero(np.diff(tensors, prepend=-2))
        order = np.argsort(tensors[starts])
        return tensors[starts][order], starts[order], np.append(starts[1:], len(tensors))[order]

    @cached_property
    def _ends(self) -> dict[int, list[int]]:
        """Input, output and constant boxes of a tensor."""
        ends: dict[int, list[int]] = {}
        for box in np.flatnonzero(np.isin(self._drawing.kinds, _ENDS)).tolist():
            ends.setdefault(int(self._drawing.tensors[box]), []).append(box)
        return ends


def _tensors(of_nodes: Ragged, nodes: Ints) -> Ints:
    """Lists what rows of nodes hold, each once in the order met, without what is left out."""
    starts, lengths = of_nodes.starts[nodes], of_nodes.starts[nodes + 1] - of_nodes.starts[nodes]
    before = np.cumsum(lengths) - lengths
    found = of_nodes.values[np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))]
    found = found[found >= 0]
    _, first = np.unique(found, return_index=True)
    met: Ints = found[np.sort(first)].astype(np.int32)
    return met


# Reach of a box: all that leads to it and depends on it, found a little at a time so that the window stays live.

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
