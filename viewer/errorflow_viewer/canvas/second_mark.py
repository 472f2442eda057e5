"""The second mark of a box: a bar at its left edge, of what the fill does not tell."""

import numpy as np

from errorflow.arrays import distinct
from errorflow.layout.drawing import Floats
from errorflow.report.box_marks import BAR, BAR_ENDS, BAR_LEFT, BAR_ROOM
from errorflow_viewer.canvas.cells import Indices
from errorflow_viewer.canvas.sheet import Sheet
from errorflow_viewer.canvas.signs import NO_BAR

# Logical px of a box that has room for a bar; in a lower one it would lie over the label, and stands before it instead,
# so narrow.
_FROM, _NARROW = 14.0, 2.0


def paint_second_mark(sheet: Sheet, seen: Indices, rects: Floats) -> Floats:
    """With a line of the ground at the right: a bar may have the colour of the fill.

    Returns for each box how much of its width is taken.
    """
    taken, signs, ratio = np.zeros(len(seen)), sheet.signs, sheet.ratio
    wide = np.flatnonzero(rects[:, 2] >= _FROM * ratio)
    if signs.beside is None or not len(wide):
        return taken
    bars = signs.bars[seen[wide]]
    wide, bars = wide[bars != NO_BAR], bars[bars != NO_BAR]
    high = rects[wide, 3] >= _FROM * ratio
    taken[wide[high]] = BAR_ROOM * ratio
    x, y, _, height = rects[wide].T
    across = np.where(high, float(round(BAR * ratio)), float(round(_NARROW * ratio)))
    left, ends = np.where(high, BAR_LEFT * ratio, -across), high * BAR_ENDS * ratio
    places = np.column_stack([x + left, y + ends, across, height - 2 * ends])
    batch, colors = sheet.batch, sheet.style.colors
    batch.smooth(False)
    batch.fill(colors.background)
    batch.rects(np.add(places[high], [0.0, 0.0, sheet.hair, 0.0]))
    for number in distinct(bars).tolist():
        batch.fill(colors.error[number])
        batch.rects(places[bars == number])
    return taken
