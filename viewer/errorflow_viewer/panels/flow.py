"""A layout like words on a page: side by side as far as there is room, and then in the next line."""

from PySide6.QtCore import QMargins, QPoint, QRect, QSize
from PySide6.QtWidgets import QLayoutItem, QWidget

from errorflow_viewer.layouts import Items


class Flow(Items):
    """All of a line are as high as the highest and stand in its middle."""

    def __init__(self, gap: int) -> None:
        super().__init__()
        self._gap = gap

    def _find_least(self) -> QSize:
        """As wide as the widest of them."""
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
