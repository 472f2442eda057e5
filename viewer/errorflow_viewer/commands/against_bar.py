"""Above the graph while two runs are compared: which, what became of the output, and the way back."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QStackedWidget, QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.compared_trial import trial_named
from errorflow_viewer.document.runs import stop_comparing, turn_round
from errorflow_viewer.document.state import Place
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.layouts import spaced
from errorflow_viewer.kit.look import GAP, PADDING

if TYPE_CHECKING:
    from errorflow.explain.findings.change import MetricChange

HEIGHT = 32
# So many outputs are told.
_OUTPUTS = 2
COMING = "Simulating the other run …"
_DECIDED = ("session.simulation", "session.trials", "session.since", "session.painting")
_FIELDS = frozenset(("place", "findings", "simulated", "case", *_DECIDED))


class AgainstBar(QFrame):
    """Shown while `room` of the stack is, and a run is compared with."""

    def __init__(self, desk: Desk, stack: QStackedWidget, room: QWidget) -> None:
        super().__init__()
        self._desk = desk
        self._stack = stack
        self._room = room
        self._text = ""
        self.setProperty("role", "verdict")
        self.setFixedHeight(HEIGHT)
        self.text = QLabel()
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.turn, self.stop = QPushButton("Turn round"), QPushButton("Stop comparing")
        self.list = QPushButton("Changes")
        self.turn.setToolTip("Put the run that is compared with on view, and compare with the one that was")
        self.stop.setToolTip("Paint the error of the run on view again")
        self.list.setToolTip("List what became worse and what better")
        for button in (self.turn, self.list, self.stop):
            button.setProperty("link", True)
        self.turn.clicked.connect(lambda: turn_round(desk.document))
        self.list.clicked.connect(lambda: desk.panels.show("changes"))
        self.stop.clicked.connect(self._stop)
        row = spaced(QHBoxLayout(self), PADDING, (GAP, 0, GAP, 0))
        row.addWidget(self.text, 1)
        row.addWidget(self.turn)
        row.addWidget(self.list)
        row.addWidget(self.stop)
        follow(self, desk.document.changed, lambda _: self._show(), _FIELDS)
        desk.studies.earlier.changed.connect(self._show)
        stack.currentChanged.connect(lambda _: self._show())
        self.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _show(self) -> None:
        is_run = self._compares_runs
        is_known = is_run or self._desk.studies.earlier.path is not None
        self.setVisible(is_known and self._stack.currentWidget() is self._room)
        self.turn.setVisible(is_run)
        if is_known:
            self._text = self._told()
            self._fit()

    @property
    def _compares_runs(self) -> bool:
        """Two runs of a simulation come before two sessions."""
        session = self._desk.document.session
        against = "" if session.simulation is None else session.simulation.against
        return bool(against) and trial_named(session, against) is not None

    def _stop(self) -> None:
        if self._compares_runs:
            stop_comparing(self._desk.document)
        else:
            self._desk.studies.earlier.stop()

    def _waiting(self) -> str:
        earlier = self._desk.studies.earlier
        if self._compares_runs or earlier.path is None:
            return COMING
        if earlier.failed:
            return f"Compared with {earlier.path.name}: {earlier.failed}"
        if self._desk.document.state.case is None:
            return f"Nothing is compared here that {earlier.path.name} could be held against."
        if self._desk.document.state.place != Place():
            return f"Compared with {earlier.path.name} in the main graph only."
        return f"Measuring {earlier.path.name} …"

    def _told(self) -> str:
        findings, painting = self._desk.document.state.findings, self._desk.document.session.painting
        if findings is None or findings.against is None:
            return self._waiting()
        from errorflow.explain.findings.change import MetricChange

        change = MetricChange.of(findings, painting.metric, painting.limits)
        return f"{findings.name} against {findings.against.name}" if change is None else told(change)

    def _fit(self) -> None:
        """Fits the text into its line; all of it is in the tooltip."""
        metrics = self.text.fontMetrics()
        self.text.setText(metrics.elidedText(self._text, Qt.TextElideMode.ElideRight, self.text.width()))
        self.text.setToolTip(self._text)
        self.setAccessibleName(self._text)


def told(change: "MetricChange") -> str:
    """Says which run stands against which, the outputs, and how many nodes changed."""
    graph, outputs = change.now.graph, []
    for tensor in graph.outputs.tolist():
        text = change.told(tensor)
        if text:
            outputs.append(f"{graph.tensor_names[tensor]}: {text}")
    worse, better = (int((change.signs == turn).sum()) for turn in (1, -1))
    counts = (
        f"{worse:,} worse, {better:,} better by {change.told_from} or more" if worse or better else "no node changed"
    )
    more = [f"{len(outputs) - _OUTPUTS:,} more outputs"] if len(outputs) > _OUTPUTS else []
    verdict = verdict_change(change)
    if verdict:  # which says more than any number
        return " · ".join([change.title, verdict, counts, *outputs[:_OUTPUTS], *more])
    return " · ".join([change.title, *outputs[:_OUTPUTS], *more, counts])


def verdict_change(change: "MetricChange") -> str:
    """Says which verdict on the model became which other one; "": it is the same, or not known."""
    from errorflow.case.regression.text import blame_before, verdict_change_text

    return verdict_change_text(change.now.blame, blame_before(change.before))
