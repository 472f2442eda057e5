"""Where a recovery curve falls again."""

import numpy as np
import pytest

from curve_values import INF, NAN, curve_of, curves_of
from errorflow.compare.metrics import METRICS
from errorflow.report.curve_lines import curve_lines
from errorflow.study.rank.curves_falls import Fall, fall, fall_of

METRIC = {metric.key: metric for metric in METRICS}


@pytest.mark.parametrize(
    ("metric", "values", "found"),
    [
        # Of the real recogniser of text, in its own measure: three kept are better than the next four.
        ("cosine", [0.30, 0.90, 0.97, 0.88, 0.96], Fall(2, 3)),
        ("sqnr", [5, 20, 12, 15, 24], Fall(1, 2)),
        # The largest one, though a smaller one comes first.
        ("sqnr", [5, 8, 6, 20, 9, 24], Fall(3, 4)),
        # Measured from the best before, however slowly it goes down.
        ("sqnr", [5, 20, 19.6, 19.2, 18.8, 18.4, 24], Fall(1, 5)),
        ("relative_l2", [0.8, 0.2, NAN, 0.3, 0.1], Fall(1, 3)),
        ("sqnr", [20, 5], Fall(0, 1)),
    ],
)
def test_the_largest_fall_is_found(metric: str, values: list[float], found: Fall) -> None:
    assert fall(np.array(values, float), METRIC[metric]) == found


@pytest.mark.parametrize(
    ("metric", "values"),
    [
        ("sqnr", []),
        ("sqnr", [NAN, NAN]),
        ("sqnr", [5, 10, 15, 15, 24]),
        # Less than what other samples may do.
        ("relative_l2", [0.8, 0.2, 0.205, 0.1]),
        # Beyond the good limit nothing is lost.
        ("sqnr", [5, 40, 30, 50]),
        ("sqnr", [5, INF, 40]),
        ("relative_l2", [0.8, 0.0, 1e-3, 0.01]),
    ],
)
def test_there_is_none_where_more_is_never_clearly_worse(metric: str, values: list[float]) -> None:
    assert fall(np.array(values, float), METRIC[metric]) is None


def test_the_terminal_says_so() -> None:
    curve = curve_of([[each] for each in (5.0, 20.0, 12.0, 24.0)], measure="recovery", output="y")
    lines = list(curve_lines(curves_of(curve, kind="recovery", metric="sqnr")))
    assert lines[-1].startswith("  More is not always better: with 1 kept 20.00 dB, with 2 kept 12.00 dB.")


def test_along_the_depth_a_fall_is_none_of_these() -> None:
    curve = curve_of([[20.0], [5.0]])
    curves = curves_of(curve, metric="sqnr")
    assert fall_of(curves, curve, "sqnr") is None
