"""Exact percentiles of more values than one wants to sort: found in a few passes, in bounded memory."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
Keys = NDArray[np.uint64]
# So many values are kept and sorted; as long as there are more, they are told apart by 16 more of their bits.
KEPT = 1 << 20
_STEP, _ALL = 16, 64
_SIGN = np.uint64(1 << 63)
_BINS = 1 << _STEP


def keys_of(values: Doubles) -> Keys:
    """Whole numbers in the order of the values, which are finite and have no negative zero."""
    bits: Keys = values.view(np.uint64)
    keys: Keys = np.where(bits & _SIGN, ~bits, bits | _SIGN)
    return keys


def value_of(key: int) -> float:
    """The way back."""
    bits = key ^ (1 << 63) if key >> 63 else ~key & ((1 << 64) - 1)
    return float(np.array([bits], np.uint64).view(np.float64)[0])


@dataclass(slots=True)
class _Drawer:
    """All keys that begin with the same bits, how many keys are smaller, and the ranks in it that are looked for."""

    prefix: int
    below: int = 0
    ranks: list[int] = field(default_factory=list)
    counts: NDArray[np.int64] | None = None
    kept: list[Keys] = field(default_factory=list)

    def count(self, keys: Keys, depth: int) -> None:
        places = ((keys >> np.uint64(_ALL - depth - _STEP)) & np.uint64(_BINS - 1)).astype(np.intp)
        found = np.bincount(places, minlength=_BINS)
        self.counts = found if self.counts is None else self.counts + found

    def divided(self) -> list["_Drawer"]:
        """Those one step finer in which the ranks are."""
        assert self.counts is not None
        ends = np.cumsum(self.counts)
        finer: dict[int, _Drawer] = {}
        for rank in self.ranks:
            place = int(np.searchsorted(ends, rank - self.below, side="right"))
            below = self.below + int(ends[place] - self.counts[place])
            finer.setdefault(place, _Drawer((self.prefix << _STEP) | place, below)).ranks.append(rank)
        return list(finer.values())


@dataclass(slots=True)
class Ranks:
    """Is fed all values once per pass, until `turn` says that all is found."""

    percents: Sequence[float]
    count: int = 0
    _depth: int = 0
    _keeps: bool = False
    _done: bool = False
    _drawers: list[_Drawer] = field(default_factory=lambda: [_Drawer(0)])
    _found: dict[int, float] = field(default_factory=dict)

    def feed(self, values: Doubles) -> None:
        """Finite values without a negative zero; nothing happens when all is found."""
        if self._done or not len(values):
            return
        keys = keys_of(values)
        if not self._depth:
            self.count += len(keys)
        heads = keys >> np.uint64(_ALL - self._depth) if self._depth else None
        for drawer in self._drawers:
            mine = keys if heads is None else keys[heads == np.uint64(drawer.prefix)]
            if self._keeps:
                drawer.kept.append(mine)
            else:
                drawer.count(mine, self._depth)

    def turn(self) -> bool:
        """Ends a pass. True: another is needed."""
        if self._done or not self.count:
            self._done = True
        elif self._keeps:
            self._sort()
        else:
            self._divide()
        return not self._done

    def values(self) -> tuple[float, ...]:
        """One per percent, between two values as numpy's linear method has it; NaN: there are none."""
        return tuple(map(self._value, self.percents))

    def _divide(self) -> None:
        if not self._depth:
            self._drawers[0].ranks = sorted({rank for percent in self.percents for rank in self._places(percent)[:2]})
        counts = [drawer.counts for drawer in self._drawers]
        finer = [drawer.divided() for drawer in self._drawers]
        held = 0
        for count, drawers in zip(counts, finer, strict=True):
            held += 0 if count is None else sum(int(count[drawer.prefix & (_BINS - 1)]) for drawer in drawers)
        self._drawers = [drawer for drawers in finer for drawer in drawers]
        self._depth += _STEP
        if self._depth == _ALL:
            self._found = {rank: value_of(drawer.prefix) for drawer in self._drawers for rank in drawer.ranks}
            self._done = True
        self._keeps = held <= KEPT

    def _sort(self) -> None:
        for drawer in self._drawers:
            keys = np.sort(np.concatenate(drawer.kept))
            for rank in drawer.ranks:
                self._found[rank] = value_of(int(keys[rank - drawer.below]))
        self._drawers, self._done = [], True

    def _places(self, percent: float) -> tuple[int, int, float]:
        """The ranks below and above, and how far between them."""
        place = (self.count - 1) * (percent / 100)
        below = min(math.floor(place), self.count - 1)
        return below, min(below + 1, self.count - 1), place - below

    def _value(self, percent: float) -> float:
        if not self.count:
            return math.nan
        below, above, share = self._places(percent)
        low, high = self._found[below], self._found[above]
        gap = high - low
        if math.isinf(gap):
            return low * (1 - share) + high * share
        return low + gap * share if share < 0.5 else high - gap * (1 - share)
