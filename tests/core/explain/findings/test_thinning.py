"""Whatever the width, the worst point of a curve is drawn."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from errorflow.explain.findings.axis import shares, thinned

heights = st.lists(st.one_of(st.just(float("nan")), st.floats(-10, 10)), max_size=300).map(
    lambda values: np.array(values, np.float64)
)


@given(heights, st.integers(1, 50))
def test_the_worst_point_is_never_lost(values: "np.ndarray[tuple[int], np.dtype[np.float64]]", width: int) -> None:
    found = thinned(values, 0.0, max(len(values), 1), width)
    known = values[~np.isnan(values)]
    assert (len(found.columns) > 0) == (len(known) > 0)
    if len(known):
        assert found.high.max() == known.max()
        assert found.low.min() == known.min()
        assert (values[found.worst] == found.high).all()


@given(heights, st.floats(-5, 300), st.floats(0.5, 100), st.integers(1, 50))
def test_a_part_keeps_what_stands_in_it(
    values: "np.ndarray[tuple[int], np.dtype[np.float64]]", start: float, length: float, width: int
) -> None:
    end = start + length
    middle = np.arange(len(values)) + 0.5
    inside = values[(middle >= start) & (middle < end) & ~np.isnan(values)]
    found = thinned(values, start, end, width)
    assert found.high.max(initial=-np.inf) == inside.max(initial=-np.inf)
    assert ((found.columns >= 0) & (found.columns < width)).all()
    assert (np.diff(found.columns) > 0).all()


@given(heights)
def test_with_a_column_for_each_place_nothing_changes(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> None:
    found = thinned(values, 0.0, len(values), len(values))
    there = np.flatnonzero(~np.isnan(values))
    assert found.columns.tolist() == there.tolist()
    assert found.high.tolist() == found.low.tolist() == values[there].tolist()


def test_a_gap_is_told_from_a_neighbour() -> None:
    found = thinned(np.array([1.0, 2.0, np.nan, 3.0, 4.0]), 0, 5, 5)
    assert found.joined.tolist() == [False, True, False, True]


def test_shares_count_what_is_flagged_in_each_column() -> None:
    found = shares(np.array([True, False, True, True]), 0, 4, 2)
    assert found.tolist() == [0.5, 1.0]
    assert np.isnan(shares(np.array([True]), 0, 4, 4)[1:]).all()
