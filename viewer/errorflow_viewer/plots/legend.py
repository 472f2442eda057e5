"""The line above a large plot: what stands for what. A click hides or shows it."""

from collections.abc import Callable
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from errorflow.base.values import dataclass
from errorflow_viewer.kit.look import LABEL, Theme
from errorflow_viewer.kit.style import font

HEIGHT = 24.0
_MARK, _SPACE, _APART = 12.0, 6.0, 18.0
_HIDDEN = 0.35


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """`paint` puts its mark into a rectangle."""

    label: str
    paint: Callable[[QPainter, QRectF], None] | None = None


class PlotLegend(pg.GraphicsWidget):  # type: ignore[misc]  # pyqtgraph has no types
    toggled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.entries: tuple[LegendEntry, ...] = ()
        self.hidden: set[str] = set()
        self._color = QColor()
        self.setFixedHeight(HEIGHT)

    def fill(self, entries: tuple[LegendEntry, ...], theme: Theme) -> None:
        """Fills the legend; of the same entries, those that were hidden stay hidden."""
        self.entries, self._color = entries, QColor(theme.text)
        self.hidden &= {entry.label for entry in entries}
        self.update()

    def toggle(self, label: str) -> None:
        self.hidden ^= {label}
        self.update()
        self.toggled.emit()

    def spots(self) -> list[tuple[LegendEntry, QRectF]]:
        """Finds where the entries stand, as far as there is room."""
        metrics, x = QFontMetricsF(font(LABEL)), 0.0
        found: list[tuple[LegendEntry, QRectF]] = []
        for entry in self.entries:
            mark = _MARK + _SPACE if entry.paint is not None else 0.0
            wide = mark + metrics.horizontalAdvance(entry.label)
            if x + wide > self.width() and found:
                break
            found.append((entry, QRectF(x, 0, wide, HEIGHT)))
            x += wide + _APART
        return found

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        painter.setFont(font(LABEL))
        for entry, spot in self.spots():
            painter.setOpacity(_HIDDEN if entry.label in self.hidden else 1.0)
            text = QRectF(spot)
            if entry.paint is not None:
                painter.save()
                entry.paint(painter, QRectF(spot.left(), (HEIGHT - _MARK) / 2 + 1, _MARK, _MARK - 2))
                painter.restore()
                text.setLeft(spot.left() + _MARK + _SPACE)
            painter.setPen(self._color)
            painter.drawText(text.adjusted(0, 0, 2, 0), Qt.AlignmentFlag.AlignVCenter, entry.label)
        painter.setOpacity(1.0)

    def at(self, spot: QPointF) -> str:
        """The label there; "": none."""
        return next((entry.label for entry, room in self.spots() if room.contains(spot)), "")

    def mouseClickEvent(self, event: Any) -> None:
        label = self.at(event.pos())
        if label and event.button() == Qt.MouseButton.LeftButton:
            event.accept()
            self.toggle(label)
