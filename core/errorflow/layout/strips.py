"""Lines that are cut at the ends of columns, and the strips above and below columns in which they end.

There they stand far enough apart for a mark at each end.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from errorflow.arrays import Ints, Longs
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
    def of(cls, lines: Floats, tensors: Ints, cuts: Floats) -> "CutLines":
        low, high = lines[:, [1, 3]].min(axis=1), lines[:, [1, 3]].max(axis=1)
        rows, column = repeated(*columns_of(cuts, low, high))
        x1, y1, x2, y2 = lines[rows].T
        top, bottom = np.concatenate([[-np.inf], cuts])[column], np.append(cuts, np.inf)[column]
        slope = np.where(y2 != y1, (x2 - x1) / np.where(y2 != y1, y2 - y1, 1.0), 0.0)
        start, end = np.clip(y1, top, bottom), np.clip(y2, top, bottom)
        to_x = np.where(end != y2, x1 + slope * (end - y1), x2)  # both sides of a cut from one formula
        pieces = np.column_stack([x1 + slope * (start - y1), start, to_x, end])
        begun, ended = np.flatnonzero(start != y1), np.flatnonzero(end != y2)
        cut = np.concatenate([begun, ended])
        lower = np.concatenate([start[begun] < y1[begun], end[ended] < y2[ended]])
        x = np.concatenate([pieces[begun, 0], pieces[ended, 2]])
        slots = _slots(column[cut] - 1 + lower, x, tensors[rows[cut]])
        return cls(pieces, rows, column, Ends(cut, column[cut], lower.astype(np.uint8), x, slots))


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


def with_strips(cut: CutLines, moves: Floats, tops: Floats, bottoms: Floats) -> tuple[Floats, Longs, Floats]:
    """All lines where they come to lie, the rows that they are of, and the points of all marks.

    `moves` (columns, 2) says how columns move, `tops` and `bottoms` where strips border on what they hold.
    """
    lines, ends = cut.lines + np.tile(moves[cut.columns], 2), cut.ends
    x, slots = ends.x + moves[ends.columns, 0], ends.slots + moves[ends.columns, 0]
    lower = ends.lower > 0
    near = np.where(lower, bottoms[ends.columns], tops[ends.columns])
    far = near + np.where(lower, STRIP, -STRIP)
    begins = np.arange(len(x)) < len(x) // 2
    moved = slots != x
    more, more_of = _lengthened(lines, ends.pieces, begins, np.where(moved, near, far))
    curves = s_curves(x[moved], near[moved], slots[moved], far[moved])
    curves[begins[moved]] = curves[begins[moved], ::-1][:, :, [2, 3, 0, 1]]
    curves_of = np.repeat(ends.pieces[moved], PIECES)
    rows = np.concatenate([cut.rows, cut.rows[more_of], cut.rows[curves_of]])
    order = np.argsort(rows, kind="stable")
    return np.concatenate([lines, more, curves.reshape(-1, 4)])[order], rows[order], np.column_stack([slots, far])


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
