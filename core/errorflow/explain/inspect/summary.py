"""What the values of one side are, and what the errors are, gathered piece by piece."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from errorflow.explain.inspect.ranks import Ranks

Doubles = NDArray[np.float64]
VALUE_PERCENTS = (0.1, 1.0, 25.0, 50.0, 75.0, 99.0, 99.9)
ERROR_PERCENTS = (50.0, 90.0, 99.0, 99.9)


@dataclass(frozen=True, slots=True)
class Summary:
    """Of one side. `low` … `percentiles` are of the finite values; NaN where there are none."""

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
    """Of candidate − reference, where both are finite. `broken` are the other pairs."""

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
class Values:
    """Collects a `Summary`: `feed` all values, and again for as long as `turn` says so."""

    exact: Ranks = field(default_factory=lambda: Ranks(VALUE_PERCENTS))
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
class Errors:
    """Collects an `ErrorSummary` in the same way."""

    exact: Ranks = field(default_factory=lambda: Ranks(ERROR_PERCENTS))
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
