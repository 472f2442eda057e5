"""What lies over the picture and changes without painting it anew: selection, hover, their edges."""

from PySide6.QtGui import QColor

from errorflow_viewer.canvas.edges import stroke_lines
from errorflow_viewer.canvas.links import edge_lines
from errorflow_viewer.canvas.rects import at_least, grown
from errorflow_viewer.canvas.sheet import Sheet

# Logical px: the ring's line, its distance from the box, the least side of what it encloses.
_RING, _CLEAR, _LEAST = 2.0, 2.0, 6.0
_EDGE = 2.0
_RADIUS = 6.0


def paint_selection(sheet: Sheet, box: int) -> None:
    """A ring round the box, and its edges."""
    color = sheet.style.colors.selection
    stroke_lines(sheet, edge_lines(sheet.scene, box), color, _EDGE)
    _ring(sheet, box, sheet.style.colors.background, _RING + 2)
    _ring(sheet, box, color, _RING)


def paint_hover(sheet: Sheet, box: int) -> None:
    """A quieter ring, and the edges in a stronger tone."""
    color = sheet.style.colors.edge_strong
    stroke_lines(sheet, edge_lines(sheet.scene, box), color, _EDGE - 0.5)
    _ring(sheet, box, color, _RING - 0.5)


def _ring(sheet: Sheet, box: int, color: QColor, width: float) -> None:
    rect = sheet.placed(sheet.scene.drawing.boxes[box : box + 1])
    ratio = sheet.ratio
    rect = grown(at_least(rect, _LEAST * ratio), (_CLEAR + _RING / 2) * ratio)
    batch = sheet.batch
    batch.smooth(True)
    batch.stroke(color, width * ratio)
    batch.rounded(rect, min(_RADIUS * min(sheet.zoom, 1.5) * ratio, float(rect[0, 3]) / 2))
    batch.smooth(False)
