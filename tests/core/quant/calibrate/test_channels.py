"""Ends of channels, and what one scale for all of them costs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from errorflow.quant.calibrate.channels import MOST, ChannelEnds, Loudness, loudness
from errorflow.quant.calibrate.seen import Seen

Singles = NDArray[np.float32]
SHAPES = arrays.array_shapes(min_dims=2, max_dims=5, max_side=20)
FINITE = st.floats(width=32, allow_nan=False, allow_infinity=False)


def seen(last: bool, *samples: Singles) -> ChannelEnds:
    found = Seen(spread=False, last=last)
    for sample in samples:
        found.see(sample)
    return found.channels


def axis_of(rank: int, last: bool) -> int:
    return rank - 1 if last or rank == 2 else 1


@given(data=st.data(), shape=SHAPES, last=st.booleans())
def test_ends_are_those_of_each_channel_of_all_samples(data: st.DataObject, shape: tuple[int, ...], last: bool) -> None:
    samples = [data.draw(arrays.arrays(np.float32, shape, elements=FINITE)) for _ in range(2)]
    found = seen(last, *samples)
    axis = axis_of(len(shape), last)
    others = tuple(place for place in range(len(shape)) if place != axis)
    ends = found.known()
    assert found.axis == axis
    assert ends is not None
    stacked = np.stack(samples)
    shifted = (0, *(place + 1 for place in others))
    assert np.array_equal(ends[0], stacked.min(axis=shifted))
    assert np.array_equal(ends[1], stacked.max(axis=shifted))


@given(values=arrays.arrays(np.float32, (3, 4, 5), elements=st.floats(width=32)))
def test_values_that_are_no_numbers_are_left_out(values: Singles) -> None:
    ends = seen(False, values).known()
    assert ends is not None
    for channel in range(4):
        kept = values[:, channel][np.isfinite(values[:, channel])]
        want = (kept.min(), kept.max()) if kept.size else (0, 0)
        assert (ends[0][channel], ends[1][channel]) == want


@pytest.mark.parametrize("shape", [(), (5,), (0, 3), (2, MOST + 1)])
def test_some_tensors_have_no_channels(shape: tuple[int, ...]) -> None:
    assert seen(False, np.ones(shape, np.float32)).known() is None


def test_channels_that_differ_from_sample_to_sample_are_none() -> None:
    two, three = np.ones((1, 2), np.float32), np.ones((1, 3), np.float32)
    assert seen(False, two, three, two).known() is None


def test_other_sizes_than_that_of_the_channels_may_differ() -> None:
    found = seen(True, np.ones((1, 5, 2), np.float32), np.full((1, 9, 2), 4, np.float32)).known()
    assert found is not None
    assert found[1].tolist() == [4, 4]


def test_a_loud_channel_takes_bits_from_the_others() -> None:
    lows, highs = np.array([-1, -1, -16, 0], np.float32), np.array([1, 1, 16, 0], np.float32)
    assert loudness(lows, highs) == Loudness(4, 16.0, 4.0)


def test_channels_that_lie_apart_share_one_scale_too() -> None:
    found = loudness(np.array([0, -3], np.float32), np.array([3, 0], np.float32))
    assert found == Loudness(2, 1.0, 1.0)


def test_where_all_is_zero_nothing_is_lost() -> None:
    zeros = np.zeros(3, np.float32)
    assert loudness(zeros, zeros) == Loudness(3, 1.0, 0.0)


@given(ends=st.lists(st.tuples(FINITE, FINITE), min_size=1, max_size=9))
def test_one_scale_is_never_finer_than_the_median_one(ends: list[tuple[float, float]]) -> None:
    lows = np.array([min(pair) for pair in ends], np.float32)
    highs = np.array([max(pair) for pair in ends], np.float32)
    found = loudness(lows, highs)
    assert found.ratio >= 1
    assert found.bits_lost >= math.log2(found.ratio) - 1e-9
