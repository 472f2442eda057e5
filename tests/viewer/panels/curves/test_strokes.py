"""What of curves is painted, and how long that takes."""

import time

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from errorflow.quant.plan import Plan
from errorflow.study.rank.curves import Curve, Curves, Point
from errorflow_viewer.kit.look import LIGHT
from errorflow_viewer.panels.curves.picture import Shown
from errorflow_viewer.panels.curves.plot import Plot
from errorflow_viewer.panels.curves.room import Room
from errorflow_viewer.panels.curves.shades import shades_of
from errorflow_viewer.panels.curves.strokes import apart, areas_of, lines_of, marks_of, stripes_of, strokes_of
from errorflow_viewer.plots.span import Span, whole

NAN = np.nan
MANY = 10_000


def room(count: int, span: Span | None = None) -> Room:
    return Room(800, 240, whole(count) if span is None else span, 20)


def everywhere(count: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.ones(count, bool)


def test_few_points_are_each_where_they_are() -> None:
    found = strokes_of(room(3), np.array([0.0, 1.0, 0.5]), everywhere(3))
    (run,) = found.solid
    assert [spot.x() for spot in run.toList()] == pytest.approx([room(3).x(place) for place in range(3)])
    assert [spot.y() for spot in run.toList()] == pytest.approx([room(3).y(share) for share in (0.0, 1.0, 0.5)])
    assert not found.bridges and not found.alone and len(found.points) == 3


def test_a_bridge_spans_what_is_not_measured_and_no_gap_of_no_numbers() -> None:
    shares = np.array([0.1, NAN, 0.2, NAN, 0.3])
    found = strokes_of(room(5), shares, np.array([True, False, True, True, True]))
    assert len(found.bridges) == 1 and len(found.alone) == 3 and not found.solid
    assert found.bridges[0].x1() == pytest.approx(room(5).x(0))


def test_nothing_known_is_nothing_drawn() -> None:
    assert not strokes_of(room(3), np.full(3, NAN), ~everywhere(3)).points
    assert not list(areas_of(room(3), np.full(3, NAN), np.zeros(3)))


def test_of_many_points_no_extreme_is_lost() -> None:
    shares = np.full(MANY, 0.5)
    shares[1234], shares[5678] = 1.0, 0.0
    (run,) = strokes_of(room(MANY), shares, everywhere(MANY)).solid
    heights = [spot.y() for spot in run.toList()]
    assert (min(heights), max(heights)) == pytest.approx((room(MANY).y(1.0), room(MANY).y(0.0)))
    assert len(heights) <= 4 * 802
    assert len(lines_of(run)) == len(heights) - 1


def test_lines_go_on_to_what_lies_beyond_the_view() -> None:
    near = room(100, Span(40.0, 50.0))
    (run,) = strokes_of(near, np.linspace(0, 1, 100), everywhere(100)).solid
    xs = [spot.x() for spot in run.toList()]
    assert xs[0] < near.left < near.right < xs[-1] and len(xs) <= 13


def test_areas_lie_between_two_lines_whichever_is_higher() -> None:
    (area,) = areas_of(room(3), np.array([0.1, 0.9, NAN]), np.array([0.4, 0.2, 0.3]))
    box = area.boundingRect()
    assert (box.top(), box.bottom()) == pytest.approx((room(3).y(0.9), room(3).y(0.1)))
    stripes = stripes_of(room(MANY), np.zeros(MANY), np.ones(MANY))
    xs = [line.x1() for line in stripes]
    assert len(set(xs)) == len(xs) <= 802


def test_marks_on_one_pixel_are_one() -> None:
    assert len(marks_of(room(MANY), np.full(MANY, 0.5))) < 900
    assert len(marks_of(room(3), np.array([0.5, NAN, 0.5]))) == 2
    assert len(apart(room(MANY), everywhere(MANY), 7.0)) <= 103


def test_ten_thousand_points_do_not_hold_up_the_window(qtbot: QtBot) -> None:
    """A tenth of a second on a usual machine; it was two and a half."""
    dice = np.random.default_rng(1)
    drawn = []
    for label in ("weights only", "activations only", "weights and activations"):
        errors = dice.lognormal(-4, 1, (1, MANY, 12))
        drawn.append(Curve(label, "accumulated", errors, np.ones((MANY, 12), bool), sizes=np.ones((MANY, 12))))
    points = tuple(Point(f"n{at}", f"t{at}", (at,), "Conv") for at in range(MANY))
    curves = Curves("cumulative", Plan(), ("relative_l2",), tuple(range(12)), points, tuple(drawn))
    plot = Plot(shades_of(LIGHT))
    qtbot.addWidget(plot)
    plot.resize(1280, 240)
    begin = time.process_time()
    plot.show_curves(Shown(curves, "relative_l2"))
    plot.grab()
    assert time.process_time() - begin < 0.5
