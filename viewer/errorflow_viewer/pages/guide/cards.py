"""The comparisons as cards, of which one is chosen."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from errorflow.case.scenarios.scenario import Scenario
from errorflow_viewer.kit.layouts import empty, spaced, text_label
from errorflow_viewer.kit.look import GAP, PADDING
from errorflow_viewer.kit.scaling import px

# In how many columns they can stand, the most first, and how wide one must be.
COLUMNS, CARD = (3, 2, 1), 300


class ScenarioCard(QFrame):
    """A title, a story, and how much of it is there. Click, Enter or Space chooses it."""

    chosen = Signal()

    def __init__(self, row: Scenario) -> None:
        super().__init__()
        self.row = row
        self.setProperty("role", "card")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        title = text_label(row.title, role="strong")
        self.state = text_label(role="label")
        story = text_label(row.story, muted=True, wraps=True)
        head = QHBoxLayout()
        head.setSpacing(PADDING)
        head.addWidget(title, 1)
        head.addWidget(self.state)
        box = spaced(QVBoxLayout(self), 2, (GAP, PADDING, GAP, PADDING))
        box.addLayout(head)
        box.addWidget(story, 1, Qt.AlignmentFlag.AlignTop)

    def show_state(self, text: str, chosen: bool) -> None:
        """`text`: how much of what it needs is there."""
        self.state.setText(text)
        self.setProperty("chosen", chosen)
        told = (self.row.title, self.row.story, text, "chosen" if chosen else "")
        self.setAccessibleName(" ".join(f"{each[:1].upper()}{each[1:].rstrip('.')}." for each in told if each))
        self.style().unpolish(self)
        self.style().polish(self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.chosen.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.chosen.emit()
        else:
            super().keyPressEvent(event)


class CardGrid(QWidget):
    """In rows of equal cards, as many as there is room for."""

    chosen = Signal(object)  # Scenario

    def __init__(self, rows: Sequence[Scenario]) -> None:
        super().__init__()
        self.cards = [ScenarioCard(row) for row in rows]
        self._columns = 0
        self._grid = spaced(QGridLayout(self), PADDING)
        for card in self.cards:
            card.chosen.connect(lambda row=card.row: self.chosen.emit(row))
        self._place(COLUMNS[0])

    def _place(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        list(empty(self._grid))
        for column in range(COLUMNS[0]):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        for number, card in enumerate(self.cards):
            self._grid.addWidget(card, number // columns, number % columns)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place(next((count for count in COLUMNS if count * px(CARD) <= self.width()), 1))

    def minimumSizeHint(self) -> QSize:
        """Of one column, however many there are now: else it could never have fewer."""
        return QSize(max(card.minimumSizeHint().width() for card in self.cards), super().minimumSizeHint().height())
