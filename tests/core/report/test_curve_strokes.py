"""What of curves is drawn."""

import numpy as np
import pytest

from errorflow.report.curve_strokes import CurveRoom, apart, areas_of, marks_of, stripes_of, strokes_of

NAN = np.nan
MANY = 10_000


def room(count: int, start: float = 0.0, end: float | None = None) -> CurveRoom:
    return CurveRoom(72, 784, 32, 180, start, float(count) if end is None else end)


def everywhere(count: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.ones(count, bool)


def test_few_points_are_each_where_they_are() -> None:
    found = strokes_of(room(3), np.array([0.0, 1.0, 0.5]), everywhere(3))
    (run,) = found.solid
    assert run[:, 0].tolist() == pytest.approx([room(3).x(place) for place in range(3)])
    assert run[:, 1].tolist() == pytest.approx([room(3).y(share) for share in (0.0, 1.0, 0.5)])
    assert (len(found.bridges), len(found.alone), len(found.points)) == (0, 0, 3)


def test_a_bridge_spans_what_is_not_measured_and_no_gap_of_no_numbers() -> None:
    shares = np.array([0.1, NAN, 0.2, NAN, 0.3])
    found = strokes_of(room(5), shares, np.array([True, False, True, True, True]))
    assert len(found.bridges) == 1 and len(found.alone) == 3 and not found.solid
    assert found.bridges[0, 0] == pytest.approx(room(5).x(0))


def test_nothing_known_is_nothing_drawn() -> None:
    assert not len(strokes_of(room(3), np.full(3, NAN), ~everywhere(3)).points)
    assert not list(areas_of(room(3), np.full(3, NAN), np.zeros(3)))


def test_of_many_points_no_extreme_is_lost() -> None:
    shares = np.full(MANY, 0.5)
    shares[1234], shares[5678] = 1.0, 0.0
    (run,) = strokes_of(room(MANY), shares, everywhere(MANY)).solid
    heights = run[:, 1].tolist()
    assert (min(heights), max(heights)) == pytest.approx((room(MANY).y(1.0), room(MANY).y(0.0)))
    assert len(heights) <= 4 * 802


def test_lines_go_on_to_what_lies_beyond_the_view() -> None:
    near = room(100, 40.0, 50.0)
    (run,) = strokes_of(near, np.linspace(0, 1, 100), everywhere(100)).solid
    xs = run[:, 0].tolist()
    assert xs[0] < near.left < near.right < xs[-1] and len(xs) <= 13


def test_areas_lie_between_two_lines_whichever_is_higher() -> None:
    (area,) = areas_of(room(3), np.array([0.1, 0.9, NAN]), np.array([0.4, 0.2, 0.3]))
    assert (area[:, 1].min(), area[:, 1].max()) == pytest.approx((room(3).y(0.9), room(3).y(0.1)))
    (alone,) = areas_of(room(3), np.array([NAN, 0.9, NAN]), np.array([0.4, 0.2, 0.3]))
    assert np.ptp(alone, axis=0) == pytest.approx((12.0, room(3).y(0.2) - room(3).y(0.9)))
    stripes = stripes_of(room(MANY), np.zeros(MANY), np.ones(MANY))
    xs = stripes[:, 0].tolist()
    assert len(set(xs)) == len(xs) <= 802


def test_marks_on_one_pixel_are_one() -> None:
    assert len(marks_of(room(MANY), np.full(MANY, 0.5))) < 900
    assert len(marks_of(room(3), np.array([0.5, NAN, 0.5]))) == 2
    assert len(apart(room(MANY), everywhere(MANY), 7.0)) <= 103
