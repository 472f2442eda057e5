"""Sums in pieces have the bits of the sum of the whole."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from errorflow.vendors.ascend.comparers.columns import CHUNK, LEAF, CastSum, folded


def random(count: int, dtype: Any = np.float32) -> NDArray[Any]:
    return (np.random.default_rng(count).standard_normal(count) * 1000).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(count=st.integers(0, 300_000))
def test_pieces_add_up_in_the_order_of_the_whole(dtype: Any, count: int) -> None:
    values = random(count, dtype)

    (found,) = folded(count, lambda start, stop: (np.atleast_1d(np.add.reduce(values[start:stop])),))

    assert found[0].tobytes() == np.add.reduce(values).tobytes()


def test_no_piece_is_larger_than_agreed() -> None:
    sizes = []

    def piece(start: int, stop: int) -> tuple[NDArray[np.float64]]:
        sizes.append(stop - start)
        return (np.zeros(1),)

    folded(1_000_001, piece)

    assert sum(sizes) == 1_000_001
    assert max(sizes) <= LEAF


@given(cuts=st.lists(st.integers(0, 3 * CHUNK), max_size=6))
def test_a_sum_in_another_type_does_not_depend_on_how_it_is_fed(cuts: list[int]) -> None:
    values = random(sum(cuts))
    total = CastSum()
    for part in np.split(values, np.cumsum(cuts)[:-1]) if cuts else []:
        total.feed(part)

    assert total.end().tobytes() == np.add.reduce(values, dtype=np.float64).tobytes()
