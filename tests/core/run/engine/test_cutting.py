"""Where a model is cut."""

from hypothesis import given
from hypothesis import strategies as st

from errorflow.run.engine.survey import alive_bytes, cuts

WORK = st.lists(st.floats(0, 1e6), min_size=1, max_size=60)


@given(WORK, st.integers(1, 20), st.randoms())
def test_segments_cover_all_nodes_and_none_is_empty(work: list[float], count: int, dice: object) -> None:
    ends = cuts(work, [1] * len(work), count)
    assert ends[-1] == len(work) and len(ends) <= count
    assert all(a < b for a, b in zip((0, *ends), ends, strict=False))


def test_no_nodes_have_no_segments() -> None:
    assert cuts([], [], 4) == ()


def test_a_cut_is_where_little_is_alive() -> None:
    alive = [9, 9, 9, 1, 9, 9, 9, 9]
    assert cuts([1.0] * 8, alive, 2) == (4, 8)


def test_alive_is_what_was_made_and_is_still_read() -> None:
    makes = [["a"], ["b"], ["c"], ["d"]]
    reads = [["x"], ["a"], ["b"], ["a", "c"]]
    assert alive_bytes(makes, reads, {"a": 1, "b": 10, "c": 100, "d": 1000}) == [1, 11, 101, 0]
