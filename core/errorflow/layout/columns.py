"""A tall drawing cut into columns that stand side by side, as in a newspaper.

It is cut where no box is, if possible between groups and where few lines pass. Lines that go on in the next column get
marks.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from errorflow.arrays import Ints, Longs
from errorflow.layout.drawing import Drawing, Floats
from errorflow.layout.level import ACROSS, DOWN
from errorflow.layout.pieces import Pads, Pieces, Things, columns_of, names, pieces, repeated
from errorflow.progress import SILENT, Progress

GAP = 40.0  # between columns
MARGIN = 16.0
LEAST = 3.0  # a cut stays so far away from boxes
NAME = 18.0  # room above a group at the top of a column, for the name of the one around it
BEGUN = 2.0  # a curve cut so close to its end counts as straight
REACH = 0.4  # of a column's height: how far from its place a cut may be
DEPTH_COST, BENT_COST, LINE_COST = 0.1, 0.03, 0.004  # of a column's height, for a group, a curve, a line that is cut


def columns(drawing: Drawing, aspect: float, progress: Progress = SILENT, *, across: bool = False) -> Drawing:
    """The same drawing in so many columns that its width is about `aspect` times its height.

    `across` says that it will be turned, so that names of groups stand at their left border.
    """
    width, height = drawing.size
    if not len(drawing) or height * aspect <= width:
        return drawing
    count = max(1, round(float(np.sqrt(aspect * height / width))))
    progress.step(0, 1, "Cutting columns")
    places = _Places.of(drawing, progress)
    progress.step(0, 1, "Cutting columns")
    things = Things.of(drawing)
    plans: list[_Plan] = []
    for number in range(max(1, count - 1), count + 3):
        cuts, cost = _cuts(places, height, number)
        plans.append(_Plan.of(height, cuts, cost, pieces(drawing, things, cuts, _pads(across=across), progress)))
    progress.step(0, 1, "Cutting columns")
    return _cut(drawing, min(plans, key=lambda plan: plan.misfit(aspect)), progress)


def _pads(*, across: bool) -> Pads:
    spacing = ACROSS if across else DOWN
    return Pads(spacing.left, spacing.right, names=not across)


@dataclass(frozen=True, eq=False)
class _Places:
    """Heights at which the drawing can be cut, and what each cut costs."""

    y: Floats
    costs: Floats

    @classmethod
    def of(cls, drawing: Drawing, progress: Progress) -> "_Places":
        order = np.argsort(drawing.boxes[:, 1], kind="stable")
        top = drawing.boxes[order, 1]
        bottom = np.maximum.accumulate(top + drawing.boxes[order, 3])
        open_ = np.flatnonzero(top[1:] - bottom[:-1] >= 2 * LEAST)
        low, high = bottom[open_] + LEAST, top[open_ + 1] - LEAST
        lines, frames = drawing.lines, drawing.group_boxes
        edges = np.concatenate([frames[:, 1] - NAME, frames[:, 1] + frames[:, 3] + 1.0])
        gap = np.searchsorted(low, edges, "right") - 1
        free = (gap >= 0) & (edges <= np.append(high, 0.0)[gap])
        y = np.unique(np.concatenate([np.round(low), np.round((low + high) / 2), np.round(high), edges[free]]))
        progress.step(0, 1, "Cutting columns")
        bent = lines[lines[:, 0] != lines[:, 2]]
        depth = _covering(y, frames[:, 1], frames[:, 1] + frames[:, 3])
        curved = _covering(y, bent[:, [1, 3]].min(axis=1) + BEGUN, bent[:, [1, 3]].max(axis=1) - BEGUN)
        progress.step(0, 1, "Cutting columns")
        cut = _covering(y, lines[:, [1, 3]].min(axis=1), lines[:, [1, 3]].max(axis=1))
        return cls(y, DEPTH_COST * depth + BENT_COST * np.minimum(curved, 20) + LINE_COST * np.minimum(cut, 100))


def _covering(y: Floats, low: Floats, high: Floats) -> Longs:
    """How many of the spans each y lies in."""
    begun = np.searchsorted(np.sort(low), y, "right")
    over = np.searchsorted(np.sort(high), y, "left")
    return begun - over


def _cuts(places: _Places, height: float, count: int) -> tuple[Floats, float]:
    """Where to cut for so many columns, each about as high as what is left allows; and what a cut costs on average."""
    cuts: list[float] = []
    costs: list[float] = []
    start = 0.0
    for left in range(count, 1, -1):
        wanted = (height - start) / left
        near = np.flatnonzero(np.abs(places.y - start - wanted) <= REACH * wanted)
        if not len(near):
            near = np.flatnonzero(places.y > start + wanted)[:1]
        if not len(near):
            break
        off = np.abs(places.y[near] - start - wanted) / wanted
        best = near[np.argmin(off + places.costs[near])]
        start = float(places.y[best])
        cuts.append(start)
        costs.append(float(places.costs[best]))
    return np.array(cuts), sum(costs) / max(1, len(costs))


@dataclass(frozen=True, eq=False)
class _Plan:
    """Cuts, and where each column comes to lie: everything in column c moves by `shifts[c]` to the right."""

    cuts: Floats
    pieces: Pieces
    shifts: Floats
    tops: Floats
    width: float
    height: float
    cost: float  # of the cuts, on average

    @classmethod
    def of(cls, height: float, cuts: Floats, cost: float, found: Pieces) -> "_Plan":
        tops = np.concatenate([[0.0], cuts])
        bottoms = np.append(cuts, height)
        empty = found.left > found.right
        left, right = np.where(empty, 0.0, np.floor(found.left)), np.where(empty, 0.0, np.ceil(found.right))
        places = MARGIN + np.cumsum(right - left + GAP) - (right - left + GAP)
        width = float(places[-1] + right[-1] - left[-1] + MARGIN)
        return cls(cuts, found, places - left, tops, width, float((bottoms - tops).max()) + 2 * MARGIN, cost)

    def misfit(self, aspect: float) -> float:
        """How small the drawing is shown in a window of that aspect, and how much is cut that belongs together."""
        return max(self.width, self.height * aspect) * (1 + self.cost / 2)


def _cut(drawing: Drawing, plan: _Plan, progress: Progress) -> Drawing:
    boxes = drawing.boxes.copy()
    boxes[:, :2] = _moved(boxes[:, :2], plan)
    lines, line_rows, marks = _cut_lines(drawing.lines, plan)
    progress.step(0, 1, "Cutting columns")
    frame_rows = plan.pieces.rows
    return replace(
        drawing,
        boxes=boxes,
        lines=lines,
        line_tensors=drawing.line_tensors[line_rows],
        group_boxes=_frames(plan),
        group_depths=drawing.group_depths[frame_rows],
        group_ids=drawing.group_ids[frame_rows],
        group_labels=names(drawing, frame_rows, plan.pieces.columns),
        size=(plan.width, plan.height),
        marks=marks.points,
        mark_tensors=drawing.line_tensors[marks.rows],
        mark_ends=marks.ends,
        stubs=_moved(drawing.stubs, plan),
    )


def _moved(points: Floats, plan: _Plan) -> Floats:
    column, _ = columns_of(plan.cuts, points[:, 1], points[:, 1])
    return points + np.column_stack([plan.shifts[column], MARGIN - plan.tops[column]])


@dataclass(frozen=True, eq=False)
class _Marks:
    points: Floats
    rows: Ints  # rows of the lines before they were cut
    ends: NDArray[np.uint8]


def _cut_lines(lines: Floats, plan: _Plan) -> tuple[Floats, Longs, _Marks]:
    low, high = lines[:, [1, 3]].min(axis=1), lines[:, [1, 3]].max(axis=1)
    rows, column = repeated(*columns_of(plan.cuts, low, high))
    top, bottom = plan.tops[column], np.append(plan.cuts, np.inf)[column]
    x1, y1, x2, y2 = lines[rows].T
    slope = np.where(y2 != y1, (x2 - x1) / np.where(y2 != y1, y2 - y1, 1.0), 0.0)
    start, end = np.clip(y1, top, bottom), np.clip(y2, top, bottom)
    pieces = np.column_stack([x1 + slope * (start - y1), start, x2 + slope * (end - y2), end])
    flat = y1 == y2
    pieces[flat, 2] = x2[flat]
    move = np.column_stack([plan.shifts[column], MARGIN - plan.tops[column]])
    pieces += np.concatenate([move, move], axis=1)
    marks = []
    for end_column, changed in ((1, start != y1), (3, end != y2)):
        cut = np.flatnonzero(changed)
        outward = pieces[cut, end_column] > MARGIN
        marks.append((pieces[cut, end_column - 1 : end_column + 1], rows[cut], outward.astype(np.uint8)))
    points, mark_rows, ends = (np.concatenate(column) for column in zip(*marks, strict=True))
    return pieces, rows, _Marks(points, mark_rows.astype(np.int32), ends)


def _frames(plan: _Plan) -> Floats:
    column = plan.pieces.columns
    frames = plan.pieces.frames.copy()
    frames[:, 0] += plan.shifts[column]
    frames[:, 1] += MARGIN - plan.tops[column]
    return frames
