"""Whereabouts: which groups one is in, when their names are out of sight, as a strip along the upper edge."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt

from errorflow.base.language import Verbatim
from errorflow.layout.drawing import Drawing, Floats
from errorflow.layout.pieces import CONTINUED
from errorflow_viewer.canvas.camera import Camera, Port
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
