"""How each layer of a figure is painted, small in a panel and large in a window of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from errorflow.explain.inspect.figure import Band, Bars, BoxPlots, Doubles, Layer, Line, Points, Role, Rules
from errorflow_viewer.kit.look import LABEL, Theme
from errorflow_viewer.kit.style import font

TICK_HEIGHT = 5.0
STROKE = 1.0
_FULL = 255
# What lies further away, in sizes of the plot, is drawn there: lines keep their slope, and numbers stay in bounds.
_FAR = 1000.0
# Logical px: boxes that are narrower stand close together.
_CLEAR = 4.0
# Of a mark in a legend, where ticks stand in it.
_MARKED = (0.1, 0.5, 0.9)


def role_color(role: Role, theme: Theme) -> QColor:
    """The reference has a warm colour, the candidate the accent: told apart in thin lines, too, and by anybody."""
    names = {
        "reference": theme.warning.mark,
        "candidate": theme.selection,
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
        found: Doubles = self.area.left() + np.clip(share, -_FAR, _FAR) * self.area.width()
        return found

    def y(self, values: Doubles) -> NDArray[np.float64]:
        share = (values - self.y_low) / (self.y_high - self.y_low)
        found: Doubles = self.area.bottom() - np.clip(share, -_FAR, _FAR) * self.area.height()
        return found

    def x_at(self, pixel: float) -> float:
        return self.x_low + (pixel - self.area.left()) / max(self.area.width(), 1.0) * (self.x_high - self.x_low)


def paint_mark(painter: QPainter, layer: Layer, theme: Theme, spot: QRectF) -> None:
    """What stands for a layer in a legend."""
    if isinstance(layer, Band):
        # Framed: of a pattern alone there is little to see in so small a place.
        painter.fillRect(spot, hatch(theme))
        painter.setPen(QPen(QColor(theme.control_border), STROKE))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(spot.adjusted(0.5, 0.5, -0.5, -0.5))
        return
    color = role_color(layer.role, theme)
    if isinstance(layer, Rules):
        painter.setPen(QPen(color, STROKE, Qt.PenStyle.SolidLine if layer.ticks else Qt.PenStyle.DashLine))
        painter.drawLines(_rule_marks(layer, spot))
    elif isinstance(layer, Line):
        middle = spot.center()
        painter.setPen(QPen(color, 1.5, Qt.PenStyle.DashLine if layer.dashed else Qt.PenStyle.SolidLine))
        painter.drawLine(QPointF(spot.left(), middle.y()), QPointF(spot.right(), middle.y()))
    else:
        painter.fillRect(spot, color)


def apart(found: list[tuple[float, str]], place: Callable[[float], float]) -> list[tuple[float, str]]:
    """Those of the ticks between which there is room: zero first, then from there outwards."""
    kept: list[tuple[float, str]] = []
    for tick in sorted(found, key=lambda tick: (tick[1] != "0", abs(tick[0]))):
        if all(abs(place(tick[0]) - place(other[0])) >= 1 for other in kept):
            kept.append(tick)
    return sorted(kept)


def _rule_marks(rules: Rules, spot: QRectF) -> list[QLineF]:
    """Upright, as in the plot: short ones at the foot, or one over the whole height."""
    if not rules.ticks:
        return [QLineF(spot.center().x(), spot.top(), spot.center().x(), spot.bottom())]
    top = spot.bottom() - TICK_HEIGHT
    xs = (spot.left() + share * spot.width() for share in _MARKED)
    return [QLineF(x, top, x, spot.bottom()) for x in xs]


def hatch(theme: Theme) -> QBrush:
    return QBrush(QColor(theme.control_border), Qt.BrushStyle.BDiagPattern)


def faint(color: QColor, share: float) -> QColor:
    found = QColor(color)
    found.setAlpha(round(_FULL * share))
    return found


def _paint_band(painter: QPainter, band: Band, scale: Scale, theme: Theme) -> None:
    left, right = scale.x(np.array([band.low, band.high])).tolist()
    painter.fillRect(QRectF(left, scale.area.top(), right - left, scale.area.height()), hatch(theme))


def _paint_bars(painter: QPainter, bars: Bars, scale: Scale, theme: Theme) -> None:
    x = np.repeat(scale.x(bars.edges), 2)
    y = np.concatenate([[scale.area.bottom()], np.repeat(scale.y(bars.heights), 2), [scale.area.bottom()]])
    outline = QPolygonF([QPointF(*point) for point in zip(x.tolist(), y.tolist(), strict=True)])
    color = role_color(bars.role, theme)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(faint(color, 0.35 if bars.filled else 0.12))
    painter.drawPolygon(outline)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(color, STROKE if bars.filled else 1.5))
    painter.drawPolyline(outline)


def _paint_points(painter: QPainter, points: Points, scale: Scale, theme: Theme) -> None:
    many = len(points.x) > 1000
    painter.setPen(QPen(faint(role_color(points.role, theme), 0.45 if many else 0.8), 2 if many else 4))
    spots = zip(scale.x(points.x).tolist(), scale.y(points.y).tolist(), strict=True)
    painter.drawPoints(QPolygonF([QPointF(*spot) for spot in spots]))


def _paint_line(painter: QPainter, line: Line, scale: Scale, theme: Theme) -> None:
    style = Qt.PenStyle.DashLine if line.dashed else Qt.PenStyle.SolidLine
    painter.setPen(QPen(role_color(line.role, theme), STROKE, style))
    spots = zip(scale.x(line.x).tolist(), scale.y(line.y).tolist(), strict=True)
    points = QPolygonF([QPointF(*spot) for spot in spots])
    painter.drawPolyline(points)
    if line.named and not points.isEmpty():
        _name_line(painter, line.label, points.last(), scale.area, theme)


def _name_line(painter: QPainter, name: str, end: QPointF, area: QRectF, theme: Theme) -> None:
    """Left of its end, in the plot."""
    metrics = QFontMetricsF(font(LABEL))
    wide, right = metrics.horizontalAdvance(name), min(end.x(), area.right())
    painter.setFont(font(LABEL))
    painter.setPen(QColor(theme.text))
    painter.drawText(QPointF(right - 2 * metrics.height() - wide, max(end.y(), area.top()) + metrics.height()), name)


def _paint_rules(painter: QPainter, rules: Rules, scale: Scale, theme: Theme) -> None:
    color, area = role_color(rules.role, theme), scale.area
    top = area.bottom() - TICK_HEIGHT if rules.ticks else area.top()
    places = scale.x(rules.x).tolist()
    dense = len(places) > area.width() / 3
    style = Qt.PenStyle.SolidLine if rules.ticks else Qt.PenStyle.DashLine
    painter.setPen(QPen(faint(color, 0.4 if dense else 0.7), STROKE, style))
    painter.drawLines([QLineF(x, top, x, area.bottom()) for x in places if area.left() <= x <= area.right()])
    painter.setPen(QColor(theme.text))
    _name_rules(painter, rules, places, area)


def _name_rules(painter: QPainter, rules: Rules, places: list[float], area: QRectF) -> None:
    """Beside their heads; those of one name are in one row, away from each other."""
    metrics, rows = QFontMetricsF(font(LABEL)), list(dict.fromkeys(rules.names))
    seen = dict(enumerate(rules.names))
    for at, name in seen.items():
        left = places[at] < max(places[other] for other, same in seen.items() if same == name)
        wide, free = metrics.horizontalAdvance(name), area.top() + metrics.ascent()
        before = places[at] - 3 - wide
        fits = before > area.left() if left else places[at] + 3 + wide < area.right()
        x = before if left == fits else places[at] + 3
        painter.drawText(QPointF(x, free + rows.index(name) * metrics.height()), name)


def _paint_boxes(painter: QPainter, boxes: BoxPlots, scale: Scale, theme: Theme) -> None:
    color = role_color(boxes.role, theme)
    unit = scale.area.width() / (scale.x_high - scale.x_low)
    wide = max(boxes.width * unit, 1.0)
    columns = (boxes.low, boxes.first, boxes.middle, boxes.third, boxes.high)
    rows = np.stack([scale.x(boxes.x), *(scale.y(column) for column in columns)], axis=1)
    # Close together, whiskers step back behind the boxes.
    whisker = QPen(color if wide >= _CLEAR else faint(color, 0.4), STROKE)
    for x, low, first, middle, third, high in rows[np.isfinite(rows).all(axis=1)].tolist():
        painter.setPen(whisker)
        painter.drawLine(QLineF(x, low, x, high))
        painter.setPen(QPen(color, STROKE))
        painter.fillRect(QRectF(x - wide / 2, third, wide, max(first - third, 1.0)), faint(color, 0.55))
        painter.drawLine(QLineF(x - wide / 2, middle, x + wide / 2, middle))


PAINTED: dict[type, Callable[[QPainter, Any, Scale, Theme], None]] = {
    Band: _paint_band,
    Bars: _paint_bars,
    Points: _paint_points,
    Line: _paint_line,
    Rules: _paint_rules,
    BoxPlots: _paint_boxes,
}
