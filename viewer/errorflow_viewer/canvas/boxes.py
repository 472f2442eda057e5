"""Boxes: flecks when far, rounded and bordered when near; the form says what sort of box it is."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from errorflow.arrays import distinct
from errorflow.layout.drawing import Floats, Kind
from errorflow_viewer.canvas.bars import hatch, paint_bars
from errorflow_viewer.canvas.box_rings import paint_rings
from errorflow_viewer.canvas.cells import Indices
from errorflow_viewer.canvas.colors import mixed
from errorflow_viewer.canvas.labels import paint_labels
from errorflow_viewer.canvas.rects import grown, moved
from errorflow_viewer.canvas.second_mark import paint_second_mark
from errorflow_viewer.canvas.sheet import Sheet
from errorflow_viewer.canvas.signs import paint_states

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
