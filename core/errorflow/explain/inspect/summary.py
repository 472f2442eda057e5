"""Summary of the values of one side, and of the errors, gathered piece by piece."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass, field

Doubles = NDArray[np.float64]
VALUE_PERCENTS = (0.1, 1.0, 25.0, 50.0, 75.0, 99.0, 99.9)
ERROR_PERCENTS = (50.0, 90.0, 99.0, 99.9)


@dataclass(frozen=True, slots=True)
class Summary:
    """Summary of one side. `low` … `percentiles` are of the finite values; NaN where there are none."""

    count: int
    nan: int
    plus_infinite: int
    minus_infinite: int
    low: float
    high: float
    mean: float
    deviation: float
    zeros: int
    # Percent and value.
    percentiles: tuple[tuple[float, float], ...]

    @property
    def finite(self) -> int:
        return self.count - self.nan - self.infinite

    @property
    def infinite(self) -> int:
        return self.plus_infinite + self.minus_infinite


@dataclass(frozen=True, slots=True)
class ErrorSummary:
    """Summary of candidate − reference, where both are finite. `broken` are the other pairs."""

    count: int
    broken: int
    # The mean with its sign: what a wrong zero point or bias does.
    bias: float
    mean: float
    low: float
    high: float
    # Of the size of the error: percent and value.
    percentiles: tuple[tuple[float, float], ...]

    @property
    def largest(self) -> float:
        return max(abs(self.low), abs(self.high))


# Exact percentiles of more values than one wants to sort: found in a few passes, in bounded memory.

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
    """Keys that begin with the same bits, how many keys are smaller, and the ranks in it that are looked for."""

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
        """Divides into drawers one step finer in which the ranks are."""
        assert self.counts is not None
        ends = np.cumsum(self.counts)
        finer: dict[int, _Drawer] = {}
        for rank in self.ranks:
            place = int(np.searchsorted(ends, rank - self.below, side="right"))
            below = self.below + int(ends[place] - self.counts[place])
            finer.setdefault(place, _Drawer((self.prefix << _STEP) | place, below)).ranks.append(rank)
        return list(finer.values())


@dataclass(slots=True)
class PercentileFinder:
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
        """Finds a value per percent, between two values as numpy's linear method has it; NaN: there are none."""
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


@dataclass(slots=True)
class _Moments:
    """Mean and variance, of pieces that are put together as Chan has it."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def add(self, values: Doubles) -> None:
        with np.errstate(all="ignore"):
            mean = float(values.mean())
            squares = float(np.square(values - mean).sum())
            total, shift = self.count + len(values), mean - self.mean
            self.squares += squares + shift * shift * self.count * (len(values) / total)
            self.mean += shift * (len(values) / total)
            self.count = total

    @property
    def deviation(self) -> float:
        return math.sqrt(self.squares / self.count) if self.count else math.nan


@dataclass(slots=True)
class ValueCollector:
    """Collects a `Summary`: `feed` all values, and again for as long as `turn` says so."""

    exact: PercentileFinder = field(default_factory=lambda: PercentileFinder(VALUE_PERCENTS))
    low: float = math.inf
    high: float = -math.inf
    _first: bool = True
    _counts: list[int] = field(default_factory=lambda: [0, 0, 0, 0, 0])
    _moments: _Moments = field(default_factory=_Moments)

    def feed(self, values: Doubles, finite: Doubles) -> None:
        self.exact.feed(finite)
        if not self._first:
            return
        self._counts[0] += len(values)
        if len(finite) < len(values):
            for at, found in enumerate((np.isnan(values), values == np.inf, values == -np.inf), 1):
                self._counts[at] += int(np.count_nonzero(found))
        if len(finite):
            self._counts[4] += len(finite) - int(np.count_nonzero(finite))
            self.low, self.high = min(self.low, float(finite.min())), max(self.high, float(finite.max()))
            self._moments.add(finite)

    def turn(self) -> bool:
        self._first = False
        return self.exact.turn()

    def found(self) -> Summary:
        count, nan, plus, minus, zeros = self._counts
        known = self._moments.count > 0
        return Summary(
            count,
            nan,
            plus,
            minus,
            self.low if known else math.nan,
            self.high if known else math.nan,
            self._moments.mean if known else math.nan,
            self._moments.deviation,
            zeros,
            tuple(zip(VALUE_PERCENTS, self.exact.values(), strict=True)),
        )


@dataclass(slots=True)
class ErrorCollector:
    """Collects an `ErrorSummary` in the same way."""

    exact: PercentileFinder = field(default_factory=lambda: PercentileFinder(ERROR_PERCENTS))
    low: float = math.inf
    high: float = -math.inf
    _first: bool = True
    _broken: int = 0
    _count: int = 0
    _sums: list[float] = field(default_factory=lambda: [0.0, 0.0])

    def feed(self, errors: Doubles, broken: int) -> None:
        """Finite errors, and how many pairs have none."""
        sizes = np.abs(errors)
        self.exact.feed(sizes)
        if not self._first:
            return
        self._broken += broken
        self._count += len(errors)
        if len(errors):
            self.low, self.high = min(self.low, float(errors.min())), max(self.high, float(errors.max()))
            with np.errstate(over="ignore"):
                self._sums[0] += float(errors.sum())
                self._sums[1] += float(sizes.sum())

    def turn(self) -> bool:
        self._first = False
        return self.exact.turn()

    def found(self) -> ErrorSummary:
        count = self._count
        bias, mean = (each / count if count else math.nan for each in self._sums)
        low, high = (self.low, self.high) if count else (math.nan, math.nan)
        percentiles = tuple(zip(ERROR_PERCENTS, self.exact.values(), strict=True))
        return ErrorSummary(count, self._broken, bias, mean, low, high, percentiles)
