"""What lies in which column once a drawing is cut, and how wide the pieces of groups are that are cut, too.

Such a piece is as wide as what is in it, and no longer as the whole group.
"""

from dataclasses import dataclass

import numpy as np

from errorflow.arrays import Longs
from errorflow.layout.drawing import Drawing, Floats
from errorflow.layout.sizes import width
from errorflow.progress import Progress

NAMED = 120.0  # at most so much room is kept for a name beside lines
TOUCH = 0.5  # what reaches only so far into a group does not count as in it


@dataclass(frozen=True, slots=True)
class Pads:
    """Room in a group left and right of what is in it."""

    left: float
    right: float
    names: bool  # a name may need room at the left, too


@dataclass(frozen=True, eq=False)
class Things:
    """Boxes, lines and groups by where they begin."""

    ends: Floats  # (n, 4): left, top, right, bottom
    groups: Longs  # place in the drawing's group boxes; -1: no group

    @classmethod
    def of(cls, drawing: Drawing) -> "Things":
        lines = drawing.lines
        y, x = lines[:, [1, 3]], lines[:, [0, 2]]
        parts = [np.column_stack([x.min(axis=1), y.min(axis=1), x.max(axis=1), y.max(axis=1)])]
        for boxes in (drawing.boxes, drawing.group_boxes):
            left, top, wide, high = boxes.T
            parts.append(np.column_stack([left, top, left + wide, top + high]))
        table = np.concatenate(parts)
        groups = np.full(len(table), -1)
        groups[len(table) - len(drawing.group_boxes) :] = np.arange(len(drawing.group_boxes))
        order = np.argsort(table[:, 1], kind="stable")
        return cls(table[order], groups[order])


@dataclass(frozen=True, eq=False)
class Pieces:
    """Groups as they are cut: each piece with its group, its column, and where it was before."""

    frames: Floats  # (p, 4)
    rows: Longs  # (p,) place in the drawing's group boxes
    columns: Longs  # (p,)
    left: Floats  # (columns,) how far everything in a column reaches
    right: Floats


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
    first, last = columns_of(cuts, things.ends[:, 1], things.ends[:, 3])
    rows, column = repeated(first, last)
    whole = ~((things.groups >= 0) & (first < last))[rows]
    order = np.argsort(column[whole].astype(np.int16), kind="stable")
    contents = rows[whole][order]
    progress.step(0, 1, "Cutting columns")
    starts = np.searchsorted(column[whole][order], np.arange(len(cuts) + 2)).tolist()
    found = _uncut(drawing, cuts)
    cutter = _Cutter(drawing, things, found, names(drawing, found.rows, found.columns), pads)
    for number in range(len(cuts) + 1):
        progress.step(number, len(cuts) + 1, "Cutting columns")
        cutter.cut(number, contents[starts[number] : starts[number + 1]])
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

    drawing: Drawing
    things: Things
    found: Pieces
    names: tuple[str, ...]
    pads: Pads

    def cut(self, column: int, contents: Longs) -> None:
        """`contents` are the things in the column other than groups that go on."""
        found, boxes = self.found, self.things.ends[contents]
        here = np.flatnonzero(found.columns == column)
        several = np.bincount(found.rows, minlength=len(self.drawing.group_boxes))[found.rows[here]] > 1
        depths = self.drawing.group_depths[found.rows[here]]
        for piece in here[several][np.argsort(-depths[several].astype(int), kind="stable")].tolist():
            self._narrow(piece, boxes)
            x, y, width_, height = found.frames[piece].tolist()
            boxes = np.append(boxes, [[x, y, x + width_, y + height]], axis=0)
        found.left[column] = boxes[:, 0].min(initial=np.inf)
        found.right[column] = boxes[:, 2].max(initial=-np.inf)

    def _narrow(self, piece: int, boxes: Floats) -> None:
        frames, rows, pads = self.found.frames, self.found.rows, self.pads
        x, y, wide, high = frames[piece].tolist()
        inside = boxes[(boxes[:, 0] >= x) & (boxes[:, 2] <= x + wide)]
        inside = inside[(inside[:, 3] > y + TOUCH) & (inside[:, 1] < y + high - TOUCH)]
        if not len(inside):
            return
        goes_on = piece > 0 and rows[piece - 1] == rows[piece]
        room = width(self.names[piece]) if self.names[piece] and pads.names else 0.0
        left = max(x, float(inside[:, 0].min()) - max(pads.left, min(room, NAMED))) if goes_on else x
        right = min(x + wide, max(float(inside[:, 2].max()) + pads.right, left + room))
        frames[piece, [0, 2]] = left, right - left


def names(drawing: Drawing, rows: Longs, columns: Longs) -> tuple[str, ...]:
    """Groups that go on from the column before are named together, where the outermost of them goes on."""
    labels, depths = drawing.group_labels, drawing.group_depths.tolist()
    continued = np.zeros(len(rows), bool)
    continued[1:] = rows[1:] == rows[:-1]
    paths: dict[int, list[int]] = {}
    for row, column in zip(rows[continued].tolist(), columns[continued].tolist(), strict=True):
        paths.setdefault(column, []).append(row)
    found = []
    for row, column, goes_on in zip(rows.tolist(), columns.tolist(), continued.tolist(), strict=True):
        if not goes_on:
            found.append(labels[row])
            continue
        path = sorted(paths[column], key=depths.__getitem__)
        alone = len({depths[each] for each in path}) == len(path)
        found.append(" › ".join(labels[each] for each in path) if alone and path[0] == row else "")
    return tuple(found)
