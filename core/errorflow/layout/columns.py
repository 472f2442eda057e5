"""A tall drawing cut into columns that stand side by side, as in a newspaper.

It is cut where no box is, if possible between groups and where few lines pass. Lines that go on in the next column get
marks.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from errorflow.arrays import Ints, Longs
from errorflow.layout.drawing import Drawing, Floats

GAP = 40.0  # between columns
MARGIN = 16.0
LEAST = 3.0  # a cut stays so far away from boxes
NAME = 18.0  # room above a group at the top of a column, for the name of the one around it
BEGUN = 2.0  # a curve cut so close to its end counts as straight
REACH = 0.4  # of a column's height: how far from its place a cut may be
DEPTH_COST, BENT_COST, LINE_COST = 0.1, 0.03, 0.004  # of a column's height, for a group, a curve, a line that is cut


def columns(drawing: Drawing, aspect: float) -> Drawing:
    """The same drawing in so many columns that its width is about `aspect` times its height."""
    width, height = drawing.size
    if not len(drawing) or height * aspect <= width:
        return drawing
    count = max(1, round(float(np.sqrt(aspect * height / width))))
    places = _Places.of(drawing)
    tried = [_cuts(places, height, number) for number in range(max(1, count - 1), count + 3)]
    plans = [_Plan.of(drawing, cuts, cost) for cuts, cost in tried]
    return _cut(drawing, min(plans, key=lambda plan: plan.misfit(aspect)))


@dataclass(frozen=True, eq=False)
class _Places:
    """Heights at which the drawing can be cut, and what each cut costs."""

    y: Floats
    costs: Floats

    @classmethod
    def of(cls, drawing: Drawing) -> "_Places":
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
        bent = lines[lines[:, 0] != lines[:, 2]]
        depth = _covering(y, frames[:, 1], frames[:, 1] + frames[:, 3])
        curved = _covering(y, bent[:, [1, 3]].min(axis=1) + BEGUN, bent[:, [1, 3]].max(axis=1) - BEGUN)
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
    shifts: Floats
    tops: Floats
    width: float
    height: float
    cost: float  # of the cuts, on average

    @classmethod
    def of(cls, drawing: Drawing, cuts: Floats, cost: float) -> "_Plan":
        tops = np.concatenate([[0.0], cuts])
        bottoms = np.append(cuts, drawing.size[1])
        left, right = np.full(len(tops), np.inf), np.full(len(tops), -np.inf)
        for low, high, start, end in _spans(drawing):
            first, last = _columns_of(cuts, low, high)
            for column in range(len(tops)):
                inside = (first <= column) & (column <= last)
                left[column] = min(left[column], float(start[inside].min(initial=np.inf)))
                right[column] = max(right[column], float(end[inside].max(initial=-np.inf)))
        empty = left > right
        left[empty], right[empty] = 0.0, 0.0
        left, right = np.floor(left), np.ceil(right)
        places = MARGIN + np.cumsum(right - left + GAP) - (right - left + GAP)
        width = float(places[-1] + right[-1] - left[-1] + MARGIN)
        return cls(cuts, places - left, tops, width, float((bottoms - tops).max()) + 2 * MARGIN, cost)

    def misfit(self, aspect: float) -> float:
        """How small the drawing is shown in a window of that aspect, and how much is cut that belongs together."""
        return max(self.width, self.height * aspect) * (1 + self.cost / 2)


def _spans(drawing: Drawing) -> list[tuple[Floats, Floats, Floats, Floats]]:
    """Upper, lower, left and right ends of all boxes, of all groups, of all lines."""
    spans = []
    for boxes in (drawing.boxes, drawing.group_boxes):
        spans.append((boxes[:, 1], boxes[:, 1] + boxes[:, 3], boxes[:, 0], boxes[:, 0] + boxes[:, 2]))
    lines = drawing.lines
    y, x = lines[:, [1, 3]], lines[:, [0, 2]]
    spans.append((y.min(axis=1), y.max(axis=1), x.min(axis=1), x.max(axis=1)))
    return spans


def _columns_of(cuts: Floats, low: Floats, high: Floats) -> tuple[Longs, Longs]:
    """The first and the last column that each span reaches into; just touching one does not count."""
    first = np.searchsorted(cuts, low, "right")
    return first, np.maximum(first, np.searchsorted(cuts, high, "left"))


def _cut(drawing: Drawing, plan: _Plan) -> Drawing:
    boxes = drawing.boxes.copy()
    boxes[:, :2] = _moved(boxes[:, :2], plan)
    lines, line_rows, marks = _cut_lines(drawing.lines, plan)
    frames, frame_rows, frame_columns = _cut_frames(drawing.group_boxes, plan)
    return replace(
        drawing,
        boxes=boxes,
        lines=lines,
        line_tensors=drawing.line_tensors[line_rows],
        group_boxes=frames,
        group_depths=drawing.group_depths[frame_rows],
        group_ids=drawing.group_ids[frame_rows],
        group_labels=_names(drawing, frame_rows, frame_columns),
        size=(plan.width, plan.height),
        marks=marks.points,
        mark_tensors=drawing.line_tensors[marks.rows],
        mark_ends=marks.ends,
        stubs=_moved(drawing.stubs, plan),
    )


def _moved(points: Floats, plan: _Plan) -> Floats:
    column, _ = _columns_of(plan.cuts, points[:, 1], points[:, 1])
    return points + np.column_stack([plan.shifts[column], MARGIN - plan.tops[column]])


@dataclass(frozen=True, eq=False)
class _Marks:
    points: Floats
    rows: Ints  # rows of the lines before they were cut
    ends: NDArray[np.uint8]


def _repeated(first: Longs, last: Longs) -> tuple[Longs, Longs]:
    """Each row once for every column that it reaches into: the row, the column."""
    counts = last - first + 1
    rows = np.repeat(np.arange(len(first)), counts)
    columns = first[rows] + np.arange(len(rows)) - (np.cumsum(counts) - counts)[rows]
    return rows, columns


def _cut_lines(lines: Floats, plan: _Plan) -> tuple[Floats, Longs, _Marks]:
    low, high = lines[:, [1, 3]].min(axis=1), lines[:, [1, 3]].max(axis=1)
    rows, column = _repeated(*_columns_of(plan.cuts, low, high))
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


def _names(drawing: Drawing, rows: Longs, columns: Longs) -> tuple[str, ...]:
    """Groups that go on from the column before are named together, where the outermost of them goes on."""
    labels, depths = drawing.group_labels, drawing.group_depths.tolist()
    continued = np.zeros(len(rows), bool)
    continued[1:] = rows[1:] == rows[:-1]
    paths: dict[int, list[int]] = {}
    for row, column in zip(rows[continued].tolist(), columns[continued].tolist(), strict=True):
        paths.setdefault(column, []).append(row)
    names = []
    for row, column, goes_on in zip(rows.tolist(), columns.tolist(), continued.tolist(), strict=True):
        if not goes_on:
            names.append(labels[row])
            continue
        path = sorted(paths[column], key=depths.__getitem__)
        alone = len({depths[each] for each in path}) == len(path)
        names.append(" › ".join(labels[each] for each in path) if alone and path[0] == row else "")
    return tuple(names)


def _cut_frames(frames: Floats, plan: _Plan) -> tuple[Floats, Longs, Longs]:
    low, high = frames[:, 1], frames[:, 1] + frames[:, 3]
    rows, column = _repeated(*_columns_of(plan.cuts, low, high))
    top = np.maximum(low[rows], plan.tops[column])
    bottom = np.minimum(high[rows], np.append(plan.cuts, np.inf)[column])
    pieces = np.column_stack([frames[rows, 0], top, frames[rows, 2], bottom - top])
    pieces[:, 0] += plan.shifts[column]
    pieces[:, 1] += MARGIN - plan.tops[column]
    return pieces, rows, column
