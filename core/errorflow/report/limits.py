"""The line along which limits are moved: wider than the limits, in the metric's own sense of distance."""

import math

from errorflow.base.values import dataclass, replace
from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.metric import Scale, are_limits, distance

# How far the line goes beyond both limits, as a share of the way between them.
_BEYOND = 0.75
# How near to each other limits may come, as a share of the line.
_APART = 0.02
# So many digits of what is set by hand are kept.
_DIGITS = 2
# One press of a key, as a share of the line.
STEP = 0.01


@dataclass(frozen=True, slots=True)
class LimitAxis:
    """Axis from its left end, where all is good, to its right end. A place on it is a number from 0 to 1."""

    scale: Scale
    # In the metric's distance.
    left: float
    right: float

    @classmethod
    def of(cls, scale: Scale) -> "LimitAxis":
        """Makes an axis so long that the metric's own limits lie on it, too."""
        usual = next((each for each in MEASURES if each.key == scale.key), scale)
        ends = [distance(each, value) for each in (scale, usual) for value in (each.good, each.bad)]
        good, bad = ends[2:]
        beyond = (bad - good) * _BEYOND
        ends = [*ends, good - beyond, bad + beyond]
        outer = (min(ends), max(ends)) if bad > good else (max(ends), min(ends))
        return cls(scale, *outer)

    def with_limits(self, scale: Scale) -> "LimitAxis":
        """The same line with the limits elsewhere on it."""
        return replace(self, scale=scale)

    def place(self, value: float) -> float:
        """Within the line, where a value lies."""
        share = (distance(self.scale, value) - self.left) / (self.right - self.left)
        return min(max(share, 0.0), 1.0)

    @property
    def good(self) -> float:
        return self.place(self.scale.good)

    @property
    def bad(self) -> float:
        return self.place(self.scale.bad)

    def value(self, place: float) -> float:
        """The round value nearest to a place."""
        return _round(self.scale, self.left + (self.right - self.left) * min(max(place, 0.0), 1.0))

    def moved(self, which: str, place: float) -> tuple[float, float]:
        """Moves both limits after the one ("good" or "bad") was put somewhere; it stops in front of the other."""
        if which == "good":
            return self.value(min(place, self.bad - _APART)), self.scale.bad
        return self.scale.good, self.value(max(place, self.good + _APART))


def typed(scale: Scale, which: str, text: str) -> tuple[float, float] | None:
    """Parses both limits after one was typed; None: that is no number, or beyond the other one."""
    try:
        value = float(text.replace("−", "-").replace(",", ".").removesuffix(scale.unit).strip())
    except ValueError:
        return None
    limits = (value, scale.bad) if which == "good" else (scale.good, value)
    return limits if are_limits(scale, *limits) else None


def _round(scale: Scale, distance: float) -> float:
    if scale.scale == "linear":
        return _short(distance, abs(scale.good - scale.bad))
    away = float(f"{10**distance:.{_DIGITS}g}")
    # As text: 1 − 0.001 is to be 0.999 and nothing beside it.
    return float(f"{scale.best - away if scale.higher_is_better else scale.best + away:.12g}")


def _short(value: float, span: float) -> float:
    """Rounds to as many decimals as tell hundredths of the span."""
    return round(value, max(0, _DIGITS - math.floor(math.log10(span))) if span > 0 else _DIGITS)
