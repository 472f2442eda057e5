"""A tall drawing cut into columns that stand side by side, as in a newspaper.

A group that is cut goes on in the next column with its name, and in both columns its border keeps clear of what is in
it. Lines that go on get marks.
"""

from itertools import pairwise

import numpy as np

from errorflow.base import SILENT, Progress, dataclass, replace
from errorflow.base.arrays import Ints, Longs, distinct, median
from errorflow.layout.drawing import Bytes, Drawing, Floats
from errorflow.layout.level import ACROSS, DOWN, Bools
from errorflow.layout.pieces import Contents, Pads, Pieces, Things, columns_of, pieces, repeated
from errorflow.layout.route import PIECES, s_curves

GAP = 40.0  # between columns
MARGIN = 16.0
NAME = 32.0  # room above what goes on of a group in the next column, for the group's name
FOOT = 11.0  # below what is cut off
MOST = 3  # times as many columns as an even drawing would have


def columns(drawing: Drawing, aspect: float, progress: Progress = SILENT, *, across: bool = False) -> Drawing:
    """The same drawing in so many columns that its width is about `aspect` times its height.

    `across` says that it will be turned, so that names of groups stand at their left border.
    """
    width, height = drawing.size
    if not len(drawing) or height * aspect <= width:
        return drawing
    count = max(1, round(float(np.sqrt(aspect * height / width))))
    _tell(progress)
    places = CutPlaces.of(drawing, progress)
    _tell(progress)
    things, rooms, pads = Things.of(drawing, progress), CutRooms(FOOT if across else NAME, FOOT), _pads(across=across)
    found: list[Cuts] = []
    misfits: list[float] = []
    # Where the drawing is wide at one place only there is room for more columns, as long as each makes it better.
    while len(found) < 4 or (misfits[-1] == min(misfits) and len(found) <= MOST * count):
        _tell(progress)
        found.append(cuts(places, height, max(1, count - 1) + len(found), rooms))
        _tell(progress)
        misfits.append(_misfit(found[-1], height, rooms, pads, things, aspect))
    best = found[int(np.argmin(misfits))]
    lines = CutLines.of(drawing.lines, drawing.line_tensors, best.y, progress)
    parts = pieces(drawing, things, best.y, pads, progress)
    return _joined(drawing, _Plan.of(height, best, rooms, parts, lines), lines, progress)


def _tell(progress: Progress) -> None:
    progress.step(0, 1, "Cutting columns")


def _pads(*, across: bool) -> Pads:
    spacing = ACROSS if across else DOWN
    return Pads(spacing.left, spacing.right, names=not across)


# Where a tall drawing is cut into columns: where no box is, if possible between groups and where few lines pass,
# and so that all columns come out about as high.

CLEAR = 1.0  # a cut is so far away from boxes and from borders of groups: there lines still run straight
LEAN = 4.0  # so little aside a piece of a curve may go to count as straight
DEPTH_COST, BENT_COST, LINE_COST = 0.2, 0.03, 0.006  # of a cut, for a group, a curve, a line that it goes through
SLIVER, SLIVER_COST = 56.0, 1.0  # less of a group is no piece to look at: it has no room for the group's name
FREE, OFF_COST, RAGGED_COST = 0.05, 4.0, 10.0  # of a column, for how far off the mean height it is; beyond FREE more
FINE = 64  # so many places to choose from in a column
AROUND = 0.9  # of a column's height: how far from its even place a cut may be


@dataclass(frozen=True, slots=True)
class CutRooms:
    """Rooms that a cut adds for each group that it goes through, so that no border touches what is in the group."""

    head: float  # above what goes on, for the name
    foot: float  # below what is cut off


@dataclass(frozen=True, eq=False)
class CutPlaces:
    """Heights at which the drawing can be cut, and what each cut costs."""

    y: Floats
    costs: Floats
    drawing: Drawing

    @classmethod
    def of(cls, drawing: Drawing, progress: Progress) -> "CutPlaces":
        progress.step(0, 1, "Cutting columns")
        y = _free(drawing)
        progress.step(0, 1, "Cutting columns")
        x1, y1, x2, y2 = drawing.lines.T
        low, high = np.minimum(y1, y2), np.maximum(y1, y2)
        bent = np.abs(x1 - x2) > LEAN
        curved = _covering(y, low[bent], high[bent])
        progress.step(0, 1, "Cutting columns")
        cut = _covering(y - 2 * CLEAR, low, high)  # just below a row lines that part are still one
        progress.step(0, 1, "Cutting columns")
        frames = drawing.group_boxes
        depth = _covering(y, frames[:, 1], frames[:, 1] + frames[:, 3])
        progress.step(0, 1, "Cutting columns")
        costs = DEPTH_COST * depth + BENT_COST * np.minimum(curved, 20) + LINE_COST * np.minimum(cut, 100)
        costs += SLIVER_COST * _slivers(y, frames[:, 1], frames[:, 1] + frames[:, 3])
        progress.step(0, 1, "Cutting columns")
        return cls(y, costs, drawing)

    def levels(self, y: Floats) -> Longs:
        """Counts the groups inside each other at most at each y."""
        levels = np.zeros(len(y), np.int64)
        frames, depths = self.drawing.group_boxes, self.drawing.group_depths
        for depth in distinct(depths).tolist():
            some = frames[depths == depth]
            levels[_covering(y, some[:, 1], some[:, 1] + some[:, 3]) > 0] = depth + 1
        return levels


def _free(drawing: Drawing) -> Floats:
    """Heights between boxes: close to the boxes and to the borders of groups."""
    order = np.argsort(drawing.boxes[:, 1], kind="stable")
    top = drawing.boxes[order, 1]
    bottom = np.maximum.accumulate(top + drawing.boxes[order, 3])
    open_ = np.flatnonzero(top[1:] - bottom[:-1] >= 2 * CLEAR)
    low, high = bottom[open_] + CLEAR, top[open_ + 1] - CLEAR
    frames = drawing.group_boxes
    edges = np.concatenate([frames[:, 1] - CLEAR, frames[:, 1] + frames[:, 3] + CLEAR])
    gap = np.searchsorted(low, edges, "right") - 1
    free = (gap >= 0) & (edges <= np.append(high, 0.0)[gap])
    found: Floats = distinct(np.concatenate([np.round(low), np.round(high), edges[free]]))
    return found


def _covering(y: Floats, low: Floats, high: Floats) -> Longs:
    """Counts the spans that each y lies in."""
    begun = np.searchsorted(np.sort(low), y, "right")
    over = np.searchsorted(np.sort(high), y, "left")
    return begun - over


def _slivers(y: Floats, low: Floats, high: Floats) -> Longs:
    """Counts the pieces of these groups that are next to nothing when cut at each y."""
    return _covering(y, low, np.minimum(low + SLIVER, high)) + _covering(y, np.maximum(high - SLIVER, low), high)


@dataclass(frozen=True, eq=False)
class Cuts:
    """Upper ends of all columns but the first, and how deep in groups each is."""

    y: Floats
    levels: Longs
    cost: float  # on average

    def heads(self, rooms: CutRooms) -> Floats:
        """(columns,) what each column gets above what is in it."""
        return np.concatenate([[0.0], self.levels * rooms.head])

    def feet(self, rooms: CutRooms) -> Floats:
        return np.append(self.levels * rooms.foot, 0.0)


def cuts(places: CutPlaces, height: float, count: int, rooms: CutRooms) -> Cuts:
    """The best cuts for so many columns: together cheap, and leaving columns of about one height.

    There are fewer where the drawing cannot be cut so often.
    """
    mean = height / count
    few = _thinned(places, mean / FINE)
    y, levels = places.y[few], places.levels(places.y[few])
    extra = median(levels) * (rooms.head + rooms.foot) if len(few) else 0.0
    wanted = mean + extra * (count - 1) / count
    steps: list[_Step] = [_Step.begin()]
    for number in range(1, count):
        near = np.flatnonzero(np.abs(y - number * mean) <= AROUND * mean)
        step = steps[-1].then(y[near], levels[near], places.costs[few[near]], wanted, rooms)
        if step is not None:
            steps.append(step)
    end = steps[-1].then(np.array([height]), np.zeros(1, np.int64), np.zeros(1), wanted, rooms)
    if end is None:
        return Cuts(np.zeros(0), np.zeros(0, np.int64), 0.0)
    chosen = []
    at = int(end.before[0])
    for step in reversed(steps[1:]):
        chosen.append((float(step.y[at]), int(step.levels[at]), float(step.costs[at])))
        at = int(step.before[at])
    chosen.reverse()
    cost = sum(cost for _, _, cost in chosen) / max(1, len(chosen))
    return Cuts(np.array([y for y, _, _ in chosen]), np.array([level for _, level, _ in chosen], np.int64), cost)


def _thinned(places: CutPlaces, unit: float) -> Longs:
    """The cheapest place in each stretch of that length."""
    starts = np.flatnonzero(np.diff(np.floor(places.y / unit), prepend=-1.0))
    if not len(starts):
        return starts
    counts = np.diff(np.append(starts, len(places.y)))
    cheapest = np.flatnonzero(places.costs == np.repeat(np.minimum.reduceat(places.costs, starts), counts))
    return cheapest[np.searchsorted(cheapest, starts)]


@dataclass(frozen=True, eq=False)
class _Step:
    """Places for one cut, and how much all cuts and columns up to each of them cost at least."""

    y: Floats
    levels: Longs
    costs: Floats  # of the cut alone
    sums: Floats
    before: Longs  # which place of the step before leads to that

    @classmethod
    def begin(cls) -> "_Step":
        return cls(np.zeros(1), np.zeros(1, np.int64), np.zeros(1), np.zeros(1), np.zeros(1, np.int64))

    def then(self, y: Floats, levels: Longs, costs: Floats, wanted: float, rooms: CutRooms) -> "_Step | None":
        """The next cut at one of these places; None: there is none below."""
        below = np.flatnonzero(y > self.y.min())
        if not len(below):
            return None
        y, levels, costs = y[below], levels[below], costs[below]
        length = y[None, :] - self.y[:, None]
        off = np.abs((length + self.levels[:, None] * rooms.head + levels * rooms.foot) / wanted - 1.0)
        ragged = OFF_COST * off**2 + RAGGED_COST * np.maximum(off - FREE, 0.0)
        sums = np.where(length > 0, self.sums[:, None] + ragged, np.inf)
        before = np.argmin(sums, axis=0)
        return _Step(y, levels, costs, sums[before, np.arange(len(y))] + costs, before)


def _misfit(found: Cuts, height: float, rooms: CutRooms, pads: Pads, things: Things, aspect: float) -> float:
    """Measures how small the drawing is shown in a window of that aspect, and how much is cut that belongs together."""
    contents = Contents.of(things, found.y)
    lowest = np.append(found.y, height)
    borders = np.maximum(np.append(found.levels, 0), np.concatenate([[0], found.levels])) * (pads.left + pads.right)
    width = 2 * MARGIN - GAP + float(borders.sum())
    for content in contents.widths(found.y).tolist():
        width += GAP + content
    lengths = lowest - np.concatenate([[0.0], found.y]) + found.heads(rooms) + found.feet(rooms)
    return max(width, (float(lengths.max()) + 2 * MARGIN) * aspect) * (1 + found.cost / 2)


# Lines that are cut at the ends of columns, and the strips above and below columns in which they end.
#
# There they stand far enough apart for a mark at each end.

STRIP = 14.0  # height
APART = 9.0  # between two marks
PARTED = 3.0  # lines of one tensor that are closer have one mark


@dataclass(frozen=True, eq=False)
class CutEnds:
    """Ends of cut lines: first all at which a piece begins, then, in the same order, where the one before ended."""

    pieces: Longs  # (m,)
    columns: Longs
    lower: Bytes  # 1: at the lower end of its column
    x: Floats  # where the line is cut
    slots: Floats  # where its mark is


@dataclass(frozen=True, eq=False)
class CutLines:
    """Lines cut at the ends of columns, before anything is moved."""

    lines: Floats  # (p, 4)
    rows: Longs  # (p,) of the lines before they were cut
    columns: Longs  # (p,)
    ends: CutEnds

    @classmethod
    def of(cls, lines: Floats, tensors: Ints, cuts: Floats, progress: Progress) -> "CutLines":
        progress.step(0, 1, "Cutting columns")
        first, last = columns_of(cuts, np.minimum(lines[:, 1], lines[:, 3]), np.maximum(lines[:, 1], lines[:, 3]))
        progress.step(0, 1, "Cutting columns")
        rows, column = repeated(first, last)
        pieces = lines[rows]
        progress.step(0, 1, "Cutting columns")
        cut = np.flatnonzero((first < last)[rows])
        begun, ended = _clipped(pieces, cut, column[cut], cuts)
        ends = np.concatenate([begun, ended])
        at = np.concatenate([pieces[begun, 1], pieces[ended, 3]])
        lower = at == np.append(cuts, np.inf)[column[ends]]
        x = np.concatenate([pieces[begun, 0], pieces[ended, 2]])
        slots = _slots(column[ends] - 1 + lower, x, tensors[rows[ends]])
        return cls(pieces, rows, column, CutEnds(ends, column[ends], lower.astype(np.uint8), x, slots))


def _clipped(pieces: Floats, cut: Longs, column: Longs, cuts: Floats) -> tuple[Longs, Longs]:
    """Shortens the pieces that are `cut` to their columns; which of them begin and which end where they are cut."""
    x1, y1, x2, y2 = pieces[cut].T
    top, bottom = np.concatenate([[-np.inf], cuts])[column], np.append(cuts, np.inf)[column]
    start, end = np.clip(y1, top, bottom), np.clip(y2, top, bottom)
    slope = (x2 - x1) / (y2 - y1)  # what is cut is not flat
    begun, ended = start != y1, end != y2
    pieces[cut[begun], 0] = (x1 + slope * (start - y1))[begun]
    pieces[cut[ended], 2] = (x1 + slope * (end - y1))[ended]  # both sides of a cut by one formula
    pieces[cut, 1], pieces[cut, 3] = start, end
    return cut[begun], cut[ended]


def _slots(cut: Longs, x: Floats, tensors: Ints) -> Floats:
    """A place for the mark of each line, as close to it as those beside it allow. Both ends of a cut get the same.

    Lines of one tensor that have only begun to part share a mark.
    """
    order = np.lexsort((x, tensors, cut))
    own, own_cut, own_tensors = x[order], cut[order], tensors[order]
    new = np.ones(len(x), bool)
    new[1:] = (np.diff(own_cut) != 0) | (np.diff(own_tensors) != 0) | (np.diff(own) > PARTED)
    first = np.flatnonzero(new)
    places = np.empty(len(first))
    by_place = np.lexsort((own_tensors[first], own[first], own_cut[first]))
    starts = np.flatnonzero(np.diff(own_cut[first][by_place], prepend=-1, append=-1)).tolist()
    for start, end in pairwise(starts):
        some = by_place[start:end]
        places[some] = _spaced(own[first[some]].tolist())
    slots = np.empty(len(x))
    slots[order] = places[np.cumsum(new) - 1]
    return slots


def _spaced(wishes: list[float]) -> list[float]:
    """Spaces these places, sorted, moved as little as it takes to be APART; those in each other's way share the way."""
    runs: list[tuple[float, int]] = []  # sum of where each would like the run to begin, number
    for number, wish in enumerate(wishes):
        total, count = wish - number * APART, 1
        while runs and runs[-1][0] / runs[-1][1] > total / count:
            before = runs.pop()
            total, count = total + before[0], count + before[1]
        runs.append((total, count))
    begins = [float(np.round(total / count)) if count > 1 else total for total, count in runs for _ in range(count)]
    return [begin + number * APART for number, begin in enumerate(begins)]


def with_strips(
    cut: CutLines, moves: Floats, tops: Floats, bottoms: Floats, progress: Progress
) -> tuple[Floats, Longs, Floats]:
    """Adds strips: all lines where they come to lie, the rows that they are of, and the points of all marks.

    `moves` (columns, 2) says how columns move, `tops` and `bottoms` where strips border on what they hold.
    """
    ends, lines = cut.ends, cut.lines.copy()
    lines[:, :2] += moves[cut.columns]
    progress.step(0, 1, "Cutting columns")
    lines[:, 2:] += moves[cut.columns]
    progress.step(0, 1, "Cutting columns")
    x, slots = ends.x + moves[ends.columns, 0], ends.slots + moves[ends.columns, 0]
    lower = ends.lower > 0
    near = np.where(lower, bottoms[ends.columns], tops[ends.columns])
    far = near + np.where(lower, STRIP, -STRIP)
    begins = np.arange(len(x)) < len(x) // 2
    moved = slots != x
    more, more_of = _lengthened(lines, ends.pieces, begins, np.where(moved, near, far))
    curves = s_curves(x[moved], near[moved], slots[moved], far[moved])
    curves[begins[moved]] = curves[begins[moved], ::-1][:, :, [2, 3, 0, 1]]
    progress.step(0, 1, "Cutting columns")
    after = np.concatenate([more_of, np.repeat(ends.pieces[moved], PIECES)]) + 1
    added = np.concatenate([more, curves.reshape(-1, 4)])
    rows = np.insert(cut.rows, after, cut.rows[after - 1])
    return np.insert(lines, after, added, axis=0), rows, np.column_stack([slots, far])


def _lengthened(lines: Floats, pieces: Longs, begins: Bools, to: Floats) -> tuple[Floats, Longs]:
    """Upright `lines` are made longer where they are cut; pieces more where others are, and what these are of."""
    more: list[Floats] = []
    more_of: list[Longs] = []
    for some, at in ((begins, 0), (~begins, 2)):
        own, end = pieces[some], to[some]
        upright = lines[own, 0] == lines[own, 2]
        x, y = lines[own[~upright], at], lines[own[~upright], at + 1]
        from_y, to_y = (end[~upright], y) if at == 0 else (y, end[~upright])
        more.append(np.column_stack([x, from_y, x, to_y]))
        more_of.append(own[~upright])
        lines[own[upright], at + 1] = end[upright]
    return np.concatenate(more), np.concatenate(more_of)


@dataclass(frozen=True, eq=False)
class _Plan:
    """Plan of where each column comes to lie."""

    cuts: Floats
    levels: Longs  # (columns + 1,) how deep in groups the upper end of each column is, and the end of the last
    pieces: Pieces
    rooms: CutRooms
    moves: Floats  # (columns, 2)
    tops: Floats  # (columns,) where what is in it begins, with the borders of groups
    bottoms: Floats
    size: tuple[float, float]

    @classmethod
    def of(cls, height: float, found: Cuts, rooms: CutRooms, parts: Pieces, lines: CutLines) -> "_Plan":
        left, right = _reach(parts, lines)
        places = MARGIN + np.cumsum(right - left + GAP) - (right - left + GAP)
        width = float(places[-1] + right[-1] - left[-1] + MARGIN)
        upper, heads = np.concatenate([[0.0], found.y]), found.heads(rooms)
        strip = STRIP if len(found.y) else 0.0
        tops = np.full(len(upper), MARGIN + strip)
        bottoms = tops + heads + np.append(found.y, height) - upper + found.feet(rooms)
        moves = np.column_stack([places - left, tops + heads - upper])
        levels = np.concatenate([[0], found.levels, [0]])
        return cls(found.y, levels, parts, rooms, moves, tops, bottoms, (width, float(bottoms.max()) + strip + MARGIN))

    def moved(self, points: Floats) -> Floats:
        column, _ = columns_of(self.cuts, points[:, 1], points[:, 1])
        result: Floats = points + self.moves[column]
        return result

    def frames(self, depths: Longs) -> Floats:
        """Places all pieces of groups, with room at cuts: outer ones reach further."""
        column, continued = self.pieces.columns, self.pieces.continued
        goes_on = np.append(continued[1:], False)
        frames = self.pieces.frames.copy()
        frames[:, :2] += self.moves[column]
        head = np.where(continued, (self.levels[column] - depths) * self.rooms.head, 0.0)
        foot = np.where(goes_on, (self.levels[column + 1] - depths) * self.rooms.foot, 0.0)
        frames[:, 1] -= head
        frames[:, 3] += head + foot
        return frames


def _reach(parts: Pieces, lines: CutLines) -> tuple[Floats, Floats]:
    """Measures how far what is in each column reaches to the left and to the right, marks included."""
    empty = parts.left > parts.right
    left, right = np.where(empty, 0.0, parts.left), np.where(empty, 0.0, parts.right)
    np.minimum.at(left, lines.ends.columns, lines.ends.slots - APART / 2)
    np.maximum.at(right, lines.ends.columns, lines.ends.slots + APART / 2)
    return np.floor(left), np.ceil(right)


def _joined(drawing: Drawing, plan: _Plan, cut: CutLines, progress: Progress) -> Drawing:
    _tell(progress)
    boxes = drawing.boxes.copy()
    boxes[:, :2] = plan.moved(boxes[:, :2])
    lines, rows, marks = with_strips(cut, plan.moves, plan.tops, plan.bottoms, progress)
    _tell(progress)
    frames = plan.pieces.rows
    depths = drawing.group_depths[frames]
    return replace(
        drawing,
        boxes=boxes,
        lines=lines,
        line_tensors=drawing.line_tensors[rows],
        group_boxes=plan.frames(depths.astype(np.int64)),
        group_depths=depths,
        group_ids=drawing.group_ids[frames],
        group_labels=plan.pieces.names(drawing.group_labels),
        group_continued=plan.pieces.continued.astype(np.uint8),
        size=plan.size,
        marks=marks,
        mark_tensors=drawing.line_tensors[cut.rows[cut.ends.pieces]],
        mark_ends=cut.ends.lower,
        stubs=plan.moved(drawing.stubs),
    )
