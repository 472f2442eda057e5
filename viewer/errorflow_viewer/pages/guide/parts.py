"""Small parts of the guide's pages."""

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QToolButton, QWidget

from errorflow_viewer.kit import icons
from errorflow_viewer.kit.layouts import Items, spaced, text_label
from errorflow_viewer.kit.look import GAP, GRID, PADDING

# Logical px of a text beside a button.
READABLE = 240
_Box = TypeVar("_Box", bound=QBoxLayout)


def heading(text: str) -> QLabel:
    return text_label(text, role="title")


def wrapped(text: str, muted: bool = False) -> QLabel:
    """Text of any length, to read and to select."""
    label = text_label(text, wraps=True, plain=True, selectable=True)
    label.setProperty("muted", muted)
    return label


def bare(box: _Box) -> _Box:
    """Removes room around and between."""
    box.setContentsMargins(0, 0, 0, 0)
    box.setSpacing(0)
    return box


def scrolled(column: QWidget, width: int) -> tuple[QScrollArea, QWidget]:
    """A column in the middle that is no wider than it can be read, and the page that it is in."""
    column.setMaximumWidth(width)
    page = QWidget()
    around = QHBoxLayout(page)
    around.setContentsMargins(0, 0, 0, 0)
    around.addStretch(1)
    around.addWidget(column, 30)
    around.addStretch(1)
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(page)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area, page


class TextAndButton(Items):
    """A text, and at its right a button; below it where the text would be too narrow to be read with ease."""

    def _find_least(self) -> QSize:
        text, button = (item.minimumSize() for item in self._items)
        margins = self.contentsMargins()
        wide = max(text.width(), button.width()) + margins.left() + margins.right()
        return QSize(wide, max(text.height(), button.height()) + margins.top() + margins.bottom())

    def _lay(self, rect: QRect, *, moves: bool) -> int:
        room = rect.marginsRemoved(self.contentsMargins())
        text, button = self._items
        size = button.sizeHint().boundedTo(QSize(max(room.width(), button.minimumSize().width()), 1 << 16))
        is_beside = room.width() - size.width() - GAP >= max(READABLE, text.minimumSize().width())
        wide = room.width() - size.width() - GAP if is_beside else room.width()
        high = text.heightForWidth(wide)
        bottom = max(high, size.height()) if is_beside else high + PADDING + size.height()
        if moves:
            down = (bottom - size.height()) // 2 if is_beside else bottom - size.height()
            rise = (bottom - high) // 2 if is_beside else 0
            text.setGeometry(QRect(room.x(), room.y() + rise, wide, high))
            button.setGeometry(QRect(QPoint(room.right() + 1 - size.width(), room.y() + down), size))
        margins = self.contentsMargins()
        return margins.top() + bottom + margins.bottom()


class PageNotice(QFrame):
    """One sentence on a page, with a way out, until it is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.text = wrapped("")
        self.button = QPushButton()
        self._pressed: Callable[[], None] | None = None
        self.button.clicked.connect(lambda: self._press())
        close = QToolButton()
        close.setToolTip("Close this message")
        close.setAccessibleName("Close this message")
        close.clicked.connect(lambda: self.hide())
        icons.follow(close, "close")
        row = spaced(QHBoxLayout(self), PADDING, (GAP, GRID, GAP, GRID))
        row.addWidget(self.text, 1)
        row.addWidget(self.button)
        row.addWidget(close)
        self.hide()

    def show_text(self, text: str, kind: str, button: str = "", pressed: Callable[[], None] | None = None) -> None:
        self.text.setText(text)
        self.setProperty("notice", kind)
        self.style().unpolish(self)
        self.style().polish(self)
        self._pressed = pressed
        self.button.setText(button)
        self.button.setVisible(bool(button))
        self.setAccessibleName(text)
        self.show()

    def _press(self) -> None:
        self.hide()
        if self._pressed is not None:
            self._pressed()
