"""Sums of products of a piece, channel by channel, in the fastest way that numpy has for its shape."""

from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
# Beyond 10,000 values the library behind numpy adds up in several threads, and all cores have their own work.
LONGEST = 8192
# Shorter rows cost more to begin than to multiply.
SHORTEST = 64
# Rows of at least this length add up fast.
ROW = 1024
SHORT = 16


@dataclass(frozen=True, slots=True)
class Fold:
    """Pieces of one shape, and the axis along which their channels lie; None: all is one channel."""

    outer: int
    channels: int
    inner: int
    # Into how many rows the values of a channel that lie together are cut; 0: there are none of equal, good length.
    parts: int

    def products(self, x: Doubles, y: Doubles, room: Doubles) -> Doubles:
        """Σ x·y of each channel of two flat arrays; `room` is one more, which may be written to."""
        if not self.parts:
            return by_channel(np.multiply(x, y, out=room).reshape(self.outer, self.channels, self.inner), 1)
        shape = (self.outer, self.channels, self.parts, self.inner // self.parts)
        sums: Doubles = np.vecdot(x.reshape(shape), y.reshape(shape)).sum(axis=(0, 2))
        return sums


@lru_cache(maxsize=256)
def fold(shape: tuple[int, ...], place: int | None) -> Fold:
    """How to fold pieces of that shape."""
    if place is None:
        return Fold(1, 1, prod(shape), _parts(prod(shape)))
    inner = prod(shape[place + 1 :])
    return Fold(prod(shape[:place]), shape[place], inner, _parts(inner))


def _parts(inner: int) -> int:
    fewest = -(-inner // LONGEST)
    return next((parts for parts in range(fewest, inner // SHORTEST + 1) if inner % parts == 0), 0)


def by_channel(values: Doubles, axis: int) -> Doubles:
    """Sums over all other axes, without the slow ways that numpy takes where the last axes are short."""
    channels, inner = values.shape[axis], prod(values.shape[axis + 1 :])
    if channels == 1:
        return np.full(1, values.sum())
    outer = values.size // (channels * inner)
    if inner >= SHORT:
        by_inner: Doubles = values.reshape(outer, channels, inner).sum(axis=2)
        by_outer: Doubles = np.add.reduce(by_inner, axis=0)
        return by_outer
    group = max(1, ROW // (channels * inner))
    rows = outer // group
    flat, row = values.reshape(-1), group * channels * inner
    total: Doubles = np.add.reduce(flat[: rows * row].reshape(rows, row), axis=0)
    rest: Doubles = flat[rows * row :]
    return _by_channel(total, channels, inner) + _by_channel(rest, channels, inner)


def _by_channel(values: Doubles, channels: int, inner: int) -> Doubles:
    sums: Doubles = values.reshape(-1, channels, inner).sum(axis=(0, 2))
    return sums
