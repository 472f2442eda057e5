"""Which groups one is in, when their names are out of sight: a line in the corner."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen

from errorflow_viewer.canvas.sheet import Sheet
from errorflow_viewer.look import LABEL

# Logical px.
_CORNER, _INSET, _HEIGHT, _RADIUS = 12.0, 8.0, 22.0, 4.0


def groups_round(sheet: Sheet, width: int, height: int) -> list[str]:
    """Names of the groups round the middle of the view, from the outermost, if any of them is not to be read."""
    x, y = sheet.camera.to_scene(width / 2, height / 2)
    left, top = sheet.camera.to_scene(0, 0)
    drawing = sheet.scene.drawing
    groups = sheet.scene.groups_within(x, y, x, y).tolist()
    if all(drawing.group_boxes[group, 0] >= left and drawing.group_boxes[group, 1] >= top for group in groups):
        return []
    return [drawing.group_labels[group] for group in groups]


def paint_whereabouts(sheet: Sheet, width: int, height: int) -> None:
    names = groups_round(sheet, width, height) if sheet.readable else []
    if not names:
        return
    ratio, colors, painter = sheet.ratio, sheet.style.colors, sheet.batch.painter
    font, metrics = sheet.style.text(round(LABEL * ratio))
    room = width / 2 - 2 * (_CORNER + _INSET) * ratio
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
