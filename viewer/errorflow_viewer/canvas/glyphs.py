"""Signs at the corners of boxes: at the left a verdict, at the right a state, below it what the user switched."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter

from errorflow.base.arrays import distinct
from errorflow.layout.drawing import Floats
from errorflow.quant.switching import Kept
from errorflow.report.box_marks import (
    HALO,
    HIGH,
    LEAST,
    ON_RING,
    OVER,
    SIZE,
    STATE_GLYPHS,
    TURN_GLYPHS,
    Sign,
    kept_mark,
    mark_width,
    sign,
)
from errorflow.report.box_signs import TOLD
from errorflow_viewer.canvas.cells import Indices, at_least, frames
from errorflow_viewer.canvas.colors import CanvasColors
from errorflow_viewer.canvas.sheet import Sheet
from errorflow_viewer.plots.shapes import paint_shapes

# Logical px of a box's height from which on it has signs at its corners; how much of it they take at most.
_FROM, _SHARE = 10.0, 0.5
# Logical px of the dot that stands for a state where there is no room for its sign.
_DOT = 2.0
# Logical px by which a sign goes aside from a box per part of its size that the box has lost.
_ASIDE = 8.0


def paint_glyphs(sheet: Sheet, seen: Indices, rects: Floats) -> None:
    """Paints glyphs over all else of the boxes in sight."""
    beside = sheet.signs.beside
    if beside is None:
        return
    verdicts, states = beside.verdicts[seen], _told(beside.states[seen])
    turns = np.zeros(len(seen), np.int8) if beside.turns is None else beside.turns[seen]
    if not verdicts.any() and not states.any() and not turns.any():
        return
    large = rects[:, 3] >= _FROM * sheet.ratio
    # On a ring that lies round a box a sign would be lost, and on a small box it would cover the label.
    out = min(max(1.0 - sheet.zoom, 0.0) * _ASIDE, _ASIDE / 2)
    away = np.where(beside.front[seen], max(ON_RING, out), out) * sheet.ratio
    ringed = rects + np.outer(away, (-1.0, -1.0, 2.0, 2.0))
    for verdict in TOLD:
        _paint(sheet, verdict, ringed[(verdicts == verdict) & large], right=False)
    for turn in TURN_GLYPHS:
        _paint(sheet, turn, ringed[(turns == turn) & large], right=False)
    for state in STATE_GLYPHS:
        _paint(sheet, state, rects[(states == state) & large], right=True)
    _paint_dots(sheet, rects[(states > 0) & ~large])


def _told(states: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """`glyphs.told_state` of many; 0: none."""
    found = np.zeros(len(states), np.uint16)
    for state in reversed(tuple(STATE_GLYPHS)):
        found[states & state > 0] = state
    return found


def _paint(sheet: Sheet, told: Sign, rects: Floats, *, right: bool) -> None:
    """Paints a sign round one of the upper corners; all of one sort are of the same size."""
    if not len(rects):
        return
    side = size_of(sheet)
    x = rects[:, 0] + (rects[:, 2] if right else 0.0)
    middles = np.column_stack([x - 1 if right else x + 1, rects[:, 1] + 1])
    if sheet.vector:
        sheet.batch.smooth(True)
        for x_, y_ in middles.tolist():
            place = QRectF(x_ - side / 2, y_ - side / 2, side, side)
            paint_glyph(sheet.batch.painter, told, place, sheet.style.colors)
        sheet.batch.smooth(False)
        return
    room = int(side + 2 * HALO * sheet.ratio) + 2
    key = ("glyph", type(told).__name__, int(told), side)
    tile = sheet.style.atlas.tile(
        key, lambda: (room, room), lambda painter: _paint_tile(painter, told, side, room, sheet.style.colors)
    )
    corners = np.floor(middles - room / 2)
    sheet.style.atlas.draw(sheet.batch, np.full(len(rects), tile, np.intp), corners[:, 0], corners[:, 1])


def _paint_tile(painter: QPainter, told: Sign, side: float, room: int, colors: CanvasColors) -> None:
    inset = (room - side) / 2
    paint_glyph(painter, told, QRectF(inset, inset, side, side), colors)


def size_of(sheet: Sheet) -> float:
    """Computes the size in device pixels."""
    height = sheet.scene.box_height * sheet.zoom
    return round(min(max(height * _SHARE, LEAST), SIZE * max(min(sheet.zoom, 1.5), 1.0)) * sheet.ratio)


def paint_glyph(painter: QPainter, told: Sign, place: QRectF, colors: CanvasColors) -> None:
    """A sign that fills a square, with what sets it off from whatever is behind it."""
    shape = sign(told, 0.0, 0.0, colors.box_text.name(), colors.background.name())
    paint_shapes(painter, [shape], at=place.center(), scale=place.width() / SIZE)


def _paint_dots(sheet: Sheet, rects: Floats) -> None:
    """Paints dots at the right upper corner of boxes without room: what is wrong never vanishes."""
    side = max(round(_DOT * sheet.ratio), 2)
    x = np.maximum(rects[:, 0] + rects[:, 2] - side, rects[:, 0])
    batch = sheet.batch
    batch.smooth(False)
    batch.painter.setPen(Qt.PenStyle.NoPen)
    batch.painter.setBrush(QBrush(sheet.style.colors.box_text))
    batch.rects(np.column_stack([x, rects[:, 1], np.full(len(x), side), np.full(len(x), side)]))


# Marks of what the user switched away from the plan: a word at the lower right corner, from afar a dot in a frame.

# Logical px of a box's height from which on a mark has a word; how small one gets.
_WORD_FROM, _LEAST = 10.0, 0.78
# Logical px of the dot on smaller boxes, with what sets it off.
_SPOT, _ROUND = 3.0, 1.0
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
    large = rects[:, 3] >= _WORD_FROM * sheet.ratio
    for code in distinct(codes[large]).tolist():
        _paint_words(sheet, Kept(code), rects[large & (codes == code)])
    _paint_spots(sheet, rects[~large])


def _paint_words(sheet: Sheet, kept: Kept, rects: Floats) -> None:
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


def _paint_spots(sheet: Sheet, rects: Floats) -> None:
    """Paints from afar: a frame where there is room for one, and a dot that is never smaller."""
    if not len(rects):
        return
    batch, colors, hair = sheet.batch, sheet.style.colors, sheet.hair
    batch.smooth(False)
    batch.painter.setPen(Qt.PenStyle.NoPen)
    batch.fill(colors.box_text)
    batch.rects(frames(at_least(rects, 3 * hair), hair))
    side, around = max(round(_SPOT * sheet.ratio), 3), max(round(_ROUND * sheet.ratio), 1)
    x, y = rects[:, 0] + rects[:, 2] - side / 2, rects[:, 1] + rects[:, 3] - side / 2
    count = len(rects)
    wide = np.full(count, side + 2 * around, float)
    batch.fill(colors.background)
    batch.rects(np.column_stack([np.floor(x) - around, np.floor(y) - around, wide, wide]))
    batch.fill(colors.box_text)
    batch.rects(np.column_stack([np.floor(x), np.floor(y), wide - 2 * around, wide - 2 * around]))
