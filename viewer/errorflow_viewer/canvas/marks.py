"""The small shape in front of a label that tells operator families apart without a colour."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from errorflow_viewer.kit.look import FAMILIES

# Points of a unit square, y down; closed and filled, or an open stroke.
_FILLED: dict[str, tuple[tuple[float, float], ...]] = {
    "compute": ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)),
    "combine": ((0.5, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5)),
    "reduce": ((0.0, 0.08), (1.0, 0.08), (0.5, 0.95)),
}
_OPEN: dict[str, tuple[tuple[tuple[float, float], ...], ...]] = {
    "activate": (((0.0, 0.9), (0.45, 0.9), (1.0, 0.1)),),
    "normalize": (((0.0, 0.2), (1.0, 0.2)), ((0.0, 0.8), (1.0, 0.8))),
    "move": (((0.0, 0.5), (1.0, 0.5)), ((0.55, 0.05), (1.0, 0.5), (0.55, 0.95))),
    "quantize": (((0.0, 1.0), (0.33, 1.0), (0.33, 0.5), (0.67, 0.5), (0.67, 0.0), (1.0, 0.0)),),
    "control": (((0.0, 0.5), (0.4, 0.5), (1.0, 0.05)), ((0.4, 0.5), (1.0, 0.95))),
    "fold": (((0.1, 0.5), (0.9, 0.5)), ((0.5, 0.1), (0.5, 0.9))),
}
_ROUND = ("border", "other", "constant")
_HOLLOW = ("border", "other")


def mark_of(tone: int) -> str:
    """The name of the mark for a tone of `scene.Scene.tones`."""
    return (*FAMILIES, "constant", "fold")[tone]


def paint_mark(painter: QPainter, tone: int, place: QRectF, ink: QColor) -> None:
    """The mark of a tone, filling a square."""
    mark = mark_of(tone)
    line = max(place.width() / 6, 1.0)
    if mark in _FILLED:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        painter.drawPolygon(_points(_FILLED[mark], place))
    elif mark in _ROUND:
        painter.setPen(QPen(ink, line) if mark in _HOLLOW else Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush if mark in _HOLLOW else ink)
        inset = line / 2 + place.width() * 0.08
        painter.drawEllipse(place.adjusted(inset, inset, -inset, -inset))
    else:
        painter.setPen(QPen(ink, line * 1.15, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.MiterJoin))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for stroke in _OPEN[mark]:
            painter.drawPolyline(_points(stroke, place))


def _points(shape: tuple[tuple[float, float], ...], place: QRectF) -> QPolygonF:
    return QPolygonF([QPointF(place.x() + x * place.width(), place.y() + y * place.height()) for x, y in shape])
