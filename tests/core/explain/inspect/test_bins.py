"""Every value is in the bar that numpy puts it into, and the bars are chosen so that people can read them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from errorflow.explain.inspect.bins import MOST, choose

FINITE = st.floats(-1.7e308, 1.7e308).map(lambda value: value + 0.0)
VALUES = arrays.arrays(np.float64, st.integers(1, 200), elements=FINITE)


@given(VALUES)
def test_counts_are_those_of_numpy(values: NDArray[np.float64]) -> None:
    bins = choose(float(values.min()), float(values.max()))
    assert (np.diff(bins.edges) > 0).all()
    assert bins.count(values).tolist() == np.histogram(values, bins.edges)[0].tolist()
    assert int(bins.count(values).sum()) == len(values)


@given(arrays.arrays(np.float64, st.integers(1, 200), elements=st.floats(-100, 100, width=32)))
def test_counts_of_ordinary_values_are_those_of_numpy_too(values: NDArray[np.float64]) -> None:
    bins = choose(float(values.min()), float(values.max()), middle=True)
    assert bins.count(values).tolist() == np.histogram(values, bins.edges)[0].tolist()
    assert int(bins.count(values).sum()) == len(values)


@given(st.lists(st.integers(-128, 127), min_size=1))
def test_codes_have_a_bar_each(codes: list[int]) -> None:
    values = np.array(codes, np.float64)
    bins = choose(float(values.min()), float(values.max()), step=1.0)
    counts = bins.count(values)
    middles = (bins.edges[:-1] + bins.edges[1:]) / 2
    assert {float(m): int(c) for m, c in zip(middles, counts, strict=True) if c} == {
        float(code): codes.count(code) for code in codes
    }


def test_many_codes_share_bars_of_whole_codes() -> None:
    bins = choose(-40_000, 40_000, step=1.0)
    assert len(bins) <= MOST + 1 and bins.width == round(bins.width)


@pytest.mark.parametrize(("low", "high"), [(-1.0, 3.0), (0.0, 7.0), (-5.0, 0.0), (-1e-3, 1e3)])
def test_zero_is_an_edge(low: float, high: float) -> None:
    assert 0.0 in choose(low, high).edges.tolist()


def test_errors_are_symmetric_around_the_middle_of_a_bar() -> None:
    edges = choose(-2.5, 2.5, middle=True).edges
    assert np.allclose(edges, -edges[::-1]) and len(edges) % 2 == 0


@pytest.mark.parametrize("value", [0.0, 3.5, -1e-310, 1e300])
def test_one_value_is_in_one_bar(value: float) -> None:
    bins = choose(value, value)
    assert int(bins.count(np.array([value])).max()) == 1


def test_of_nothing_there_are_empty_bars() -> None:
    bins = choose(math.nan, math.nan)
    assert len(bins) and not bins.count(np.zeros(0)).any()
