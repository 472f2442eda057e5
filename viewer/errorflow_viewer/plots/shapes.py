"""Paints the engine's shapes: on the screen, into pictures, and into files that can be enlarged."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QLinearGradient,
    QPainter,
    QPen,
    QPixmap,
    QPolygonF,
    QTransform,
)

from errorflow.draw.shapes import Dots, Fill, Floats, Group, Lines, Path, Pattern, Pen, Rect, Rects, Shape, Text
from errorflow.draw.text import Letters
from errorflow_viewer.kit.look import LABEL
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.style import font

Fonts = Callable[[float, bool], QFont]
# Points of a line from which on it is painted piece by piece, which takes a hundredth of the time.
_MANY = 40
# Pixels to a px of a pattern, at least and at most.
_COARSE, _FINE = 1.0, 8.0
_CORNER = QPointF()


def window_font(size: float, strong: bool = False) -> QFont:
    """Makes a font in px as they are now."""
    found = font(strong=strong)
    found.setPixelSize(max(round(size), 1))
    return found


class WindowLetters(Letters):
    """Letters of a size at 100 %, in the font of the window."""

    def __init__(self, size: int = LABEL) -> None:
        super().__init__(px(size))
        self._metrics = QFontMetricsF(font(size))

    @property
    def height(self) -> float:
        return self._metrics.height()

    @property
    def ascent(self) -> float:
        return self._metrics.ascent()

    def width(self, text: str) -> float:
        return self._metrics.horizontalAdvance(text)

    def fitted(self, text: str, room: float) -> str:
        return self._metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)

    def shortened(self, text: str, room: float) -> str:
        return self._metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room)


def paint_shapes(
    painter: QPainter, shapes: Iterable[Shape], fonts: Fonts = window_font, at: QPointF = _CORNER, scale: float = 1.0
) -> None:
    """Their 0 lies at a point; what is crisp has no smooth edges."""
    painter.save()
    painter.translate(at)
    painter.scale(scale, scale)
    for shape in shapes:
        _PAINTED[type(shape)](painter, shape, fonts)
    painter.restore()


def _rect(painter: QPainter, rect: Rect, _: Fonts) -> None:
    _look(painter, rect.fill, rect.pen, rect.opacity, rect.crisp)
    place = QRectF(rect.x, rect.y, rect.width, rect.height)
    if rect.radius:
        painter.drawRoundedRect(place, rect.radius, rect.radius)
    else:
        painter.drawRect(place)


def _rects(painter: QPainter, rects: Rects, _: Fonts) -> None:
    _look(painter, rects.fill, rects.pen, rects.opacity, rects.crisp)
    painter.drawRects([QRectF(*place) for place in rects.places.tolist()])


def _lines(painter: QPainter, lines: Lines, _: Fonts) -> None:
    _look(painter, "", lines.pen, 1.0, lines.crisp)
    painter.drawLines([QLineF(*ends) for ends in lines.ends.tolist()])


def _path(painter: QPainter, path: Path, _: Fonts) -> None:
    _look(painter, path.fill, path.pen, path.opacity, path.crisp)
    for run in path.runs:
        spots = _spots(run)
        if path.closed:
            painter.drawPolygon(QPolygonF(spots))
        elif len(spots) > _MANY and path.pen is not None and not path.pen.dash:
            painter.setPen(_pen(painter, replace(path.pen, round=False)))
            painter.drawLines([QLineF(one, other) for one, other in pairwise(spots)])
        else:
            painter.drawPolyline(QPolygonF(spots))


def _dots(painter: QPainter, dots: Dots, _: Fonts) -> None:
    if dots.crisp:
        _look(painter, "", Pen(dots.fill, 2 * dots.radius, (), dots.opacity), crisp=True)
        painter.drawPoints(QPolygonF(_spots(dots.spots)))
        return
    _look(painter, dots.fill, dots.pen, dots.opacity)
    for spot in _spots(dots.spots):
        painter.drawEllipse(spot, dots.radius, dots.radius)


def _text(painter: QPainter, text: Text, fonts: Fonts) -> None:
    chosen = fonts(text.size, text.strong)
    painter.setFont(chosen)
    painter.setPen(QColor(text.color))
    share = {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor]
    before = share * QFontMetricsF(chosen).horizontalAdvance(text.text) if share else 0.0
    painter.save()
    painter.translate(text.x, text.base)
    painter.rotate(-90 if text.upwards else 0)
    painter.drawText(QPointF(-before, 0), text.text)
    painter.restore()


def _group(painter: QPainter, group: Group, fonts: Fonts) -> None:
    painter.save()
    painter.translate(group.x, group.y)
    if group.clip is not None:
        painter.setClipRect(QRectF(*group.clip), Qt.ClipOperation.IntersectClip)
    for shape in group.shapes:
        _PAINTED[type(shape)](painter, shape, fonts)
    painter.restore()


def _look(painter: QPainter, fill: Fill, pen: Pen | None, opacity: float = 1.0, crisp: bool = False) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, not crisp)
    painter.setBrush(_brush(painter, fill, opacity))
    painter.setPen(Qt.PenStyle.NoPen if pen is None else _pen(painter, pen))


def _spots(run: Floats) -> list[QPointF]:
    return [QPointF(x, y) for x, y in run.tolist()]


def _brush(painter: QPainter, fill: Fill, opacity: float) -> QBrush:
    if isinstance(fill, str):
        color = QColor(fill)
        color.setAlphaF(opacity)
        return QBrush(color) if fill else QBrush()
    if isinstance(fill, Pattern):
        return _tiled(fill, painter.deviceTransform().m11())
    gradient = QLinearGradient(QPointF(*fill.start), QPointF(*fill.end))
    for share, name in fill.stops:
        gradient.setColorAt(share, QColor(name))
    return QBrush(gradient)


def _tiled(pattern: Pattern, scale: float) -> QBrush:
    """Tiles a pattern as fine as the painter's device, with whole pixels."""
    side = max(round(pattern.side * min(max(scale, _COARSE), _FINE)), 1)
    tile = QPixmap(side, side)
    tile.fill(Qt.GlobalColor.transparent)
    inner = QPainter(tile)
    inner.scale(side / pattern.side, side / pattern.side)
    paint_shapes(inner, pattern.shapes)
    inner.end()
    brush = QBrush(tile)
    brush.setTransform(QTransform.fromScale(pattern.side / side, pattern.side / side))
    return brush


def _pen(painter: QPainter, pen: Pen) -> QPen:
    found = QPen(_brush(painter, pen.color, pen.opacity), pen.width)
    found.setCapStyle(Qt.PenCapStyle.RoundCap if pen.round else Qt.PenCapStyle.FlatCap)
    found.setJoinStyle(Qt.PenJoinStyle.RoundJoin if pen.round else Qt.PenJoinStyle.MiterJoin)
    if pen.dash:
        found.setDashPattern([part / pen.width for part in pen.dash])
    return found


_PAINTED: dict[type[Shape], Callable[[QPainter, Any, Fonts], None]] = {
    Rect: _rect,
    Rects: _rects,
    Lines: _lines,
    Path: _path,
    Dots: _dots,
    Text: _text,
    Group: _group,
}
