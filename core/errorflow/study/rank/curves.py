"""Curves of errors: along the depth of a model, or along a ranking of its parts. Plain values, also while they grow.

`sensitivity.cumulative` makes those along the depth, `sensitivity.recovery` those along a ranking, `sensitivity.knee`
says where one of these bends, `report.curve_page` draws them and `report.curve_csv` tabulates them.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass, field, replace
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Metric
from errorflow.quant.plan import Plan
from errorflow.quant.switching import Switch

Doubles = NDArray[np.float64]
Bools = NDArray[np.bool_]
# Along the depth of the model; along a ranking; along a ranking with what each part does alone as marks.
Kind = Literal["cumulative", "recovery", "partial"]
KINDS: tuple[Kind, ...] = ("cumulative", "recovery", "partial")
# What a curve's numbers are: of each tensor in the whole run; of an output with the first parts kept; of an output
# with nothing quantized but one part.
Measure = Literal["accumulated", "recovery", "impact"]
# Through the points, or a mark on each.
Look = Literal["line", "marks"]


@dataclass(frozen=True, slots=True)
class Point:
    """A place on the x axis."""

    # What stands there: of a node the name that plans know it by, of a ranking the part, or "none".
    name: str
    # What is measured there, of a curve along the depth; else "".
    tensor: str = ""
    # Numbers of the nodes of the graph that it stands for, the main one first.
    nodes: tuple[int, ...] = ()
    # Its type of operator, or what the part is, such as `Conv + Relu`.
    type: str = ""


@dataclass(frozen=True, eq=False)
class Curve:
    """Numbers along the points, one for each sample."""

    label: str
    measure: Measure
    # Metrics × points × samples; NaN where nothing was measured, and where the model makes none.
    values: Doubles
    # Points × samples: what was measured.
    done: Bools
    # The tensor that is measured; "": that of each point.
    output: str = ""
    look: Look = "line"
    # The first point that it says something of.
    start: int = 0
    # Points × samples: Σ r² of what is measured, by which samples are put together; empty: not known.
    sizes: Doubles = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def complete(self) -> bool:
        return bool(self.done[self.start :].all())


@dataclass(frozen=True, eq=False)
class Over:
    """A curve in one metric over its samples: a number for each point, NaN where there is none to draw.

    What is NaN or infinite is left out of means and quartiles and counted instead, so that no point moves.
    """

    # Of metrics that powers tell, as if all samples were one large tensor: the mean of relative errors would be that
    # of the samples on which an output is nearly nothing. Of others, and of averages along the points, the mean.
    mean: Doubles
    median: Doubles
    best: Doubles
    worst: Doubles
    # Of the quartiles the better one, and the worse.
    upper: Doubles
    lower: Doubles
    # How many samples were measured; in how many of them the value is no number or infinitely bad; in how many it is
    # infinitely good, as the SQNR of what is exact.
    measured: NDArray[np.int64]
    broken: NDArray[np.int64]
    exact: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Curves:
    """Curves over the same points, as far as they are known."""

    kind: Kind
    plan: Plan
    # Keys of METRICS.
    metrics: tuple[str, ...]
    # Numbers of the bench's samples.
    samples: tuple[int, ...]
    points: tuple[Point, ...]
    curves: tuple[Curve, ...]
    # What the parts along a ranking are put to.
    to: Switch = "float"
    # Whether values are means of all points so far.
    averaged: bool = False
    # Only the parts before the first that is better than this were looked for; None: there was no such wish.
    threshold: float | None = None
    # What was odd, by the label of a curve.
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        return all(curve.complete for curve in self.curves)

    @property
    def share_done(self) -> float:
        parts = [curve.done[curve.start :] for curve in self.curves]
        total = sum(part.size for part in parts)
        return sum(int(part.sum()) for part in parts) / total if total else 1.0

    def metric(self, key: str) -> Metric:
        """The row of one of the curves' metrics."""
        return _METRICS[self.metrics[self.metrics.index(key)]]

    def over(self, curve: Curve, key: str) -> Over:
        """A curve in one metric, over the samples; worked out once."""
        found = self._overs.get((curve, key))
        if found is None:
            found = over(curve.values[self.metrics.index(key)], curve.done, self.metric(key), curve.sizes)
            self._overs[curve, key] = found
        return found

    def pooled(self, key: str) -> bool:
        """Whether samples are put together by their powers, not as a mean."""
        return key in _RATIOS and any(curve.sizes.size for curve in self.curves)

    def baseline(self, key: str) -> float | None:
        """Finds what the float model scores against itself; None where that is infinite."""
        best = self.metric(key).best
        return best if np.isfinite(best) else None

    @cached_property
    def _overs(self) -> dict[tuple[Curve, str], Over]:
        """Values over samples that were computed so far, by curve and metric."""
        return {}

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """Outputs that curves are measured at; none where each point has its own."""
        return tuple(dict.fromkeys(curve.output for curve in self.curves if curve.output))

    def at(self, output: str) -> "Curves":
        """Takes only the curves that are measured there."""
        return replace(self, curves=tuple(curve for curve in self.curves if curve.output == output))

    def by(self, key: str) -> "Curves":
        """Takes only that metric."""
        at = self.metrics.index(key)
        found = tuple(replace(curve, values=curve.values[at : at + 1]) for curve in self.curves)
        return replace(self, metrics=(key,), curves=found, threshold=None if at else self.threshold)

    def average(self) -> "Curves":
        """Each value as the mean of all points up to it, sample by sample; what is no number stays where it is."""
        none = np.zeros((0, 0))
        found = tuple(replace(curve, values=running_mean(curve.values), sizes=none) for curve in self.curves)
        return replace(self, curves=found, averaged=True)


_METRICS = {metric.key: metric for metric in METRICS}
# Those that the powers of error and reference tell.
_RATIOS = ("relative_l2", "sqnr")


def running_mean(values: Doubles, axis: int = -2) -> Doubles:
    """Averages the finite values up to each; what is not finite stays as it is and counts for nothing behind it."""
    fine = np.isfinite(values)
    count = np.cumsum(fine, axis=axis)
    total = np.cumsum(np.where(fine, values, 0.0), axis=axis)
    return np.where(fine, total / np.maximum(count, 1), values)


def over(values: Doubles, done: Bools, metric: Metric, sizes: Doubles | None = None) -> Over:
    """Averages over samples; all arguments are points × samples."""
    fine = np.isfinite(values) & done
    good = np.inf if metric.higher_is_better else -np.inf
    exact = done & (values == good)
    known = np.where(fine, values, np.nan)
    some = fine.any(axis=1)
    mean, low, first, middle, third, high = (np.full(len(values), np.nan) for _ in range(6))
    if some.any():
        mean[some] = np.nanmean(known[some], axis=1)
        for row, found in zip((low, first, middle, third, high), _quartiles(known[some]), strict=True):
            row[some] = found
    if sizes is not None and sizes.shape == values.shape and metric.key in _RATIOS:
        mean = np.where(some, _pooled(values, fine, exact, sizes, metric), np.nan)
    sides = (high, low, third, first) if metric.higher_is_better else (low, high, first, third)
    return Over(mean, middle, *sides, done.sum(axis=1), (done & ~fine & ~exact).sum(axis=1), exact.sum(axis=1))


def _pooled(values: Doubles, fine: Bools, exact: Bools, sizes: Doubles, metric: Metric) -> Doubles:
    """Pools relative errors or decibels as of all samples in one tensor; what is exact adds nothing but its size."""
    with np.errstate(all="ignore"):
        shares = np.where(fine, 10 ** (-values / 10) if metric.higher_is_better else values**2, 0.0)
        ratios = np.sum(shares * sizes, axis=1) / np.sum(np.where(fine | exact, sizes, 0.0), axis=1)
        found: Doubles = -10 * np.log10(ratios) if metric.higher_is_better else np.sqrt(ratios)
    return np.where(np.isfinite(found), found, np.nan)


def _quartiles(known: Doubles) -> Doubles:
    """Lowest, quartiles and highest of each row, of which each has a number.

    As `np.nanpercentile` has them, which takes a row at a time: most of a second for ten thousand.
    """
    ordered = np.sort(known, axis=1)  # NaN is last
    rows = np.arange(len(known))
    last = np.count_nonzero(~np.isnan(known), axis=1) - 1
    found = np.empty((5, len(known)))
    for number, part in enumerate((0.0, 0.25, 0.5, 0.75, 1.0)):
        place = last * part
        below = np.floor(place).astype(np.int64)
        low, high = ordered[rows, below], ordered[rows, np.minimum(below + 1, last)]
        share, step = place - below, high - low
        found[number] = np.where(share < 0.5, low + step * share, high - step * (1 - share))
    return found
