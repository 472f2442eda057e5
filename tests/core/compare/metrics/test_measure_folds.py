"""Sums of products, channel by channel, of pieces of any shape."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.compare.metrics.measure import LONGEST, by_channel, fold


def two(count: int) -> np.ndarray:
    return np.random.default_rng(count).standard_normal((2, count))


@given(shape=st.lists(st.integers(1, 40), min_size=1, max_size=4), data=st.data())
def test_sums_over_all_other_axes(shape: list[int], data: st.DataObject) -> None:
    values = np.random.default_rng(len(shape)).standard_normal(shape)
    axis = data.draw(st.integers(0, len(shape) - 1))
    others = tuple(other for other in range(len(shape)) if other != axis)

    assert by_channel(values, axis) == pytest.approx(values.sum(axis=others))


@pytest.mark.parametrize("shape", [(1, 3, 112, 112), (2, 5, 96), (1, 4, 10_007), (50, 7, 3), (4, 65_536 // 4), (1,)])
@pytest.mark.parametrize("place", [0, 1, None])
def test_products_are_added_up_by_channel(shape: tuple[int, ...], place: int | None) -> None:
    if place is not None and place >= len(shape):
        place = None
    x, y = two(int(np.prod(shape)))
    others = tuple(axis for axis in range(len(shape)) if axis != place)
    expected = np.atleast_1d((x * y).reshape(shape).sum(axis=others))

    found = fold(shape, place).products(x, y, np.empty_like(x))

    assert found == pytest.approx(expected, rel=1e-12, abs=1e-11)


def test_rows_are_never_so_long_that_several_cores_add_them_up() -> None:
    cut = [fold((1, 1, inner), 1) for inner in range(1, 40_000, 7)]

    assert all(each.inner // each.parts <= LONGEST for each in cut if each.parts)
