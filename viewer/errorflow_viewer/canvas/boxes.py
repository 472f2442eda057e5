"""Boxes: flecks when far, rounded and bordered when near; the form says what sort of box it is."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from errorflow.base.arrays import distinct
from errorflow.layout.drawing import Floats, Kind
from errorflow.report.box_marks import BAR, BAR_ENDS, BAR_LEFT, BAR_ROOM, CLEAR, RING, RING_END
from errorflow_viewer.canvas.bars import hatch, paint_bars
from errorflow_viewer.canvas.cells import Indices
from errorflow_viewer.canvas.colors import mixed
from errorflow_viewer.canvas.labels import paint_labels
from errorflow_viewer.canvas.rects import at_least, frames, grown, moved
from errorflow_viewer.canvas.sheet import Sheet
from errorflow_viewer.canvas.signs import NO_BAR, paint_states

# Rings behind boxes: what a search has found, and softer what the front has come to.
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


# The second mark of a box: a bar at its left edge, of what the fill does not tell.
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


# Logical px of a box's height from which corners are round, and how many boxes may have them.
_ROUND_FROM, _ROUND_UP_TO = 10.0, 3000
_RADIUS = 4.0
# Logical px of the shorter side of a fleck from which on it can be hollow.
_HOLLOW_FROM = 3.0
# How far the sheets of a closed group or stack stick out, in scene units.
_OFFSET = 2.5
_SHEETS = {int(Kind.FOLD): 1, int(Kind.STACK): 2}
_PILLS = (int(Kind.INPUT), int(Kind.OUTPUT))


def paint_boxes(sheet: Sheet) -> tuple[Indices, Floats]:
    """All boxes in sight, the loudest colours last; returns them and their places for what stands on their corners."""
    scene = sheet.scene
    seen = scene.cells.within(*sheet.clip)
    codes = sheet.fills.codes[seen]
    order = np.argsort(codes, kind="stable")
    seen, codes = seen[order], codes[order]
    rects = sheet.placed(scene.drawing.boxes[seen])
    if scene.box_height * sheet.zoom < _ROUND_FROM or len(seen) > _ROUND_UP_TO:
        paint_rings(sheet, seen, rects, 0.0)
        _paint_flecks(sheet, rects, codes)
    else:
        paint_rings(sheet, seen, rects, _RADIUS * min(sheet.zoom, 1.5) * sheet.ratio)
        _paint_round(sheet, seen, rects, codes)
    rest = _without(rects, paint_bars(sheet, seen, rects), (0, 0, 0, -1))
    aside = paint_second_mark(sheet, seen, rest)
    paint_states(sheet, seen, rest)
    paint_labels(sheet, seen, _without(rest, aside, (1, 0, -1, 0)), codes)
    return seen, rects


def _without(rects: Floats, taken: Floats, side: tuple[int, int, int, int]) -> Floats:
    """What is left of boxes of which something is taken at one side; from afar that is nothing."""
    return rects + np.outer(taken, side) if taken.any() else rects


def _runs(values: NDArray[np.integer]) -> Iterator[tuple[int, slice]]:
    """Each distinct value of a sorted array, and where it lies."""
    if not len(values):
        return
    starts = np.concatenate([[0], np.flatnonzero(np.diff(values)) + 1, [len(values)]]).tolist()
    for first, last in pairwise(starts):
        yield int(values[first]), slice(first, last)


def _paint_flecks(sheet: Sheet, rects: Floats, codes: NDArray[np.int16]) -> None:
    batch, fills = sheet.batch, sheet.fills
    batch.smooth(False)
    for code, span in _runs(codes):
        part = rects[span]
        if code >= fills.loud:
            part = np.maximum(part, (-np.inf, -np.inf, 2 * sheet.hair, 2 * sheet.hair))
        batch.fill(fills.flecks[code])
        batch.rects(part)
        if fills.is_blank(code):  # hollow: what is good has no border at that size
            batch.fill(fills.colors[code])
            batch.rects(grown(part[np.minimum(part[:, 2], part[:, 3]) >= _HOLLOW_FROM * sheet.ratio], -sheet.hair))


def _paint_round(sheet: Sheet, seen: Indices, rects: Floats, codes: NDArray[np.int16]) -> None:
    batch, fills, hair = sheet.batch, sheet.fills, sheet.hair
    radius = _RADIUS * min(sheet.zoom, 1.5) * sheet.ratio
    kinds = sheet.scene.drawing.kinds[seen]
    inner = grown(rects, -hair / 2)
    batch.smooth(True)
    for code, span in _runs(codes):
        border = sheet.style.colors.box_border
        batch.stroke(mixed(border, fills.colors[code], 0.6) if code < fills.bright else border, hair)
        batch.painter.setBrush(fills.colors[code])
        part, sorts = inner[span], kinds[span]
        for kind, sheets in _SHEETS.items():
            _paint_sheets(sheet, part[sorts == kind], sheets, radius)
        _paint_forms(sheet, part, sorts, radius)
        if fills.is_blank(code):
            # Patterns belong to the drawing: they move with it when the picture is shifted.
            batch.painter.setBrushOrigin(-sheet.camera.left, -sheet.camera.top)
            batch.painter.setBrush(hatch(sheet, code < fills.bright, fills.is_crossed(code)))
            _paint_forms(sheet, part, sorts, radius)
            batch.painter.setBrushOrigin(0, 0)
    batch.smooth(False)


def _paint_forms(sheet: Sheet, rects: Floats, kinds: NDArray[np.uint8], radius: float) -> None:
    pill = np.isin(kinds, _PILLS)
    sheet.batch.rounded(rects[~pill], radius)
    for height in distinct(rects[pill, 3]).tolist():
        sheet.batch.rounded(rects[pill & (rects[:, 3] == height)], height / 2)


def _paint_sheets(sheet: Sheet, rects: Floats, count: int, radius: float) -> None:
    """The sheets that lie under the top one, from the bottom up."""
    step = max(round(_OFFSET * sheet.camera.scale), 1)
    for number in range(count, 0, -1):
        sheet.batch.rounded(moved(rects, step * number, step * number), radius)
