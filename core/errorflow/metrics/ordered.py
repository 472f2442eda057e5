"""Sums in the order in which numpy adds a whole array up, piece by piece and without making the whole array.

numpy halves an array of floats, each time at a multiple of 8, until 128 values or fewer are left, and adds the two
halves. Cut at the same places, pieces that fit into the cache give the same sum to the last bit.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
# Some sums of one piece, of any float types.
Parts = tuple[NDArray[np.floating[Any]], ...]

# The largest piece: the four float32 arrays that are at work on it stay in the cache of a core. At least 128.
LEAF = 1 << 16
# numpy casts an array that it adds up in another type in chunks of this size, and adds their sums one after the other.
CHUNK = 8192


def folded(count: int, piece: Callable[[int, int], Parts]) -> Parts:
    """The sums that `piece(start, stop)` gives of the pieces of an array of `count` values, added up in that order."""
    return _folded(0, count, piece)


def _folded(start: int, count: int, piece: Callable[[int, int], Parts]) -> Parts:
    if count <= LEAF:
        return piece(start, start + count)
    half = count // 2
    half -= half % 8
    left, right = _folded(start, half, piece), _folded(start + half, count - half, piece)
    return tuple(one + other for one, other in zip(left, right, strict=True))


@dataclass(slots=True)
class CastSum:
    """What `np.add.reduce(values, dtype=np.float64)` gives of the narrower values that were fed, piece by piece."""

    total: np.float64 = field(default_factory=np.float64)
    _chunk: Doubles = field(default_factory=lambda: np.empty(CHUNK))
    _filled: int = 0

    def feed(self, values: NDArray[Any]) -> None:
        while len(values):
            taken = min(CHUNK - self._filled, len(values))
            self._chunk[self._filled : self._filled + taken] = values[:taken]
            self._filled += taken
            values = values[taken:]
            if self._filled == CHUNK:
                self._add()

    def end(self) -> np.float64:
        if self._filled:
            self._add()
        return self.total

    def _add(self) -> None:
        self.total = self.total + np.add.reduce(self._chunk[: self._filled])
        self._filled = 0
