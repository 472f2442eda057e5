"""Curves over samples: means, bands, and what is no number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from curve_values import INF, NAN, curve_of, curves_of
from errorflow.compare.metrics import METRICS
from errorflow.quant.plan import Plan
from errorflow.study.rank.curves import Curve, Curves, Point, over, running_mean

METRIC = {metric.key: metric for metric in METRICS}


def test_a_band_goes_from_the_worst_to_the_best_sample() -> None:
    found = curves_of(curve_of([[0.1, 0.2, 0.3, 0.4, 0.5]])).over(curve_of([[0.1, 0.2, 0.3, 0.4, 0.5]]), "relative_l2")
    numbers = [found.mean, found.median, found.best, found.worst, found.upper, found.lower]
    assert [float(each[0]) for each in numbers] == pytest.approx([0.3, 0.3, 0.1, 0.5, 0.2, 0.4])


def test_of_what_is_better_when_it_is_higher_the_best_is_the_highest() -> None:
    found = over(np.array([[0.9, 0.7]]), np.ones((1, 2), bool), METRIC["cosine"])
    assert (found.best[0], found.worst[0]) == (0.9, 0.7)


@pytest.mark.parametrize(
    ("metric", "value", "broken", "exact"),
    [
        ("relative_l2", NAN, 1, 0),
        ("relative_l2", INF, 1, 0),
        ("sqnr", NAN, 1, 0),
        ("sqnr", -INF, 1, 0),
        ("sqnr", INF, 0, 1),
    ],
)
def test_what_is_not_finite_is_counted_and_not_averaged(metric: str, value: float, broken: int, exact: int) -> None:
    found = over(np.array([[2.0, value], [3.0, 5.0]]), np.ones((2, 2), bool), METRIC[metric])
    assert found.mean.tolist() == [2.0, 4.0]
    assert (found.broken.tolist(), found.exact.tolist()) == ([broken, 0], [exact, 0])


@given(arrays(np.float64, (7, 5), elements=st.one_of(st.just(NAN), st.floats(-1e3, 1e3))))
def test_bands_are_quartiles(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
    values[:, 0] = np.where(np.isnan(values).all(axis=1), 1.0, values[:, 0])
    found = over(values, np.ones(values.shape, bool), METRIC["relative_l2"])
    numbers = np.stack([found.best, found.upper, found.median, found.lower, found.worst])
    np.testing.assert_allclose(numbers, np.nanpercentile(values, (0, 25, 50, 75, 100), axis=1), rtol=1e-12, atol=1e-12)


def test_what_was_worked_out_of_a_curve_is_kept() -> None:
    curve = curve_of([[0.1, 0.2], [0.3, 0.4]])
    curves = curves_of(curve)
    assert curves.over(curve, "relative_l2") is curves.over(curve, "relative_l2")


def test_one_metric_of_several_stays_what_it_was() -> None:
    errors = np.array([[[0.1], [0.2]], [[0.9], [0.8]]])
    curve = Curve("all", "accumulated", errors, np.ones((2, 1), bool))
    curves = Curves("cumulative", Plan(), ("relative_l2", "cosine"), (0,), (Point("a"), Point("b")), (curve,))
    one = curves.by("cosine")
    assert one.metrics == ("cosine",)
    assert one.over(one.curves[0], "cosine").mean.tolist() == curves.over(curve, "cosine").mean.tolist()


def test_a_point_without_any_number_stays_in_its_place() -> None:
    found = over(np.array([[1.0], [NAN], [3.0]]), np.ones((3, 1), bool), METRIC["relative_l2"])
    assert np.isnan(found.mean).tolist() == [False, True, False]
    assert found.measured.tolist() == [1, 1, 1]


def test_what_was_not_measured_is_not_broken() -> None:
    found = over(np.array([[1.0, NAN]]), np.array([[True, False]]), METRIC["relative_l2"])
    assert (found.measured[0], found.broken[0], found.mean[0]) == (1, 0, 1.0)


def test_the_average_is_that_of_all_points_so_far() -> None:
    curve = curve_of([[1.0], [0.9], [0.9], [0.8]])
    found = curves_of(curve, metric="cosine").average()
    assert found.averaged
    assert found.curves[0].values[0, :, 0].tolist() == pytest.approx([1, 0.95, 2.8 / 3, 0.9])


FLOATS = arrays(np.float64, st.integers(1, 30), elements=st.floats(-1e6, 1e6) | st.sampled_from([NAN, INF, -INF]))


@given(FLOATS)
def test_an_average_ends_in_the_mean_and_moves_no_point(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    found = running_mean(values, axis=0)
    fine = np.isfinite(values)
    np.testing.assert_array_equal(found[~fine], values[~fine])
    if fine.any():
        assert found[fine][-1] == pytest.approx(float(values[fine].mean()), rel=1e-9, abs=1e-6)
        assert values[fine].min() - 1e-6 <= found[fine].min() <= found[fine].max() <= values[fine].max() + 1e-6


def test_the_baseline_is_what_float_scores_where_that_is_a_number() -> None:
    assert curves_of(curve_of([[1.0]]), metric="cosine").baseline("cosine") == 1.0
    assert curves_of(curve_of([[1.0]]), metric="sqnr").baseline("sqnr") is None


def test_marks_are_complete_without_what_lies_before_them() -> None:
    line, marks = curve_of([[1.0], [2.0]]), curve_of([[NAN], [2.0]], look="marks", start=1)
    marks.done[0] = False
    found = curves_of(line, marks, kind="partial")
    assert (found.complete, found.share_done) == (True, 1.0)
    line.done[1] = False
    assert not found.complete
    assert found.share_done == pytest.approx(2 / 3)


def test_curves_are_chosen_by_output() -> None:
    found = curves_of(curve_of([[1.0]], output="a"), curve_of([[2.0]], output="b"))
    assert found.outputs == ("a", "b")
    assert [curve.output for curve in found.at("b").curves] == ["b"]
