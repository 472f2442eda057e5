"""The vertical axis of curves: from numbers of a metric to heights, with what has no height at its ends."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorflow.compare.metrics.metric import Metric
from errorflow.explain.inspect.figure import nice, number_text
from errorflow.study.rank.curves import Curves, Over
from errorflow.study.rank.curves_heights import exact

Doubles = NDArray[np.float64]
# Room above and below all values; the least span, in decades and in units of a linear metric's limits.
_ROOM, _LEAST_DECADES, _LEAST_PART = 0.06, 0.6, 0.05
# Decades that are shown at most, from the worst on.
_MOST_DECADES = 7.0
# From so many decades on only powers of ten are written.
_FEW, _DIGITS = 3.0, (1, 2, 5)
_EXPONENT = -4


@dataclass(frozen=True, slots=True)
class Vertical:
    """Higher numbers are higher. Of a metric that is read in powers of ten, equal steps are equal factors of the
    distance from the best value, unless `linear`."""

    metric: Metric
    linear: bool
    low: float
    high: float

    @classmethod
    def of(cls, curves: Curves, key: str, linear: bool = False) -> "Vertical":
        metric = curves.metric(key)
        plain = linear or metric.scale == "linear"
        blank = cls(metric, plain, 0.0, 1.0)
        overs = [(curve, curves.over(curve, key)) for curve in curves.curves]
        values = [blank.raised(over.mean) for _, over in overs]
        if sum(curve.look == "line" for curve in curves.curves) == 1:  # else no bands are drawn
            values += [blank.raised(side) for curve, over in overs if curve.look == "line" for side in _band(over)]
        if curves.threshold is not None and key == curves.metrics[0]:
            values.append(blank.raised(np.array([curves.threshold])))
        if not any(np.isfinite(side).any() for side in values):
            values = [blank.raised(np.array([metric.good, metric.bad]))]
        return cls(metric, plain, *_ends(values, metric, plain))

    def raised(self, values: Doubles) -> Doubles:
        """Places on the axis, NaN for what has none: no number, infinite, or exact where that is infinitely far."""
        with np.errstate(all="ignore"):
            if self.linear:
                return np.where(np.isfinite(values), values, np.nan)
            away = np.log10(np.abs(values - self.metric.best))
            found = -away if self.metric.higher_is_better else away
            return np.where(np.isfinite(values) & ~exact(values, self.metric), found, np.nan)

    def shares(self, values: Doubles) -> Doubles:
        """0 at the foot, 1 at the head; what lies beyond stands there."""
        found: Doubles = np.clip((self.raised(values) - self.low) / (self.high - self.low), 0.0, 1.0)
        return found

    @property
    def good_end(self) -> float:
        """The share at which the best is."""
        return 1.0 if self.metric.higher_is_better else 0.0

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Shares, and the numbers there."""
        rows = self._linear_ticks(most) if self.linear else self._decades(most)
        span = self.high - self.low
        return [((at - self.low) / span, text) for at, text in rows if self.low <= at <= self.high]

    def _linear_ticks(self, most: int) -> list[tuple[float, str]]:
        step = nice((self.high - self.low) / most)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [(at * step, number_text(at * step, step)) for at in range(first, last + 1)]

    def _decades(self, most: int) -> list[tuple[float, str]]:
        better = self.metric.higher_is_better
        near, far = (-self.high, -self.low) if better else (self.low, self.high)
        every = max(1, math.ceil((far - near) / most))
        digits = _DIGITS if far - near < _FEW and len(_DIGITS) * (far - near) <= most else (1,)
        found = []
        for power in range(math.floor(near) - 1, math.ceil(far) + 1):
            for digit in digits if power % every == 0 else ():
                away = math.log10(digit) + power
                found.append((-away if better else away, self._text(digit, power)))
        return found

    def _text(self, digit: int, power: int) -> str:
        away = f"{digit}e{power}" if power < _EXPONENT else f"{digit * 10.0**power:.{max(0, -power)}f}"
        if not self.metric.best:
            return away.replace("-", "−")
        if power < -8:
            return f"{self.metric.best:g} − {away}".replace("e-", "e−")
        sign = -1 if self.metric.higher_is_better else 1
        number = self.metric.best + sign * digit * 10.0**power
        return f"{number:.{max(0, -power)}f}".replace("-", "−")


def _band(over: Over) -> tuple[Doubles, Doubles]:
    """The middle half: what lies further out may be cut off."""
    return over.upper, over.lower


def _ends(values: Iterable[Doubles], metric: Metric, linear: bool) -> tuple[float, float]:
    every = np.concatenate([np.zeros(0), *(side.ravel() for side in values)])
    known = every[np.isfinite(every)]
    least = _LEAST_PART * abs(metric.good - metric.bad) if linear else _LEAST_DECADES
    low, high = float(known.min()), float(known.max())
    if not linear and high - low > _MOST_DECADES:
        low, high = (low, low + _MOST_DECADES) if metric.higher_is_better else (high - _MOST_DECADES, high)
    if high - low < least:
        middle = (low + high) / 2
        low, high = middle - least / 2, middle + least / 2
    room = _ROOM * (high - low)
    return low - room, high + room
