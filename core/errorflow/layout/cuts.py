"""Where a tall drawing is cut into columns: where no box is, if possible between groups and where few lines pass,
and so that all columns come out about as high.
"""

from dataclasses import dataclass

import numpy as np

from errorflow.base.arrays import Longs, distinct, median
from errorflow.base.progress import Progress
from errorflow.layout.drawing import Drawing, Floats

CLEAR = 1.0  # a cut is so far away from boxes and from borders of groups: there lines still run straight
LEAN = 4.0  # so little aside a piece of a curve may go to count as straight
DEPTH_COST, BENT_COST, LINE_COST = 0.2, 0.03, 0.006  # of a cut, for a group, a curve, a line that it goes through
SLIVER, SLIVER_COST = 56.0, 1.0  # less of a group is no piece to look at: it has no room for the group's name
FREE, OFF_COST, RAGGED_COST = 0.05, 4.0, 10.0  # of a column, for how far off the mean height it is; beyond FREE more
FINE = 64  # so many places to choose from in a column
AROUND = 0.9  # of a column's height: how far from its even place a cut may be


@dataclass(frozen=True, slots=True)
class Rooms:
    """How much a cut adds for each group that it goes through, so that no border touches what is in the group."""

    head: float  # above what goes on, for the name
    foot: float  # below what is cut off


@dataclass(frozen=True, eq=False)
class Places:
    """Heights at which the drawing can be cut, and what each cut costs."""

    y: Floats
    costs: Floats
    drawing: Drawing

    @classmethod
    def of(cls, drawing: Drawing, progress: Progress) -> "Places":
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
        """How many groups inside each other there are at most at each y."""
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
    """How many of the spans each y lies in."""
    begun = np.searchsorted(np.sort(low), y, "right")
    over = np.searchsorted(np.sort(high), y, "left")
    return begun - over


def _slivers(y: Floats, low: Floats, high: Floats) -> Longs:
    """How many pieces that are next to nothing a cut at each y leaves of these groups."""
    return _covering(y, low, np.minimum(low + SLIVER, high)) + _covering(y, np.maximum(high - SLIVER, low), high)


@dataclass(frozen=True, eq=False)
class Cuts:
    """Upper ends of all columns but the first, and how deep in groups each is."""

    y: Floats
    levels: Longs
    cost: float  # on average

    def heads(self, rooms: Rooms) -> Floats:
        """(columns,) what each column gets above what is in it."""
        return np.concatenate([[0.0], self.levels * rooms.head])

    def feet(self, rooms: Rooms) -> Floats:
        return np.append(self.levels * rooms.foot, 0.0)


def cuts(places: Places, height: float, count: int, rooms: Rooms) -> Cuts:
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


def _thinned(places: Places, unit: float) -> Longs:
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

    def then(self, y: Floats, levels: Longs, costs: Floats, wanted: float, rooms: Rooms) -> "_Step | None":
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
