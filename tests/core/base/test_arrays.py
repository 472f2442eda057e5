"""Columns and ragged rows give back what was put in, and cannot be written to."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.arrays import MAX_RANK, CodedColumn, Ragged, distinct, frozen, is_possible, median

NUMBERS = st.integers(-(2**31), 2**31 - 1)
ROWS = st.lists(st.lists(NUMBERS, max_size=5), max_size=20)


class TestFrozen:
    def test_writing_is_refused(self) -> None:
        with pytest.raises(ValueError, match="read-only"):
            frozen([1, 2])[0] = 5

    def test_it_is_a_copy(self) -> None:
        source = np.array([1, 2], np.int32)
        copy = frozen(source)
        source[0] = 9
        assert copy.tolist() == [1, 2]

    def test_a_number_that_does_not_fit_is_refused(self) -> None:
        with pytest.raises(OverflowError):
            frozen([2**31])

    def test_nothing_is_an_array_too(self) -> None:
        assert frozen([]).dtype == np.int32


class TestIsPossible:
    @pytest.mark.parametrize(
        ("shape", "possible"),
        [
            ((), True),
            ((0,), True),
            ((3, 4), True),
            ((-1,), False),
            ((1,) * MAX_RANK, True),
            ((1,) * (MAX_RANK + 1), False),
            ((0, 2**50), True),
            ((0, 2**50, 2**50), False),
            ((2**63,), False),
        ],
    )
    def test_is_told_by_rank_and_size(self, shape: tuple[int, ...], possible: bool) -> None:
        assert is_possible(shape, 4) == possible

    @given(st.lists(st.sampled_from([0, 1, 2, 2**31, 2**40]), max_size=70))
    def test_numpy_makes_every_empty_one_that_is(self, sizes: list[int]) -> None:
        shape = (*sizes, 0)
        if is_possible(shape, 8):
            assert np.empty(shape).shape == shape


@given(st.lists(NUMBERS))
def test_distinct_ones_are_those_of_numpy(values: list[int]) -> None:
    array = np.array(values, np.int32)
    assert distinct(array).tolist() == np.unique(array).tolist() and distinct(array).dtype == array.dtype


@given(st.lists(st.floats(-1e9, 1e9), min_size=1))
def test_the_median_is_that_of_numpy(values: list[float]) -> None:
    assert median(np.array(values)) == np.median(values)


class TestColumn:
    @given(st.lists(st.one_of(st.text(max_size=3), st.none(), st.tuples(st.integers(0, 3)))))
    def test_gives_back_every_row(self, rows: list[object]) -> None:
        column = CodedColumn.of(rows)
        assert list(column) == rows
        assert [column[i] for i in range(len(column))] == rows

    @given(st.lists(st.sampled_from("abcde")))
    def test_stores_equal_values_once(self, rows: list[str]) -> None:
        assert sorted(CodedColumn.of(rows).values) == sorted(set(rows))

    @given(st.lists(st.sampled_from("abcde")))
    def test_counts_most_frequent_first(self, rows: list[str]) -> None:
        counts = CodedColumn.of(rows).counts()
        assert counts == Counter(rows)
        assert list(counts.values()) == sorted(counts.values(), reverse=True)


class TestRagged:
    @given(ROWS)
    def test_gives_back_every_row(self, rows: list[list[int]]) -> None:
        ragged = Ragged.of(rows)
        assert len(ragged) == len(rows)
        assert [ragged[i].tolist() for i in range(len(rows))] == rows

    @given(ROWS)
    def test_owners_says_which_row_each_value_is_in(self, rows: list[list[int]]) -> None:
        assert Ragged.of(rows).owners().tolist() == [i for i, row in enumerate(rows) for _ in row]

    @given(st.lists(st.tuples(st.integers(0, 9), NUMBERS)), st.integers(10, 15))
    def test_grouped_keeps_the_order_within_a_key(self, pairs: list[tuple[int, int]], rows: int) -> None:
        keys, values = frozen([key for key, _ in pairs]), frozen([value for _, value in pairs])
        ragged = Ragged.grouped(keys, values, rows)
        wanted = [[value for key, value in pairs if key == row] for row in range(rows)]
        assert [ragged[i].tolist() for i in range(len(ragged))] == wanted

    def test_a_row_cannot_be_written_to(self) -> None:
        with pytest.raises(ValueError, match="read-only"):
            Ragged.of([[1, 2]])[0][0] = 5
