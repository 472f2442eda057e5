"""A table whose distances are squares is recognised by its numbers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.metrics.generations import squared_euclidean


@given(distance=st.floats(0.01, 0.95) | st.floats(1.05, 1e6))
def test_a_printed_square_is_recognised_and_the_distance_itself_is_not(distance: float) -> None:
    assert squared_euclidean(float(f"{distance**2:.6f}"), distance)
    assert not squared_euclidean(float(f"{distance:.6f}"), distance)


@pytest.mark.parametrize("value", [0.0, 1.0, math.nan, math.inf])
def test_where_both_look_the_same_nothing_is_claimed(value: float) -> None:
    assert not squared_euclidean(value, value)


@pytest.mark.parametrize(("file_value", "recomputed"), [(0.3, 0.2), (0.0, 0.5), (math.nan, 0.5), (0.25, math.nan)])
def test_another_number_is_no_square(file_value: float, recomputed: float) -> None:
    assert not squared_euclidean(file_value, recomputed)
