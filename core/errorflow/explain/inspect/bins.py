"""Bins of a histogram: where they begin and end, and how many values are in each."""

import math

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass

Doubles = NDArray[np.float64]
Counts = NDArray[np.int64]
ABOUT = 96
# Bars of one code each, up to so many.
MOST = 512
# Finer than that, two edges could be the same number.
_FINEST = 4


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """`edges` grow; a value on an edge belongs to the bar on its right, at the end to the last bar."""

    edges: Doubles

    def __len__(self) -> int:
        return len(self.edges) - 1

    @property
    def width(self) -> float:
        return float(self.edges[-1] / len(self) - self.edges[0] / len(self))

    def count(self, values: Doubles) -> Counts:
        """Counts the values in each bin; those outside are in none. The values are finite."""
        edges, last = self.edges, len(self) - 1
        inside = values[(values >= edges[0]) & (values <= edges[-1])]
        places = np.clip(inside / self.width - edges[0] / self.width, 0, last).astype(np.intp)
        # Rounding puts a value beside its bar, never further.
        places -= (inside < edges[places]) & (places > 0)
        places += (inside >= edges[places + 1]) & (places < last)
        return np.bincount(places, minlength=len(self)).astype(np.int64)


def choose(
    low: float, high: float, *, step: float = 0.0, anchor: float = 0.0, middle: bool = False, about: int = ABOUT
) -> Bins:
    """Bars from `low` to `high`. Zero is where one begins, or with `middle` the middle of one.

    `step`: values are `anchor` and whole steps from it, each of which is in the middle of its bar or of several that
    share one, where there would be too many, or more than few values need.
    """
    if not low <= high:
        low, high = -1.0, 1.0
    size = max(abs(low), abs(high))
    most = float(np.finfo(np.float64).max)
    if low == high and not step:
        low, high = (-1.0, 1.0) if size == 0 else (max(low - size / 2, -most), min(high + size / 2, most))
    if step and (high - low) / step < 1 << 24:
        return _whole(low, high, step, anchor, MOST if about >= ABOUT else about)
    width = max(high / about - low / about, _FINEST * math.ulp(size))
    shift = 0.5 if middle else 0.0
    first, last = math.floor(low / width + shift), math.ceil(high / width + shift)
    with np.errstate(over="ignore"):  # what is beyond all numbers is cut off below
        edges = (np.arange(first, max(last, first + 1) + 1) - shift) * width
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
    return Bins(np.clip(edges, -most, most).astype(np.float64))


def _whole(low: float, high: float, step: float, anchor: float, most: int) -> Bins:
    first, last = round((low - anchor) / step), round((high - anchor) / step)
    together = max(1, math.ceil((last - first + 1) / most))
    # Around the anchor, so that also bars of several steps stand at the same places for all tensors.
    first = math.floor(first / together) * together
    count = (last - first) // together + 1
    return Bins((anchor + (first + np.arange(count + 1) * together - 0.5) * step).astype(np.float64))
