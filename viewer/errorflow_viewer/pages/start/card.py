"""Cards: what can be opened, each chosen by a click, Enter or Space; arrow keys lead from one to the next."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout

from errorflow_viewer.commands.api import Entry
from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import GAP, PADDING
from errorflow_viewer.pages.desk import PageDesk

_CHOOSING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
# Columns and rows by arrow keys.
_WAYS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}


class StartTile(QFrame):
    """One of several tiles; its content is its own."""

    chosen = Signal()
    stepped = Signal(int, int)  # columns and rows to the next one that gets the keyboard

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.chosen.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _CHOOSING:
            self.chosen.emit()
        elif key in _WAYS:
            self.stepped.emit(*_WAYS[key])
        else:
            super().keyPressEvent(event)


class Card(StartTile):
    """A sample: its title and its story."""

    def __init__(self, entry: Entry[PageDesk]) -> None:
        super().__init__()
        self.setAccessibleName(f"Open sample: {entry.text}. {entry.tip}")
        title = text_label(entry.text, role="strong")
        story = text_label(entry.tip, muted=True, wraps=True)
        box = spaced(QVBoxLayout(self), 4, (GAP, PADDING, GAP, PADDING))
        box.addWidget(title)
        box.addWidget(story, 1, Qt.AlignmentFlag.AlignTop)
