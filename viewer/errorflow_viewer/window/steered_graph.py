"""The graph on view, and what commands do with it."""

from collections.abc import Callable

import numpy as np
from PySide6.QtGui import QGuiApplication

from errorflow.base.arrays import Ints
from errorflow_viewer.document.document import Document
from errorflow_viewer.kit.look import Theme
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.window.folds import Folds
from errorflow_viewer.window.graph_view import GraphView
from errorflow_viewer.window.stand_ins import reader_of
from errorflow_viewer.window.switches import Switches
from errorflow_viewer.window.workings import Workings


class SteeredGraph:
    """Graph of one window, with all that steers it."""

    def __init__(self, workings: Workings, settings: Settings, theme: Theme, say: Callable[[str], None]) -> None:
        document = workings.document
        self.view = GraphView(document, workings.derived, workings.drawings, theme)
        self.folds = Folds(document, self.view)
        self.switches = Switches(settings, document, self.view, say)
        self.selection = Selection(document, self.view)


class Selection:
    """A node, a tensor or a group of the graph on view."""

    def __init__(self, document: Document, view: GraphView) -> None:
        self._document = document
        self._view = view

    @property
    def name(self) -> str:
        """Name in full, as the file has it; empty if nothing is selected."""
        state, graph, shown = self._document.state, self._document.graph, self._view.shown
        if graph is None:
            return ""
        if state.node is not None:
            return graph.node(state.node).title
        if state.tensor is not None:
            return graph.tensor_names[state.tensor]
        return "" if state.group is None or shown is None else shown.outline.scope(state.group)

    @property
    def drawn_with(self) -> int | None:
        """The node at which something without a box of its own is drawn, such as a constant."""
        state, graph, shown = self._document.state, self._document.graph, self._view.shown
        return None if graph is None or shown is None else reader_of(shown, graph, state.node, state.tensor)

    @property
    def drawn_nodes(self) -> int | None:
        """Number of nodes of the graph on view that are drawn, in the open or in closed groups; None: it is not drawn
        yet.
        """
        shown = self._view.shown
        return None if shown is None else int(np.count_nonzero(shown.drawing.node_boxes >= 0))

    @property
    def tensor_names(self) -> tuple[str, ...]:
        """Names of what a node makes, or the tensor itself."""
        state, graph = self._document.state, self._document.graph
        if graph is None:
            return ()
        if state.node is not None:
            return tuple(filter(None, graph.node(state.node).outputs))
        return () if state.tensor is None else (graph.tensor_names[state.tensor],)

    @property
    def group_nodes(self) -> Ints:
        """The nodes in a selected group, also those that are hidden."""
        shown, inside = self._view.shown, self._inside()
        return inside if shown is None else shown.draft.real_nodes(inside)

    @property
    def group_drawn(self) -> int:
        """Number of them that are drawn."""
        return len(self._inside())

    def _inside(self) -> Ints:
        """The nodes in a selected group, numbered as they are drawn."""
        shown, group = self._view.shown, self._document.state.group
        if shown is None or group is None:
            return np.zeros(0, np.int32)
        innermost = shown.outline.node_groups
        return np.flatnonzero((innermost >= group) & (innermost < shown.outline.ends[group])).astype(np.int32)

    def copy_name(self) -> None:
        if self.name:
            QGuiApplication.clipboard().setText(self.name)

    def copy_tensor_names(self) -> None:
        """Copies one a line."""
        if self.tensor_names:
            QGuiApplication.clipboard().setText("\n".join(self.tensor_names))
