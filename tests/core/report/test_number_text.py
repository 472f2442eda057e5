"""Numbers in columns against Python's own formatting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from errorflow.report.number_text import constant, fixed, lines, whole


def texts(columns: list[NDArray[np.uint8]]) -> list[str]:
    return lines([*columns, constant("\n", len(columns[0]))]).decode().splitlines()


TYPES = st.sampled_from(
    [np.float16, np.float32, np.float64, np.int8, np.int32, np.int64, np.uint8, np.uint64, np.bool_]
)


@given(TYPES.flatmap(lambda kind: hnp.arrays(kind, st.integers(1, 30))))
def test_every_number_is_the_one_that_python_writes(values: NDArray[np.generic]) -> None:
    assert texts(fixed(values)) == [f"{value:.6f}" for value in values.tolist()]


@given(
    st.lists(st.floats(-100, 100).map(lambda value: round(value, 7)), min_size=1), st.sampled_from(["f2", "f4", "f8"])
)
def test_halves_are_rounded_as_python_does(numbers: list[float], kind: str) -> None:
    values = np.array(numbers, kind)
    assert texts(fixed(values)) == [f"{value:.6f}" for value in values.tolist()]


@pytest.mark.parametrize("value", [0.0000005, 0.0000015, 2.5e-7, 1 / 128, 9.0e12, 8.9999999e12, 1e300, -0.0, 5e-324])
def test_numbers_on_an_edge(value: float) -> None:
    for number in (value, -value, np.nextafter(value, 0), np.nextafter(value, 1)):
        assert texts(fixed(np.array([number]))) == [f"{number:.6f}"]


def test_what_is_no_number_is_named() -> None:
    assert texts(fixed(np.array([np.nan, np.inf, -np.inf, -np.nan, 1], np.float32))) == [
        *("nan", "inf", "-inf", "nan", "1.000000")
    ]


@given(st.lists(st.integers(0, 2**62), min_size=1))
def test_whole_numbers_have_no_leading_zeros(numbers: list[int]) -> None:
    assert texts([whole(np.array(numbers, np.int64))]) == list(map(str, numbers))


def test_columns_are_put_together_row_by_row() -> None:
    made = lines([whole(np.array([7, 123])), constant(",", 2), *fixed(np.array([0.5, -10.0])), constant("\n", 2)])
    assert made == b"7,0.500000\n123,-10.000000\n"
