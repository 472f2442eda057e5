"""The channels of a tensor over samples: ends and means of all values, quartiles of as many as there is room for."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass

Array = NDArray[Any]
Doubles = NDArray[np.float64]
# Values that quartiles are made of, of all channels and samples together, and of one channel at most.
MOST, MOST_EACH = 1 << 22, 1 << 14
FEWEST = 8
# Points beyond the whiskers that are kept of each channel, the outermost with them.
FLIERS = 12
# Whiskers reach as far as values do that are no further from the box than this many times its height.
REACH = 1.5


@dataclass(frozen=True, eq=False)
class ChannelSpread:
    """Each per channel, NaN where no value is finite."""

    axis: int
    low: Doubles
    whisker_low: Doubles
    first: Doubles
    median: Doubles
    third: Doubles
    whisker_high: Doubles
    high: Doubles
    mean: Doubles
    # The outermost ones and some between, in the order of their values.
    fliers: tuple[Doubles, ...]
    # Whether quartiles and whiskers are those of all values.
    exact: bool

    def __len__(self) -> int:
        return len(self.low)

    @cached_property
    def ranges(self) -> Doubles:
        """The largest size of a value; 0 where there is none."""
        found: Doubles = np.nan_to_num(np.maximum(np.abs(self.low), np.abs(self.high)))
        return found

    def quiet(self, bits: int) -> float:
        """The share of channels whose values are smaller than the tensor's by so many bits, all-zero ones too: those
        lose so many bits of resolution or more to one scale for all."""
        top = float(self.ranges.max(initial=0.0))
        if not top or not len(self):
            return 0.0
        return int(np.count_nonzero(self.ranges < top / 2.0**bits)) / len(self)

    @cached_property
    def loudest(self) -> int:
        return int(self.ranges.argmax())


class Spreading:
    """Takes one sample after the other."""

    def __init__(self, axis: int, channels: int, samples: int) -> None:
        self._axis = axis
        self._low, self._high = np.full(channels, np.inf), np.full(channels, -np.inf)
        self._sum, self._count = np.zeros(channels), np.zeros(channels, np.int64)
        self._enough = max(FEWEST, min(MOST_EACH, MOST // max(channels, 1)) // max(samples, 1))
        self._kept: list[list[NDArray[np.float32]]] = [[] for _ in range(channels)]
        self._exact = True

    def see(self, values: Array) -> None:
        if values.ndim <= self._axis:
            return
        split = np.moveaxis(values, self._axis, 0)
        for channel, part in enumerate(split[: len(self._low)]):
            self._see(channel, part.reshape(-1))

    def _see(self, channel: int, part: Array) -> None:
        fine = part[np.isfinite(part)].astype(np.float64)
        if not len(fine):
            return
        self._low[channel] = min(self._low[channel], float(fine.min()))
        self._high[channel] = max(self._high[channel], float(fine.max()))
        with np.errstate(over="ignore"):
            self._sum[channel] += float(fine.sum())
        self._count[channel] += len(fine)
        every = max(1, -(-len(fine) // self._enough))
        self._exact &= every == 1
        with np.errstate(over="ignore"):
            self._kept[channel].append(fine[::every].astype(np.float32))

    def found(self) -> ChannelSpread:
        rows = np.full((5, len(self._low)), np.nan)
        fliers = []
        for channel, kept in enumerate(self._kept):
            values = np.concatenate(kept).astype(np.float64) if kept else np.zeros(0)
            values = values[np.isfinite(values)]
            fliers.append(self._box(rows[:, channel], values, channel))
        some = self._count > 0
        with np.errstate(invalid="ignore"):
            mean = np.where(some, self._sum / np.maximum(self._count, 1), np.nan)
        low, high = np.where(some, self._low, np.nan), np.where(some, self._high, np.nan)
        below, first, median, third, above = rows
        return ChannelSpread(
            self._axis, low, below, first, median, third, above, high, mean, tuple(fliers), self._exact
        )

    def _box(self, row: Doubles, values: Doubles, channel: int) -> Doubles:
        """Fills in whiskers and quartiles; gives what lies beyond the whiskers."""
        if not len(values):
            return np.zeros(0)
        first, median, third = np.percentile(values, (25, 50, 75))
        # Halves, which do not overflow.
        far = 2 * REACH * (third / 2 - first / 2)
        inside = values[(values >= first - far) & (values <= third + far)]
        row[:] = min(inside.min(), first), first, median, third, max(inside.max(), third)
        outside = values[(values < row[0]) | (values > row[4])]
        ends = [end for end in (self._low[channel], self._high[channel]) if end < row[0] or end > row[4]]
        return thinned(np.unique(np.concatenate([outside, ends])))


def thinned(values: Doubles, most: int = FLIERS) -> Doubles:
    """Thins values to at most so many in their order, both ends with them."""
    if len(values) <= most:
        return values
    return values[np.unique(np.round(np.linspace(0, len(values) - 1, most)).astype(np.intp))]
