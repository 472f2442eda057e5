"""Paints the graph on view by the error between two runs of the model; those of a sample are compared by itself."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from errorflow.errors import ErrorflowError
from errorflow.graph.model import Graph
from errorflow.progress import Progress
from errorflow.sample import Sample, sample_of
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.document import Document
from errorflow_viewer.drawings import Unfolded
from errorflow_viewer.jobs import Jobs

if TYPE_CHECKING:
    from errorflow.compare import Comparison
    from errorflow.report.measured import Measured
    from errorflow.report.paint import Paint

COMPARE, PLACE = "compare", "place errors"


class ErrorPainting(QObject):
    """Derived from the document's comparison and the picture that is shown: whenever one of them changes."""

    def __init__(
        self,
        document: Document,
        jobs: Jobs,
        canvas: Canvas,
        shown: Callable[[], Unfolded | None],
        failed: Callable[[ErrorflowError], None],
    ) -> None:
        super().__init__()
        self._document = document
        self._jobs = jobs
        self._canvas = canvas
        self._shown = shown
        self._failed = failed
        self._on = True
        self._paint: Paint | None = None
        # What was measured of the tensors of a graph, and the graph and the comparison that this was found for.
        self._measured: Measured | None = None
        self._found_for: tuple[Graph, Comparison] | None = None
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
        shown, measured = self._shown(), self._measured_of_shown()
        self._paint = None
        if self._on and shown is not None and measured is not None and measured.known:
            from errorflow.report.paint import paint_of

            self._paint = paint_of(shown.draft.graph, shown.drawing, measured, shown.boxes_of_nodes())
        self._canvas.set_error(self._paint)

    def _on_changed(self, fields: Collection[str]) -> None:
        if "model" in fields and self._document.comparison is None:
            self._compare()
        if "compared" in fields:
            self.refresh()

    def _compare(self) -> None:
        """Begins to compare the runs that belong to the model, if any do."""
        model = self._document.model
        sample = None if model is None else sample_of(model.path)
        if model is None or sample is None:
            self._jobs.cancel(COMPARE)
            return
        self._jobs.start(
            COMPARE,
            "Comparing two runs",
            lambda progress: _compared(sample, progress),
            self._document.take_comparison,
            self._failed,
        )

    def _measured_of_shown(self) -> "Measured | None":
        """What is known of the tensors of the graph that is shown; when it must be found first, it is painted then."""
        shown, comparison = self._shown(), self._document.comparison
        if comparison is None:
            self._measured = self._found_for = None
        # Inside a function names mean something else.
        if shown is None or comparison is None or self._document.state.place.function >= 0:
            return None
        graph = shown.draft.graph
        if self._found_for is None or not _same(self._found_for, graph, comparison):
            self._measured, self._found_for = None, (graph, comparison)
            self._jobs.start(
                PLACE,
                "Finding the tensors",
                lambda _: _measured(graph, comparison),
                lambda found: self._take(found, graph, comparison),
                self._failed,
                shown=False,
            )
        return self._measured

    def _take(self, measured: "Measured", graph: Graph, comparison: "Comparison") -> None:
        if self._found_for is not None and _same(self._found_for, graph, comparison):
            self._measured = measured
            self.refresh()


def _same(found: "tuple[Graph, Comparison]", graph: Graph, comparison: "Comparison") -> bool:
    """Whether tensors have the same numbers, and the numbers the same source."""
    return found[1] is comparison and (found[0] is graph or found[0].tensor_names == graph.tensor_names)


def _compared(sample: Sample, progress: Progress) -> "Comparison":
    from errorflow.compare import compare
    from errorflow.formats import read_tensors

    return compare(read_tensors(sample.reference_run), read_tensors(sample.candidate_run), progress)


def _measured(graph: Graph, comparison: "Comparison") -> "Measured":
    from errorflow.report.measured import Placed
    from errorflow.report.paint import PAINTED

    return Placed.of(graph, comparison).by(PAINTED)
