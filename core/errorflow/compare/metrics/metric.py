"""The row under which a metric stands in `errorflow.compare.metrics.METRICS`: what tables, legends, tooltips need."""

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorflow.base.values import dataclass
from errorflow.compare.metrics.sums import Sums, sums

# Log scales end here: differences below it are none.
FLOOR = 1e-30
# Numbers from here on are shown with an exponent.
LONG = 1e7


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Meaning of a number: its name, which way is better, and its limits."""

    key: str
    label: str
    # In one line; r is the reference, c the candidate.
    formula: str
    higher_is_better: bool
    # What equal tensors score.
    best: float
    # Up to `good` nothing is wrong, from `bad` on everything is; `replace` them to move the limits.
    good: float
    bad: float
    # Whether halfway between the limits is meant in the value or in the magnitude of its distance from `best`.
    scale: Literal["linear", "log"]
    decimals: int
    # When it shows less or more than is there.
    misleads: str
    unit: str = ""
    # What it is called where somebody types it; "": by its key.
    short: str = ""

    def text(self, value: float) -> str:
        """The value as a table shows it; what the decimals cannot show gets an exponent."""
        return f"{self._number(value)} {self.unit}".rstrip().replace("-", "−")

    def limit(self, value: float) -> str:
        """Writes a limit as a legend shows it, such as 0.05, without zeros at the end."""
        return f"{value:zg} {self.unit}".rstrip().replace("-", "−")

    def _number(self, value: float) -> str:
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        number = f"{value:z.{self.decimals}f}"
        fits = abs(value) < LONG and (value == 0 or float(number) != 0)
        return number if fits else f"{value:.2e}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric(Scale):
    """A measure of any two tensors. Call it with a reference and a candidate, or hand `of` the sums of both."""

    of: Callable[[Sums], float]

    def __call__(self, reference: ArrayLike, candidate: ArrayLike) -> float:
        return self.of(sums(reference, candidate))


def badness(metric: Scale, value: float) -> float:
    """0 (good) … 1 (bad) on the metric's own limits. NaN is as bad as it gets."""
    if math.isnan(value):
        return 1.0
    good, bad = distance(metric, metric.good), distance(metric, metric.bad)
    return min(1.0, max(0.0, (distance(metric, value) - good) / (bad - good)))


def places(metric: Scale, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """`badness` of many values, but beyond 0 and 1 where they are better or worse than the limits; NaN stays NaN."""
    linear = metric.scale == "linear"
    found = values if linear else np.log10(np.maximum(np.abs(values - metric.best), FLOOR))
    good, bad = distance(metric, metric.good), distance(metric, metric.bad)
    return (found - good) / (bad - good)


def distance(metric: Scale, value: float) -> float:
    """Measures how far a value is from the best one, in the metric's own sense: of a logarithmic one as a power of
    ten.
    """
    return value if metric.scale == "linear" else math.log10(max(abs(value - metric.best), FLOOR))


def are_limits(metric: Scale, good: float, bad: float) -> bool:
    """Whether numbers can be limits of a metric: finite, told apart, and the good one the better."""
    if not (math.isfinite(good) and math.isfinite(bad)) or (good > bad) != metric.higher_is_better:
        return False
    return distance(metric, good) != distance(metric, bad)
