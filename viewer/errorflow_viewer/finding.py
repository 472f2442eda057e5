"""Works out what was found on the graph on view, whenever that or what was compared changes."""

import time
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from errorflow.errors import ErrorflowError
from errorflow.graph.model import Graph
from errorflow_viewer.document import Document
from errorflow_viewer.jobs import Jobs
from errorflow_viewer.state import Compared

if TYPE_CHECKING:
    from errorflow.findings.model import Findings
    from errorflow.simulate.outcome import Outcome

KEY = "findings"
# In ms.
MOST_REST = 2000


class Finding(QObject):
    """Keeps the document's findings in step; what is found in the background is dropped when it is out of date.

    While a comparison grows, what is being found is brought to its end before the next begins, and as long a rest
    follows: of many parts some are skipped, none is waited for in vain, and the window gets its turn.
    """

    def __init__(
        self, document: Document, jobs: Jobs, failed: Callable[[ErrorflowError], None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._jobs = jobs
        self._failed = failed
        self._found_for: tuple[Graph, Compared] | None = None
        self._began = 0.0
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.timeout.connect(self._follow)
        document.changed.connect(self._on_changed)

    def _on_changed(self, fields: Collection[str]) -> None:
        if {"model", "compared", "place"} & set(fields):
            self._follow()

    def _follow(self) -> None:
        graph, compared = self._document.graph, self._document.state.compared
        # Inside a function names mean something else.
        if graph is None or compared is None or self._document.state.place.function >= 0:
            self._jobs.cancel(KEY)
            self._found_for = None
            self._document.take_findings(None)
            return
        before = self._found_for
        busy = self._jobs.running(KEY) or (self._rest.isActive() and not compared.complete)
        if before is not None and before[0] is graph and (before[1] is compared or busy):
            return
        self._find(graph, compared)

    def _find(self, graph: Graph, compared: Compared) -> None:
        self._found_for = graph, compared
        self._began = time.monotonic()
        known = self._simulated(graph, compared)
        if known is not None:
            self._jobs.cancel(KEY)
            self._take(known)
            return
        self._jobs.start(KEY, "Finding the tensors", lambda _: found(graph, compared), self._take, self._fail, False)

    def _simulated(self, graph: Graph, compared: Compared) -> "Findings | None":
        """What the simulation has found already."""
        simulated = self._document.state.simulated
        outcome = None if simulated is None else simulated.outcome
        if outcome is None or outcome.comparison is not compared.comparison:
            return None
        return outcome.findings if outcome.findings.graph is graph else None

    def _take(self, findings: "Findings") -> None:
        self._document.take_findings(findings)
        self._rest.start(min(int(1000 * (time.monotonic() - self._began)), MOST_REST))
        self._follow()

    def _fail(self, error: ErrorflowError) -> None:
        self._failed(error)
        self._follow()


def prepared(outcome: "Outcome", graph: Graph | None) -> "Outcome":
    """What a simulation found on its own graph, on the one on view if that has the same numbers, but for nodes that
    steps put in; to be called in the background, since all columns are worked out."""
    findings = outcome.findings
    if graph is not None and len(findings.graph) == len(graph) and findings.graph.tensor_names == graph.tensor_names:
        findings = replace(findings, graph=graph)
    elif graph is not None and _has_the_others(findings.graph, graph):
        from errorflow.findings.model import Findings

        findings = Findings.of(graph, findings.comparison, None, findings.side)
    findings.prepare()
    return replace(outcome, findings=findings)


def _has_the_others(one: Graph, other: Graph) -> bool:
    """Whether all nodes of one are in the other, under the same numbers."""
    shared = min(len(one), len(other))
    return len(one) != len(other) and one.node_names[:shared] == other.node_names[:shared]


def found(graph: Graph, compared: Compared) -> "Findings":
    """With all columns worked out, so that the window does not wait for them."""
    from errorflow.compare.placed import side_of
    from errorflow.findings.model import Findings

    blame = compared.blame
    known = blame if blame is not None and len(blame.graph) == len(graph) else None
    findings = Findings.of(graph, compared.comparison, known, side_of(graph, compared.comparison))
    findings.prepare()
    return findings
