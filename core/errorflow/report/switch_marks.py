"""Marks of what somebody switched away from the plan of a simulation: a word at the lower right corner of a box."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.quant.kept import Kept
from errorflow.report.colors import DrawingColors
from errorflow.report.curves import number
from errorflow.report.paint import Paint
from errorflow.report.text import width

Codes = NDArray[np.uint8]
# In px at scale 1: the text, what is beside it, how high the mark is, and by how much it hangs over the box.
TEXT, BESIDE, HIGH, OVER = 9.0, 4.0, 11.0, 5.0
# The letters of the mark stand so far above its bottom, in text heights.
_BASE = 0.86


def kept_of_boxes(kept: Codes, boxes: Ints, count: int) -> Codes:
    """For each box what the nodes in it were switched to; several sorts are `PART`, and so are some of many.

    `kept`: of each node its `Kept`, or 0. `boxes`: for each node the box that shows it, or -1.
    """
    shown = np.flatnonzero(boxes >= 0)
    least = np.full(count, 255, np.uint8)
    most = np.zeros(count, np.uint8)
    np.minimum.at(least, boxes[shown], kept[shown])
    np.maximum.at(most, boxes[shown], kept[shown])
    return np.where((most > 0) & (least != most), np.uint8(Kept.PART), most).astype(np.uint8)


def with_kept(paint: Paint, kept: Codes, boxes: Ints, told: Callable[[int], str]) -> Paint:
    """The same with marks; `told` says of a node what it was asked to compute in, and what it does."""
    if paint.signs is None:
        return paint
    count = len(paint.signs.states)
    of_node = told_of_boxes(boxes, count, told)

    def note(box: int) -> str:
        return "\n".join(filter(None, (paint.note(box), of_node(box))))

    found = kept_of_boxes(kept, boxes, count) if kept.any() else None
    return replace(paint, signs=replace(paint.signs, kept=found), note=note)


def told_of_boxes(boxes: Ints, count: int, told: Callable[[int], str]) -> Callable[[int], str]:
    """What `told` says of the node that a box shows; "": it shows several, or none."""
    nodes = np.full(count, -1, np.int64)
    shown = np.flatnonzero(boxes >= 0)
    nodes[boxes[shown]] = shown
    several = np.bincount(boxes[shown], minlength=count) > 1

    def note(box: int) -> str:
        node = -1 if several[box] else int(nodes[box])
        return told(node) if node >= 0 else ""

    return note


def mark_width(kept: Kept) -> float:
    return width(kept.word, TEXT) + 2 * BESIDE


def kept_mark(kept: Kept, right: float, bottom: float, colors: DrawingColors) -> str:
    """With its lower right corner at a point."""
    wide = mark_width(kept)
    place = f'x="{number(right - wide)}" y="{number(bottom - HIGH)}" width="{number(wide)}" height="{number(HIGH)}"'
    style = f'fill="{colors.text}" stroke="{colors.background}"'
    text = f'<text x="{number(right - wide / 2)}" y="{number(bottom - HIGH + _BASE * TEXT + 0.5)}" text-anchor="middle"'
    return (
        f'<rect {place} rx="{number(HIGH / 2)}" {style}/>'
        f'{text} style="fill:{colors.background};font-size:{number(TEXT)}px">{kept.word}</text>'
    )
