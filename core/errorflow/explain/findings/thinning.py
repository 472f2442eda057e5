"""A curve with more places than a picture has columns: what is kept of it so that no worst point is lost."""

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.base.values import dataclass

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ThinnedColumns:
    """Columns in which something is drawn, from left to right."""

    columns: Ints
    # Of the heights that fall into the column.
    low: Floats
    high: Floats
    # At its left and at its right.
    first: Floats
    last: Floats
    # Whether nothing is missing between the column before and this one.
    joined: NDArray[np.bool_]
    # The place of the highest.
    worst: Ints


def thinned(heights: Floats, start: float, end: float, width: int) -> ThinnedColumns:
    """The part from `start` to `end` (places; one stands in the middle of its room) in so many columns."""
    first, last = _within(start, end, len(heights))
    part = heights[first:last]
    there = np.flatnonzero(~np.isnan(part))
    if width <= 0 or end <= start or not len(there):
        nothing = np.zeros(0)
        none = nothing.astype(np.int32)
        return ThinnedColumns(none, nothing, nothing, nothing, nothing, nothing.astype(bool), none)
    places, known = there + first, part[there]
    columns = column_of(places, start, end, width)
    begins = np.flatnonzero(np.diff(columns, prepend=-1))
    ends = np.append(begins[1:], len(columns)) - 1
    high = np.maximum.reduceat(known, begins)
    hits = np.flatnonzero(known == np.repeat(high, ends - begins + 1))
    worst = hits[np.searchsorted(hits, begins)]
    return ThinnedColumns(
        columns[begins],
        np.minimum.reduceat(known, begins),
        high,
        known[begins],
        known[ends],
        np.append(False, places[begins[1:]] == places[ends[:-1]] + 1),
        places[worst].astype(np.int32),
    )


def column_of(places: NDArray[np.integer], start: float, end: float, width: int) -> Ints:
    """The column in which each of these places falls; those outside are at the edge."""
    columns: Floats = np.floor((places + 0.5 - start) / (end - start) * width)
    found: Ints = np.clip(columns, 0, width - 1).astype(np.int32)
    return found


def shares(flags: NDArray[np.bool_], start: float, end: float, width: int) -> Floats:
    """Finds for each column the share of flagged places; NaN where there is no place."""
    first, last = _within(start, end, len(flags))
    if width <= 0 or end <= start or first >= last:
        return np.full(max(width, 0), np.nan)
    columns = column_of(np.arange(first, last), start, end, width)
    total = np.bincount(columns, minlength=width)
    with np.errstate(invalid="ignore"):
        found: Floats = np.bincount(columns, flags[first:last], width) / total
    return found


def _within(start: float, end: float, count: int) -> tuple[int, int]:
    """The first place whose middle lies between, and the one behind the last."""
    first = min(max(0, int(np.ceil(start - 0.5))), count)
    return first, min(max(first, int(np.ceil(end - 0.5))), count)
