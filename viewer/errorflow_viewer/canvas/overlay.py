"""What lies over the picture and changes without painting it anew: selection, hover, their edges, the path."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from errorflow.layout.drawing import Floats
from errorflow_viewer.canvas.colors import mixed
from errorflow_viewer.canvas.edges import stroke_lines
from errorflow_viewer.canvas.rects import at_least, grown
from errorflow_viewer.canvas.sheet import Sheet

# Logical px: the ring's line, its distance from the box, the least side of what it encloses.
_RING, _CLEAR, _LEAST = 2.0, 2.0, 6.0
_EDGE = 2.0
# More lines than this add nothing to the path that can be told apart, and would make the pointer stutter.
_PATH_LINES = 6_000


def paint_path(sheet: Sheet, on: NDArray[np.bool_]) -> None:
    """Softly, all lines of the tensors that are `on` the path."""
    level = sheet.scene.lines.at(sheet.zoom)
    seen = level.cells.within(*sheet.clip)
    tensors = level.tensors[seen]
    seen = seen[(tensors >= 0) & on[tensors]]
    if len(seen) > _PATH_LINES:
        lengths = np.abs(level.lines[seen, 2:] - level.lines[seen, :2]).sum(axis=1)
        seen = seen[np.argpartition(lengths, -_PATH_LINES)[-_PATH_LINES:]]
    colors = sheet.style.colors
    stroke_lines(sheet, level.lines, seen, mixed(colors.selection, colors.edge, 0.5), 1.2)


def paint_selection(sheet: Sheet, box: int, lines: Floats) -> None:
    """The box's edges and a ring round it, set off from what is behind."""
    color = sheet.style.colors.selection
    stroke_lines(sheet, lines, np.arange(len(lines)), color, _EDGE)
    _ring(sheet, box, sheet.style.colors.background, _CLEAR / 2, _CLEAR + 1)
    _ring(sheet, box, color, _CLEAR + _RING / 2, _RING)


def paint_hover(sheet: Sheet, box: int, lines: Floats) -> None:
    """The same, quieter."""
    color = sheet.style.colors.edge_strong
    stroke_lines(sheet, lines, np.arange(len(lines)), color, _EDGE - 0.5)
    _ring(sheet, box, color, 0.5, _RING - 0.5)


def _ring(sheet: Sheet, box: int, color: QColor, out: float, width: float) -> None:
    ratio = sheet.ratio
    rect = sheet.placed(sheet.scene.drawing.boxes[box : box + 1])
    rect = grown(at_least(rect, _LEAST * ratio), out * ratio)
    batch = sheet.batch
    batch.smooth(True)
    batch.stroke(color, width * ratio)
    batch.rounded(rect, min((4 + out) * min(sheet.zoom, 1.5) * ratio, float(rect[0, 3]) / 2))
    batch.smooth(False)
