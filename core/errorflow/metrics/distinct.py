"""How many different values a tensor holds, counted in one pass and in bounded memory."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Beyond this, only that there are more.
MOST = 1 << 16
SLOTS_BITS = 16
# Multiplied by it, the upper bits of a pattern depend on all others.
SPREAD = {4: 0x9E3779B1, 8: 0x9E3779B97F4A7C15}


@dataclass(frozen=True, slots=True)
class Distinct:
    """Zeros of both signs are one value, and so are all NaN."""

    count: int
    # There are more than `count`.
    more: bool = False

    def __str__(self) -> str:
        return f"> {self.count:,}" if self.more else f"{self.count:,}"


def counter(dtype: np.dtype[Any]) -> "Patterns | Table | Plain":
    """What counts the values of a tensor of this type."""
    if dtype.itemsize in (1, 2):
        return Patterns(dtype)
    return Table(dtype) if dtype.itemsize in SPREAD else Plain(dtype)


@dataclass(slots=True)
class Patterns:
    """Of one or two bytes: a mark for each pattern that there can be."""

    dtype: np.dtype[Any]
    marks: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        self.marks = np.zeros(1 << (8 * self.dtype.itemsize), np.bool_)

    def feed(self, values: NDArray[Any]) -> None:
        patterns = _native(values).view(f"u{self.dtype.itemsize}").reshape(-1)
        self.marks[patterns.astype(np.intp)] = True

    def found(self) -> Distinct:
        patterns = np.flatnonzero(self.marks).astype(f"u{self.dtype.itemsize}")
        return Distinct(_number(patterns.view(self.dtype.newbyteorder("="))))


@dataclass(slots=True)
class Table:
    """Of four or eight bytes: a table tells quickly that a pattern is known; only the others are sorted."""

    dtype: np.dtype[Any]
    known: NDArray[Any] = field(init=False)
    table: NDArray[Any] = field(init=False)
    waiting: list[NDArray[Any]] = field(default_factory=list)
    more: bool = False

    def __post_init__(self) -> None:
        kind = f"u{self.dtype.itemsize}"
        self.known = np.zeros(0, kind)
        self.table = np.zeros(1 << SLOTS_BITS, kind)
        # An empty slot holds a pattern that belongs into another.
        self.table[0] = 1

    def feed(self, values: NDArray[Any]) -> None:
        if self.more:
            return
        patterns = _native(values).view(self.known.dtype).reshape(-1)
        slots = self._slots(patterns)
        strange = self.table[slots] != patterns
        if not strange.any():
            return
        found = patterns[strange]
        self.table[slots[strange]] = found
        self.waiting.append(found)
        if sum(map(len, self.waiting)) > MOST:
            self._learn()
            self.more = len(self.known) > MOST and self._count() > MOST

    def _learn(self) -> None:
        """Sorts what has come together; what shares its slot with another comes again and again."""
        self.known = np.concatenate([self.known, *self.waiting])
        self.waiting = []
        self.known.sort()
        self.known = self.known[np.concatenate([[True], self.known[1:] != self.known[:-1]])[: len(self.known)]]

    def found(self) -> Distinct:
        if not self.more:
            self._learn()
        count = self._count()
        return Distinct(min(count, MOST), self.more or count > MOST)

    def _count(self) -> int:
        return _number(self.known.view(self.dtype.newbyteorder("=")))

    def _slots(self, patterns: NDArray[Any]) -> NDArray[np.intp]:
        bits = 8 * self.dtype.itemsize
        spread = np.multiply(patterns, patterns.dtype.type(SPREAD[self.dtype.itemsize]))
        np.right_shift(spread, patterns.dtype.type(bits - SLOTS_BITS), out=spread)
        slots: NDArray[np.intp] = spread.astype(np.intp)
        return slots


@dataclass(slots=True)
class Plain:
    """Of any other size."""

    dtype: np.dtype[Any]
    known: NDArray[Any] = field(init=False)
    more: bool = False

    def __post_init__(self) -> None:
        self.known = np.zeros(0, self.dtype)

    def feed(self, values: NDArray[Any]) -> None:
        if not self.more:
            self.known = np.unique(np.concatenate([self.known, values.reshape(-1)]))
            self.more = len(self.known) > MOST

    def found(self) -> Distinct:
        return Distinct(MOST, True) if self.more else Distinct(len(self.known))


def _number(values: NDArray[Any]) -> int:
    """How many different values these are, whose patterns all differ: there are two of zero, and many of NaN."""
    zeros, nan = int(np.count_nonzero(values == 0)), int(np.count_nonzero(values != values))
    return len(values) - max(zeros - 1, 0) - max(nan - 1, 0)


def _native(values: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
