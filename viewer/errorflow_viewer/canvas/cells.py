"""Finds what lies within a rectangle without looking at everything."""

import numpy as np
from numpy.typing import NDArray

from errorflow.layout.drawing import Floats

Indices = NDArray[np.intp]
# Items per cell: few enough that an edge cell wastes little, many enough that cells are few.
_FILLING = 16


class Cells:
    """Rectangles (left, top, right, bottom), sorted into a grid by their top left corner.

    What is larger than a cell is kept apart and always looked at.
    """

    def __init__(self, bounds: Floats) -> None:
        self._bounds = bounds
        self._all = np.arange(len(bounds), dtype=np.intp)
        self._side = _side(bounds)
        extent = np.maximum(bounds[:, 2] - bounds[:, 0], bounds[:, 3] - bounds[:, 1])
        large = extent > self._side
        self._large = np.flatnonzero(large)
        small = np.flatnonzero(~large)
        self._origin = bounds[:, :2].min(axis=0) if len(bounds) else np.zeros(2)
        self._outer = _outer(bounds)
        columns, rows = self._cell_of(bounds[small, :2])
        self._columns = int(columns.max()) + 1 if len(small) else 0
        self._rows = int(rows.max()) + 1 if len(small) else 0
        keys = rows * self._columns + columns
        order = np.argsort(keys, kind="stable")
        self._sorted = small[order]
        self._starts = np.zeros(self._rows * self._columns + 1, np.intp)
        np.cumsum(np.bincount(keys, minlength=len(self._starts) - 1), out=self._starts[1:])

    @property
    def count(self) -> int:
        """How many cells there are."""
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
        corners = np.array([[left, top], [right, bottom]])
        (first, last), (upper, lower) = self._cell_of(corners)
        first, last = max(int(first) - 1, 0), min(int(last), self._columns - 1)
        upper, lower = max(int(upper) - 1, 0), min(int(lower), self._rows - 1)
        if first > last:
            return []
        starts = self._starts
        return [
            self._sorted[starts[row * self._columns + first] : starts[row * self._columns + last + 1]]
            for row in range(upper, lower + 1)
        ]

    def _cell_of(self, points: Floats) -> tuple[Indices, Indices]:
        cells = np.floor((points - self._origin) / self._side).astype(np.intp)
        return cells[:, 0], cells[:, 1]


def bounds_of(lines: Floats) -> Floats:
    """Rows of left, top, right, bottom for rows of x1, y1, x2, y2."""
    return np.concatenate([np.minimum(lines[:, :2], lines[:, 2:]), np.maximum(lines[:, :2], lines[:, 2:])], axis=1)


def _outer(bounds: Floats) -> tuple[float, float, float, float]:
    if not len(bounds):
        return 0.0, 0.0, 0.0, 0.0
    left, top = bounds[:, :2].min(axis=0).tolist()
    right, bottom = bounds[:, 2:].max(axis=0).tolist()
    return left, top, right, bottom


def _side(bounds: Floats) -> float:
    """The side of a cell that holds about `_FILLING` items, were they spread evenly."""
    if not len(bounds):
        return 1.0
    left, top, right, bottom = _outer(bounds)
    width, height = max(right - left, 1.0), max(bottom - top, 1.0)
    even = float(np.sqrt(width * height * _FILLING / len(bounds)))
    # A long thin drawing must not fall into a million cells.
    return max(even, width * _FILLING / len(bounds), height * _FILLING / len(bounds), 1.0)
