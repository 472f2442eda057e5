"""Keeps the picture of the graph and the document in step."""

from collections import deque
from collections.abc import Collection

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStyle

from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.document import Document, Place
from errorflow_viewer.jobs import Jobs
from errorflow_viewer.look import Theme
from errorflow_viewer.opening import Drawings, Form, draw

KEY = "layout"
# A node that is travelled to is to be read.
READABLE = 0.7
# How far to look for a box that stands for a node without one.
MOST_STEPS = 1000


class GraphView(QObject):
    """Shows the graph of the document on a canvas and passes clicks back."""

    failed = Signal(object)  # ErrorflowError

    def __init__(self, document: Document, jobs: Jobs, drawings: Drawings, theme: Theme) -> None:
        super().__init__()
        self.canvas = Canvas()
        self._document = document
        self._jobs = jobs
        self._drawings = drawings
        self._graph: Graph | None = None
        self._drawing: Drawing | None = None
        self.set_theme(theme)
        self.canvas.set_reduced_motion(not self.canvas.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration))
        self.canvas.picked.connect(self._on_picked)
        self.canvas.opened.connect(self._on_opened)
        document.changed.connect(self._on_changed)

    def set_theme(self, theme: Theme) -> None:
        self.canvas.set_colors(colors_of(theme))

    def box_title(self, box: object) -> str:
        """What the status bar says about the box under the pointer."""
        graph, drawing = self._graph, self._drawing
        if graph is None or drawing is None or not isinstance(box, int):
            return ""
        node, tensor = int(drawing.nodes[box]), int(drawing.tensors[box])
        if node >= 0:
            return f"{graph.node(node).title}  ·  {graph.op_types[node]}"
        return graph.tensor_names[tensor] if tensor >= 0 else drawing.labels[box]

    def centre_on_selection(self) -> None:
        box = self.canvas.selected()
        if box is not None:
            self.canvas.centre_on(box, None if self.canvas.zoom >= READABLE else 1.0)

    def _on_changed(self, fields: Collection[str]) -> None:
        if {"model", "place"} & set(fields):
            self._show(self._document.graph)
        if {"model", "place", "node", "tensor"} & set(fields):
            self._mark()
        if "visit" in fields:
            self.centre_on_selection()

    def _show(self, graph: Graph | None) -> None:
        if graph is self._graph:
            return
        made = None if graph is None else self._drawings.get(graph)
        self._graph = graph
        if graph is None:
            self._jobs.cancel(KEY)
            self._clear()
        elif made is None:
            self._clear()
            self._draw(graph)
        else:
            self._jobs.cancel(KEY)
            self._put(graph, made)

    def redraw(self) -> None:
        """In the form that is asked for now; the old picture stays until the new one is there."""
        if self._graph is not None:
            self._draw(self._graph)

    def _draw(self, graph: Graph) -> None:
        form = self._drawings.form
        self._jobs.start(
            KEY,
            "Drawing the graph",
            lambda progress: draw(graph, form, progress),
            lambda drawing: self._take(graph, drawing, form),
            self.failed.emit,
        )

    def _take(self, graph: Graph, drawing: Drawing, form: Form) -> None:
        self._drawings.put(graph, drawing, form)
        if graph is self._graph:
            self._put(graph, drawing)
            self._mark()
            self.centre_on_selection()

    def _put(self, graph: Graph, drawing: Drawing) -> None:
        """The same drawing for a graph of which more is known now leaves the view where it is."""
        self.canvas.show_drawing(drawing, graph, keep_view=drawing is self._drawing)
        self._drawing = drawing

    def _clear(self) -> None:
        self._drawing = None
        self.canvas.clear()

    def _mark(self) -> None:
        box = self._box()
        if box != self.canvas.selected():
            self.canvas.select(box)

    def _box(self) -> int | None:
        """The box of what is selected."""
        state, drawing = self._document.state, self._drawing
        if drawing is None:
            return None
        if state.node is not None and self._graph is not None:
            return _box_near(drawing, self._graph, state.node)
        if state.tensor is None or self._graph is None:
            return None
        boxes = (drawing.tensors == state.tensor).nonzero()[0]
        made = int(self._graph.producers[state.tensor])
        return int(boxes[0]) if len(boxes) else drawing.box_of_node(made) if made >= 0 else None

    def _on_picked(self, box: object) -> None:
        drawing = self._drawing
        if drawing is None or not isinstance(box, int):
            self._document.select()
            return
        node, tensor = int(drawing.nodes[box]), int(drawing.tensors[box])
        self._document.select(node if node >= 0 else None, tensor if node < 0 <= tensor else None)

    def _on_opened(self, box: object) -> None:
        """A double click goes into the body of a control-flow node or into a function."""
        drawing, model, graph = self._drawing, self._document.model, self._graph
        if drawing is None or model is None or graph is None or not isinstance(box, int) or drawing.nodes[box] < 0:
            return
        node = graph.node(int(drawing.nodes[box]))
        if node.subgraphs:
            self._document.go(self._document.state.place.inside(node.subgraphs[0]))
            return
        for position, function in enumerate(model.functions):
            if (function.domain, function.name) == (node.domain, node.op_type):
                self._document.go(Place(function=position))
                return
        self.centre_on_selection()


def _box_near(drawing: Drawing, graph: Graph, node: int) -> int | None:
    """The box of a node; for one that only makes constants and is not drawn, that of the first node it serves."""
    waiting, seen = deque([node]), {node}
    while waiting and len(seen) <= MOST_STEPS:
        current = waiting.popleft()
        box = drawing.box_of_node(current)
        if box is not None:
            return box
        outputs = graph.node_outputs[current]
        readers = [reader for tensor in outputs[outputs >= 0] for reader in graph.consumers[int(tensor)].tolist()]
        fresh = [reader for reader in dict.fromkeys(readers) if reader not in seen]
        seen.update(fresh)
        waiting.extend(fresh)
    return None
