"""The title of a panel, with its buttons: beside it, or where that is too narrow, below."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QDockWidget, QLayoutItem, QToolButton, QWidget

from errorflow_viewer.kit import icons
from errorflow_viewer.kit.layouts import Items, text_label
from errorflow_viewer.kit.look import PADDING

# Logical px round it, and between its parts.
RIM, GAP = 4, 6
# A width that nobody knows.
SOME = -1


class DockTitle(QWidget):
    """A quiet title with a cross; dragging it moves the dock."""

    def __init__(self, dock: QDockWidget, text: str) -> None:
        super().__init__(dock)
        title = text_label(text, role="title")
        close = QToolButton()
        close.setToolTip(f"Hide {text.lower()}")
        close.setAccessibleName(f"Hide {text.lower()}")
        close.clicked.connect(dock.close)
        icons.follow(close, "close")
        self._is_seen = False
        dock.visibilityChanged.connect(self._on_seen)
        self._parts = _Parts()
        self._parts.setContentsMargins(PADDING + RIM, RIM, RIM, RIM)
        self._parts.addWidget(title)
        self._parts.addWidget(close)
        self.setLayout(self._parts)

    def add(self, buttons: Sequence[QAbstractButton]) -> None:
        """Adds buttons before the cross."""
        for button in buttons:
            self._parts.addWidget(button)

    def minimumSizeHint(self) -> QSize:
        """A dock asks for no height at a width: it is as high as it is at its own, which is known once it is seen."""
        return self._parts.hint(self.width() if self._is_seen else SOME, least=True, as_seen=self.isVisible())

    def sizeHint(self) -> QSize:
        """Hints a size; behind another tab it has a width that says nothing."""
        return self._parts.hint(self.width() if self._is_seen else SOME)

    def _on_seen(self, seen: bool) -> None:
        self._is_seen = seen
        self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()


class _Parts(Items):
    """Title and cross at the ends of the first line, and buttons before the cross; or in lines of their own."""

    def __init__(self) -> None:
        super().__init__()
        self._whole = -1
        # A window asks for them two thousand times while its panels find their places.
        self._hints: dict[tuple[int, bool, bool], QSize] = {}

    def invalidate(self) -> None:
        self._whole = -1
        self._hints.clear()
        super().invalidate()

    def hint(self, width: int, least: bool = False, as_seen: bool = True) -> QSize:
        """Finds the room that it needs at a width; `SOME` where that is unknown."""
        found = self._hints.get((width, least, as_seen))
        if found is None:
            found = self._hints[width, least, as_seen] = self._find_hint(width, least, as_seen)
        return found

    def _find_hint(self, width: int, least: bool, as_seen: bool) -> QSize:
        smallest = self.minimumSize()
        high = self.heightForWidth(width) if width != SOME and as_seen else smallest.height()
        return QSize(smallest.width() if least else self.whole(), high)

    def _find_least(self) -> QSize:
        """Finds the width of title and cross, or of the widest of the buttons."""
        margins, (title, close, *buttons) = self.contentsMargins(), self._items
        widest = max((item.minimumSize().width() for item in buttons if not item.isEmpty()), default=0)
        head = title.minimumSize().width() + GAP + close.sizeHint().width()
        high = max(title.sizeHint().height(), close.sizeHint().height())
        return QSize(max(head, widest), high) + QSize(
            margins.left() + margins.right(), margins.top() + margins.bottom()
        )

    def whole(self) -> int:
        """Measures how wide it is in one line."""
        if self._whole < 0:
            self._whole = self._find_whole()
        return self._whole

    def _find_whole(self) -> int:
        margins, items = self.contentsMargins(), [item for item in self._items if not item.isEmpty()]
        widths = sum(item.sizeHint().width() for item in items) + GAP * (len(items) - 1)
        return widths + margins.left() + margins.right()

    def _lay(self, rect: QRect, *, moves: bool) -> int:
        title, close, *buttons = self._items
        shown = [item for item in buttons if not item.isEmpty()]
        room = rect.marginsRemoved(self.contentsMargins())
        is_one = self.whole() <= rect.width()
        lines = [[*shown, close]] if is_one else [[close], *_broken(shown, room.width())]
        top = room.y()
        for line in lines:
            first = line is lines[0]
            high = max(item.sizeHint().height() for item in ((title, *line) if first else line))
            left = room.right() + 1 - _width(line) if first else room.x()
            if moves and first:
                title.setGeometry(QRect(room.x(), top, max(left - GAP - room.x(), 0), high))
            for item in line:
                size = item.sizeHint().boundedTo(QSize(max(room.width(), 1), high))
                if moves:
                    item.setGeometry(QRect(QPoint(left, top + (high - size.height()) // 2), size))
                left += size.width() + GAP
            top += high + RIM
        return top - RIM + self.contentsMargins().bottom() - rect.y()


def _width(line: Sequence[QLayoutItem]) -> int:
    return sum(item.sizeHint().width() for item in line) + GAP * (len(line) - 1)


def _broken(items: Sequence[QLayoutItem], room: int) -> list[list[QLayoutItem]]:
    """Into lines of that width."""
    lines: list[list[QLayoutItem]] = []
    for item in items:
        if lines and _width([*lines[-1], item]) <= room:
            lines[-1].append(item)
        else:
            lines.append([item])
    return lines
