"""Distribution of one tensor's values over all samples, before and after they are coded, channel by channel.

Values come one sample at a time, in two passes, so that no more than one is in memory with what is kept of the others.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from errorflow.base import SILENT, Progress, dataclass, field
from errorflow.explain.inspect.bins import Bins, Counts, choose
from errorflow.explain.inspect.peaks import Peaks, peaks_of
from errorflow.explain.inspect.spread import ChannelSpread, Spreading
from errorflow.graph.qparams import QParams

Array = NDArray[Any]
Doubles = NDArray[np.float64]
Kind = Literal["weight", "activation"]
# Both sides of each sample, from the first on; the second is None where nothing is coded. It is called twice.
Feed = Callable[[], Iterator[tuple[Array, Array | None]]]
BARS = 512
# Values that peaks are looked for among.
_LOOKED_AT = 1 << 16
TEXT = "Looking at the values"


@dataclass(frozen=True, eq=False)
class Distribution:
    """Zeros are counted, and in no bar: after a Relu they would be most of it."""

    tensor: str
    kind: Kind
    shape: tuple[int, ...]
    samples: int
    # Of the values before: finite ones, exact zeros, those that are NaN or infinite.
    count: int
    zeros: int
    broken: int
    low: float
    high: float
    bins: Bins
    before: Counts
    after: Counts | None
    # Of after − before, where both are finite.
    error_bins: Bins | None
    errors: Counts | None
    # None: it stays in float.
    qparams: QParams | None
    # Values before that lie beyond all that codes can say, of those that are finite.
    clipped: int
    peaks: Peaks
    # None: it has no channels.
    channels: ChannelSpread | None
    # The node that makes it, or of a weight the one that reads it.
    node: str = ""
    op_type: str = ""
    note: str = field(default="")

    @property
    def thresholds(self) -> tuple[float, float] | None:
        """The lowest and the highest value that has a code; None: it has none, or each channel others."""
        if self.qparams is None or self.qparams.axis is not None:
            return None
        low, high = thresholds_of(self.qparams)
        return float(low[0]), float(high[0])

    @cached_property
    def clipped_share(self) -> float:
        return self.clipped / self.count if self.count else 0.0


def thresholds_of(qparams: QParams) -> tuple[Doubles, Doubles]:
    """The lowest and the highest value with a code, of each scale."""
    scales, zeros = np.array(qparams.scales, np.float64), np.array(qparams.zero_points, np.float64)
    return (qparams.low - zeros) * scales, (qparams.high - zeros) * scales


def distribution(
    tensor: str,
    feed: Feed,
    *,
    kind: Kind = "activation",
    qparams: QParams | None = None,
    axis: int | None = None,
    node: str = "",
    op_type: str = "",
    progress: Progress = SILENT,
) -> Distribution:
    """`axis`: that of the channels. Both sides of a sample have the same shape; shapes of samples may differ."""
    ranges = _Ranges(axis)
    for number, (before, after) in enumerate(feed()):
        progress.step(number, 0, TEXT)
        ranges.see(np.asarray(before), None if after is None else np.asarray(after))
    look = _Look(ranges, qparams)
    for number, (before, after) in enumerate(feed()):
        progress.step(number, ranges.samples, TEXT)
        look.see(np.asarray(before), None if after is None else np.asarray(after))
    return Distribution(
        tensor,
        kind,
        ranges.shape,
        ranges.samples,
        ranges.count,
        look.zeros,
        ranges.broken,
        ranges.low if ranges.count else float("nan"),
        ranges.high if ranges.count else float("nan"),
        look.bins,
        look.before,
        look.after,
        look.error_bins,
        look.errors,
        qparams,
        look.clipped,
        peaks_of(np.concatenate(look.some) if look.some else np.zeros(0)),
        None if look.spreading is None else look.spreading.found(),
        node,
        op_type,
        f"{ranges.broken:,} values are NaN or infinite, and left out" if ranges.broken else "",
    )


class _Ranges:
    """The first pass: how far values and errors go."""

    def __init__(self, axis: int | None) -> None:
        self.axis = axis
        self.samples = self.count = self.broken = 0
        self.shape: tuple[int, ...] = ()
        self.low, self.high = np.inf, -np.inf
        # Of what is coded, and of the errors.
        self.after: tuple[float, float] | None = None
        self.error: tuple[float, float] | None = None
        self.channels = 0

    def see(self, before: Array, after: Array | None) -> None:
        fine = _fine(before)
        self.shape = before.shape if not self.samples else self.shape
        self.samples += 1
        self.count += len(fine)
        self.broken += before.size - len(fine)
        if len(fine):
            self.low, self.high = min(self.low, float(fine.min())), max(self.high, float(fine.max()))
        if self.axis is not None and before.ndim > self.axis:
            self.channels = max(self.channels, before.shape[self.axis])
        if after is not None and after.shape == before.shape:
            self.after = _wider(self.after, _fine(after))
            with np.errstate(invalid="ignore", over="ignore"):
                self.error = _wider(self.error, _fine(after.astype(np.float64) - before.astype(np.float64)))

    @property
    def ends(self) -> tuple[float, float]:
        ends = (self.low, self.high) if self.count else (0.0, 0.0)
        return ends if self.after is None else (min(ends[0], self.after[0]), max(ends[1], self.after[1]))


class _Look:
    """The second pass: what is in each bar, and in each channel."""

    def __init__(self, ranges: _Ranges, qparams: QParams | None) -> None:
        self.bins = choose(*ranges.ends, about=BARS)
        self.before = np.zeros(len(self.bins), np.int64)
        self.after = None if ranges.after is None else np.zeros(len(self.bins), np.int64)
        self.error_bins = None if ranges.error is None else choose(*ranges.error, middle=True, about=BARS)
        self.errors = None if self.error_bins is None else np.zeros(len(self.error_bins), np.int64)
        self.zeros = self.clipped = 0
        self.some: list[Doubles] = []
        self.spreading = (
            Spreading(ranges.axis, ranges.channels, ranges.samples)
            if ranges.axis is not None and ranges.channels > 1
            else None
        )
        self._qparams = qparams
        self._enough = max(1, _LOOKED_AT // max(ranges.samples, 1))

    def see(self, before: Array, after: Array | None) -> None:
        fine = _fine(before)
        some = fine[fine != 0]
        self.zeros += len(fine) - len(some)
        self.before += self.bins.count(some)
        self.some.append(some[:: max(1, -(-len(some) // self._enough))])
        if self.spreading is not None:
            self.spreading.see(before)
        if self._qparams is not None:
            self.clipped += _beyond(before, self._qparams)
        if self.after is not None and after is not None and after.shape == before.shape:
            coded = _fine(after)
            self.after += self.bins.count(coded[coded != 0])
            if self.errors is not None and self.error_bins is not None:
                with np.errstate(invalid="ignore", over="ignore"):
                    error = _fine(after.astype(np.float64) - before.astype(np.float64))
                self.errors += self.error_bins.count(error[error != 0])


def _fine(values: Array) -> Doubles:
    flat = values.reshape(-1).astype(np.float64)
    found: Doubles = flat[np.isfinite(flat)]
    return found


def _wider(known: tuple[float, float] | None, values: Doubles) -> tuple[float, float]:
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    return (low, high) if known is None else (min(known[0], low), max(known[1], high))


def _beyond(values: Array, qparams: QParams) -> int:
    """Counts the values that are further than half a step from all that has a code."""
    lows, highs = thresholds_of(qparams)
    half = np.array(qparams.scales, np.float64) / 2
    shape = [1] * values.ndim
    if qparams.axis is not None and values.ndim:
        axis = qparams.axis % values.ndim
        if values.shape[axis] != len(half):
            return 0
        shape[axis] = len(half)
    lows, highs = (lows - half).reshape(shape), (highs + half).reshape(shape)
    with np.errstate(invalid="ignore"):
        outside = ((values < lows) | (values > highs)) & np.isfinite(values)
    return int(outside.sum())
