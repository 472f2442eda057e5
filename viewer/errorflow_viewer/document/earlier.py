"""Earlier session, such as yesterday's, whose results are compared with: measured in the background, once."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from errorflow.base.progress import Progress
from errorflow.explain.findings.model import Findings
from errorflow.graph.model import Graph
from errorflow_viewer.document.derived import Deriving
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.state import Before, Place, State
from errorflow_viewer.kit.banner import Notice
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.wording import in_window

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.case.regression.carried import Carried

KEY, LAYING = "since", "since on the graph"
NOTICE = "since"


class Earlier(QObject):
    """Actions on `Session.since`, and the reason why `State.before` is not there."""

    changed = Signal()

    def __init__(self, document: Document, derived: Deriving, parent: QObject) -> None:
        super().__init__(parent)
        self._document = document
        self._derived = derived
        follow(self, derived.changed, lambda _: self.changed.emit(), (KEY, LAYING))

    def let_choose(self, ask: Callable[[], None]) -> None:
        """Offers a choice where it cannot be measured."""
        self._derived.ways[KEY] = self._derived.ways[LAYING] = "Choose another…", ask

    @property
    def path(self) -> Path | None:
        """Path of what is compared with; None: nothing is."""
        return wished(self._document.state)

    @property
    def failed(self) -> str:
        """Reason why it could not be measured; "": it was, or will be."""
        error = self._derived.error(KEY) or self._derived.error(LAYING)
        if error is not None:
            return in_window(str(error))
        return "Measuring it was cancelled." if self._derived.was_cancelled(KEY) else ""

    def compare(self, path: Path) -> None:
        """Compares from now on, which is a step that can be undone. One that is compared with already may be another by
        now.
        """
        if path == self.path:
            self.measure_again()
            return
        self._document.edit(f"Compare with {path.name}", since=path)

    def stop(self) -> None:
        """The error of this session is painted again."""
        self._document.edit("Stop comparing with another session", since=None)

    def measure_again(self) -> None:
        """The file may be another one by now."""
        self._document.learn(before=None)
        self._derived.ask(KEY)


def wished(state: State) -> Path | None:
    return None if state.model is None else state.session.since


def measured(path: Path, progress: Progress) -> "Case":
    from errorflow.report.bundle.opening import side_in

    return side_in(path, progress)


def told(side: "Case") -> Iterator[Notice]:
    if side.unread:
        text, hint = f"A part of {side.called} could not be read.", "All else of it is compared with."
        yield Notice("warning", text, hint, "\n".join(side.unread), key=NOTICE, of_model=True)


def laid_on(state: State) -> "tuple[Case, Graph] | None":
    """Finds the results of the other session, and the graph that it is to be laid on: only what is complete is
    compared.
    """
    before, compared, findings = state.before, state.case, state.findings
    if before is None:
        return None
    is_whole = compared is not None and compared.complete and findings is not None
    if is_whole and findings is not None and state.place == Place():
        return before.side, findings.graph
    return None if before.graph is None else (before.side, before.graph)


def laid(side: "Case", graph: Graph, progress: Progress) -> "Carried":
    from errorflow.case.regression.carried import carried

    assert side.findings is not None, "it compares something"
    return _prepared(carried(side.findings, graph, progress), side.called)


def keep_laid(document: Document, wish: "tuple[Case, Graph]", found: "Carried") -> None:
    before = document.state.before
    if before is not None and before.side is wish[0]:
        document.learn(before=Before(before.path, before.side, wish[1], found))


def beside(state: State, findings: Findings) -> "Carried | None":
    """Finds the results of the other session on the graph of these; None: not known yet."""
    before = state.before
    is_here = before is not None and state.place == Place() and before.graph is findings.graph
    return before.carried if before is not None and is_here else None


def _prepared(found: "Carried", name: str) -> "Carried":
    """Prepares all columns, so that the window does not wait for them."""
    found.prepare()
    named: Carried = replace(found, name=name)
    vars(named).update({key: value for key, value in vars(found).items() if key not in vars(named)})
    return named
