"""Different values are counted exactly up to a limit, and then in no more memory."""

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from errorflow.compare.metrics import distinct
from errorflow.compare.metrics.distinct import MOST, DistinctValues, counter
from errorflow.compare.metrics.pieces import Rooms

TYPES = (np.float16, np.float32, np.float64, np.longdouble, np.int8, np.uint16, np.int32, np.uint64, np.bool_)


def counted(*parts: NDArray[Any], size: int = MOST + 1) -> DistinctValues:
    """`size` is what the counter is told; larger tensors are counted in another way."""
    count = counter(parts[0].dtype, size, Rooms())
    for part in parts:
        count.feed(part)
    return count.found()


@pytest.mark.parametrize("dtype", TYPES)
@given(values=hnp.arrays(np.int8, st.integers(0, 200)), cut=st.integers(0, 200))
def test_the_count_is_that_of_the_whole(dtype: Any, values: NDArray[np.int8], cut: int) -> None:
    array = values.astype(dtype)

    for size in (len(array), MOST + 1):
        assert counted(array[:cut], array[cut:], size=size) == DistinctValues(len(np.unique(array)))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ">f4", ml_dtypes.bfloat16])
def test_zeros_are_one_value_and_so_are_all_nan(dtype: Any) -> None:
    array = np.array([0.0, -0.0, math.nan, -math.nan, 1.0, math.inf], dtype)

    assert counted(array) == counted(array, size=6) == DistinctValues(4)


@pytest.mark.parametrize("dtype", [np.uint16, np.int16, np.float32, np.int64, np.longdouble])
def test_beyond_the_limit_there_are_only_more(dtype: Any) -> None:
    array = np.arange(MOST + 1).astype(dtype)

    assert counted(array[1:]) == DistinctValues(MOST)
    assert counted(array) == counted(array, array[::-1]) == DistinctValues(MOST, more=True)


def test_values_that_share_a_slot_are_all_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distinct, "SLOTS_BITS", 2)
    array = np.arange(4000, dtype=np.float32)

    assert counted(*np.split(np.tile(array, 30), 50)) == DistinctValues(4000)


def test_gaps_in_memory_do_not_matter() -> None:
    assert counted(np.arange(40, dtype=np.float32).reshape(4, 10)[::2, ::3]) == DistinctValues(8)


@pytest.mark.parametrize(("found", "text"), [(DistinctValues(1234), "1,234"), (DistinctValues(MOST, True), "> 4,096")])
def test_it_is_written_for_people(found: DistinctValues, text: str) -> None:
    assert str(found) == text
