"""What is kept of a tensor."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from calibration_values import seen
from errorflow.quant.calibrate.seen import Seen

ANY = arrays.arrays(np.float32, st.integers(0, 30), elements=st.floats(width=32))


@given(st.lists(ANY, max_size=4))
def test_nan_and_infinite_values_are_counted_apart(samples: list[np.ndarray[tuple[int], np.dtype[np.float32]]]) -> None:
    found = seen(*samples)
    values = np.concatenate([np.zeros(0, np.float32), *samples])
    finite = values[np.isfinite(values)]
    assert (found.count, found.nans) == (len(finite), int(np.isnan(values).sum()))
    assert found.infinities == len(values) - len(finite) - found.nans
    if len(finite):
        assert (found.low, found.high) == (finite.min(), finite.max())
        assert found.bins.total == len(finite)


def test_nothing_is_seen_of_nothing() -> None:
    assert seen([], [np.nan]).count == 0


def test_the_moving_average_begins_with_the_first_sample() -> None:
    found = seen([-1, 2], [-3, 4])
    assert found.usual_low == np.float32(-1 + 0.01 * -2)
    assert found.usual_high == np.float32(2 + 0.01 * 2)


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.float32])
def test_other_floats_count_as_float32(dtype: type[np.floating]) -> None:
    found = Seen(spread=True)
    found.see(np.array([[1, -2], [0.5, 4]], dtype).T)
    assert (float(found.low), float(found.high), found.count) == (-2, 4, 4)


def test_what_no_float32_can_hold_counts_as_infinite() -> None:
    found = Seen(spread=False)
    found.see(np.array([1e300, 1.0]))
    assert (found.infinities, float(found.high)) == (1, 1)


def test_a_tensor_in_any_memory_order_is_seen() -> None:
    found = seen(np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)), np.arange(10, dtype=np.float32)[::2])
    assert (found.count, float(found.high)) == (11, 8)


def test_what_comes_later_is_in_the_bins_too() -> None:
    found = seen([1, 2])
    assert found.bins.total == 2
    found.see(np.ones(3, np.float32))
    assert found.bins.total == 5
