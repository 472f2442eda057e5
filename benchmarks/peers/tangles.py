"""What the engines are asked, and what each box and line of the drawings stands for.

Boxes are numbered alike for all: nodes of the graph in file order, then its inputs, then its outputs. Edges lead from
the box that makes a tensor to every box that reads it, no pair twice for one tensor.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from peers.exchange import Tangle

from errorflow.base.arrays import Ints
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing, Floats, Kind
from errorflow.layout.level import Spacing

GAPS = Spacing()


@dataclass(frozen=True, eq=False)
class Setting:
    """One graph, put as a question to the engines."""

    sizes: Floats  # (n, 2): width, height
    starts: Ints  # (m,)
    ends: Ints  # (m,)
    tensors: Ints  # (m,)

    def tangle(self) -> Tangle:
        edges = np.column_stack([self.starts, self.ends])
        gaps = {"boxes": GAPS.boxes, "rows": GAPS.rows, "lines": GAPS.trunks, "beside": GAPS.trunk}
        return Tangle(self.sizes.tolist(), edges.tolist(), gaps)


def order(drawing: Drawing, graph: Graph) -> list[int]:
    """For each box of the numbering that all share, the box of the drawing that shows it."""
    nodes: list[int] = drawing.node_boxes[drawing.node_boxes >= 0].tolist()
    ends = _ends(drawing)
    inputs = dict.fromkeys(graph.inputs.tolist())
    outputs = dict.fromkeys(graph.outputs.tolist())
    found = [ends.get((Kind.INPUT, tensor)) for tensor in inputs] + [ends.get((Kind.OUTPUT, t)) for t in outputs]
    return nodes + [box for box in found if box is not None]


def _ends(drawing: Drawing) -> dict[tuple[int, int], int]:
    pairs = zip(drawing.kinds.tolist(), drawing.tensors.tolist(), strict=True)
    return {pair: box for box, pair in enumerate(pairs) if pair[1] >= 0}


def setting(graph: Graph, drawing: Drawing) -> Setting:
    """The question that a drawing with one box per node answers."""
    boxes = order(drawing, graph)
    number = {box: place for place, box in enumerate(boxes)}
    edges = sorted({(tensor, number[a], number[b]) for tensor, a, b in _edges(graph, drawing)})
    columns = np.array(edges, np.int32).reshape(-1, 3)
    return Setting(drawing.boxes[boxes, 2:], columns[:, 1], columns[:, 2], columns[:, 0])


def _edges(graph: Graph, drawing: Drawing) -> Iterator[tuple[int, int, int]]:
    """Tensor, box that makes it, box that reads it."""
    shown, ends = drawing.node_boxes.tolist(), _ends(drawing)
    outputs = set(graph.outputs.tolist())
    for tensor, maker in enumerate(graph.producers.tolist()):
        source = shown[maker] if maker >= 0 else ends.get((Kind.INPUT, tensor), -1)
        if source < 0:
            continue
        sinks = [shown[reader] for reader in graph.consumers[tensor].tolist()]
        if tensor in outputs:
            sinks.append(ends[Kind.OUTPUT, tensor])
        yield from ((tensor, source, sink) for sink in sinks if sink >= 0)
