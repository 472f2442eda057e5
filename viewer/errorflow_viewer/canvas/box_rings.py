"""Rings behind boxes: what a search has found, and softer what the front has come to."""

import numpy as np
from PySide6.QtGui import QColor

from errorflow.layout.drawing import Floats
from errorflow.report.box_marks import CLEAR, RING, RING_END
from errorflow_viewer.canvas.cells import Indices
from errorflow_viewer.canvas.rects import at_least, frames, grown
from errorflow_viewer.canvas.sheet import Sheet

_FOUND = 2.0
# So many have round corners, which are drawn one by one.
_ROUND = 1000
# Logical px of a box from which on there is room between boxes for the ring of a front; where it begins is always seen.
_RINGED = 4.0


def paint_rings(sheet: Sheet, seen: Indices, rects: Floats, radius: float) -> None:
    """Behind the boxes in sight; `radius` of their corners, 0 where they have none."""
    _paint_front(sheet, seen, rects, radius)
    matches = sheet.signs.matches
    if matches is None:
        return
    found = rects[matches[seen] > 0]
    rings = grown(at_least(found, 2 * sheet.hair), _FOUND * sheet.ratio)
    sheet.batch.smooth(bool(radius) and len(rings) < _ROUND)
    sheet.batch.fill(sheet.style.colors.found)
    if radius and len(rings) < _ROUND:
        sheet.batch.rounded(rings, radius + _FOUND * sheet.ratio)
        sheet.batch.smooth(False)
    else:
        sheet.batch.rects(rings)


def _paint_front(sheet: Sheet, seen: Indices, rects: Floats, radius: float) -> None:
    beside, colors = sheet.signs.beside, sheet.style.colors
    if beside is None or not beside.front.any():
        return
    ends = beside.ends[seen]
    room = np.minimum(rects[:, 2], rects[:, 3]) >= _RINGED * sheet.ratio
    _paint(sheet, rects[beside.front[seen] & ~ends & room], radius, RING, colors.front)
    _paint(sheet, at_least(rects[ends], 2 * sheet.hair), radius, RING_END, colors.box_text)


def _paint(sheet: Sheet, rects: Floats, radius: float, width: float, color: QColor) -> None:
    """Lines round boxes, some way off where they are large."""
    batch, wide, clear = sheet.batch, width * sheet.ratio, CLEAR * sheet.ratio
    if radius and len(rects) < _ROUND:
        batch.smooth(True)
        batch.stroke(color, wide)
        batch.rounded(grown(rects, clear + wide / 2), radius + clear)
        batch.smooth(False)
        return
    thick = max(round(wide / 2), 1)
    away = np.where(rects[:, 3] > 2 * clear, round(clear), 0)[:, None] + thick
    outer = np.column_stack([rects[:, :2] - away, rects[:, 2:] + 2 * away])
    batch.smooth(False)
    batch.fill(color)
    batch.rects(frames(outer, thick))
