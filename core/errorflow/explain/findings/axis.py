"""Axes of a profile: where their marks are, what stands beside them, and what of a curve has room along them."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.base.values import dataclass
from errorflow.compare.metrics.metric import Scale, places

Floats = NDArray[np.float64]
# A part of the picture below the good limit and above the bad one is always there; further than that it does not go.
_BELOW, _ABOVE = (-2.0, -0.15), (1.15, 4.0)
_DECADES = range(-12, 13)
_ROUND = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick. `at`: a height, or a place."""

    at: float
    text: str


def window(low: float, high: float) -> tuple[float, float]:
    """The heights that are shown of a profile with these bounds; what lies outside stands at the edge."""
    least, most = max(_BELOW[0], min(low, _BELOW[1])), min(_ABOVE[1], max(high, _ABOVE[0]))
    room = 0.06 * (most - least)
    return least - room, most + room


def limit_ticks(scale: Scale) -> tuple[Tick, Tick]:
    """The good and the bad limit."""
    return Tick(0.0, scale.limit(scale.good)), Tick(1.0, scale.limit(scale.bad))


def height_ticks(scale: Scale, low: float, high: float, apart: float) -> tuple[Tick, ...]:
    """Finds round values between two heights, no two nearer than `apart`, nor that near to a limit; the worst first."""
    taken = [0.0, 1.0]
    found: list[Tick] = []
    texts = {tick.text for tick in limit_ticks(scale)}
    for value in _round_values(scale, low, high):
        height = float(places(scale, np.array([value]))[0])
        text = scale.limit(value)
        if low <= height <= high and text not in texts and all(abs(height - other) >= apart for other in taken):
            taken.append(height)
            texts.add(text)
            found.append(Tick(height, text))
    return tuple(found)


def place_ticks(start: float, end: float, most: int) -> tuple[Tick, ...]:
    """Finds round places between two, at most so many."""
    step = round_step((end - start) / max(most, 1), whole=True)
    first = math.ceil(max(start, 0.0) / step)
    return tuple(Tick(at * step, f"{round(at * step):,}") for at in range(first, math.floor(end / step) + 1))


def round_step(least: float, whole: bool = False) -> float:
    """1, 2 or 5 times a power of ten, not less than `least`; `whole`: at least 1."""
    if not least > 0:
        return 1.0
    power = math.floor(math.log10(least))
    step = next(float(f"{digit}e{power}") for digit in (*_ROUND, 10) if float(f"{digit}e{power}") >= least * (1 - 1e-9))
    return max(step, 1.0) if whole else step


def _round_values(scale: Scale, low: float, high: float) -> Iterator[float]:
    if scale.scale == "log":
        away = -1.0 if scale.higher_is_better else 1.0
        yield from (scale.best + away * 10.0**power for power in reversed(_DECADES))
        return
    ends = sorted(scale.good + height * (scale.bad - scale.good) for height in (low, high))
    step = round_step((ends[1] - ends[0]) / 5)
    numbers = range(math.ceil(ends[0] / step), math.floor(ends[1] / step) + 1)
    values = [number * step for number in numbers]
    yield from values if scale.higher_is_better else reversed(values)


# A curve with more places than a picture has columns: what is kept of it so that no worst point is lost.


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
