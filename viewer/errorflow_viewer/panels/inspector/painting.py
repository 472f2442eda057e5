"""Paints a figure: text and axes in the theme's colours, layers from back to front."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from errorflow.evidence.figure import (
    Axis,
    Band,
    Bars,
    BoxPlots,
    Doubles,
    Figure,
    Layer,
    Line,
    Points,
    Role,
    Rules,
    ticks,
)
from errorflow_viewer.look import LABEL, Theme
from errorflow_viewer.style import font

# From text to text, and around the plot; a mark in the legend.
SPACE, EDGE, MARK = 4.0, 8.0, 8.0
# How far apart numbers on the axes are at least.
_TICK_ROOM = (64.0, 26.0)
_TICK_HEIGHT = 5.0
_STROKE = 1.0
_FULL = 255


def role_color(role: Role, theme: Theme) -> QColor:
    """The reference is neutral, the candidate has the accent."""
    names = {
        "reference": theme.muted,
        "candidate": theme.accent,
        "error": theme.edge_strong,
        "quiet": theme.muted,
        "strong": theme.text,
    }
    return QColor(names[role])


@dataclass(frozen=True, slots=True)
class Scale:
    """From numbers to pixels and back."""

    area: QRectF
    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def x(self, values: Doubles) -> NDArray[np.float64]:
        share = (values - self.x_low) / (self.x_high - self.x_low)
        found: Doubles = self.area.left() + np.clip(share, -1, 2) * self.area.width()
        return found

    def y(self, values: Doubles) -> NDArray[np.float64]:
        share = (values - self.y_low) / (self.y_high - self.y_low)
        found: Doubles = self.area.bottom() - np.clip(share, -1, 2) * self.area.height()
        return found

    def x_at(self, pixel: float) -> float:
        return self.x_low + (pixel - self.area.left()) / max(self.area.width(), 1.0) * (self.x_high - self.x_low)


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
        self._y_ticks = _apart(ticks(figure.y, round(self.scale.area.height() / _TICK_ROOM[1])), self._y_room())
        wide = max((self._metrics.horizontalAdvance(text) for _, text in ticks(x, 5)), default=0.0)
        most = int(self.scale.area.width() / max(wide + 2 * SPACE, 20.0 if x.names else _TICK_ROOM[0] * 0.75))
        self._x_ticks = _apart(ticks(x, most), self._x_room(wide))

    def paint(self, painter: QPainter) -> None:
        painter.setFont(font(LABEL))
        self._axes(painter)
        painter.save()
        painter.setClipRect(self.scale.area.adjusted(-0.5, -0.5, 0.5, 0.5))
        for layer in self.figure.layers:
            _PAINTED[type(layer)](painter, layer, self.scale, self.theme)
        painter.restore()
        painter.setPen(QPen(QColor(self.theme.control_border), _STROKE))
        area = self.scale.area
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        self._legend(painter)

    def cursor(self, painter: QPainter, x: float) -> None:
        """A line where the reader is."""
        at = float(self.scale.x(np.array([x]))[0])
        painter.setPen(QPen(QColor(self.theme.focus), _STROKE))
        painter.drawLine(QLineF(at, self.scale.area.top(), at, self.scale.area.bottom()))

    def _area(self) -> QRectF:
        line = self._metrics.height()
        left = max((self._metrics.horizontalAdvance(text) for _, text in self._y_ticks), default=0.0) + SPACE
        top = len(self._rows) * (line + SPACE) + line + SPACE
        bottom = 2 * line + SPACE + _TICK_HEIGHT
        found = self._size.adjusted(left + EDGE, top + SPACE, -EDGE - SPACE, -bottom)
        return found if found.width() > 8 and found.height() > 8 else QRectF(found.x(), found.y(), 8, 8)

    def _y_room(self) -> Callable[[float], float]:
        return lambda place: float(self.scale.y(np.array([place]))[0]) / (self._metrics.height() + 2)

    def _x_room(self, wide: float) -> Callable[[float], float]:
        return lambda place: float(self.scale.x(np.array([place]))[0]) / (wide + 2 * SPACE)

    def _axes(self, painter: QPainter) -> None:
        area, line = self.scale.area, self._metrics.height()
        text, rule = QColor(self.theme.muted), QPen(QColor(self.theme.hairline), _STROKE)
        for place, name in self._y_ticks:
            y = float(self.scale.y(np.array([place]))[0])
            painter.setPen(rule)
            painter.drawLine(QLineF(area.left(), y, area.right(), y))
            painter.setPen(text)
            spot = QRectF(self._size.left(), y - line / 2, area.left() - self._size.left() - SPACE, line)
            painter.drawText(spot, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, name)
        for place, name in self._x_ticks:
            x = float(self.scale.x(np.array([place]))[0])
            painter.setPen(QPen(QColor(self.theme.control_border), _STROKE))
            painter.drawLine(QLineF(x, area.bottom(), x, area.bottom() + _TICK_HEIGHT - 1))
            painter.setPen(text)
            painter.drawText(self._under(x, name), Qt.AlignmentFlag.AlignCenter, name)
        painter.setPen(QColor(self.theme.text))
        top = area.top() - SPACE - line
        painter.drawText(QRectF(self._size.left() + EDGE, top, self._size.width(), line), self._y.label)
        foot = QRectF(area.left(), area.bottom() + _TICK_HEIGHT + line, area.width(), line)
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight, self._x.label)

    def _under(self, x: float, name: str) -> QRectF:
        """Below its place, but never out of the picture."""
        wide = self._metrics.horizontalAdvance(name) + 2
        left = min(max(x - wide / 2, self._size.left()), self._size.right() - wide)
        return QRectF(left, self.scale.area.bottom() + _TICK_HEIGHT, wide, self._metrics.height())

    def _legend(self, painter: QPainter) -> None:
        line, y = self._metrics.height(), self._size.top() + SPACE
        for row in self._rows:
            x = self._size.left() + EDGE
            for layer, label in row:
                self._mark(painter, layer, QRectF(x, y + (line - MARK) / 2, MARK, MARK))
                painter.setPen(QColor(self.theme.text))
                painter.drawText(QPointF(x + MARK + SPACE, y + self._metrics.ascent()), label)
                x += legend_width(label, self._metrics)
            y += line + SPACE

    def _mark(self, painter: QPainter, layer: Layer, spot: QRectF) -> None:
        if isinstance(layer, Band):
            painter.fillRect(spot, _hatch(self.theme))
            return
        color = role_color(layer.role, self.theme)
        if isinstance(layer, Line | Rules):
            middle = spot.center()
            painter.setPen(QPen(color, 1.5, Qt.PenStyle.DashLine if _is_dashed(layer) else Qt.PenStyle.SolidLine))
            painter.drawLine(QPointF(spot.left(), middle.y()), QPointF(spot.right(), middle.y()))
        else:
            painter.fillRect(spot, color)


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


def _apart(found: list[tuple[float, str]], place: Callable[[float], float]) -> list[tuple[float, str]]:
    """Those of the ticks between which there is room: zero first, then from there outwards."""
    kept: list[tuple[float, str]] = []
    for tick in sorted(found, key=lambda tick: (tick[1] != "0", abs(tick[0]))):
        if all(abs(place(tick[0]) - place(other[0])) >= 1 for other in kept):
            kept.append(tick)
    return sorted(kept)


def _is_dashed(layer: Layer) -> bool:
    return isinstance(layer, Line) and layer.dashed


def _hatch(theme: Theme) -> QBrush:
    return QBrush(QColor(theme.control_border), Qt.BrushStyle.BDiagPattern)


def _faint(color: QColor, share: float) -> QColor:
    found = QColor(color)
    found.setAlpha(round(_FULL * share))
    return found


def _paint_band(painter: QPainter, band: Band, scale: Scale, theme: Theme) -> None:
    left, right = scale.x(np.array([band.low, band.high])).tolist()
    painter.fillRect(QRectF(left, scale.area.top(), right - left, scale.area.height()), _hatch(theme))


def _paint_bars(painter: QPainter, bars: Bars, scale: Scale, theme: Theme) -> None:
    x = np.repeat(scale.x(bars.edges), 2)
    y = np.concatenate([[scale.area.bottom()], np.repeat(scale.y(bars.heights), 2), [scale.area.bottom()]])
    outline = QPolygonF([QPointF(*point) for point in zip(x.tolist(), y.tolist(), strict=True)])
    color = role_color(bars.role, theme)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_faint(color, 0.35 if bars.filled else 0.12))
    painter.drawPolygon(outline)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(color, _STROKE if bars.filled else 1.5))
    painter.drawPolyline(outline)


def _paint_points(painter: QPainter, points: Points, scale: Scale, theme: Theme) -> None:
    many = len(points.x) > 1000
    painter.setPen(QPen(_faint(role_color(points.role, theme), 0.45 if many else 0.8), 2 if many else 4))
    spots = zip(scale.x(points.x).tolist(), scale.y(points.y).tolist(), strict=True)
    painter.drawPoints(QPolygonF([QPointF(*spot) for spot in spots]))


def _paint_line(painter: QPainter, line: Line, scale: Scale, theme: Theme) -> None:
    style = Qt.PenStyle.DashLine if line.dashed else Qt.PenStyle.SolidLine
    painter.setPen(QPen(role_color(line.role, theme), _STROKE, style))
    spots = zip(scale.x(line.x).tolist(), scale.y(line.y).tolist(), strict=True)
    painter.drawPolyline(QPolygonF([QPointF(*spot) for spot in spots]))


def _paint_rules(painter: QPainter, rules: Rules, scale: Scale, theme: Theme) -> None:
    color, area = role_color(rules.role, theme), scale.area
    top = area.bottom() - _TICK_HEIGHT if rules.ticks else area.top()
    places = scale.x(rules.x).tolist()
    dense = len(places) > area.width() / 3
    style = Qt.PenStyle.SolidLine if rules.ticks else Qt.PenStyle.DashLine
    painter.setPen(QPen(_faint(color, 0.4 if dense else 0.7), _STROKE, style))
    painter.drawLines([QLineF(x, top, x, area.bottom()) for x in places if area.left() <= x <= area.right()])
    painter.setPen(QColor(theme.text))
    free = area.top() + QFontMetricsF(font(LABEL)).ascent()
    for x, name in zip(places, rules.names, strict=False):
        wide = QFontMetricsF(font(LABEL)).horizontalAdvance(name)
        painter.drawText(QPointF(x + 3 if x + 3 + wide < area.right() else x - 3 - wide, free), name)
        free += QFontMetricsF(font(LABEL)).height() if name else 0


def _paint_boxes(painter: QPainter, boxes: BoxPlots, scale: Scale, theme: Theme) -> None:
    color = role_color(boxes.role, theme)
    unit = scale.area.width() / (scale.x_high - scale.x_low)
    wide = max(boxes.width * unit, 1.0)
    columns = (boxes.low, boxes.first, boxes.middle, boxes.third, boxes.high)
    rows = np.stack([scale.x(boxes.x), *(scale.y(column) for column in columns)], axis=1)
    for x, low, first, middle, third, high in rows[np.isfinite(rows).all(axis=1)].tolist():
        painter.setPen(QPen(color, _STROKE))
        painter.drawLine(QLineF(x, low, x, high))
        painter.fillRect(QRectF(x - wide / 2, third, wide, max(first - third, 1.0)), _faint(color, 0.55))
        painter.drawLine(QLineF(x - wide / 2, middle, x + wide / 2, middle))


_PAINTED: dict[type, Callable[[QPainter, Any, Scale, Theme], None]] = {
    Band: _paint_band,
    Bars: _paint_bars,
    Points: _paint_points,
    Line: _paint_line,
    Rules: _paint_rules,
    BoxPlots: _paint_boxes,
}
