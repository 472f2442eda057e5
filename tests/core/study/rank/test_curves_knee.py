"""Where a recovery curve bends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curve_values import INF, NAN, curve_of, curves_of
from errorflow.compare.metrics import METRICS
from errorflow.study.rank.curves_knee import LEAST, knee, knee_of

METRIC = {metric.key: metric for metric in METRICS}
SQNR, RELATIVE, COSINE = METRIC["sqnr"], METRIC["relative_l2"], METRIC["cosine"]


@pytest.mark.parametrize(
    ("metric", "values", "at"),
    [
        ("sqnr", [5, 28, 30, 31, 32, INF], 1),
        ("sqnr", [5, 6, 30, 31, 32, 33], 2),
        ("relative_l2", [0.9, 0.5, 0.011, 0.01, 0.009, 0.0], 2),
        ("cosine", [0.6, 0.9999, 0.99991, 0.99992, 1.0], 1),
        ("sqnr", [5, NAN, 30, 30.5, 31], 2),
        ("sqnr", [5, INF, INF, INF], 1),
        # What is gained far beyond the good limit moves no knee.
        ("sqnr", [-2, 94, 99, 114, 120], 1),
    ],
)
def test_the_knee_is_where_the_gain_ends(metric: str, values: list[float], at: int) -> None:
    found = knee(np.array(values, float), METRIC[metric])
    assert found is not None
    assert (found.at, found.value) == (at, values[at])


@pytest.mark.parametrize(
    "values",
    [
        [],
        [5.0, 30.0],
        [5.0, 10.0, 15.0, 20.0],
        [30.0, 20.0, 10.0],
        [7.0, 7.0, 7.0, 7.0],
        [5.0, 5.1, 5.2, 30.0],
        [NAN, NAN, NAN],
        [94.0, 108.0, 110.0, 120.0],
        # Good from the start, and nearly so.
        [27.0, 40.0, 42.0, 43.0],
        [24.5, 26.0, 27.0, 28.0],
    ],
)
def test_there_is_none_where_the_curve_has_none(values: list[float]) -> None:
    assert knee(np.array(values, float), SQNR) is None


def test_a_curve_that_falls_again_has_its_knee_before_its_best_point() -> None:
    found = knee(np.array([0.2, 7.0, 8.0, 6.0, 8.5, 3.0, 1.0]), SQNR)
    assert found is not None
    assert found.at == 1


def test_it_is_settled_when_both_neighbours_are_known() -> None:
    open_one, settled = (knee(np.array(values), SQNR) for values in ([0, NAN, 9, 9.5, 10.0], [0, 1, 9, 9.5, 10.0]))
    assert open_one is not None and settled is not None
    assert (open_one.settled, settled.settled) == (False, True)


NUMBERS = st.lists(st.integers(-2000, 400), min_size=3, max_size=40)


@given(NUMBERS, st.sampled_from([0.25, 0.5, 1.0]), st.integers(-100, 0))
def test_below_the_cap_it_does_not_depend_on_unit_and_zero(numbers: list[int], unit: float, zero: int) -> None:
    values = np.array(numbers, float) / 16
    one, other = knee(values, SQNR), knee(values * unit + zero, SQNR)
    # A point exactly as high above the chord as is asked for may fall on either side.
    if one is not None and other is not None:
        assert (one.at, one.settled) == (other.at, other.settled)
        assert one.share == pytest.approx(other.share)


@given(NUMBERS)
def test_it_lies_above_the_chord(numbers: list[int]) -> None:
    values = np.array(numbers, float) / 16
    found = knee(values, SQNR)
    if found is not None:
        best = len(values) - 1 - int(np.argmax(values[::-1]))
        assert 0 < found.at < best
        assert found.share - found.at / best >= LEAST - 1e-12
        assert found.share <= 1


@given(st.integers(2, 30), st.data())
def test_a_step_has_its_knee_behind_it(count: int, data: st.DataObject) -> None:
    at = data.draw(st.integers(1, count - 1))
    values = np.where(np.arange(count + 1) < at, 3.0, 30.0) + np.arange(count + 1) * 1e-3
    found = knee(values, SQNR)
    # Near the end of the chord nothing lies far above it.
    assert (found is not None and found.at == at) if 1 - at / count > 1.5 * LEAST else True


def test_only_what_goes_along_a_ranking_has_one() -> None:
    values = [[5.0], [28.0], [30.0], [31.0]]
    along = curves_of(curve_of(values, measure="recovery"), kind="recovery", metric="sqnr")
    depth = curves_of(curve_of(values), metric="sqnr")
    assert knee_of(along, along.curves[0], "sqnr") is not None
    assert knee_of(depth, depth.curves[0], "sqnr") is None
    assert knee_of(along.average(), along.curves[0], "sqnr") is None
