"""Memory is used again, by one at a time."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.compare.metrics.measure import measure
from errorflow.compare.metrics.pieces import Rooms, rooms
from errorflow.vendors.ascend.comparers.columns import cells


def test_the_same_memory_is_given_again() -> None:
    free = Rooms()
    first = free.get("a", 10, np.float64)

    assert np.shares_memory(first, free.get("a", 20, np.float32))
    assert not np.shares_memory(first, free.get("b", 10, np.float64))
    assert not np.shares_memory(first, free.get("a", 11, np.float64))


def test_whoever_is_inside_is_alone() -> None:
    with rooms() as outer, rooms() as inner:
        assert outer is not inner


def test_threads_do_not_disturb_each_other() -> None:
    pairs = []
    for seed in range(24):
        random = np.random.default_rng(seed)
        dtype = np.float16 if seed % 2 else np.float32
        golden = random.standard_normal((3, 4, 30_000))
        pairs.append((golden.astype(dtype), (golden * (1 + seed / 100)).astype(dtype)))

    def both(pair: tuple[NDArray[Any], NDArray[Any]]) -> tuple[object, object]:
        return measure(*pair), cells(*pair, shape=pair[0].shape, my_path="", golden_path="")

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(both, pairs)) == [both(pair) for pair in pairs]
