"""Paints a figure: text and axes in the theme's colours, layers from back to front."""

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from errorflow.explain.inspect.figure import Axis, Figure, Layer, Rules, ticks
from errorflow_viewer.kit.look import LABEL, Theme
from errorflow_viewer.kit.style import font
from errorflow_viewer.plots.layers import PAINTED, STROKE, TICK_HEIGHT, Scale, apart, paint_mark

# From text to text, and around the plot; a mark in the legend.
SPACE, EDGE, MARK = 4.0, 8.0, 8.0
# How far apart numbers on the axes are at least.
_TICK_ROOM = (64.0, 26.0)
# Smaller, a square would tell less than a plot as wide as there is room.
_SQUARE_FROM = 120.0
# More numbers than these tell no more.
_MOST_TICKS = 10


class FigurePainter:
    """One figure in one rectangle. `window`: what of the x axis is seen."""

    def __init__(self, figure: Figure, theme: Theme, size: QRectF, window: tuple[float, float]) -> None:
        self.figure, self.theme, self._size = figure, theme, size
        self._metrics = QFontMetricsF(font(LABEL))
        self._rows = legend_rows(figure, self._metrics, size.width() - 2 * EDGE)
        x = Axis(figure.x.label, *window, whole=figure.x.whole, names=figure.x.names)
        self._x, self._y = x, figure.y
        self._y_ticks = ticks(figure.y, 5)
        self.scale = Scale(self._area(), *window, figure.y.low, figure.y.high)
        most = min(round(self.scale.area.height() / _TICK_ROOM[1]), _MOST_TICKS)
        self._y_ticks = apart(ticks(figure.y, most), self._y_room())
        wide = max((self._metrics.horizontalAdvance(text) for _, text in ticks(x, 5)), default=0.0)
        most = int(self.scale.area.width() / max(wide + 2 * SPACE, 20.0 if x.names else _TICK_ROOM[0] * 0.75))
        self._x_ticks = apart(ticks(x, most), self._x_room(wide))

    def paint(self, painter: QPainter) -> None:
        painter.setFont(font(LABEL))
        self._axes(painter)
        painter.save()
        painter.setClipRect(self.scale.area.adjusted(-0.5, -0.5, 0.5, 0.5))
        for layer in self.figure.layers:
            PAINTED[type(layer)](painter, layer, self.scale, self.theme)
        painter.restore()
        painter.setPen(QPen(QColor(self.theme.control_border), STROKE))
        area = self.scale.area
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        self._legend(painter)

    def cursor(self, painter: QPainter, x: float) -> None:
        """A line where the reader is."""
        at = float(self.scale.x(np.array([x]))[0])
        painter.setPen(QPen(QColor(self.theme.focus), STROKE))
        painter.drawLine(QLineF(at, self.scale.area.top(), at, self.scale.area.bottom()))

    def _area(self) -> QRectF:
        line = self._metrics.height()
        left = max((self._metrics.horizontalAdvance(text) for _, text in self._y_ticks), default=0.0) + SPACE
        top = len(self._rows) * (line + SPACE) + line + SPACE
        bottom = 2 * line + SPACE + TICK_HEIGHT
        found = self._size.adjusted(left + EDGE, top + SPACE, -EDGE - SPACE, -bottom)
        side = min(found.width(), found.height())
        if self.figure.square and side >= _SQUARE_FROM:
            found = QRectF(found.left() + (found.width() - side) / 2, found.top(), side, side)
        return found if found.width() > 8 and found.height() > 8 else QRectF(found.x(), found.y(), 8, 8)

    def _y_room(self) -> Callable[[float], float]:
        return lambda place: float(self.scale.y(np.array([place]))[0]) / (self._metrics.height() + 2)

    def _x_room(self, wide: float) -> Callable[[float], float]:
        return lambda place: float(self.scale.x(np.array([place]))[0]) / (wide + 2 * SPACE)

    def _axes(self, painter: QPainter) -> None:
        area, line = self.scale.area, self._metrics.height()
        text, rule = QColor(self.theme.muted), QPen(QColor(self.theme.hairline), STROKE)
        for place, name in self._y_ticks:
            y = float(self.scale.y(np.array([place]))[0])
            painter.setPen(rule)
            painter.drawLine(QLineF(area.left(), y, area.right(), y))
            painter.setPen(text)
            spot = QRectF(self._size.left(), y - line / 2, area.left() - self._size.left() - SPACE, line)
            painter.drawText(spot, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, name)
        for place, name in self._x_ticks:
            x = float(self.scale.x(np.array([place]))[0])
            painter.setPen(QPen(QColor(self.theme.control_border), STROKE))
            painter.drawLine(QLineF(x, area.bottom(), x, area.bottom() + TICK_HEIGHT - 1))
            painter.setPen(text)
            painter.drawText(self._under(x, name), Qt.AlignmentFlag.AlignCenter, name)
        painter.setPen(QColor(self.theme.text))
        top = area.top() - SPACE - line
        painter.drawText(QRectF(self._size.left() + EDGE, top, self._size.width(), line), self._y.label)
        foot = QRectF(area.left(), area.bottom() + TICK_HEIGHT + line, area.width(), line)
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight, self._x.label)

    def _under(self, x: float, name: str) -> QRectF:
        """Below its place, but never out of the picture."""
        wide = self._metrics.horizontalAdvance(name) + 2
        left = min(max(x - wide / 2, self._size.left()), self._size.right() - wide)
        return QRectF(left, self.scale.area.bottom() + TICK_HEIGHT, wide, self._metrics.height())

    def _legend(self, painter: QPainter) -> None:
        line, y = self._metrics.height(), self._size.top() + SPACE
        for row in self._rows:
            x = self._size.left() + EDGE
            for layer, label in row:
                paint_mark(painter, layer, self.theme, QRectF(x, y + (line - MARK) / 2, MARK, MARK))
                painter.setPen(QColor(self.theme.text))
                painter.drawText(QPointF(x + MARK + SPACE, y + self._metrics.ascent()), label)
                x += legend_width(label, self._metrics)
            y += line + SPACE


def legend_rows(figure: Figure, metrics: QFontMetricsF, width: float) -> list[list[tuple[Layer, str]]]:
    """The labels of all layers, each once, on as many lines as they need."""
    rows: list[list[tuple[Layer, str]]] = []
    used, known = 0.0, set()
    for layer in figure.layers:
        if layer.label in known or (isinstance(layer, Rules) and not len(layer.x)):
            continue
        known.add(layer.label)
        label = metrics.elidedText(layer.label, Qt.TextElideMode.ElideRight, width - MARK - SPACE)
        wide = legend_width(label, metrics)
        if not rows or used + wide - 2 * SPACE > width:
            rows.append([])
            used = 0.0
        rows[-1].append((layer, label))
        used += wide
    return rows


def legend_width(label: str, metrics: QFontMetricsF) -> float:
    return MARK + SPACE + metrics.horizontalAdvance(label) + 3 * SPACE
