"""Pieces of a drawing that is cut: what lies in which column, and how wide the pieces of groups are.

Such a piece is as wide as what is in it, and no longer as the whole group.
"""

import numpy as np

from errorflow.base import Progress, dataclass
from errorflow.base.arrays import Longs
from errorflow.layout.drawing import Drawing, Floats, width
from errorflow.layout.level import Bools

CONTINUED = " (continued)"
TOUCH = 0.5  # what reaches only so far into a group does not count as in it


@dataclass(frozen=True, slots=True)
class Pads:
    """Room in a group left and right of what is in it."""

    left: float
    right: float
    names: bool  # names stand above what is in groups, so that these must be wide enough


@dataclass(frozen=True, eq=False)
class Things:
    """Boxes, lines and groups by where they begin."""

    ends: Floats  # (n, 4): left, top, right, bottom
    groups: Longs  # place in the drawing's group boxes; -1: no group

    @classmethod
    def of(cls, drawing: Drawing, progress: Progress) -> "Things":
        x1, y1, x2, y2 = drawing.lines.T
        count, frames = len(x1), len(drawing.group_boxes)
        table = np.empty((count + len(drawing) + frames, 4))
        for column, pick, pair in ((0, np.minimum, (x1, x2)), (1, np.minimum, (y1, y2)), (2, np.maximum, (x1, x2))):
            pick(*pair, out=table[:count, column])
        np.maximum(y1, y2, out=table[:count, 3])
        progress.step(0, 1, "Cutting columns")
        boxes = np.concatenate([drawing.boxes, drawing.group_boxes])
        table[count:, :2] = boxes[:, :2]
        table[count:, 2:] = boxes[:, :2] + boxes[:, 2:]
        groups = np.full(len(table), -1)
        groups[len(table) - frames :] = np.arange(frames)
        order = np.argsort(table[:, 1], kind="stable")
        progress.step(0, 1, "Cutting columns")
        return cls(table[order], groups[order])


@dataclass(frozen=True, eq=False)
class Contents:
    """Things in each column: those that begin there, and those that come from columns before."""

    things: Things
    starts: list[int]  # (columns + 1,) the first thing that begins in each column
    passing: Longs  # things in several columns, except groups, …
    columns: Longs  # … and the columns after the first that each is in

    @classmethod
    def of(cls, things: Things, cuts: Floats) -> "Contents":
        bounds = np.searchsorted(things.ends[:, 1], cuts)
        starts = np.concatenate([[0], bounds, [len(things.ends)]])
        ends = np.repeat(np.append(cuts, np.inf), np.diff(starts))
        several = np.flatnonzero((things.ends[:, 3] > ends) & (things.groups < 0))
        first, last = columns_of(cuts, things.ends[several, 1], things.ends[several, 3])
        rows, columns = repeated(first + 1, last)
        return cls(things, starts.tolist(), several[rows], columns)

    def within(self, column: int, cut: float) -> Longs:
        """Things in the column that ends at `cut`, other than groups that go on."""
        begun = np.arange(self.starts[column], self.starts[column + 1])
        begun = begun[(self.things.groups[begun] < 0) | (self.things.ends[begun, 3] <= cut)]
        return np.concatenate([begun, self.passing[self.columns == column]])

    def widths(self, cuts: Floats) -> Floats:
        """Measures how far what is in each column reaches from side to side, but for groups that go on."""
        groups = np.flatnonzero(self.things.groups >= 0)
        ends = np.append(cuts, np.inf)[np.searchsorted(self.starts, groups, "right") - 1]
        go_on = groups[self.things.ends[groups, 3] > ends]
        filled = np.flatnonzero(np.diff(self.starts))
        first, result = np.array(self.starts)[filled], []
        for side, sign in ((0, 1), (2, -1)):
            reach = sign * self.things.ends[:, side]
            reach[go_on] = np.inf
            least = np.full(len(cuts) + 1, np.inf)
            least[filled] = np.minimum.reduceat(reach, first)
            np.minimum.at(least, self.columns, sign * self.things.ends[self.passing, side])
            result.append(least)
        total = -result[0] - result[1]
        return np.where(np.isfinite(total), total, 0.0)


@dataclass(frozen=True, eq=False)
class Pieces:
    """Groups as they are cut: each piece with its group, its column, and where it was before."""

    frames: Floats  # (p, 4)
    rows: Longs  # (p,) place in the drawing's group boxes
    columns: Longs  # (p,)
    left: Floats  # (columns,) how far everything in a column reaches
    right: Floats

    @property
    def continued(self) -> Bools:
        """(p,) which pieces come from the column before."""
        result = np.zeros(len(self.rows), bool)
        result[1:] = self.rows[1:] == self.rows[:-1]
        return result

    def names(self, labels: tuple[str, ...]) -> tuple[str, ...]:
        pairs = zip(self.rows.tolist(), self.continued.tolist(), strict=True)
        return tuple(labels[row] + CONTINUED if goes_on else labels[row] for row, goes_on in pairs)


def columns_of(cuts: Floats, low: Floats, high: Floats) -> tuple[Longs, Longs]:
    """The first and the last column that each span reaches into; just touching one does not count."""
    first = np.searchsorted(cuts, low, "right")
    return first, np.maximum(first, np.searchsorted(cuts, high, "left"))


def repeated(first: Longs, last: Longs) -> tuple[Longs, Longs]:
    """Each row once for every column that it reaches into: the row, the column."""
    counts = last - first + 1
    rows = np.repeat(np.arange(len(first)), counts)
    columns = first[rows] + np.arange(len(rows)) - (np.cumsum(counts) - counts)[rows]
    return rows, columns


def pieces(drawing: Drawing, things: Things, cuts: Floats, pads: Pads, progress: Progress) -> Pieces:
    progress.step(0, 1, "Cutting columns")
    contents = Contents.of(things, cuts)
    found = _uncut(drawing, cuts)
    cutter = _Cutter.of(drawing, contents, found, pads)
    ends = np.append(cuts, np.inf).tolist()
    for number, end in enumerate(ends):
        progress.step(number, len(ends), "Cutting columns")
        cutter.cut(number, contents.within(number, end))
    return found


def _uncut(drawing: Drawing, cuts: Floats) -> Pieces:
    """Groups cut at the ends of columns, still as wide as they were."""
    left, low, wide, high = drawing.group_boxes.T
    rows, columns = repeated(*columns_of(cuts, low, low + high))
    top = np.maximum(low[rows], np.concatenate([[0.0], cuts])[columns])
    bottom = np.minimum((low + high)[rows], np.append(cuts, np.inf)[columns])
    frames = np.column_stack([left[rows], top, wide[rows], bottom - top])
    return Pieces(frames, rows, columns, np.full(len(cuts) + 1, np.inf), np.full(len(cuts) + 1, -np.inf))


@dataclass(frozen=True, eq=False)
class _Cutter:
    """Makes pieces in `found` as wide as what is in them, column by column."""

    contents: Contents
    found: Pieces
    continued: Bools
    names: tuple[str, ...]
    pads: Pads
    cut_pieces: list[list[int]]  # of each column, the innermost first

    @classmethod
    def of(cls, drawing: Drawing, contents: Contents, found: Pieces, pads: Pads) -> "_Cutter":
        several = np.flatnonzero(np.bincount(found.rows, minlength=len(drawing.group_boxes))[found.rows] > 1)
        depths = drawing.group_depths[found.rows[several]].astype(int)
        by_column: list[list[int]] = [[] for _ in found.left]
        for piece in several[np.argsort(-depths, kind="stable")].tolist():
            by_column[int(found.columns[piece])].append(piece)
        return cls(contents, found, found.continued, found.names(drawing.group_labels), pads, by_column)

    def cut(self, column: int, contents: Longs) -> None:
        """`contents` are the things in the column other than groups that go on."""
        found, boxes = self.found, self.contents.things.ends[contents]
        for piece in self.cut_pieces[column]:
            self._narrow(piece, boxes)
            x, y, width_, height = found.frames[piece].tolist()
            boxes = np.append(boxes, [[x, y, x + width_, y + height]], axis=0)
        found.left[column] = boxes[:, 0].min(initial=np.inf)
        found.right[column] = boxes[:, 2].max(initial=-np.inf)

    def _narrow(self, piece: int, boxes: Floats) -> None:
        frames, pads = self.found.frames, self.pads
        x, y, wide, high = frames[piece].tolist()
        inside = boxes[(boxes[:, 0] >= x) & (boxes[:, 2] <= x + wide)]
        inside = inside[(inside[:, 3] > y + TOUCH) & (inside[:, 1] < y + high - TOUCH)]
        if not len(inside):
            return
        room = width(self.names[piece]) if pads.names else 0.0
        left = x
        if self.continued[piece]:
            # The name stands left of all lines that come in, as far as the group was so wide.
            entering = float(inside[inside[:, 1] <= y, 0].min(initial=np.inf))
            left = max(x, min(float(inside[:, 0].min()) - pads.left, entering - room))
        right = min(x + wide, max(float(inside[:, 2].max()) + pads.right, left + room))
        frames[piece, [0, 2]] = left, right - left
