"""Rectangles: what lies within one is found without looking at everything, and arithmetic on many."""

import numpy as np
from numpy.typing import NDArray

from errorflow.layout.drawing import Floats

Indices = NDArray[np.intp]
# Items per cell: few enough that an edge cell wastes little; and how many cells there may be about a third of: numbers
# of 16 bits are sorted ten times as fast as larger ones.
_FILLING, _CELLS = 16, 16_384


class Cells:
    """Rectangles (left, top, right, bottom), sorted into a grid by their top left corner.

    What is larger than a cell is kept apart and always looked at.
    """

    def __init__(self, bounds: Floats) -> None:
        self._bounds = bounds
        self._all = np.arange(len(bounds), dtype=np.intp)
        self._outer = _outer(bounds)
        self._side = _side(self._outer, len(bounds))
        large = (bounds[:, 2] - bounds[:, 0] > self._side) | (bounds[:, 3] - bounds[:, 1] > self._side)
        self._large = np.flatnonzero(large)
        small = np.flatnonzero(~large)
        columns, rows = self._cell_of(bounds[small, 0], bounds[small, 1])
        self._columns = int(columns.max()) + 1 if len(small) else 0
        self._rows = int(rows.max()) + 1 if len(small) else 0
        keys = rows * self._columns + columns
        order = np.argsort(keys.astype(np.uint16), kind="stable")
        self._sorted = small[order]
        self._starts = np.zeros(self._rows * self._columns + 1, np.intp)
        np.cumsum(np.bincount(keys, minlength=len(self._starts) - 1), out=self._starts[1:])

    @property
    def count(self) -> int:
        """Number of cells."""
        return len(self._starts) - 1

    def within(self, left: float, top: float, right: float, bottom: float) -> Indices:
        """Indices of all that touch the rectangle, in no particular order."""
        outer = self._outer
        if left <= outer[0] and top <= outer[1] and right >= outer[2] and bottom >= outer[3]:
            return self._all
        found = np.concatenate([self._large, *self._rows_between(left, top, right, bottom)])
        bounds = self._bounds[found]
        touching = bounds[:, 0] <= right
        touching &= bounds[:, 2] >= left
        touching &= bounds[:, 1] <= bottom
        touching &= bounds[:, 3] >= top
        hits: Indices = found[touching]
        return hits

    def _rows_between(self, left: float, top: float, right: float, bottom: float) -> list[Indices]:
        """The cells of one row lie side by side, so each row of the grid is one slice."""
        (first, last), (upper, lower) = self._cell_of(np.array([left, right]), np.array([top, bottom]))
        first, last = max(int(first) - 1, 0), min(int(last), self._columns - 1)
        upper, lower = max(int(upper) - 1, 0), min(int(lower), self._rows - 1)
        if first > last:
            return []
        starts = self._starts
        return [
            self._sorted[starts[row * self._columns + first] : starts[row * self._columns + last + 1]]
            for row in range(upper, lower + 1)
        ]

    def _cell_of(self, x: Floats, y: Floats) -> tuple[Indices, Indices]:
        left, top = self._outer[:2]
        columns, rows = np.floor((x - left) / self._side), np.floor((y - top) / self._side)
        return columns.astype(np.intp), rows.astype(np.intp)


def bounds_of(lines: Floats) -> Floats:
    """Rows of left, top, right, bottom for rows of x1, y1, x2, y2."""
    bounds = np.empty_like(lines)
    np.minimum(lines[:, :2], lines[:, 2:], out=bounds[:, :2])
    np.maximum(lines[:, :2], lines[:, 2:], out=bounds[:, 2:])
    return bounds


def _outer(bounds: Floats) -> tuple[float, float, float, float]:
    """Finds what encloses all. Column by column: numpy is slow along the short side of a long array."""
    if not len(bounds):
        return 0.0, 0.0, 0.0, 0.0
    left, top, right, bottom = bounds.T
    return float(left.min()), float(top.min()), float(right.max()), float(bottom.max())


def _side(outer: tuple[float, float, float, float], count: int) -> float:
    """The side of a cell that holds about `_FILLING` items, were they spread evenly; more when there are very many."""
    left, top, right, bottom = outer
    width, height = max(right - left, 1.0), max(bottom - top, 1.0)
    cells = min(max(count, 1) / _FILLING, float(_CELLS))
    # A long thin drawing must not fall into more cells than a square one.
    return max(float(np.sqrt(width * height / cells)), width / cells, height / cells, 1.0)


# Arithmetic on rows of x, y, width, height.


def whole(values: Floats) -> Floats:
    """The nearest whole numbers, halves upwards; numpy rounds halves to even, and a shifted picture would differ."""
    return np.floor(values + 0.5)


def grown(rects: Floats, out: float) -> Floats:
    """Each rectangle larger by `out` on every side."""
    return np.add(rects, [-out, -out, 2 * out, 2 * out])


def at_least(rects: Floats, side: float) -> Floats:
    """Each rectangle at least that wide and high, about the same middle."""
    more = np.maximum(side - rects[:, 2:], 0.0)
    return np.column_stack([rects[:, :2] - more / 2, rects[:, 2:] + more])


def moved(rects: Floats, dx: float, dy: float) -> Floats:
    return np.add(rects, [dx, dy, 0.0, 0.0])


def frames(rects: Floats, widths: "Floats | float") -> Floats:
    """The four sides of each rectangle, as rectangles: an outline costs ten times as much."""
    x, y, width, height = rects.T
    thick = np.broadcast_to(np.asarray(widths, float), (len(rects),))
    inner = height - 2 * thick
    sides = (
        (x, y, width, thick),
        (x, y + height - thick, width, thick),
        (x, y + thick, thick, inner),
        (x + width - thick, y + thick, thick, inner),
    )
    return np.concatenate([np.column_stack(side) for side in sides])
