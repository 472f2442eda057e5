"""Marks of what the user switched away from a simulation's plan: a word at the lower right corner of a box."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.draw.shapes import Group, Pen, Rect, Text
from errorflow.draw.text import CAPITAL, width
from errorflow.quant.kept import Kept
from errorflow.report.paint import Paint

Codes = NDArray[np.uint8]
# In px at scale 1: the text, what is beside it, how high the mark is, and by how much it hangs over the box.
TEXT, BESIDE, HIGH, OVER = 9.0, 4.0, 11.0, 5.0


def kept_of_boxes(kept: Codes, boxes: Ints, count: int) -> Codes:
    """Finds for each box what the nodes in it were switched to; several sorts are `PART`, and so are some of many.

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
    """Makes what `told` says of the node that a box shows; "": it shows several, or none."""
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


def kept_mark(kept: Kept, right: float, bottom: float, ink: str, ground: str) -> Group:
    """Draws the mark with its lower right corner at a point."""
    return Group(_mark(kept, ink, ground), right, bottom)


@cache
def _mark(kept: Kept, ink: str, ground: str) -> tuple[Rect, Text]:
    wide = mark_width(kept)
    plate = Rect(0.5 - wide, 0.5 - HIGH, wide - 1, HIGH - 1, ink, Pen(ground), (HIGH - 1) / 2)
    return plate, Text(-wide / 2, CAPITAL * TEXT / 2 - HIGH / 2, kept.word, ground, TEXT, "middle")
