"""The picture of a scene: one function for the window, for pictures and for files."""

from PySide6.QtCore import QRectF

from errorflow_viewer.canvas.batch import Batch
from errorflow_viewer.canvas.boxes import paint_boxes
from errorflow_viewer.canvas.camera import Camera
from errorflow_viewer.canvas.edges import paint_edges
from errorflow_viewer.canvas.ends import paint_ends
from errorflow_viewer.canvas.glyphs import paint_glyphs
from errorflow_viewer.canvas.groups import paint_groups
from errorflow_viewer.canvas.scene import Scene
from errorflow_viewer.canvas.sheet import Fills, Sheet, Style
from errorflow_viewer.canvas.signs import NO_SIGNS, Signs, paint_counts
from errorflow_viewer.canvas.switch_marks import paint_switch_marks
from errorflow_viewer.canvas.titles import paint_titles

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
