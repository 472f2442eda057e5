"""Above the graph while a guide is followed: the step, how it ended, where it leads, and the way back to the guide."""

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QStackedWidget, QToolButton, QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.elided import Elided
from errorflow_viewer.kit.layouts import text_button
from errorflow_viewer.kit.look import GAP, PADDING

if TYPE_CHECKING:
    from errorflow.case.session.guide_progress import GuideProgress
    from errorflow.guides.model import Step, Way
    from errorflow_viewer.pages.guide.guiding import Guiding

HEIGHT, SIGN = 32, 16
# So much of the result is seen before the title of the step is.
RESULT = 320


class GuideBar(QFrame):
    """Shown while `room` of the stack is, and a guide is followed."""

    def __init__(self, guiding: "Guiding", desk: Desk, stack: QStackedWidget, room: QWidget) -> None:
        super().__init__()
        self._guiding = guiding
        self._desk = desk
        self._stack = stack
        self._room = room
        # What the link to the guide says where there is room, and where there is none.
        self._titles = ("", "")
        self.setProperty("role", "verdict")
        self.setFixedHeight(HEIGHT)
        self.sign = QLabel()
        self.title = text_button(
            "", lambda: guiding.show(), "Back to the guide: what the step needs, and what its result means"
        )
        self.title.setProperty("link", True)
        self.text = Elided(Qt.TextElideMode.ElideRight)
        self.next = text_button("", lambda: self._go_on())
        self.leave = QToolButton()
        self.leave.setToolTip("Leave the guide")
        self.leave.setAccessibleName("Leave the guide")
        self.leave.clicked.connect(lambda: guiding.leave())
        icons.follow(self.leave, "close")
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(GAP, 0, GAP, 0)
        row.setSpacing(PADDING)
        row.addWidget(self.sign)
        row.addWidget(self.title)
        row.addWidget(self.text, 1)
        row.addWidget(self.next)
        row.addWidget(self.leave)
        desk.document.changed.connect(self._on_changed)
        desk.appearance.changed.connect(self.refresh)  # its own method: it ends with the bar
        stack.currentChanged.connect(lambda _: self.refresh())
        self.hide()

    def _on_changed(self, fields: object) -> None:
        if isinstance(fields, frozenset) and fields & {"session.guide", "model"}:
            self.refresh()

    def refresh(self) -> None:
        is_there = self._guiding.progress is not None and self._stack.currentWidget() is self._room
        found = self._guiding.at if is_there else None
        self.setVisible(found is not None)
        if found is None:
            return
        from errorflow.guides.following import proposed_of
        from errorflow.guides.model import OUTCOME_LABELS

        flow, step, progress = found
        proposed = proposed_of(progress, step)
        outcome = proposed if proposed else progress.step(step.key).outcome
        number, count, short = flow.steps.index(step) + 1, len(flow.steps), _short(step.title)
        self._titles = (f"Guide: step {number} of {count}, {short}", f"Guide: step {number} of {count}")
        self.title.setAccessibleName(self._titles[0])
        way = step.way(outcome) if outcome else None
        ended = OUTCOME_LABELS.get(outcome, "")
        text = _told(step, progress, way) if ended else ""
        said = (f"Proposed: {ended}. {text}" if proposed else f"Result: {ended}. {text}") if ended else _open(step)
        said = said.strip()
        self.text.show_text(said)
        self.text.setToolTip(said)
        target = None if way is None else flow.step(way.to)
        self.next.setVisible(way is not None)
        if way is not None:
            following = _short(target.title) if target is not None else "the three steps"
            self.next.setText("Decide in the guide" if outcome == "undecided" or proposed else f"Next: {following}")
            self.next.setToolTip(way.why)
        self._show_sign(outcome)
        self.setAccessibleName(f"{self._titles[0]}. {said}")
        self._fit_title()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_title()

    def _fit_title(self) -> None:
        """The result comes first: the title of the step gives way to it."""
        long, short = self._titles
        self.title.setText(long)
        wished = self.text.sizeHint().width()
        others = self._row.sizeHint().width() - wished
        if self.width() - others < min(RESULT, wished):
            self.title.setText(short)

    def _show_sign(self, outcome: str) -> None:
        theme = self._desk.appearance.theme
        name, color = (
            ("check", theme.accent)
            if outcome == "passed"
            else ("info", theme.warning.mark)
            if outcome in ("close", "doubt", "undecided")
            else ("problems", theme.error.mark)
            if outcome
            else ("guide", theme.muted)
        )
        self.sign.setPixmap(icons.pixmap(name, color, SIGN, self.devicePixelRatioF()))

    def _go_on(self) -> None:
        found = self._guiding.at
        if found is None:
            return
        _, step, progress = found
        outcome = progress.step(step.key).outcome
        way = step.way(outcome)
        if not outcome:  # it is proposed only
            self._guiding.show()
        elif way is not None:
            if outcome != "undecided":
                self._guiding.lead(way)
            self._guiding.show()


def _open(step: "Step") -> str:
    """Of a step without a result."""
    if step.is_end:
        return step.why
    return "You say how it ended: in the guide, at “Where it leads”." if step.by_hand else "No result yet."


def _told(step: "Step", progress: "GuideProgress", way: "Way | None") -> str:
    """What failed, or why it goes on there."""
    from errorflow.guides.following import judged_of

    outcome = progress.step(step.key).outcome
    checked = () if outcome == "passed" else judged_of(progress, step).checked
    failed = next((each.text for each in checked if each.state in ("failed", "close")), "")
    return failed if failed or way is None else way.why


def _short(title: str) -> str:
    """What stands before the colon or the comma says enough on a button."""
    return re.split("[:,]", title, maxsplit=1)[0]
