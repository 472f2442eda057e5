"""Paints the graph on view by the findings on it."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.document import Document
from errorflow_viewer.drawings import Unfolded

if TYPE_CHECKING:
    from errorflow.compare.placed import Measured
    from errorflow.report.paint import Paint


class ErrorPainting(QObject):
    """Derived from the document's findings, what the user decided, and the picture: whenever one of them changes."""

    def __init__(self, document: Document, canvas: Canvas, shown: Callable[[], Unfolded | None]) -> None:
        super().__init__()
        self._document = document
        self._canvas = canvas
        self._shown = shown
        self._on = True
        self._paint: Paint | None = None
        document.changed.connect(self._on_changed)

    @property
    def paint(self) -> "Paint | None":
        """How the picture is painted; None: not by error."""
        return self._paint

    def set_on(self, on: bool) -> None:
        """Whether it is painted at all when it can be."""
        if on != self._on:
            self._on = on
            self.refresh()

    def refresh(self) -> None:
        """Paints the picture that is shown now."""
        shown, measured = self._shown(), self._measured()
        self._paint = None
        if self._on and shown is not None and measured is not None and measured.known:
            from errorflow.report.paint import paint_of

            self._paint = paint_of(shown.draft.graph, shown.drawing, measured, shown.boxes_of_nodes())
        self._canvas.set_error(self._paint)

    def _on_changed(self, fields: Collection[str]) -> None:
        if {"findings", "session.painting"} & set(fields):
            self.refresh()

    def _measured(self) -> "Measured | None":
        """By the metric that the user chose, if it is about the graph that is shown."""
        shown, findings = self._shown(), self._document.state.findings
        if shown is None or findings is None or findings.graph.tensor_names != shown.draft.graph.tensor_names:
            return None
        painting = self._document.session.painting
        scale = findings.scale(painting.metric, painting.limits)
        return None if scale is None else findings.measured(scale)
