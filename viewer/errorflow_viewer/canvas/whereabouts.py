"""Which groups one is in, when their names are out of sight: a line in the corner."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen

from errorflow.layout.drawing import Drawing, Floats
from errorflow_viewer.canvas.camera import Camera, Port
from errorflow_viewer.canvas.scene import Scene
from errorflow_viewer.canvas.sheet import Sheet
from errorflow_viewer.look import LABEL

# Logical px.
_CORNER, _INSET, _HEIGHT, _RADIUS = 12.0, 8.0, 22.0, 4.0


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
    return [drawing.group_labels[group] for group in groups]


def paint_whereabouts(sheet: Sheet, port: Port) -> None:
    names = groups_round(sheet.scene, sheet.camera, port) if sheet.readable else []
    if not names:
        return
    ratio, colors, painter = sheet.ratio, sheet.style.colors, sheet.batch.painter
    font, metrics = sheet.style.text(round(LABEL * ratio))
    room = port.width / 2 - 2 * (_CORNER + _INSET) * ratio
    text = metrics.elidedText(" › ".join(names), Qt.TextElideMode.ElideLeft, room)
    corner, inset = _CORNER * ratio, _INSET * ratio
    place = QRectF(corner, corner, round(metrics.horizontalAdvance(text) + 2 * inset), round(_HEIGHT * ratio))
    sheet.batch.smooth(True)
    painter.setPen(QPen(colors.group_border, sheet.hair))
    painter.setBrush(colors.sheet)
    painter.drawRoundedRect(place.translated(sheet.hair / 2, sheet.hair / 2), _RADIUS * ratio, _RADIUS * ratio)
    sheet.batch.smooth(False)
    painter.setFont(font)
    painter.setPen(colors.group_text)
    painter.drawText(QPointF(place.x() + inset, place.center().y() + metrics.capHeight() / 2), text)
