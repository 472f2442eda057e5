"""Knee of a recovery curve, behind which each further part gains little.

The rule: heights are the metric's own (decibels, or powers of ten nearer to the best), and end at its good limit, up to
which nothing is wrong: what is gained beyond has no use. A chord goes from the first point to the highest one, of
several to the last; the knee is the point that lies highest above it, the first of several. There is none where less
is gained than a tenth of the way from the bad limit to the good one, as in a healthy model, or where no point lies
higher above the chord than a tenth of the gain, as on a straight line. What was not measured or is no number takes no
part in it.
"""

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.compare.metrics.metric import Metric
from errorflow.study.rank.curves import Curve, Curves, Over
from errorflow.study.rank.curves_heights import exact, heights

Doubles = NDArray[np.float64]
# Above the chord, as a share of the gain; and the gain, as a share of the way between the limits.
LEAST, LEAST_GAIN = 0.1, 0.1


@dataclass(frozen=True, slots=True)
class Knee:
    """Knee of a curve. `at` is the number of the point: of a recovery curve, how many parts are kept there."""

    at: int
    # The metric there, over all samples.
    value: float
    # Of the gain from the first point to the highest one, so much is reached.
    share: float
    # Both neighbours were measured: more points in between cannot move it.
    settled: bool


def knee(values: Doubles, metric: Metric) -> Knee | None:
    """Finds the knee by the values of all points; NaN where nothing is known yet, or what is known is no number."""
    bad, good = (float(each) for each in heights(np.array([metric.bad, metric.good]), metric))
    up = np.where(exact(values, metric), good, np.minimum(heights(values, metric), good))
    known = np.flatnonzero(~np.isnan(up))
    if len(known) < 3:
        return None
    first, best = int(known[0]), int(known[len(known) - 1 - np.argmax(up[known][::-1])])
    gain = float(up[best] - up[first])
    if gain < LEAST_GAIN * (good - bad):
        return None
    inside = known[known <= best]
    above = (up[inside] - up[first]) / gain - (inside - first) / (best - first)
    place = int(np.argmax(above))
    if above[place] < LEAST:
        return None
    at = int(inside[place])
    around = [each for each in (at - 1, at + 1) if 0 <= each < len(values)]
    settled = not np.isnan(values[around]).any()
    return Knee(at, float(values[at]), float((up[at] - up[first]) / gain), settled)


def knee_of(curves: Curves, curve: Curve, key: str) -> Knee | None:
    """Finds the knee of a curve in one metric, over all samples; None for one that is not along a ranking."""
    if curve.measure != "recovery" or curves.averaged:
        return None
    metric = curves.metric(key)
    return knee(_with_exact(curves.over(curve, key), metric), metric)


def _with_exact(over: Over, metric: Metric) -> Doubles:
    """Takes what is exact in all samples for as good as can be."""
    best = (over.exact > 0) & (over.exact == over.measured)
    return np.where(np.isnan(over.mean) & best, metric.best, over.mean)
