"""Measurements of one tensor in one sample, in several metrics."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.sums import Sums

Doubles = NDArray[np.float64]
_METRICS = {metric.key: metric for metric in METRICS}


def in_metrics(sums: Sums | None, keys: Sequence[str]) -> tuple[Doubles, float]:
    """And Σ r². NaN in all of them where nothing was measured, as the model makes none there."""
    if sums is None:
        return np.full(len(keys), np.nan), 0.0
    with np.errstate(all="ignore"):
        return np.array([_METRICS[key].of(sums) for key in keys], np.float64), float(sums.rr)
