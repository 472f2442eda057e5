"""Values of a tensor in several metrics, and their heights along a line on which equal steps are equal gains."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Metric
from errorflow.compare.metrics.sums import Sums

Doubles = NDArray[np.float64]
# Nearer to the best value than this nothing was coded: what is left is how numbers are added up.
EXACT = 1e-12
_METRICS = {metric.key: metric for metric in METRICS}


def heights(values: Doubles, metric: Metric) -> Doubles:
    """Better is higher: decibels, or how many powers of ten nearer to the best. NaN where a value has no place on it,
    as it is no number, infinite or exact."""
    with np.errstate(all="ignore"):
        if metric.scale == "linear":
            return np.where(np.isfinite(values), values if metric.higher_is_better else -values, np.nan)
        away = np.abs(values - metric.best)
        return np.where(np.isfinite(away) & (away > EXACT), -np.log10(away), np.nan)


def exact(values: Doubles, metric: Metric) -> NDArray[np.bool_]:
    """Marks values as good as can be, which are beyond the end of such a line."""
    with np.errstate(invalid="ignore"):
        found: NDArray[np.bool_] = (values == metric.best) | (np.abs(values - metric.best) <= EXACT)
    return found


def in_metrics(sums: Sums | None, keys: Sequence[str]) -> tuple[Doubles, float]:
    """And Σ r². NaN in all of them where nothing was measured, as the model makes none there."""
    if sums is None:
        return np.full(len(keys), np.nan), 0.0
    with np.errstate(all="ignore"):
        return np.array([_METRICS[key].of(sums) for key in keys], np.float64), float(sums.rr)
