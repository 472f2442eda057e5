"""Where lines cross, in pictures whose crossings are known."""

import numpy as np
import pytest
from drawing_quality.crossings import crossed
from hypothesis import given
from hypothesis import strategies as st


def count(lines: list[list[float]], tensors: list[int]) -> int:
    return crossed(np.array(lines, np.float64).reshape(-1, 4), np.array(tensors, np.int32))


@pytest.mark.parametrize(
    ("others", "tensors", "expected"),
    [
        ([[0, 10, 10, 0]], [2], 1),
        ([[10, 0, 0, 10]], [1], 1),  # of the same tensor, but through it
        ([[20, 0, 30, 10]], [2], 0),
        ([[5, -500, 5, 500]], [2], 1),  # a long one
        ([[0, 5, 10, 5]], [2], 1),
        ([[0, 0, 10, 10]], [2], 0),  # on top of each other
        ([[10, 0, 0, 10], [10, 0, 0, 10]], [2, 3], 1),  # these two are
        ([[0, 0, 10, 0]], [2], 0),  # begin at the same place
        ([[10, 10, 20, 30]], [1], 0),  # goes on
        ([[10, 0, 5, 5], [5, 5, 0, 10]], [2, 2], 1),  # through it with a bend
        ([[5, 5, 10, 6]], [1], 0),  # branches off
        ([[5, 5, 0, 6]], [1], 0),
    ],
)
def test_crossings_are_counted_as_they_are_seen(others: list[list[float]], tensors: list[int], expected: int) -> None:
    assert count([[0, 0, 10, 10], *others], [1, *tensors]) == expected
    turned = [[x2, y2, x1, y1] for x1, y1, x2, y2 in others]
    assert count([[10, 10, 0, 0], *turned], [1, *tensors]) == expected


def test_curves_that_meet_half_way_cross_once() -> None:
    down_right: list[list[float]] = [[0, 0, 10, 20], [10, 20, 50, 30], [50, 30, 100, 60]]
    down_left: list[list[float]] = [[100, 0, 90, 20], [90, 20, 50, 30], [50, 30, 0, 60]]
    assert count(down_right + down_left, [1] * 3 + [2] * 3) == 1


place = st.floats(0, 300).map(lambda value: round(value, 3))
segments = st.lists(st.tuples(place, place, place, place), max_size=25)


@given(segments)
def test_near_pairs_are_all_that_cross(lines: list[tuple[float, float, float, float]]) -> None:
    def side(line: tuple[float, float, float, float], x: float, y: float) -> float:
        x1, y1, x2, y2 = line
        return (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)

    expected = apart = 0
    for i, a in enumerate(lines):
        for b in lines[:i]:
            sides = side(a, *b[:2]), side(a, *b[2:]), side(b, *a[:2]), side(b, *a[2:])
            apart += all(abs(value) > 1e-6 for value in sides)
            expected += sides[0] * sides[1] < 0 and sides[2] * sides[3] < 0
    if apart == len(lines) * (len(lines) - 1) // 2:
        assert count([list(line) for line in lines], list(range(len(lines)))) == expected
