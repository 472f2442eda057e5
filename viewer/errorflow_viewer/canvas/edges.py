"""The lines between boxes."""

import numpy as np
from PySide6.QtGui import QColor

from errorflow.layout.drawing import Floats
from errorflow_viewer.canvas.colors import mixed
from errorflow_viewer.canvas.sheet import Sheet

# Logical px of a line at zoom 1 and beyond.
_WIDTH = 1.2
# Below this zoom lines fade, or they would cover what they connect.
_FADES = 0.35


def paint_edges(sheet: Sheet) -> None:
    """All lines in sight."""
    colors = sheet.style.colors
    level = sheet.scene.lines.at(sheet.zoom)
    lines = level.lines[level.cells.within(*sheet.clip)]
    fade = 0.0 if sheet.zoom >= _FADES else 0.45 * (1 - sheet.zoom / _FADES)
    stroke_lines(sheet, lines, mixed(colors.edge, colors.groups[0], fade), _WIDTH)


def stroke_lines(sheet: Sheet, lines: Floats, color: QColor, width: float) -> None:
    """Scene lines in one colour; upright and level ones crisp, the others smooth when near."""
    camera, batch = sheet.camera, sheet.batch
    placed = lines * camera.scale
    placed -= (camera.left, camera.top, camera.left, camera.top)
    thick = max(width * sheet.ratio, 1.0)
    if sheet.vector:
        batch.stroke(color, thick)
        batch.lines(placed)
        return
    straight = (lines[:, 0] == lines[:, 2]) | (lines[:, 1] == lines[:, 3])
    batch.smooth(False)
    batch.fill(color)
    batch.rects(_bars(placed[straight], max(round(thick), 1)))
    if sheet.readable:
        batch.smooth(True)
        batch.stroke(color, thick)
        # The middle of the pixel that `_bars` fills.
        batch.lines(placed[~straight] + (max(round(thick), 1) % 2) / 2)
        batch.smooth(False)
    else:
        batch.stroke(color, max(round(thick), 1))
        batch.lines(np.floor(placed[~straight]))


def _bars(lines: Floats, thick: int) -> Floats:
    """Upright and level lines as rectangles of whole pixels."""
    whole = np.floor(lines)
    low = np.minimum(whole[:, :2], whole[:, 2:])
    high = np.maximum(whole[:, :2], whole[:, 2:])
    upright = lines[:, 0] == lines[:, 2]
    bars = np.column_stack([low, high - low + 1])
    shift = (thick - 1) // 2
    bars[upright, 0] -= shift
    bars[upright, 2] = thick
    bars[~upright, 1] -= shift
    bars[~upright, 3] = thick
    return bars
