"""Cards in as many columns as there is room for, all of a width; each as high as it is."""

from PySide6.QtCore import QMargins, QRect, QSize
from PySide6.QtWidgets import QLayoutItem

from errorflow_viewer.layouts import Items


class Columns(Items):
    """Row by row; the cards of a row begin level and end level."""

    def __init__(self, least: int, most: int, gap: int) -> None:
        """`least`: px of a card's width; `most`: columns."""
        super().__init__()
        self._least, self._most, self._gap = least, most, gap

    def _find_least(self) -> QSize:
        margins: QMargins = self.contentsMargins()
        width = min(self._least, max((item.minimumSize().width() for item in self._items), default=0))
        return QSize(width + margins.left() + margins.right(), margins.top() + margins.bottom())

    def _lay(self, rect: QRect, *, moves: bool) -> int:
        """Says how high it becomes."""
        across = max(1, min(self._most, len(self._items), (rect.width() + self._gap) // (self._least + self._gap)))
        width = (rect.width() - (across - 1) * self._gap) // across
        top = rect.y()
        for first in range(0, len(self._items), across):
            row = self._items[first : first + across]
            height = max(_height(item, width) for item in row)
            for column, item in enumerate(row):
                if moves:
                    item.setGeometry(QRect(rect.x() + column * (width + self._gap), top, width, height))
            top += height + self._gap
        return max(top - self._gap - rect.y(), 0)


def _height(item: QLayoutItem, width: int) -> int:
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()
