"""The largest size that a value has in each channel, sample after sample, without a copy of a large tensor."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.progress import SILENT, Progress
from errorflow.explain.outliers.levels import Doubles

# Values that are looked at together: a megabyte or a few, whatever their type.
PIECE = 1 << 18


class Maxima:
    """Takes one sample after another; NaN and infinite values are left out and counted."""

    def __init__(self, axis: int) -> None:
        self.axis = axis
        self.found: Doubles | None = None
        self.not_finite = 0

    def see(self, values: NDArray[Any], progress: Progress = SILENT) -> bool:
        """False: it has other channels than those before, and is not taken."""
        count = values.shape[self.axis]
        if self.found is None:
            self.found = np.zeros(count)
        if len(self.found) != count:
            return False
        shaped = values.reshape(math.prod(values.shape[: self.axis]), count, -1)
        for piece in _pieces(shaped, progress):
            np.maximum(self.found, self._largest(piece), out=self.found)
        return True

    def _largest(self, piece: NDArray[Any]) -> Doubles:
        low, high = (end.astype(np.float64) for end in (piece.min(axis=(0, 2)), piece.max(axis=(0, 2))))
        largest: Doubles = np.maximum(np.abs(low), np.abs(high))
        if np.isfinite(largest).all():
            return largest
        sizes = np.abs(piece.astype(np.float64))
        finite = np.isfinite(sizes)
        self.not_finite += int(sizes.size - np.count_nonzero(finite))
        found: Doubles = np.where(finite, sizes, 0.0).max(axis=(0, 2))
        return found


def _pieces(shaped: NDArray[Any], progress: Progress) -> Iterator[NDArray[Any]]:
    """Parts with all channels: some samples of a batch whole, or a stretch of the places of one."""
    batch, count, inner = shaped.shape
    together = max(1, PIECE // max(count * inner, 1))
    stretch = max(1, PIECE // max(count, 1)) if together == 1 else max(inner, 1)
    for start in range(0, batch, together):
        for place in range(0, inner, stretch):
            progress.step(0, 0, "Looking at the channels")
            yield shaped[start : start + together, :, place : place + stretch]
