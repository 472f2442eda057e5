"""A tensor channel by channel: ranges and quartiles of both sides, and how much of each channel the error takes."""

import math

import numpy as np
from numpy.typing import NDArray

from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.explain.inspect.tensors import PIECE, Array, Tensors, doubles, stretches

Doubles = NDArray[np.float64]
# Values of a channel that its quartiles are made of, fewer where there are many channels; its ends are exact.
MOST_VALUES, FEWEST_VALUES, ALL_VALUES = 1 << 14, 1 << 10, 1 << 21
MOST_CHANNELS = 1 << 14
# Values of neighbouring channels that are copied together.
TOGETHER = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Boxes of one side, each per channel: the smallest finite value, quartiles, the largest; NaN where there is
    none.
    """

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
    """Lists the axes along which there can be channels."""
    return tuple(axis for axis, size in enumerate(shape) if 1 < size <= MOST_CHANNELS)


def channel_view(tensors: Tensors, axis: int, progress: Progress = SILENT) -> ChannelView:
    """A few channels are in memory as float64 at a time, or a part of one."""
    split = [
        None if side is None or side.shape != tensors.shape else np.moveaxis(side, axis, 0) for side in tensors.sides
    ]
    count = tensors.shape[axis]
    boxes = [None if side is None else np.full((5, count), np.nan) for side in split]
    ratios = np.full(count, np.nan)
    enough = max(FEWEST_VALUES, min(MOST_VALUES, ALL_VALUES // max(count, 1)))
    together = max(1, min(count, TOGETHER * count // max(tensors.size, 1)))
    for start in range(0, count, together):
        progress.step(start, count, "Looking at the channels")
        # Copied together where they lie apart: alone, each would be gathered from all over the memory.
        block = [None if side is None else np.ascontiguousarray(side[start : start + together]) for side in split]
        _look(block, start, enough, boxes, ratios if tensors.together else None)
    found = [None if box is None else Boxes(*box) for box in boxes]
    exact = tensors.size // max(count, 1) <= enough
    sqnr = ratios if tensors.together and found[0] is not None and found[1] is not None else None
    return ChannelView(axis, found[0], found[1], sqnr, _order(sqnr, found), exact)


def _look(
    block: list[Array | None], start: int, enough: int, boxes: list[Doubles | None], ratios: Doubles | None
) -> None:
    """Fills in what some channels are, from `start` on."""
    for box, side in zip(boxes, block, strict=True):
        if box is not None and side is not None:
            for at, values in enumerate(side):
                box[:, start + at] = _box(np.asarray(values).reshape(-1), enough)
    reference, candidate = block
    if ratios is not None and reference is not None and candidate is not None:
        for at in range(len(reference)):
            ratios[start + at] = _sqnr(np.asarray(reference[at]).reshape(-1), np.asarray(candidate[at]).reshape(-1))


def _order(sqnr: Doubles | None, sides: "list[Boxes | None]") -> NDArray[np.intp]:
    """The worst ratio first, NaN before all; without ratios the loudest first."""
    if sqnr is not None:
        return np.argsort(np.where(np.isnan(sqnr), -np.inf, sqnr), kind="stable")
    loud = next(side.ranges for side in sides if side is not None)
    return np.argsort(np.where(np.isnan(loud), -np.inf, -loud), kind="stable")


def _box(values: Array, enough: int) -> Doubles:
    low, high = _ends(values)
    some = values if values.size <= enough else values[stretches(values.size, enough)]
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
