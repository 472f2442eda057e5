"""Works out what was found on the graph on view, whenever that or what was compared changes."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from errorflow.errors import ErrorflowError
from errorflow.graph.model import Graph
from errorflow_viewer.document import Document
from errorflow_viewer.jobs import Jobs
from errorflow_viewer.state import Compared

if TYPE_CHECKING:
    from errorflow.findings.model import Findings

KEY = "findings"


class Finding(QObject):
    """Keeps the document's findings in step; what is found in the background is dropped when it is out of date."""

    def __init__(
        self, document: Document, jobs: Jobs, failed: Callable[[ErrorflowError], None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._jobs = jobs
        self._failed = failed
        self._found_for: tuple[Graph, Compared] | None = None
        document.changed.connect(self._on_changed)

    def _on_changed(self, fields: Collection[str]) -> None:
        if not {"model", "compared", "place"} & set(fields):
            return
        graph, compared = self._document.graph, self._document.state.compared
        # Inside a function names mean something else.
        if graph is None or compared is None or self._document.state.place.function >= 0:
            self._jobs.cancel(KEY)
            self._found_for = None
            self._document.take_findings(None)
            return
        if self._found_for is None or self._found_for[0] is not graph or self._found_for[1] is not compared:
            self._find(graph, compared)

    def _find(self, graph: Graph, compared: Compared) -> None:
        self._found_for = graph, compared
        self._jobs.start(
            KEY,
            "Finding the tensors",
            lambda _: found(graph, compared),
            self._document.take_findings,
            self._failed,
            shown=False,
        )


def found(graph: Graph, compared: Compared) -> "Findings":
    """With the columns that are needed at once worked out, so that the window does not wait for them."""
    from errorflow.findings.model import Findings

    blame = compared.blame
    known = blame if blame is not None and len(blame.graph) == len(graph) else None
    findings = Findings.of(graph, compared.comparison, known)
    for scale in findings.scales[:1]:
        findings.worst(scale)
    len(findings.node_states)
    return findings
