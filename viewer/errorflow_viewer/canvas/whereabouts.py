"""Whereabouts: the groups that one is in, when their names are out of sight, along the upper edge; a small map."""

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from errorflow.base.language import Verbatim
from errorflow.layout.drawing import Drawing, Floats
from errorflow.layout.pieces import CONTINUED
from errorflow_viewer.canvas.camera import Camera, Port
from errorflow_viewer.canvas.colors import CanvasColors
from errorflow_viewer.canvas.scene import Scene
from errorflow_viewer.canvas.sheet import Sheet
from errorflow_viewer.kit.look import LABEL

# Logical px: how high the strip is, and what is left and right of what it says.
STRIP = 24
_MARGIN = 12.0


def group_round(drawing: Drawing, group: int | None) -> int:
    """The open group that one lies in; -1: none."""
    rows = np.flatnonzero(drawing.group_ids == group)
    if group is None or not len(rows):
        return -1
    left, top, right, bottom = _edges(drawing)
    row, depths = rows[0], drawing.group_depths
    holds = (left <= left[row]) & (top <= top[row]) & (right >= right[row]) & (bottom >= bottom[row])
    outer = np.flatnonzero(holds & (depths < depths[row]))
    return int(drawing.group_ids[outer[np.argmax(depths[outer])]]) if len(outer) else -1


def group_within(drawing: Drawing, group: int) -> int | None:
    """The first open group that lies directly in another one."""
    rows = np.flatnonzero(drawing.group_ids == group)
    if not len(rows):
        return None
    left, top, right, bottom = _edges(drawing)
    row, depths = rows[0], drawing.group_depths
    inside = (left >= left[row]) & (top >= top[row]) & (right <= right[row]) & (bottom <= bottom[row])
    inner = np.flatnonzero(inside & (depths == depths[row] + 1))
    return int(drawing.group_ids[inner[0]]) if len(inner) else None


def _edges(drawing: Drawing) -> tuple[Floats, Floats, Floats, Floats]:
    """Left, top, right and bottom of all open groups."""
    x, y, width, height = drawing.group_boxes.T
    return x, y, x + width, y + height


def groups_round(scene: Scene, camera: Camera, port: Port) -> list[str]:
    """Names of the groups round the middle of the view, from the outermost, if any of them is not to be read."""
    x, y = camera.to_scene(port.width / 2, port.height / 2)
    left, top = camera.to_scene(0, 0)
    drawing = scene.drawing
    groups = scene.groups_within(x, y, x, y).tolist()
    if all(drawing.group_boxes[group, 0] >= left and drawing.group_boxes[group, 1] >= top for group in groups):
        return []
    return [drawing.group_labels[group].removesuffix(CONTINUED) for group in groups]


def paint_whereabouts(sheet: Sheet, port: Port) -> None:
    names = groups_round(sheet.scene, sheet.camera, port) if sheet.readable else []
    if not names:
        return
    ratio, colors, painter = sheet.ratio, sheet.style.colors, sheet.batch.painter
    font, metrics = sheet.style.text(round(LABEL * ratio))
    room = port.width - 2 * _MARGIN * ratio
    text = metrics.elidedText(Verbatim(" › ".join(names)), Qt.TextElideMode.ElideLeft, room)
    height = round(STRIP * ratio)
    painter.fillRect(QRectF(0, 0, port.width, height), colors.sheet)
    painter.fillRect(QRectF(0, height - sheet.hair, port.width, sheet.hair), colors.group_border)
    painter.setFont(font)
    painter.setPen(colors.group_text)
    painter.drawText(QPointF(_MARGIN * ratio, round((height + metrics.capHeight()) / 2)), Verbatim(text))


# The small map in the corner: where in the drawing the view is.

# Logical px: its distance from the corner, its own margin.
_CORNER, _ROUND = 12.0, 6.0
# Its longer side: this part of the shorter one of the window, and in logical px no less and no more than that.
_SHARE, _SMALLEST, _LARGEST = 0.14, 64.0, 220.0
# In a narrower window it would cover more than it tells.
_NARROW = 500.0
# Right and low, as shares: where it lies at first, and where it goes if there are boxes below it.
_CORNERS = ((1, 1), (1, 0), (0, 1), (0, 0))
# The least side of the frame that marks the view.
_LEAST = 5.0


class Minimap:
    """Kept as a picture; only the frame moves."""

    def __init__(self) -> None:
        self.wanted = True
        self._corner = _CORNERS[0]
        self._picture = QPixmap()
        self._painted_for: Port | None = None

    def drop(self) -> None:
        """Drops the picture: something that it shows has changed."""
        self._painted_for = None

    def place(self, port: Port, camera: Camera) -> QRectF:
        """Finds where it lies, in device pixels; empty when it is off or there is nothing to show."""
        narrow = port.width < _NARROW * port.ratio
        return QRectF() if not self.wanted or narrow or all_seen(port, camera) else self._in(self._corner, port)

    def give_way(self, port: Port, camera: Camera, covers: Callable[[QRectF], bool]) -> bool:
        """Goes to a corner where it covers nothing, if it covers something and there is one; whether it went."""
        place = self.place(port, camera)
        if place.isEmpty() or not covers(place):
            return False
        free = next((corner for corner in _CORNERS if not covers(self._in(corner, port))), self._corner)
        went, self._corner = free != self._corner, free
        return went

    def _in(self, corner: tuple[int, int], port: Port) -> QRectF:
        """Places it below the strip with the groups, and above the lower edge."""
        ratio = port.ratio
        margin = 2 * _ROUND * ratio
        side = min(max(_SHARE * min(port.width, port.height), _SMALLEST * ratio), _LARGEST * ratio)
        scale = (side - margin) / max(port.scene_width, port.scene_height)
        width = max(round(port.scene_width * scale), round(8 * ratio)) + margin
        height = max(round(port.scene_height * scale), round(8 * ratio)) + margin
        away, top = _CORNER * ratio, (STRIP + _CORNER) * ratio
        left = port.width - away - width if corner[0] else away
        return QRectF(round(left), round(port.height - away - height if corner[1] else top), width, height)

    def to_scene(self, port: Port, place: QRectF, point: QPointF) -> tuple[float, float]:
        """The spot of the scene under a point of the map (device pixels)."""
        scale, left, top = _scale(port, place)
        return (point.x() - left) / scale, (point.y() - top) / scale

    def paint(
        self,
        painter: QPainter,
        port: Port,
        camera: Camera,
        colors: CanvasColors,
        paint: Callable[[QPainter, Camera, QRectF], None] | None,
    ) -> None:
        """Paints the map. Without `paint` there is no time to make its picture: it appears when there is."""
        place = self.place(port, camera)
        if place.isEmpty() or (paint is None and self._painted_for != port):
            return
        if paint is not None and self._painted_for != port:
            self._picture = self._made(port, place, paint)
            self._painted_for = port
        hair = max(1.0, float(round(port.ratio)))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colors.group_border)
        painter.drawRect(place.adjusted(-hair, -hair, hair, hair))
        painter.setBrush(colors.background)
        painter.drawRect(place)
        scale, left, top = _scale(port, place)
        painter.drawPixmap(QPointF(left, top), self._picture)
        _paint_frame(painter, place, self._view(port, camera, scale, left, top), colors, port.ratio)

    def _made(self, port: Port, place: QRectF, paint: Callable[[QPainter, Camera, QRectF], None]) -> QPixmap:
        margin = _ROUND * port.ratio
        inner = place.adjusted(margin, margin, -margin, -margin)
        picture = QPixmap(inner.size().toSize())
        painter = QPainter(picture)
        try:
            paint(painter, Camera(_scale(port, place)[0]), QRectF(picture.rect()))
        finally:
            painter.end()
        return picture

    def _view(self, port: Port, camera: Camera, scale: float, left: float, top: float) -> QRectF:
        x0, y0, x1, y1 = camera.seen(0, 0, port.width, port.height)
        return QRectF(QPointF(left + x0 * scale, top + y0 * scale), QPointF(left + x1 * scale, top + y1 * scale))


def _scale(port: Port, place: QRectF) -> tuple[float, float, float]:
    """Device pixels of the map per scene unit, and where the scene's corner lies."""
    margin = _ROUND * port.ratio
    width, height = place.width() - 2 * margin, place.height() - 2 * margin
    scale = min(width / port.scene_width, height / port.scene_height)
    return scale, place.left() + margin, place.top() + margin


def all_seen(port: Port, camera: Camera) -> bool:
    """Whether there is nothing out of sight to be shown."""
    x0, y0, x1, y1 = camera.seen(0, 0, port.width, port.height)
    return x0 <= 0 and y0 <= 0 and x1 >= port.scene_width and y1 >= port.scene_height


def _paint_frame(painter: QPainter, place: QRectF, view: QRectF, colors: CanvasColors, ratio: float) -> None:
    """Veils what is not in view and frames what is."""
    least = _LEAST * ratio
    grow_x, grow_y = max(least - view.width(), 0.0) / 2, max(least - view.height(), 0.0) / 2
    view = view.adjusted(-grow_x, -grow_y, grow_x, grow_y).intersected(place)
    veil = QColor(colors.background)
    veil.setAlphaF(0.35)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(veil)
    painter.drawRects(
        [
            QRectF(place.left(), place.top(), place.width(), view.top() - place.top()),
            QRectF(place.left(), view.bottom(), place.width(), place.bottom() - view.bottom()),
            QRectF(place.left(), view.top(), view.left() - place.left(), view.height()),
            QRectF(view.right(), view.top(), place.right() - view.right(), view.height()),
        ]
    )
    width = 1.5 * ratio
    painter.setPen(QPen(colors.selection, width))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(view.adjusted(width / 2, width / 2, -width / 2, -width / 2))
