"""The candidate's grid: how far apart two neighbouring codes are, and where the grid ends."""

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.compare.metrics.pieces import Piece
from errorflow.graph.qparams import QParams

Doubles = NDArray[np.float64]
# Part of a step that a value may lack to the end of the range and still be the last code, computed in float32.
SLACK = 0.25
# Part of a step by which the reference lies beyond the end before it is more than rounded to it.
ROUNDED = 0.5
# The same for the largest float16, in its last place.
LAST_PLACE = 16.0


@dataclass(frozen=True, slots=True)
class RangeEnds:
    """The lowest and highest value that the candidate can take; None for an end that does not count.

    An end that stands for zero does not count: after a ReLU it is where the values belong.
    """

    low: Doubles | None
    high: Doubles | None
    # How far beyond an end the reference must lie to have been cut off there.
    far: Doubles
    # The axis, in the order of the pieces, along which they differ.
    place: int | None = None

    def reached(self, piece: Piece, least: float, most: float) -> tuple[int, int]:
        """Counts the values of the piece that lie at an end or beyond, given the smallest and the largest of them.

        And of how many of these the reference lies beyond the end.
        """
        count = clipped = 0
        if self.low is not None and not least > self.low.max():
            at = piece.candidate <= along(self.low, piece, self.place)
            count += (found := int(np.count_nonzero(at)))
            if found:
                at &= piece.reference < along(self.low - self.far, piece, self.place)
                clipped += int(np.count_nonzero(at))
        if self.high is not None and not most < self.high.min():
            at = piece.candidate >= along(self.high, piece, self.place)
            count += (found := int(np.count_nonzero(at)))
            if found:
                at &= piece.reference > along(self.high + self.far, piece, self.place)
                clipped += int(np.count_nonzero(at))
        return count, clipped


@dataclass(frozen=True, slots=True)
class StepSizes:
    """Steps: one for the whole tensor, or one per slice along an axis."""

    sizes: Doubles
    place: int | None = None

    def errors(self, piece: Piece, error: Doubles, largest: float, total: float) -> tuple[float, float]:
        """The largest and the sum of the absolute errors, in steps; in the tensor's unit they are known."""
        if self.place is None:
            return largest / float(self.sizes[0]), total / float(self.sizes[0])
        steps = error / along(self.sizes, piece, self.place)
        return float(np.maximum.reduce(steps, axis=None)), float(steps.sum())


def along(values: Doubles, piece: Piece, place: int | None) -> Doubles:
    """Takes one value, or those for the piece, in the shape in which they go with it."""
    if place is None:
        return values
    return values[piece.block[place]].reshape([-1 if axis == place else 1 for axis in range(len(piece.shape))])


def steps_of(
    reference: np.dtype[Any], candidate: NDArray[Any], qparams: QParams | None, order: tuple[int, ...]
) -> StepSizes | None:
    """Finds the steps; None where no step is known, or where codes stand beside real values and the error is none."""
    known = _Grid.of(candidate, qparams)
    if known is None:
        return None
    if candidate.dtype.kind in "iu":
        return StepSizes(np.ones(1)) if reference.kind in "iu" else None
    return StepSizes(known.scales, known.place(order))


def ends_of(candidate: NDArray[Any], qparams: QParams | None, order: tuple[int, ...]) -> RangeEnds | None:
    """The ends of the quantization range, else those of a type that has some: whole numbers and float16."""
    known = _Grid.of(candidate, qparams)
    if known is None:
        return _ends_of_type(candidate.dtype)
    if candidate.dtype.kind in "iu":
        return _ends(np.full(1, float(known.codes[0])), np.full(1, float(known.codes[1])), np.full(1, ROUNDED))
    low, high = ((code - known.zero_points) * known.scales for code in known.codes)
    slack = SLACK * known.scales
    return _ends(low, high, ROUNDED * known.scales, slack, known.place(order))


@dataclass(frozen=True, slots=True)
class _Grid:
    scales: Doubles
    zero_points: Doubles
    codes: tuple[int, int]
    axis: int | None

    @classmethod
    def of(cls, candidate: NDArray[Any], qparams: QParams | None) -> "_Grid | None":
        """Makes the grid; None where there are no parameters, or none that fit the tensor."""
        if qparams is None:
            return None
        scales = np.array(qparams.scales, np.float64)
        zero_points = np.array(qparams.zero_points, np.float64)
        slices = 1 if qparams.axis is None else _length(candidate, qparams.axis)
        if len(scales) != slices or len(zero_points) not in (1, slices):
            return None
        if not all(math.isfinite(scale) and scale > 0 for scale in qparams.scales):
            return None
        return cls(scales, zero_points, (qparams.low, qparams.high), qparams.axis)

    def place(self, order: tuple[int, ...]) -> int | None:
        return None if self.axis is None else order.index(self.axis % len(order))


def _length(array: NDArray[Any], axis: int) -> int:
    return array.shape[axis] if -array.ndim <= axis < array.ndim else -1


@cache
def _ends_of_type(dtype: np.dtype[Any]) -> RangeEnds | None:
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return _ends(np.full(1, float(limits.min)), np.full(1, float(limits.max)), np.full(1, ROUNDED))
    if dtype == np.float16:
        most = np.full(1, float(np.finfo(np.float16).max))
        return _ends(-most, most, np.full(1, LAST_PLACE))
    return None


def _ends(
    low: Doubles, high: Doubles, far: Doubles, slack: Doubles | float = 0.0, place: int | None = None
) -> RangeEnds:
    """Finds the ends. A value this far from one is at it; an end that stands for zero is out of reach."""
    return RangeEnds(
        np.where(low == 0, -np.inf, low + slack) if low.any() else None,
        np.where(high == 0, np.inf, high - slack) if high.any() else None,
        far + slack,
        place,
    )
