"""What is kept of values, and how much."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errorflow.run.engine.cache import CANDIDATE_SHARE, FIRST_SHARE, Cache
from errorflow.run.sessions import value_of

SIZE = 1000


def tensor(number: int) -> Any:
    return value_of(np.full(SIZE // 4, number, np.float32))


def kept(cache: Cache, count: int) -> list[int]:
    """The keys that are there, with the right value."""
    found = [(key, cache.get(key)) for key in range(count)]
    assert all(value is None or value.numpy()[0] == key for key, value in found)
    return [key for key, value in found if value is not None]


def test_those_that_were_not_used_for_longest_go_first(tmp_path: Path) -> None:
    cache = Cache(3 * SIZE, 0, tmp_path, 0)
    for number in range(4):
        cache.put(number, tensor(number), reference=True, border=True)
        cache.get(0)
    assert kept(cache, 4) == [0, 2, 3]
    assert cache.nbytes == 3 * SIZE


def test_candidates_do_not_drive_out_the_reference(tmp_path: Path) -> None:
    cache = Cache(10 * SIZE, 0, tmp_path, 100 * SIZE)
    own = int(10 * CANDIDATE_SHARE)
    for number in range(20):
        cache.put(number, tensor(number), reference=number < 10 - own, border=True)
    assert kept(cache, 20) == [*range(10 - own), *range(20 - own, 20)]


def test_what_can_be_made_again_takes_only_free_room(tmp_path: Path) -> None:
    cache = Cache(2 * SIZE, 0, tmp_path, 0)
    cache.put(0, tensor(0), reference=True, border=True)
    cache.put(1, tensor(1), reference=True, border=False)
    cache.put(2, tensor(2), reference=True, border=False)
    assert kept(cache, 3) == [0, 1]
    cache.put(3, tensor(3), reference=True, border=True)
    assert kept(cache, 4) == [0, 3], "and gives it to what cannot"


def test_what_is_made_for_the_first_time_takes_a_part_of_the_free_room(tmp_path: Path) -> None:
    cache = Cache(40 * SIZE, 0, tmp_path, 0)
    for number in range(8):
        cache.put(number, tensor(number), reference=True, border=False, again=False)
    first = list(range(int(40 * FIRST_SHARE)))
    assert 0 < len(first) < 5 and kept(cache, 8) == first
    cache.put(5, tensor(5), reference=True, border=False, again=True)
    assert kept(cache, 8) == [*first, 5]


def test_of_candidates_only_borders_are_kept(tmp_path: Path) -> None:
    cache = Cache(10 * SIZE, 0, tmp_path, 10 * SIZE)
    cache.put(0, tensor(0), reference=False, border=False)
    assert kept(cache, 1) == []


@pytest.mark.parametrize(("disk", "want"), [(0, [3]), (2 * SIZE, [0, 1, 3]), (10 * SIZE, [0, 1, 2, 3])])
def test_what_has_no_room_in_memory_goes_to_disk(disk: int, want: list[int], tmp_path: Path) -> None:
    cache = Cache(SIZE, disk, tmp_path, 0)
    for number in range(4):
        cache.put(number, tensor(number), reference=True, border=True)
    assert kept(cache, 4) == want


def test_what_is_larger_than_all_room_goes_to_disk_at_once(tmp_path: Path) -> None:
    cache = Cache(0, SIZE, tmp_path, 0)
    cache.put(0, tensor(0), reference=True, border=True)
    assert kept(cache, 1) == [0] and cache.nbytes == 0


def test_a_value_that_is_kept_has_memory_of_its_own(tmp_path: Path) -> None:
    cache = Cache(SIZE, 0, tmp_path, 0)
    array = np.zeros(SIZE // 4, np.float32)
    cache.put(0, value_of(array), reference=True, border=True)
    array[:] = 7
    assert kept(cache, 1) == [0]
