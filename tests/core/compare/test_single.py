"""Errors value by value, as msaccucmp finds them."""

import math

import numpy as np
import pytest

from errorflow.base.progress import Cancelled
from errorflow.compare import single
from errorflow.compare.single import compare_operator, differences


def test_an_infinite_error_is_no_number() -> None:
    absolute, relative = differences(np.array([np.inf, 1, 2]), np.array([1.0, 0, 1]))
    assert np.isnan(absolute).tolist() == [True, False, False]
    assert np.isnan(relative).tolist() == [True, True, False]


def test_small_integers_wrap_as_the_tool_lets_them() -> None:
    absolute, _ = differences(np.array([100], np.int8), np.array([-100], np.int8))
    assert absolute.tolist() == [56]


def test_ranges_count_what_is_no_number_as_zero() -> None:
    made = compare_operator(np.array([np.nan, 2.0, 3.0]), np.array([1.0, 0.0, 2.0]), 2)
    assert made.absolute_range == (0.0, 2.0)
    assert made.relative_range == (0.0, 0.5)


def test_the_worst_are_found() -> None:
    golden = np.ones(100)
    mine = golden.copy()
    mine[[7, 50]] = 5, 3
    made = compare_operator(mine, golden, 2)
    assert sorted(made.absolute.tolist()) == [7, 50]


@pytest.mark.parametrize(("count", "top", "found"), [(3, 20, 2), (3, 3, 3), (3, 2, 2), (1, 20, 1), (0, 20, 0)])
def test_of_fewer_values_than_wanted_one_is_left_out(count: int, top: int, found: int) -> None:
    made = compare_operator(np.arange(count, dtype=np.float32), np.ones(count, np.float32), top)
    assert len(made.absolute) == len(made.relative) == found


def test_of_two_truths_the_first_stand_for_the_worst() -> None:
    made = compare_operator(np.ones(5, np.bool_), np.zeros(5, np.bool_), 3)
    assert made.absolute.tolist() == [0, 1, 2]
    assert all(map(math.isnan, made.absolute_range))


def test_a_large_tensor_is_searched_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    mine, golden = rng.standard_normal(10_000), rng.standard_normal(10_000)
    whole = compare_operator(mine, golden, 50)
    monkeypatch.setattr(single, "MOST_PARTITIONED", 0)
    monkeypatch.setattr(single, "PIECE", 700)
    made = compare_operator(mine, golden, 50)
    assert sorted(made.absolute.tolist()) == sorted(whole.absolute.tolist())
    assert sorted(made.relative.tolist()) == sorted(whole.relative.tolist())
    assert made.absolute_range == whole.absolute_range


def test_a_cancel_strikes_between_two_pieces() -> None:
    class Impatient:
        def step(self, done: int, total: int, text: str) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        compare_operator(np.ones(3), np.ones(3), 1, Impatient())
