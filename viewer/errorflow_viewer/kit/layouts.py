"""Layouts that several pages and panels are made with."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

import shiboken6
from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLayoutItem,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from errorflow_viewer.kit.look import GAP, PADDING

_Box = TypeVar("_Box", bound=QLayout)

# How wide and high the field is in which a page is searched.
_SEARCH_LEAST, _SEARCH_MOST, _SEARCH_HIGH = 130, 280, 28
# Logical px of a page that has the whole room: less than a screen of 1024 × 600 leaves it, also in large text.
PAGE_LEAST = QSize(480, 300)
# Of a page with panels around it, which ask for their own room.
SHARES = "sharesRoom"


class Items(QLayout):
    """Items that every layout of our own has; how it lays them is its own.

    A window asks thousands of times while it is arranged: what was found is kept until an item asks for other room.
    """

    def __init__(self) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._asked: QSize | None = None
        # By width.
        self._heights: dict[int, int] = {}
        self.destroyed.connect(partial(_let_go, self._items))

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)
        self.invalidate()

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        taken = self._items.pop(index) if 0 <= index < len(self._items) else None
        self.invalidate()
        return taken

    def invalidate(self) -> None:
        self._asked = None
        self._heights.clear()
        super().invalidate()

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        known = self._heights.get(width)
        if known is None:
            known = self._heights[width] = self._lay(QRect(0, 0, width, 0), moves=False)
        return known

    def minimumSize(self) -> QSize:
        if self._asked is None:
            self._asked = self._find_least()
        return QSize(self._asked)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._lay(rect, moves=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def _find_least(self) -> QSize:
        raise NotImplementedError  # an abstract class of Python cannot be a class of Qt

    def _lay(self, rect: QRect, *, moves: bool) -> int:
        """Says how high it becomes."""
        raise NotImplementedError  # an abstract class of Python cannot be a class of Qt


def _let_go(items: list[QLayoutItem], _layout: object = None) -> None:
    """Lets go: what a layout still holds when it goes is its own to delete; layouts inside go with it."""
    for item in items:
        if shiboken6.isValid(item) and item.layout() is None:
            shiboken6.delete(item)
    items.clear()


class Flow(Items):
    """Like words on a page: side by side as far as there is room, and then in the next line.

    All of a line are as high as the highest and stand in its middle.
    """

    def __init__(self, gap: int) -> None:
        super().__init__()
        self._gap = gap

    def _find_least(self) -> QSize:
        """Finds the width of the widest of them."""
        margins: QMargins = self.contentsMargins()
        size = QSize()
        for item in self._shown():
            size = size.expandedTo(item.minimumSize())
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _lay(self, rect: QRect, *, moves: bool) -> int:
        """Says how high it becomes."""
        margins = self.contentsMargins()
        room = rect.marginsRemoved(margins)
        x, y, line = room.x(), room.y(), 0
        placed: list[tuple[QLayoutItem, QPoint, QSize]] = []
        rows: list[int] = []
        for item in self._shown():
            size = item.sizeHint().boundedTo(QSize(max(room.width(), item.minimumSize().width()), 1 << 16))
            if x > room.x() and x + size.width() > room.right() + 1:
                rows += [line] * (len(placed) - len(rows))
                x, y, line = room.x(), y + line + self._gap, 0
            placed.append((item, QPoint(x, y), size))
            x, line = x + size.width() + self._gap, max(line, size.height())
        rows += [line] * (len(placed) - len(rows))
        if moves:
            for (item, corner, size), high in zip(placed, rows, strict=True):
                item.setGeometry(QRect(corner + QPoint(0, (high - size.height()) // 2), size))
        return y + line - rect.y() + margins.bottom()


def flowing(gap: int, *widgets: QWidget) -> Flow:
    found = Flow(gap)
    for widget in widgets:
        found.addWidget(widget)
    return found


class PageStack(QStackedWidget):
    """Asks for as much room as the page on view does: a wide one that is hidden makes no window wider."""

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(self.updateGeometry)

    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        if page is None:
            return super().minimumSizeHint()
        asked, least = page.minimumSizeHint(), page.minimumSize()
        wanted = QSize(least.width() or asked.width(), least.height() or asked.height())
        return wanted if page.property(SHARES) else wanted.expandedTo(PAGE_LEAST)


def in_the_middle(widget: QWidget) -> QHBoxLayout:
    """Nearly all of the room is its own, as far as its greatest width goes."""
    around = QHBoxLayout()
    around.setContentsMargins(0, 0, 0, 0)
    around.addStretch(1)
    around.addWidget(widget, 30)
    around.addStretch(1)
    return around


def scrolled(column: QWidget) -> QScrollArea:
    """A column in the middle of a page, which is scrolled when there is no room for it."""
    page = QWidget()
    page.setLayout(in_the_middle(column))
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setWidget(page)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area


def page_head(title: QLabel, search: QLineEdit, *buttons: QWidget) -> QFrame:
    """Makes the head of a page: what it is about, and on the right how it is searched and what is done with all of
    it.
    """
    head = QFrame()
    row = QHBoxLayout(head)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(GAP)
    row.addWidget(title)
    row.addStretch(1)
    row.addWidget(search, 2)
    for button in buttons:
        row.addWidget(button)
    return head


def search_field(hint: str, name: str) -> QLineEdit:
    field = QLineEdit()
    field.setPlaceholderText(hint)
    field.setAccessibleName(name)
    field.setClearButtonEnabled(True)
    field.setMinimumWidth(_SEARCH_LEAST)
    field.setMaximumWidth(_SEARCH_MOST)
    field.setFixedHeight(_SEARCH_HIGH)
    return field


def page_foot(width: int, said: QWidget, *buttons: QWidget) -> QFrame:
    """Makes the foot of a page: something said, and buttons, above the edges of the page's column."""
    foot, inner = QFrame(), QWidget()
    foot.setProperty("role", "foot")
    inner.setMaximumWidth(width)
    row = QHBoxLayout(inner)
    row.setContentsMargins(GAP, PADDING, GAP, PADDING)
    row.setSpacing(PADDING)
    row.addWidget(said, 1)
    for button in buttons:
        row.addWidget(button)
    foot.setLayout(in_the_middle(inner))
    return foot


def rule() -> QFrame:
    """Makes a thin line between parts."""
    line = QFrame()
    line.setProperty("role", "rule")
    return line


def call_line() -> tuple[QLabel, QPushButton]:
    """Makes a line that shows the same call of the command line, and what copies it."""
    call = QLabel()
    call.setProperty("muted", True)
    call.setWordWrap(True)
    call.setTextFormat(Qt.TextFormat.PlainText)
    call.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    copy = QPushButton("Copy")
    copy.setProperty("link", True)
    copy.setAccessibleName("Copy the call of the command line")
    copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(call.text()))
    return call, copy


def empty(layout: QLayout) -> Iterator[QWidget]:
    """Takes all widgets out, which stay where they are until they find another place."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            shiboken6.delete(item)  # nobody else does: Qt has given it away, and Python does not take it
            yield widget


def clear_layout(layout: QLayout) -> None:
    """Takes everything out; the widgets go when the event that asked for it is over."""
    for widget in empty(layout):
        widget.hide()
        widget.deleteLater()


def spaced(box: _Box, gap: int = 0, margins: tuple[int, int, int, int] = (0, 0, 0, 0)) -> _Box:
    """A layout with so much room between its widgets, and around them."""
    box.setContentsMargins(*margins)
    box.setSpacing(gap)
    return box


def text_label(
    text: str = "",
    *,
    role: str = "",
    muted: bool = False,
    wraps: bool = False,
    plain: bool = False,
    selectable: bool = False,
) -> QLabel:
    """`role`, `muted`: how it is dressed. `plain`: names of tensors and files must not become markup."""
    label = QLabel(text)
    if role:
        label.setProperty("role", role)
    if muted:
        label.setProperty("muted", True)
    if plain:
        label.setTextFormat(Qt.TextFormat.PlainText)
    if selectable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setWordWrap(wraps)
    return label


def text_button(text: str, pressed: Callable[..., object], tip: str = "") -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.clicked.connect(pressed)
    return button


def pages(*widgets: QWidget) -> QStackedWidget:
    """Makes pages of which one is seen."""
    stack = QStackedWidget()
    for widget in widgets:
        stack.addWidget(widget)
    return stack


def fill(owner: QWidget, widget: QWidget) -> None:
    """Gives a widget all room of its owner."""
    box = QVBoxLayout(owner)
    box.setContentsMargins(0, 0, 0, 0)
    box.addWidget(widget)


def stacked(*widgets: QWidget) -> QWidget:
    """Stacks widgets below each other without a gap; the last one has the room."""
    inside = QWidget()
    box = QVBoxLayout(inside)
    box.setContentsMargins(0, 0, 0, 0)
    box.setSpacing(0)
    for widget in widgets:
        box.addWidget(widget, 1 if widget is widgets[-1] else 0)
    return inside
