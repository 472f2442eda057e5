"""Above the graph while two runs are compared: which, what became of the output, and the way back."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QStackedWidget, QWidget

from errorflow_viewer.desk import Desk
from errorflow_viewer.look import GAP, PADDING
from errorflow_viewer.other_run import trial_named
from errorflow_viewer.runs import stop_comparing, turn_round

if TYPE_CHECKING:
    from errorflow.findings.change import Change

HEIGHT = 32
# So many outputs are told.
_OUTPUTS = 2
COMING = "Simulating the other run …"
_FIELDS = frozenset(("findings", "simulated", "session.simulation", "session.trials", "session.painting"))


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
        self.turn.setToolTip("Put the run that is compared with on view, and compare with the one that was")
        self.stop.setToolTip("Paint the error of the run on view again")
        for button in (self.turn, self.stop):
            button.setProperty("link", True)
        self.turn.clicked.connect(lambda: turn_round(desk.document))
        self.stop.clicked.connect(lambda: stop_comparing(desk.document))
        row = QHBoxLayout(self)
        row.setContentsMargins(GAP, 0, GAP, 0)
        row.setSpacing(PADDING)
        row.addWidget(self.text, 1)
        row.addWidget(self.turn)
        row.addWidget(self.stop)
        desk.document.changed.connect(self._on_changed)
        stack.currentChanged.connect(lambda _: self._show())
        self.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _on_changed(self, fields: Collection[str]) -> None:
        if _FIELDS & set(fields):
            self._show()

    def _show(self) -> None:
        session = self._desk.document.session
        against = "" if session.simulation is None else session.simulation.against
        is_known = bool(against) and trial_named(session, against) is not None
        self.setVisible(is_known and self._stack.currentWidget() is self._room)
        if is_known:
            self._text = self._told()
            self._fit()

    def _told(self) -> str:
        findings, painting = self._desk.document.state.findings, self._desk.document.session.painting
        if findings is None or findings.against is None:
            return COMING
        from errorflow.findings.change import Change

        change = Change.of(findings, painting.metric, painting.limits)
        return f"{findings.name} against {findings.against.name}" if change is None else told(change)

    def _fit(self) -> None:
        """All of it is in the tooltip."""
        metrics = self.text.fontMetrics()
        self.text.setText(metrics.elidedText(self._text, Qt.TextElideMode.ElideRight, self.text.width()))
        self.text.setToolTip(self._text)
        self.setAccessibleName(self._text)


def told(change: "Change") -> str:
    """Which run against which, the outputs, and how many nodes changed."""
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
    return " · ".join([change.title, *outputs[:_OUTPUTS], *more, counts])
