"""Falls of a recovery curve: more parts are kept, and the error is larger than before.

A search that halves takes for granted that this is never so; on real models it often is, since errors of parts may
cancel each other.
"""

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.compare.metrics.metric import Metric
from errorflow.study.rank.curves import Curve, Curves
from errorflow.study.rank.curves_heights import exact, heights

Doubles = NDArray[np.float64]
# Of the way between the metric's limits: an error that is a tenth larger. Less may be the samples that were taken.
LEAST = 0.05


@dataclass(frozen=True, slots=True)
class Fall:
    """The numbers of two points: the best one before, and the one behind that lies lowest below it."""

    before: int
    after: int


def fall(values: Doubles, metric: Metric) -> Fall | None:
    """The largest one; of what is beyond the good limit nothing is lost."""
    bad, good = (float(each) for each in heights(np.array([metric.bad, metric.good]), metric))
    up = np.where(exact(values, metric), good, np.minimum(heights(values, metric), good))
    known = np.flatnonzero(~np.isnan(up))
    if not len(known):
        return None
    highest = np.maximum.accumulate(up[known])
    place = int(np.argmax(highest - up[known]))
    if highest[place] - up[known][place] < LEAST * (good - bad):
        return None
    return Fall(int(known[np.argmax(up[known] == highest[place])]), int(known[place]))


def fall_of(curves: Curves, curve: Curve, key: str) -> Fall | None:
    """Finds the fall of a curve in one metric, over all samples; None for one that is not along a ranking."""
    if curve.measure != "recovery" or curves.averaged:
        return None
    return fall(curves.over(curve, key).mean, curves.metric(key))
