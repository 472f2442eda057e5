"""The largest value of each channel, part by part."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from errorflow.explain.outliers import maxima
from errorflow.explain.outliers.maxima import PIECE, Maxima

SHAPES = arrays.array_shapes(min_dims=2, max_dims=4, max_side=6)


@given(st.data(), SHAPES, st.sampled_from((np.float32, np.float64, np.float16, np.int8, np.uint8)))
def test_it_is_the_largest_size_of_each_channel(data: st.DataObject, shape: tuple[int, ...], dtype: type) -> None:
    values = data.draw(arrays.arrays(dtype, shape))
    axis = data.draw(st.integers(0, len(shape) - 1))
    seen = Maxima(axis)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(maxima, "PIECE", 7)
        assert seen.see(values)
    moved = np.moveaxis(np.abs(values.astype(np.float64)), axis, 0).reshape(shape[axis], -1)
    finite = np.isfinite(moved)
    np.testing.assert_array_equal(seen.found, np.where(finite, moved, 0).max(axis=1))
    assert seen.not_finite == int((~finite).sum())


def test_samples_add_up() -> None:
    seen = Maxima(1)
    for sample in ([[1.0, -5.0]], [[-2.0, 3.0]]):
        assert seen.see(np.array(sample))
    assert seen.found is not None
    assert seen.found.tolist() == [2, 5]


def test_a_sample_with_other_channels_is_not_taken() -> None:
    seen = Maxima(1)
    assert seen.see(np.ones((1, 3)))
    assert not seen.see(np.full((1, 4), 9.0))
    assert seen.found is not None
    assert seen.found.tolist() == [1, 1, 1]


@pytest.mark.parametrize("shape", [(1, 8, 1 << 19), (1 << 15, 128, 1), (1, 1 << 14, 256), (64, 8, 1 << 13)])
def test_a_large_tensor_is_never_copied(shape: tuple[int, ...]) -> None:
    values = np.ones(shape, np.float32)
    tracemalloc.start()
    Maxima(1).see(values)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * 8 * PIECE < values.nbytes
