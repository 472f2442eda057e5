"""A tensor channel by channel: ranges and quartiles of both sides, and how much of each channel the error takes."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorflow.evidence.tensors import PIECE, Array, Tensors, doubles, stretches
from errorflow.progress import SILENT, Progress

Doubles = NDArray[np.float64]
# Values of a channel that its quartiles are made of at most; its ends are exact.
PER_CHANNEL = 1 << 14
MOST_CHANNELS = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Of one side, each per channel: the smallest finite value, quartiles, the largest; NaN where there is none."""

    low: Doubles
    first: Doubles
    middle: Doubles
    third: Doubles
    high: Doubles

    @property
    def ranges(self) -> Doubles:
        """The largest size that a value has."""
        return np.maximum(np.abs(self.low), np.abs(self.high))


@dataclass(frozen=True, slots=True, eq=False)
class ChannelView:
    """`sqnr` in decibels, NaN where a channel has none; `order` has the worst channel first."""

    axis: int
    reference: Boxes | None
    candidate: Boxes | None
    sqnr: Doubles | None
    order: NDArray[np.intp]
    # Whether the quartiles are those of all values.
    exact: bool

    def __len__(self) -> int:
        return len(self.order)

    @property
    def main(self) -> Boxes:
        """The reference's, or of the one side that there is."""
        boxes = self.candidate if self.reference is None else self.reference
        assert boxes is not None, "one side at least is there"
        return boxes


def axes(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Those along which there can be channels."""
    return tuple(axis for axis, size in enumerate(shape) if 1 < size <= MOST_CHANNELS)


def channel_view(tensors: Tensors, axis: int, progress: Progress = SILENT) -> ChannelView:
    """One channel is in memory as float64 at a time, or a part of it."""
    sides = [None if side is None or side.shape != tensors.shape else side for side in tensors.sides]
    split = [None if side is None else np.moveaxis(side, axis, 0) for side in sides]
    count = tensors.shape[axis]
    boxes = [None if side is None else np.full((5, count), np.nan) for side in split]
    ratios = np.full(count, np.nan)
    for channel in range(count):
        progress.step(channel, count, "Looking at the channels")
        here = [None if side is None else side[channel].reshape(-1) for side in split]
        for box, values in zip(boxes, here, strict=True):
            if box is not None and values is not None:
                box[:, channel] = _box(values)
        if tensors.together and here[0] is not None and here[1] is not None:
            ratios[channel] = _sqnr(here[0], here[1])
    both = tensors.together and None not in (boxes[0] is None, boxes[1] is None)
    found = [None if box is None else Boxes(*box) for box in boxes]
    exact = tensors.size // max(count, 1) <= PER_CHANNEL
    sqnr = ratios if both and found[0] is not None and found[1] is not None else None
    return ChannelView(axis, found[0], found[1], sqnr, _order(sqnr, found), exact)


def _order(sqnr: Doubles | None, sides: "list[Boxes | None]") -> NDArray[np.intp]:
    """The worst ratio first, NaN before all; without ratios the loudest first."""
    if sqnr is not None:
        return np.argsort(np.where(np.isnan(sqnr), -np.inf, sqnr), kind="stable")
    loud = next(side.ranges for side in sides if side is not None)
    return np.argsort(np.where(np.isnan(loud), -np.inf, -loud), kind="stable")


def _box(values: Array) -> Doubles:
    low, high = _ends(values)
    some = values if values.size <= PER_CHANNEL else values[stretches(values.size, PER_CHANNEL)]
    wide = doubles(some)
    wide = wide[np.isfinite(wide)]
    if math.isnan(low) or not len(wide):
        return np.array([low, np.nan, np.nan, np.nan, high])
    return np.array([low, *np.percentile(wide, (25, 50, 75)), high])


def _ends(values: Array) -> tuple[float, float]:
    if not values.size:
        return math.nan, math.nan
    low, high = float(values.min()), float(values.max())
    if math.isfinite(low) and math.isfinite(high):
        return low, high
    fine = values[np.isfinite(values)]
    return (float(fine.min()), float(fine.max())) if fine.size else (math.nan, math.nan)


def _sqnr(reference: Array, candidate: Array) -> float:
    signal = noise = 0.0
    with np.errstate(all="ignore"):
        for start in range(0, reference.size, PIECE):
            r, c = doubles(reference[start : start + PIECE]), doubles(candidate[start : start + PIECE])
            error = c - r
            signal += float(r @ r)
            noise += float(error @ error)
    if math.isnan(noise) or math.isnan(signal) or math.isinf(noise):
        return math.nan
    if noise == 0:
        return math.inf
    return 10 * math.log10(signal / noise) if signal > 0 else -math.inf
