"""Metrics of how strong the error is, whatever the reference."""

import math

from errorflow.compare.metrics.sums import Sums


def root_mean_square(sums: Sums) -> float:
    """The usual size of an error; it takes large ones more seriously than the mean does."""
    if sums.broken:
        return math.nan
    if not sums.count or not sums.dd.value:
        return 0.0
    try:
        return math.ldexp(math.sqrt(sums.dd.value / sums.count), sums.dd.exponent // 2)
    except OverflowError:
        return math.inf
