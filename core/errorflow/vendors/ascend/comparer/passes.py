"""What the columns of msaccucmp are made of: at most three passes over both tensors in float32, as the tool computes.

Each number has the very bits of the tool's. The tool makes a new array for every step; here all steps of a piece are
made while it is in the cache.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.compare.metrics.halves import to_singles
from errorflow.compare.metrics.rooms import Rooms

# Sums in the order in which numpy adds a whole array up, piece by piece and without making the whole array.
# numpy halves an array of floats, each time at a multiple of 8, until 128 values or fewer are left, and adds the two
# halves. Cut at the same places, pieces that fit into the cache give the same sum to the last bit.
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


Singles = NDArray[np.float32]
# References closer to zero have no relative error.
TINY = np.float32(np.finfo(np.float64).eps)
# As an array: numpy compares two arrays ten times faster than an array and a number.
FLOOR = np.full(LEAF, np.finfo(np.float32).eps)
FLOOR.flags.writeable = False
# Tensors up to this size are converted and brought between 0 and 1 once, larger ones in each pass anew.
KEPT = 1 << 21
# More than a float32 sum of squares is off by: some forty roundings, one after the other, whatever the size.
ROUNDING = 40 * 2.0**-23


@dataclass(slots=True)
class Side:
    """One tensor, converted to float32 where and when a piece of it is needed."""

    values: NDArray[Any]
    rooms: Rooms
    # Its rooms are not those of the other.
    name: str
    squares: np.float32 = field(default_factory=np.float32)
    low: np.float32 = field(default_factory=lambda: np.float32(np.inf))
    high: np.float32 = field(default_factory=lambda: np.float32(-np.inf))
    # In float64.
    mean: np.float64 = field(default_factory=np.float64)
    # Of the values between 0 and 1 that the divergence is computed from.
    share_sum: np.float32 = field(default_factory=np.float32)
    # Whether they are float32 as they lie in memory.
    single: bool = field(init=False)

    def __post_init__(self) -> None:
        if self.values.dtype != np.float32 and len(self.values) <= KEPT:
            whole = np.empty(len(self.values), np.float32)
            for start in range(0, len(whole), LEAF):
                self._convert(self.values[start : start + LEAF], whole[start : start + LEAF])
            self.values = whole
        values = self.values
        self.single = values.dtype == np.float32 and values.dtype.isnative and values.flags.aligned

    def piece(self, start: int, stop: int) -> Singles:
        """Valid until the next one is asked for; not to be written to."""
        values = self.values[start:stop]
        if self.single:
            return values
        return self._convert(values, self.rooms.get(f"{self.name} single", len(values), np.float32))

    def _convert(self, values: NDArray[Any], room: Singles) -> Singles:
        if values.dtype == np.float16:
            to_singles(values, room)
        else:
            # Of complex numbers the tool compares the real parts.
            np.copyto(room, values.real, casting="unsafe")
        return room

    def shares(self, x: Singles, room: Singles) -> Singles:
        """The piece brought between 0 and 1."""
        spread = self.high - self.low
        if spread != 0:
            np.subtract(x, self.low, out=room)
            np.divide(room, spread, out=room)
            x = room
        return np.maximum(x, FLOOR[: len(x)], out=room)

    @property
    def deviation(self) -> np.float64:
        """The standard deviation, in one more pass of its own."""

        def piece(start: int, stop: int) -> Parts:
            d = self.rooms.get("double", stop - start, np.float64)
            np.copyto(d, self.piece(start, stop))
            np.subtract(d, self.mean, out=d)
            return (np.atleast_1d(_sum(np.square(d, out=d))),)

        ((squares,),) = folded(len(self.values), piece)
        return np.float64(np.sqrt(squares / np.intp(len(self.values))))

    @property
    def deviation_bounds(self) -> tuple[float, float]:
        """What the standard deviation lies between, known from the squares without another pass."""
        # Plain floats: with numbers of numpy's this takes longer than a pass over a small tensor.
        squares, square = float(self.squares) / len(self.values), float(self.mean) * float(self.mean)
        low, high = squares * (1 - ROUNDING) - square, squares * (1 + ROUNDING) - square
        return math.sqrt(max(low, 0.0)), math.sqrt(max(high, 0.0))


@dataclass(slots=True)
class Passes:
    """Filled pass by pass; each needs the one before."""

    mine: Side
    golden: Side
    rooms: Rooms
    difference: np.float32 = field(default_factory=np.float32)
    squared_difference: np.float32 = field(default_factory=np.float32)
    max_difference: np.float32 = field(default_factory=lambda: np.float32(-np.inf))
    relative: np.float32 = field(default_factory=np.float32)
    max_relative: np.float32 = field(default_factory=lambda: np.float32(-np.inf))
    # Σ (x / |x|) · (y / |y|)
    cosine: np.float32 = field(default_factory=np.float32)
    divergence: np.float32 = field(default_factory=np.float32)

    @property
    def count(self) -> int:
        return len(self.mine.values)

    def _room(self, size: int) -> Singles:
        return self.rooms.get("room", size, np.float32)

    def _more(self, size: int) -> Singles:
        return self.rooms.get("more", size, np.float32)

    def _shares(self, start: int, stop: int) -> tuple[Singles, Singles]:
        """Where the shares of a piece of mine and golden lie."""
        if self.count > KEPT:
            return self._room(stop - start), self._more(stop - start)
        mine, golden = (self.rooms.get(name, self.count, np.float32) for name in ("mine shares", "golden shares"))
        return mine[start:stop], golden[start:stop]

    def run(self, number: int) -> None:
        """The first `number` passes."""
        if not self.count:
            self.mine.mean = self.golden.mean = np.float64(np.nan)
            return
        for each in (self._differences, self._directions, self._divergence)[:number]:
            each()

    def _differences(self) -> None:
        means = _Mean(self.mine), _Mean(self.golden)

        def piece(start: int, stop: int) -> Parts:
            x, y = self.mine.piece(start, stop), self.golden.piece(start, stop)
            for side, values, mean in ((self.mine, x, means[0]), (self.golden, y, means[1])):
                side.low = np.minimum(side.low, np.minimum.reduce(values))
                side.high = np.maximum(side.high, np.maximum.reduce(values))
                mean.feed(values)
            return (np.array([*self._squares(x, y), *self._distances(x, y), self._relative(x, y)], np.float32),)

        (found,) = folded(self.count, piece)
        self.mine.squares, self.golden.squares, self.difference, self.squared_difference, self.relative = found
        self.mine.mean, self.golden.mean = (mean.end() for mean in means)

    def _squares(self, x: Singles, y: Singles) -> tuple[np.float32, np.float32]:
        room = self._room(len(x))
        return _sum(np.square(x, out=room)), _sum(np.square(y, out=room))

    def _distances(self, x: Singles, y: Singles) -> tuple[np.float32, np.float32]:
        d = np.subtract(x, y, out=self._room(len(x)))
        np.abs(d, out=d)
        self.max_difference = np.maximum(self.max_difference, np.maximum.reduce(d))
        return _sum(d), _sum(np.square(d, out=d))

    def _relative(self, x: Singles, y: Singles) -> np.float32:
        room = self._room(len(x))
        counted = np.abs(y, out=room) > TINY
        r = np.divide(x, y, out=room)
        np.subtract(r, np.float32(1), out=r)
        np.abs(r, out=r)
        if not counted.all():  # all bits of the others are cleared: ten times faster than to choose value by value
            mask = self.rooms.get("mask", len(x), np.int32)
            np.copyto(mask, np.negative(counted.view(np.int8)))
            bits = r.view(np.int32)
            np.bitwise_and(bits, mask, out=bits)
        self.max_relative = np.maximum(self.max_relative, np.maximum.reduce(r))
        total: np.float32 = _sum(r)
        return total

    def _directions(self) -> None:
        norms = np.sqrt(self.mine.squares), np.sqrt(self.golden.squares)

        def piece(start: int, stop: int) -> Parts:
            x, y = self.mine.piece(start, stop), self.golden.piece(start, stop)
            room, more = self._room(len(x)), self._more(len(x))
            product = np.multiply(np.divide(x, norms[0], out=room), np.divide(y, norms[1], out=more), out=room)
            p, q = self._shares(start, stop)
            sums = [_sum(product), _sum(self.mine.shares(x, p)), _sum(self.golden.shares(y, q))]
            return (np.array(sums, np.float32),)

        ((self.cosine, self.mine.share_sum, self.golden.share_sum),) = folded(self.count, piece)

    def _divergence(self) -> None:
        def piece(start: int, stop: int) -> Parts:
            p, q = self._shares(start, stop)
            if self.count > KEPT:  # else they are there still
                self.mine.shares(self.mine.piece(start, stop), p)
                self.golden.shares(self.golden.piece(start, stop), q)
            np.divide(p, self.mine.share_sum, out=p)
            np.divide(q, self.golden.share_sum, out=q)
            np.log(np.divide(p, q, out=q), out=q)
            return (np.array([_sum(np.multiply(p, q, out=p))], np.float32),)

        ((self.divergence,),) = folded(self.count, piece)


@dataclass(slots=True)
class _Mean:
    """In float64, of the values in float32: what is there as such is added up by numpy itself."""

    side: Side
    _cast: CastSum = field(default_factory=CastSum)

    def feed(self, values: Singles) -> None:
        if not self.side.single:
            self._cast.feed(values)

    def end(self) -> np.float64:
        side = self.side
        total = np.add.reduce(side.values, dtype=np.float64) if side.single else self._cast.end()
        return np.float64(total / np.intp(len(side.values)))


def _sum(values: NDArray[Any]) -> Any:
    return np.add.reduce(values)
