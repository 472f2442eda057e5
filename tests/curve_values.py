"""Curves with values that a test says."""

from collections.abc import Sequence

import numpy as np

from errorflow.quant.plan import Plan
from errorflow.study.rank.curves import Curve, Curves, Kind, Look, Measure, Point

NAN, INF = float("nan"), float("inf")


def curve_of(
    values: Sequence[Sequence[float]],
    label: str = "weights only",
    measure: Measure = "accumulated",
    output: str = "",
    look: Look = "line",
    start: int = 0,
) -> Curve:
    """`values` are points × samples of the one metric."""
    array = np.array([values], np.float64)
    return Curve(label, measure, array, np.ones(array.shape[1:], bool), output, look, start)


def curves_of(*curves: Curve, kind: Kind = "cumulative", metric: str = "relative_l2", names: str = "") -> Curves:
    count, samples = curves[0].done.shape
    points = tuple(Point(f"{names}/n{at}", f"t{at}", (at,), "Conv") for at in range(count))
    return Curves(kind, Plan(), (metric,), tuple(range(samples)), points, curves)
