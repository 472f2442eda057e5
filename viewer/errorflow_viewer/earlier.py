"""Another session, such as yesterday's, whose results are compared with: measured in the background, once."""

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from errorflow.errors import ErrorflowError
from errorflow.graph.model import Graph
from errorflow.progress import Progress
from errorflow_viewer.banner import Notice, notice_of
from errorflow_viewer.document import Document
from errorflow_viewer.jobs import Jobs
from errorflow_viewer.state import Place
from errorflow_viewer.wording import in_window

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.findings.model import Findings
    from errorflow.since.carried import Carried

KEY, LAYING = "since", "since on the graph"
NOTICE = "since"


class Earlier(QObject):
    """Keeps in step with `Session.since`."""

    changed = Signal()

    def __init__(self, document: Document, jobs: Jobs, tell: Callable[[Notice], None], parent: QObject) -> None:
        super().__init__(parent)
        self._document = document
        self._jobs = jobs
        self._tell = tell
        # Lets the user choose another session.
        self.ask: Callable[[], None] = lambda: None
        self._path: Path | None = None
        self._side: Case | None = None
        # What it found, on a graph of the model on view.
        self._carried: tuple[Graph, Carried] | None = None
        self._laying_on: Graph | None = None
        # Why it could not be measured; "": it was, or will be.
        self.failed = ""
        document.changed.connect(self._on_changed)

    @property
    def path(self) -> Path | None:
        """What is compared with; None: nothing is."""
        return self._path

    def compare(self, path: Path) -> None:
        """From now on, which is a step that can be undone. One that is compared with already may be another by now."""
        if path == self._path:
            self.measure_again()
            return
        self._document.edit(f"Compare with {path.name}", since=path)

    def stop(self) -> None:
        """The error of this session is painted again."""
        self._document.edit("Stop comparing with another session", since=None)

    def measure_again(self) -> None:
        """The file may be another one by now."""
        self._forget()
        self._follow()

    def beside(self, findings: "Findings") -> "Carried | None":
        """What the other session found, on the graph of these; None: not known yet, or `changed` tells."""
        if self._side is None or self._document.state.place != Place():
            return None
        graph = findings.graph
        if self._carried is not None and self._carried[0] is graph:
            return self._carried[1]
        if self._laying_on is not graph:
            self._lay(self._side, graph)
        return None

    def _on_changed(self, fields: Collection[str]) -> None:
        if {"model", "session.since"} & set(fields):
            self._follow()

    def _follow(self) -> None:
        wanted = None if self._document.model is None else self._document.session.since
        if wanted == self._path:
            return
        self._forget()
        self._path = wanted
        if wanted is not None:
            self._measure(wanted)
        self.changed.emit()

    def _forget(self) -> None:
        self._path = self._side = self._carried = self._laying_on = None
        self.failed = ""
        self._jobs.cancel(KEY)
        self._jobs.cancel(LAYING)

    def _measure(self, path: Path) -> None:
        from errorflow.bundle.cases import side_in

        self._jobs.start_in_parts(
            KEY,
            f"Measuring {path.name}",
            lambda progress, _: side_in(path, progress),
            self._take,
            self._take,
            self._fail,
            self._dropped,
        )

    def _take(self, side: "Case") -> None:
        self._side = side
        if side.unread:
            text, hint = (
                f"A part of {side.title if side.path is None else side.path.name} could not be read.",
                "All else of it is compared with.",
            )
            self._tell(Notice("warning", text, hint, "\n".join(side.unread), key=NOTICE, of_model=True))
        self.changed.emit()

    def _dropped(self) -> None:
        """The user does not want to wait for it."""
        if self._path is not None and self._path == self._document.session.since:
            self.failed = "Measuring it was cancelled."
            self.changed.emit()

    def _lay(self, side: "Case", graph: Graph) -> None:
        self._laying_on = graph
        self._jobs.start(
            LAYING,
            "Finding its tensors",
            lambda progress: _prepared(_carried(side, graph, progress), side.called),
            lambda found: self._lay_down(graph, found),
            self._fail,
            shown=False,
        )

    def _lay_down(self, graph: Graph, found: "Carried") -> None:
        self._carried, self._laying_on = (graph, found), None
        self.changed.emit()

    def _fail(self, error: ErrorflowError) -> None:
        self.failed = in_window(str(error))
        notice = replace(notice_of(error, NOTICE), button="Choose another…", pressed=lambda: self.ask())
        self._tell(notice)
        self.changed.emit()


def _carried(side: "Case", graph: Graph, progress: Progress) -> "Carried":
    from errorflow.since.carried import carried

    assert side.findings is not None, "it compares something"
    return carried(side.findings, graph, progress)


def _prepared(found: "Carried", name: str) -> "Carried":
    """With all columns worked out, so that the window does not wait for them."""
    found.prepare()
    named: Carried = replace(found, name=name)
    vars(named).update({key: value for key, value in vars(found).items() if key not in vars(named)})
    return named
