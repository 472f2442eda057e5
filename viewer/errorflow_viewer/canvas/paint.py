"""The picture of a scene: one function for the window, for pictures and for files."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from errorflow.layout.drawing import Floats
from errorflow_viewer.canvas.batch import Batch
from errorflow_viewer.canvas.boxes import paint_boxes
from errorflow_viewer.canvas.camera import Camera
from errorflow_viewer.canvas.cells import Indices
from errorflow_viewer.canvas.edges import paint_edges
from errorflow_viewer.canvas.glyphs import paint_glyphs, paint_switch_marks
from errorflow_viewer.canvas.groups import paint_groups
from errorflow_viewer.canvas.scene import Scene
from errorflow_viewer.canvas.sheet import Fills, Sheet, Style
from errorflow_viewer.canvas.signs import NO_SIGNS, Signs, paint_counts
from errorflow_viewer.canvas.titles import paint_titles

# Where a line goes on elsewhere: a chevron where a column is cut, a dot where only a short piece of it is drawn.
# Logical px at zoom 1: half a chevron's width and its height, a dot's radius; from which zoom on they are drawn.
_WIDE, _HIGH, _DOT, _FROM = 3.5, 4.0, 2.5, 0.35


def paint_ends(sheet: Sheet) -> None:
    drawing = sheet.scene.drawing
    if sheet.zoom < _FROM:
        return
    seen = _seen(sheet, drawing.marks)
    color = sheet.style.colors.edge_strong
    for end in (0, 1):
        _paint(sheet, drawing.marks[seen[drawing.mark_ends[seen] == end]], f"cut {end} {drawing.across}", color)
    _paint(sheet, drawing.stubs[_seen(sheet, drawing.stubs)], "stub", color)


def _seen(sheet: Sheet, points: Floats) -> Indices:
    left, top, right, bottom = sheet.clip
    x, y = points[:, 0], points[:, 1]
    return np.flatnonzero((x >= left) & (x <= right) & (y >= top) & (y <= bottom))


def _paint(sheet: Sheet, points: Floats, sort: str, color: QColor) -> None:
    """Painted once, copied to each point."""
    if not len(points):
        return
    scale = min(sheet.zoom, 1.5) * sheet.ratio
    side = 2 * int(_WIDE * scale + 2) + 1

    def paint(painter: QPainter) -> None:
        painter.translate(side / 2, side / 2)
        if sort == "stub":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawEllipse(QPointF(0, 0), _DOT * scale, _DOT * scale)
            return
        painter.rotate(-90 if sort.endswith("True") else 0)
        wide, high = _WIDE * scale, _HIGH * scale / 2
        painter.setPen(QPen(color, max(1.4 * scale, 1.0)))
        painter.drawPolyline([QPointF(-wide, -high), QPointF(0, high), QPointF(wide, -high)])

    if sheet.vector:
        for x, y in _placed(sheet, points).tolist():
            sheet.batch.painter.save()
            sheet.batch.painter.translate(x - side / 2, y - side / 2)
            paint(sheet.batch.painter)
            sheet.batch.painter.restore()
        return
    atlas = sheet.style.atlas
    tile = atlas.tile(("end", sort, side, scale, color.rgba()), lambda: (side, side), paint)
    places = np.floor(_placed(sheet, points)) - side // 2
    atlas.draw(sheet.batch, np.full(len(points), tile, np.intp), places[:, 0], places[:, 1])


def _placed(sheet: Sheet, points: Floats) -> Floats:
    camera = sheet.camera
    placed: Floats = points * camera.scale - (camera.left, camera.top)
    return placed


# What reaches out of its bounds (line widths, sheets under folds), in device pixels.
_OVERHANG = 8


def paint_scene(
    batch: Batch,
    scene: Scene,
    fills: Fills,
    style: Style,
    camera: Camera,
    ratio: float,
    area: QRectF,
    signs: Signs = NO_SIGNS,
    vector: bool = False,
) -> None:
    """Paints what the camera sees within `area` (device pixels), background included."""
    batch.painter.fillRect(area, style.colors.background)
    around = area.adjusted(-_OVERHANG, -_OVERHANG, _OVERHANG, _OVERHANG)
    clip = camera.seen(around.x(), around.y(), around.width(), around.height())
    style.atlas.trim()
    sheet = Sheet(batch, scene, fills, style, camera, ratio, clip, signs, vector)
    paint_groups(sheet)
    paint_edges(sheet)
    paint_ends(sheet)
    seen, rects = paint_boxes(sheet)
    paint_titles(sheet)
    paint_glyphs(sheet, seen, rects)
    paint_switch_marks(sheet, seen, rects)
    paint_counts(sheet, seen, rects)
