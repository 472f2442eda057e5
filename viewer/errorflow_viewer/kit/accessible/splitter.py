"""A divider between two parts that can be moved by the arrow keys."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle

# Logical px: for each press, with Shift, and how wide it is while it has the keyboard.
STEP, FAR, WIDE = 16, 64, 4
_WAYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}


class Splitter(QSplitter):
    """Tab comes to its dividers."""

    def createHandle(self) -> QSplitterHandle:
        return Divider(self.orientation(), self)


class Divider(QSplitterHandle):
    """Left and right, or up and down, move it, with Shift further; Home and End as far as it goes."""

    def __init__(self, orientation: Qt.Orientation, parent: QSplitter) -> None:
        super().__init__(orientation, parent)
        self._usual = parent.handleWidth()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("Divider")
        self.setAccessibleDescription("The arrow keys move it")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        far = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        key = Qt.Key(event.key())
        place = self.x() if self.orientation() == Qt.Orientation.Horizontal else self.y()
        if key in _WAYS:
            self.moveSplitter(max(place + _WAYS[key] * (FAR if far else STEP), 0))
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.moveSplitter(0 if key == Qt.Key.Key_Home else max(self.splitter().width(), self.splitter().height()))
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._usual = self.splitter().handleWidth()
        self.splitter().setHandleWidth(max(self._usual, WIDE))  # a hair cannot be seen to have it
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.splitter().setHandleWidth(self._usual)
        super().focusOutEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self)
            painter.fillRect(self.rect(), self.palette().accent())
            painter.end()
