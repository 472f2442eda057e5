"""Outlines over a canvas that is shown beside another: what has no partner there, and whose partner is pointed at."""

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from errorflow.base.arrays import median
from errorflow.layout.drawing import Drawing, Floats
from errorflow_viewer.canvas.cells import Indices
from errorflow_viewer.canvas.colors import CanvasColors, mixed
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.kit.look import LABEL
from errorflow_viewer.kit.style import font

NONE: Indices = np.zeros(0, np.int64)
# Logical px: the line of an outline and its distance from the box; below which height of a box it is not dashed.
_LINE, _CLEAR, _DASHED_FROM = 1.5, 2.5, 8.0
# So many are outlined one by one; where more are in sight they cannot be told apart.
_MOST = 4000
# The ring round a partner, the bracket beside several, and the least that is ringed.
_RING, _BRACKET, _TICK, _LEAST = 2.0, 12.0, 6.0, 6.0
# Partners that cover less than this share of what is around all of them get no bracket: too much lies between.
_COMPACT = 0.12


class Outlines(QWidget):
    """Lies on the canvas, lets all events through, and is painted with it."""

    def __init__(self, canvas: Canvas, colors: CanvasColors) -> None:
        super().__init__(canvas)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self._canvas = canvas
        self._colors = colors
        self._drawing: Drawing | None = None
        self._lonely = self._partners = self._hovered = NONE
        self._count = 0
        canvas.installEventFilter(self)
        self.setGeometry(canvas.rect())
        self.show()

    def set_colors(self, colors: CanvasColors) -> None:
        self._colors = colors
        self.update()

    def set_lonely(self, drawing: Drawing | None, boxes: Indices) -> None:
        """Boxes of this drawing without a partner; of another drawing all is forgotten."""
        self._drawing, self._lonely = drawing, boxes
        self._partners = self._hovered = NONE
        self.update()

    def set_partners(self, boxes: Indices, count: int) -> None:
        """Boxes that belong to what is selected in the other graph, and of how many nodes they are."""
        self._partners, self._count = boxes, count
        self.update()

    def set_hovered(self, boxes: Indices) -> None:
        """The same of what the pointer is on."""
        if len(boxes) or len(self._hovered):
            self._hovered = boxes
            self.update()

    @property
    def lonely(self) -> Indices:
        return self._lonely

    @property
    def partners(self) -> Indices:
        return self._partners

    @property
    def hovered(self) -> Indices:
        return self._hovered

    # Events

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._canvas.rect())
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the signature of Qt
        if self._drawing is None or not len(self._drawing) or self._canvas.moving:
            return
        painter = QPainter(self)
        try:
            painter.setClipRegion(self._canvas.free_sight())
            self._paint_lonely(painter)
            self._paint_rings(painter, self._hovered, mixed(self._colors.edge_strong, self._colors.selection, 0.4), 1.5)
            self._paint_rings(painter, self._partners, self._colors.selection, _RING)
            self._paint_bracket(painter)
        finally:  # the traceback of an error would keep the painter, and Qt crash on it
            painter.end()

    # How

    def _places(self, boxes: Indices) -> Floats:
        """Finds where boxes are in the widget: x, y, width, height; those that are out of sight are left out."""
        assert self._drawing is not None, "asked for while something is shown"
        origin, zoom = self._canvas.place_of(0), self._canvas.zoom
        first = self._drawing.boxes[0]
        shift = np.array([origin.x() - first[0] * zoom, origin.y() - first[1] * zoom, 0.0, 0.0])
        places: Floats = self._drawing.boxes[boxes] * zoom + shift
        seen = self._canvas.sight()
        inside = (places[:, 0] < seen.right()) & (places[:, 0] + places[:, 2] > 0)
        inside &= (places[:, 1] < seen.bottom()) & (places[:, 1] + places[:, 3] > 0)
        return places[inside]

    def _paint_lonely(self, painter: QPainter) -> None:
        places = self._places(self._lonely)
        if not len(places) or len(places) > _MOST:
            return
        dashed = median(places[:, 3]) >= _DASHED_FROM
        pen = QPen(self._colors.muted, _LINE if dashed else 1.0)
        if dashed:
            pen.setDashPattern([3.0, 2.0])
        self._paint_rects(painter, places, pen, _CLEAR if dashed else 0.5, round_corners=dashed)

    def _paint_rings(self, painter: QPainter, boxes: Indices, color: QColor, line: float) -> None:
        places = self._places(boxes)
        if 0 < len(places) <= _MOST:
            wide = np.maximum(places[:, 2:], _LEAST)
            places = np.column_stack([places[:, :2] - (wide - places[:, 2:]) / 2, wide])
            self._paint_rects(painter, places, QPen(color, line), _CLEAR, round_corners=True)

    def _paint_rects(self, painter: QPainter, places: Floats, pen: QPen, out: float, round_corners: bool) -> None:
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, round_corners)
        rects = [QRectF(x, y, width, height).adjusted(-out, -out, out, out) for x, y, width, height in places.tolist()]
        if round_corners:
            for rect in rects:
                radius = min(5.0, rect.height() / 2)
                painter.drawRoundedRect(rect, radius, radius)
        else:
            painter.drawRects(rects)

    def _paint_bracket(self, painter: QPainter) -> None:
        """Paints a bracket beside several partners, with their number."""
        places = self._places(self._partners)
        if self._count < 2 or not len(places):
            return
        left, top = places[:, :2].min(axis=0).tolist()
        right, bottom = (places[:, :2] + places[:, 2:]).max(axis=0).tolist()
        covered = float((places[:, 2] * places[:, 3]).sum()) / max((right - left) * (bottom - top), 1.0)
        side = left - _BRACKET
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if len(places) > 1 and covered >= _COMPACT:
            painter.setPen(QPen(self._colors.selection, _RING))
            corners = ((side + _TICK, top), (side, top), (side, bottom), (side + _TICK, bottom))
            painter.drawPolyline([QPointF(x, y) for x, y in corners])
            self._paint_badge(painter, QPointF(side, (top + bottom) / 2))
        else:
            first = places[0]
            self._paint_badge(painter, QPointF(float(first[0]), float(first[1])))

    def _paint_badge(self, painter: QPainter, middle: QPointF) -> None:
        text = f"{self._count:,}"
        painter.setFont(font(LABEL, strong=True))
        metrics = painter.fontMetrics()
        width = max(metrics.horizontalAdvance(text) + 8.0, 16.0)
        badge = QRectF(middle.x() - width / 2, middle.y() - 8.0, width, 16.0)
        badge.moveLeft(max(badge.left(), 2.0))
        painter.setPen(QPen(self._colors.background, 1.0))
        painter.setBrush(self._colors.selection)
        painter.drawRoundedRect(badge, 8.0, 8.0)
        painter.setPen(self._colors.background)
        painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, text)
        painter.setBrush(Qt.BrushStyle.NoBrush)
