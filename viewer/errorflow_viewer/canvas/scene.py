"""A drawing with all that painting and picking need worked out once."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints, median
from errorflow.base.values import dataclass
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing, Floats, Kind
from errorflow_viewer.canvas.cells import Cells, Indices, bounds_of
from errorflow_viewer.canvas.links import Links, Neighbours, neighbours_of
from errorflow_viewer.canvas.walk import Walk
from errorflow_viewer.kit.look import FAMILIES, family_of

# The edges at every zoom: as drawn when near, as ever longer chords when far.
# Down to this zoom lines are drawn as laid out; each further level is for zooms down to so much smaller.
_PLAIN, _STEP = 1 / 8, 4.0
# A level holds chords of this many px at the zoom where it takes over; what is shorter than the second is left out.
_CHORD, _LEAST = 6.0, 2.0


@dataclass(frozen=True, eq=False)
class ZoomLevel:
    """Lines fit for one range of zoom, findable by place."""

    lines: Floats
    tensors: Ints
    cells: Cells


class SceneLines:
    """Makes each level when it is first looked at."""

    def __init__(self, drawing: Drawing) -> None:
        self._base = drawing.lines, drawing.line_tensors
        self._levels: dict[int, ZoomLevel] = {}

    def at(self, zoom: float) -> ZoomLevel:
        """The lines to draw at a zoom (px per scene unit)."""
        number = _number(zoom)
        if number not in self._levels:
            self._levels[number] = self._made(number)
        return self._levels[number]

    def known(self, zoom: float) -> ZoomLevel | None:
        """The same if they have been made, for who has no time to wait."""
        return self._levels.get(_number(zoom))

    def _made(self, number: int) -> ZoomLevel:
        lines, tensors = self._base
        if number:
            px = _STEP ** (number - 1) / _PLAIN
            lines, tensors = coarsened(lines, tensors, px * _CHORD, px * _LEAST)
        return ZoomLevel(lines, tensors, Cells(bounds_of(lines)))


def _number(zoom: float) -> int:
    number = 0
    while zoom * _STEP**number < _PLAIN:
        number += 1
    return number


def coarsened(lines: Floats, tensors: Ints, chord: float, least: float) -> tuple[Floats, Ints]:
    """Runs of short connected pieces become chords of about that length; what is shorter than `least` is left out."""
    if not len(lines):
        return lines, tensors
    lengths = np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1])
    joined = np.zeros(len(lines), bool)
    joined[1:] = (
        (lines[1:, 0] == lines[:-1, 2])
        & (lines[1:, 1] == lines[:-1, 3])
        & (tensors[1:] == tensors[:-1])
        & (lengths[1:] < chord)
        & (lengths[:-1] < chord)
    )
    travelled = np.cumsum(lengths)
    heads = np.flatnonzero(~joined)
    run = np.cumsum(~joined) - 1
    part = ((travelled - travelled[heads][run]) // chord).astype(np.int64)
    first = ~joined
    first[1:] |= part[1:] != part[:-1]
    starts = np.flatnonzero(first)
    ends = np.append(starts[1:], len(lines)) - 1
    chords = np.concatenate([lines[starts, :2], lines[ends, 2:]], axis=1)
    keep = np.maximum(abs(chords[:, 2] - chords[:, 0]), abs(chords[:, 3] - chords[:, 1])) >= least
    return chords[keep], tensors[starts][keep]


Codes = NDArray[np.uint8]
# Tones behind the families: see `colors.CanvasColors`.
CONSTANT_TONE = len(FAMILIES)
FOLD_TONE = CONSTANT_TONE + 1
TONES = FOLD_TONE + 1
# Behind the tones: what has not been measured, what cannot be compared, and from there on shades of badness.
BLANK = TONES
CROSSED = BLANK + 1
GOOD = CROSSED + 1
# Scene units from the upper edge of a group in which its name is written.
TITLE_HEIGHT = 20.0
_FAMILY = {family: number for number, family in enumerate(FAMILIES)}
_TONE_OF_KIND = {
    Kind.INPUT: _FAMILY["border"],
    Kind.OUTPUT: _FAMILY["border"],
    Kind.CONSTANT: CONSTANT_TONE,
    Kind.FOLD: FOLD_TONE,
    Kind.STACK: FOLD_TONE,
}


class Scene:
    """Scene of one graph; knows neither zoom nor colours."""

    def __init__(self, drawing: Drawing, graph: Graph) -> None:
        self.drawing = drawing
        self.graph = graph
        self.lines = SceneLines(drawing)

    @cached_property
    def links(self) -> Links:
        return Links(self.drawing, self.graph)

    @cached_property
    def walk(self) -> Walk:
        return Walk(self.drawing, self.links)

    @cached_property
    def neighbours(self) -> Neighbours:
        return neighbours_of(self.graph)

    @cached_property
    def cells(self) -> Cells:
        boxes = self.drawing.boxes
        return Cells(np.column_stack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]]))

    @cached_property
    def box_height(self) -> float:
        """Height of most boxes; it decides how much detail there is room for."""
        heights = self.drawing.boxes[:, 3]
        return median(heights) if len(heights) else 1.0

    @cached_property
    def tones(self) -> Codes:
        """Tones: for each box its operator family's number in `look.FAMILIES`, or one of the tones behind them."""
        drawing, types = self.drawing, self.graph.op_types
        by_type = np.array([_FAMILY[family_of(t)] for t in types.values], np.uint8)
        tones = np.full(len(drawing), _FAMILY["other"], np.uint8)
        made = drawing.nodes >= 0
        tones[made] = by_type[types.codes[drawing.nodes[made]]]
        for kind, tone in _TONE_OF_KIND.items():
            tones[drawing.kinds == kind] = tone
        return tones

    @cached_property
    def label_codes(self) -> NDArray[np.int32]:
        """Numbers of each box's label among `labels`."""
        known = {label: code for code, label in enumerate(self.labels)}
        return np.array([known[label] for label in self.drawing.labels], np.int32)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.drawing.labels))

    @cached_property
    def group_order(self) -> Indices:
        """Groups, outer before inner."""
        return np.argsort(self.drawing.group_depths, kind="stable")

    @cached_property
    def _group_boxes(self) -> Floats:
        return self.drawing.group_boxes[self.group_order]

    @cached_property
    def group_mains(self) -> NDArray[np.bool_]:
        """Marks of the group boxes that are the largest of their group, or the only one."""
        drawing = self.drawing
        areas = drawing.group_boxes[:, 2] * drawing.group_boxes[:, 3]
        order = np.lexsort((-areas, drawing.group_ids))
        mains = np.zeros(len(order), bool)
        mains[order[np.diff(drawing.group_ids[order], prepend=-1) != 0]] = True
        return mains

    def groups_within(self, left: float, top: float, right: float, bottom: float) -> Indices:
        boxes = self._group_boxes
        touching = (boxes[:, 0] <= right) & (boxes[:, 0] + boxes[:, 2] >= left)
        touching &= (boxes[:, 1] <= bottom) & (boxes[:, 1] + boxes[:, 3] >= top)
        return self.group_order[touching]

    def title_at(self, x: float, y: float) -> int | None:
        """The open group whose title is at a point."""
        drawing = self.drawing
        hits = self.groups_within(x, y, x, y)
        named = hits[y - drawing.group_boxes[hits, 1] <= TITLE_HEIGHT]
        return int(drawing.group_ids[named[-1]]) if len(named) else None

    def first_in(self, group: int) -> int | None:
        """The box in an open group that comes first in the file; None: it only holds groups that are open too."""
        member = np.append(self.drawing.groups == group, False)  # the last: nodes that are not drawn
        boxes = self.drawing.node_boxes[member[self.drawing.node_boxes]]
        return int(boxes[0]) if len(boxes) else None

    def box_at(self, x: float, y: float, reach: float = 0.0) -> int | None:
        """The box at a point, or the nearest within reach."""
        near = self.cells.within(x - reach, y - reach, x + reach, y + reach)
        if not len(near):
            return None
        boxes: Floats = self.drawing.boxes[near]
        gap_x = np.maximum(np.maximum(boxes[:, 0] - x, x - boxes[:, 0] - boxes[:, 2]), 0)
        gap_y = np.maximum(np.maximum(boxes[:, 1] - y, y - boxes[:, 1] - boxes[:, 3]), 0)
        return int(near[np.argmin(gap_x + gap_y)])
