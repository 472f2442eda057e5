"""Lines that are cut at the ends of columns, and the strips above and below columns in which they end.

There they stand far enough apart for a mark at each end.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from errorflow.base.arrays import Ints, Longs
from errorflow.base.progress import Progress
from errorflow.layout.drawing import Bytes, Floats
from errorflow.layout.level import Bools
from errorflow.layout.pieces import columns_of, repeated
from errorflow.layout.route import PIECES, s_curves

STRIP = 14.0  # height
APART = 9.0  # between two marks
PARTED = 3.0  # lines of one tensor that are closer have one mark


@dataclass(frozen=True, eq=False)
class Ends:
    """Where lines are cut: first all at which a piece begins, then, in the same order, where the one before ended."""

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
    ends: Ends

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
        return cls(pieces, rows, column, Ends(ends, column[ends], lower.astype(np.uint8), x, slots))


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
    """These places, sorted, moved as little as it takes to be APART; those in each other's way share the way."""
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
    """All lines where they come to lie, the rows that they are of, and the points of all marks.

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
