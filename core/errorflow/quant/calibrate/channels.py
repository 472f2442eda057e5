"""Ends of the values of each channel: one scale for a whole tensor is that of its loudest channel."""

import math

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass

Singles = NDArray[np.float32]
MOST = 1 << 14
# Behind the channels: so few values of each are turned to the front before they are looked at.
_FEW = 16


@dataclass(frozen=True, slots=True)
class Loudness:
    """Cost of one scale for all channels; widths are those of the ranges with zero in them."""

    channels: int
    # The widest channel over the median one, of those that are not always zero.
    ratio: float
    # By how many bits the median channel's own scale would be finer than that of the tensor.
    bits_lost: float


class ChannelEnds:
    """The smallest and the largest value of each channel, sample by sample."""

    def __init__(self, last: bool) -> None:
        """`last`: channels are the last axis; else the second one, of two the last as well."""
        self._last = last
        self._broken = False
        # Of finite values; the other way round in channels that had none.
        self.lows: Singles = np.zeros(0, np.float32)
        self.highs: Singles = np.zeros(0, np.float32)
        self.axis: int | None = None

    def see(self, values: Singles, *, finite: bool) -> None:
        """`finite`: all are."""
        axis = self._axis(values.shape)
        if axis is None or self._broken or (self.axis is not None and (axis, values.shape[axis]) != self._form):
            self.forget()
            return
        shaped = values.reshape(math.prod(values.shape[:axis]), values.shape[axis], -1)
        lows, highs = _ends(shaped) if finite else _finite_ends(shaped)
        if self.axis is None:
            self.axis, self.lows, self.highs = axis, lows, highs
        else:
            self.lows, self.highs = np.minimum(self.lows, lows), np.maximum(self.highs, highs)

    def forget(self) -> None:
        """A tensor without channels, or with others in each sample."""
        self._broken, self.axis = True, None

    @property
    def _form(self) -> tuple[int | None, int]:
        return self.axis, len(self.lows)

    def _axis(self, shape: tuple[int, ...]) -> int | None:
        if len(shape) < 2 or not all(shape):
            return None
        axis = len(shape) - 1 if self._last or len(shape) == 2 else 1
        return axis if shape[axis] <= MOST else None

    def known(self) -> tuple[Singles, Singles] | None:
        """Reads both ends; channels without a finite value are always zero. None: the tensor has no channels."""
        if self.axis is None:
            return None
        seen = self.lows <= self.highs
        return np.where(seen, self.lows, np.float32(0)), np.where(seen, self.highs, np.float32(0))


def loudness(lows: Singles, highs: Singles) -> Loudness:
    """Measures loudness by the ends of all channels."""
    tops, bottoms = (np.maximum(highs, 0).astype(np.float64), np.minimum(lows, 0).astype(np.float64))
    widths = tops - bottoms
    widths = widths[widths > 0]
    if not widths.size:
        return Loudness(len(lows), 1.0, 0.0)
    median = float(np.median(widths))
    whole = float(tops.max() - bottoms.min())
    return Loudness(len(lows), float(widths.max()) / median, math.log2(whole / median))


def _ends(shaped: Singles) -> tuple[Singles, Singles]:
    if shaped.shape[2] == 1:
        flat = shaped[:, :, 0]
        return flat.min(axis=0), flat.max(axis=0)
    if shaped.shape[2] <= _FEW:
        turned = np.ascontiguousarray(shaped.transpose(0, 2, 1)).reshape(-1, shaped.shape[1])
        return turned.min(axis=0), turned.max(axis=0)
    return shaped.min(axis=(0, 2)), shaped.max(axis=(0, 2))


def _finite_ends(shaped: Singles) -> tuple[Singles, Singles]:
    finite = np.isfinite(shaped)
    low = np.min(shaped, axis=(0, 2), initial=np.float32(np.inf), where=finite)
    high = np.max(shaped, axis=(0, 2), initial=np.float32(-np.inf), where=finite)
    return low, high
