"""Marks of what the user switched away from the plan: a word at the lower right corner, from afar a dot in a frame."""

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from errorflow.base.arrays import distinct
from errorflow.layout.drawing import Floats
from errorflow.quant.kept import Kept
from errorflow.report.switch_marks import HIGH, OVER, kept_mark, mark_width
from errorflow_viewer.canvas.cells import Indices
from errorflow_viewer.canvas.rects import at_least, frames
from errorflow_viewer.canvas.sheet import Sheet
from errorflow_viewer.plots.shapes import paint_shapes

# Logical px of a box's height from which on a mark has a word; how small one gets.
_FROM, _LEAST = 10.0, 0.78
# Logical px of the dot on smaller boxes, with what sets it off.
_DOT, _ROUND = 3.0, 1.0
# How far it sticks out at the right, in logical px.
_RIGHT = 2.0


def paint_switch_marks(sheet: Sheet, seen: Indices, rects: Floats) -> None:
    """Paints marks over all else of the boxes in sight."""
    kept = sheet.signs.kept
    if kept is None:
        return
    codes = kept[seen]
    marked = codes > 0
    if not marked.any():
        return
    codes, rects = codes[marked], rects[marked]
    large = rects[:, 3] >= _FROM * sheet.ratio
    for code in distinct(codes[large]).tolist():
        _paint(sheet, Kept(code), rects[large & (codes == code)])
    _paint_dots(sheet, rects[~large])


def _paint(sheet: Sheet, kept: Kept, rects: Floats) -> None:
    scale = min(max(sheet.zoom, _LEAST), 1.5) * sheet.ratio
    wide, high = mark_width(kept) * scale, HIGH * scale
    rights = rects[:, 0] + rects[:, 2] + _RIGHT * scale
    bottoms = rects[:, 1] + rects[:, 3] + OVER * scale
    if sheet.vector:
        for right, bottom in zip(rights.tolist(), bottoms.tolist(), strict=True):
            _paint_mark(sheet, sheet.batch.painter, kept, right, bottom, scale)
        return
    room = int(np.ceil(wide)) + 2, int(np.ceil(high)) + 2
    tile = sheet.style.atlas.tile(
        ("kept", int(kept), round(high, 2)),
        lambda: room,
        lambda painter: _paint_mark(sheet, painter, kept, 1 + wide, 1 + high, scale),
    )
    lefts = np.floor(rights - wide - 1)
    sheet.style.atlas.draw(sheet.batch, np.full(len(rects), tile, np.intp), lefts, np.floor(bottoms - high - 1))


def _paint_mark(sheet: Sheet, painter: QPainter, kept: Kept, right: float, bottom: float, scale: float) -> None:
    colors = sheet.style.colors
    shape = kept_mark(kept, 0.0, 0.0, colors.box_text.name(), colors.background.name())
    paint_shapes(painter, [shape], sheet.style.font_of, QPointF(right, bottom), scale)


def _paint_dots(sheet: Sheet, rects: Floats) -> None:
    """Paints from afar: a frame where there is room for one, and a dot that is never smaller."""
    if not len(rects):
        return
    batch, colors, hair = sheet.batch, sheet.style.colors, sheet.hair
    batch.smooth(False)
    batch.painter.setPen(Qt.PenStyle.NoPen)
    batch.fill(colors.box_text)
    batch.rects(frames(at_least(rects, 3 * hair), hair))
    side, around = max(round(_DOT * sheet.ratio), 3), max(round(_ROUND * sheet.ratio), 1)
    x, y = rects[:, 0] + rects[:, 2] - side / 2, rects[:, 1] + rects[:, 3] - side / 2
    count = len(rects)
    wide = np.full(count, side + 2 * around, float)
    batch.fill(colors.background)
    batch.rects(np.column_stack([np.floor(x) - around, np.floor(y) - around, wide, wide]))
    batch.fill(colors.box_text)
    batch.rects(np.column_stack([np.floor(x), np.floor(y), wide - 2 * around, wide - 2 * around]))
