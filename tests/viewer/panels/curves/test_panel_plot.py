"""The picture of curves, and what the user does with it."""

import math
import time

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow.draw.shapes import Text
from errorflow.draw.text import LETTERS
from errorflow.quant.plan import Plan
from errorflow.report.colors import LIGHT as DRAWN
from errorflow.report.curve_look import curve_look, tones
from errorflow.report.curve_shapes import CurvePlot, ShownCurves, legend_entries
from errorflow.study.rank.curves import Curve, Curves, Point
from errorflow_viewer.kit.look import DARK, LIGHT
from errorflow_viewer.panels.curves.panel import CurvesPlot
from errorflow_viewer.plots.span import whole
from viewer.panels.curves.made import curve, curves

GROWING = curve("weights only", [0.001, 0.01, 0.1, 0.5, 0.6])
FALLING = curve("worst kept in float", [0.9, 0.02, 0.018, 0.017, 0.016], "recovery")


@pytest.fixture
def plot(qtbot: QtBot) -> CurvesPlot:
    found = CurvesPlot(curve_look("light"))
    qtbot.addWidget(found)
    found.resize(600, 240)
    found.show()
    return found


def pixels(plot: CurvesPlot, color: QColor | str) -> int:
    """So many are of that colour."""
    image, wanted = plot.grab().toImage(), QColor(color).rgb()
    return sum(image.pixel(x, y) == wanted for y in range(image.height()) for x in range(image.width()))


def test_a_curve_is_drawn_in_its_tone(plot: CurvesPlot) -> None:
    plot.show_curves(ShownCurves(curves(GROWING), "relative_l2"))
    (tone,) = tones(curves(GROWING), DRAWN)
    assert pixels(plot, tone.color) > 50
    plot.show_curves(None)
    assert pixels(plot, tone.color) == 0


def test_a_curve_of_which_nothing_is_known_is_drawn_as_nothing(plot: CurvesPlot) -> None:
    plot.show_curves(ShownCurves(curves(GROWING, curve("activations only", [None] * 5)), "relative_l2"))
    other = tones(curves(GROWING, GROWING), DRAWN)[1]
    assert pixels(plot, other.color) < 60, "only its swatch in the legend"


def test_a_point_alone_is_a_dot(plot: CurvesPlot) -> None:
    alone = curve("weights only", [None, None, 0.1, None, None])
    plot.show_curves(ShownCurves(curves(alone), "relative_l2"))
    assert pixels(plot, tones(curves(alone), DRAWN)[0].color) > 40


def test_a_theme_gives_other_colours(plot: CurvesPlot) -> None:
    plot.show_curves(ShownCurves(curves(GROWING), "relative_l2"))
    plot.dress(curve_look("dark"))
    assert pixels(plot, DARK.canvas) > 1000


def test_what_is_worse_is_higher_for_errors_and_lower_for_sqnr() -> None:
    errors, sqnr = (ShownCurves(curves(GROWING), key).shares[0] for key in ("relative_l2", "sqnr"))
    assert (np.diff(errors) > 0).all() and (np.diff(sqnr) < 0).all()


def test_a_linear_scale_moves_points() -> None:
    log, linear = (ShownCurves(curves(GROWING), "relative_l2", linear).shares[0] for linear in (False, True))
    assert log[1] - log[0] == pytest.approx(log[2] - log[1])
    assert linear[1] - linear[0] < (linear[2] - linear[1]) / 5


def test_what_is_no_number_has_a_check_at_the_rim(plot: CurvesPlot) -> None:
    plot.show_curves(ShownCurves(curves(GROWING), "relative_l2"))
    without = pixels(plot, "#000000")
    broken = curve("weights only", [0.001, math.nan, 0.1, 0.5, 0.6])
    plot.show_curves(ShownCurves(curves(broken), "relative_l2"))
    assert pixels(plot, "#000000") > without


def test_the_knee_is_marked_and_named() -> None:
    shown = ShownCurves(curves(FALLING, kind="recovery"), "relative_l2")
    knee = shown.knees[0]
    assert knee is not None and knee.at == 1


def test_a_legend_is_broken_into_rows() -> None:
    many = curves(*(curve(f"only /block{at}/project/conv/Conv", [0.1, 0.2]) for at in range(6)))
    shown = ShownCurves(many, "relative_l2")
    wide, narrow = (legend_entries(shown, curve_look("light"), room, LETTERS) for room in (4000.0, 400.0))
    assert len(wide) == 1 and len(narrow) > 1
    assert sum(map(len, narrow)) == 6


def test_the_pointer_tells_the_nearest_place(plot: CurvesPlot, qtbot: QtBot) -> None:
    plot.show_curves(ShownCurves(curves(GROWING), "relative_l2"))
    room = plot.room
    spot = QPointF(room.x(2) + 3, room.y(0.5))
    assert plot.place_at(spot) == 2
    assert plot.place_at(QPointF(5, 100)) is None
    with qtbot.waitSignal(plot.picked) as signal:
        QTest.mouseClick(plot, Qt.MouseButton.LeftButton, pos=spot.toPoint())
    assert signal.args == [2]
    assert plot.told(2).splitlines()[0] == "3 of 5 · node 2 · Conv"


def test_keys_walk_open_and_zoom(plot: CurvesPlot, qtbot: QtBot) -> None:
    plot.show_curves(ShownCurves(curves(GROWING), "relative_l2"))
    walked: list[int] = []
    plot.walked.connect(walked.append)
    plot.walked.connect(plot.select)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_End, Qt.Key.Key_Right):
        QTest.keyClick(plot, key)
    assert walked == [0, 1, 0, 4, 4]
    with qtbot.waitSignal(plot.opened) as signal:
        QTest.keyClick(plot, Qt.Key.Key_Return)
    assert signal.args == [4]
    QTest.keyClick(plot, Qt.Key.Key_Plus)
    assert plot.span.length < 5
    QTest.keyClick(plot, Qt.Key.Key_0)
    assert plot.span == whole(5)


def test_a_double_click_travels(plot: CurvesPlot, qtbot: QtBot) -> None:
    plot.show_curves(ShownCurves(curves(GROWING), "relative_l2"))
    spot = QPoint(round(plot.room.x(3)), 120)
    with qtbot.waitSignal(plot.opened) as signal:
        QTest.mouseDClick(plot, Qt.MouseButton.LeftButton, pos=spot)
    assert signal.args == [3]


def test_as_many_places_keep_the_view(plot: CurvesPlot) -> None:
    plot.show_curves(ShownCurves(curves(GROWING), "relative_l2"))
    plot.look_at(plot.span.zoomed(1.2, 2.5, 5))
    span = plot.span
    plot.show_curves(ShownCurves(curves(GROWING), "sqnr"))
    assert plot.span == span
    plot.show_curves(ShownCurves(curves(curve("a", [0.1, 0.2])), "sqnr"))
    assert plot.span == whole(2)


@pytest.mark.parametrize("height", [150, 300])
def test_the_axes_have_titles(plot: CurvesPlot, height: int) -> None:
    plot.resize(600, height)
    plot.show_curves(ShownCurves(curves(GROWING), "relative_l2"))
    image, room = plot.grab().toImage(), plot.room
    ground = QColor(LIGHT.canvas).rgb()

    def written(left: int, top: int, right: int, bottom: int) -> bool:
        return any(image.pixel(x, y) != ground for y in range(top, bottom) for x in range(left, right))

    assert written(500, height - 18, 580, height - 2), "what the places are"
    assert written(480, 2, 580, 18), "what is measured"
    assert room.foot == (36 if height == 300 else 20)


def test_what_float_scores_is_named_where_no_mark_lies(plot: CurvesPlot) -> None:
    alone = curve("quantized alone", [None, *[0.0009] * 4], "impact", "marks")
    shown = ShownCurves(curves(FALLING, alone, kind="partial"), "relative_l2")
    plot.show_curves(shown)
    [name] = [
        shape
        for shape in CurvePlot(shown, plot.room, curve_look("light")).shapes()
        if isinstance(shape, Text) and shape.text.startswith("float")
    ]
    assert plot.room.left <= name.x < plot.room.left + 8


def test_ten_thousand_points_do_not_hold_up_the_window(qtbot: QtBot) -> None:
    """A tenth of a second on a usual machine; it was two and a half."""
    dice = np.random.default_rng(1)
    drawn = []
    for label in ("weights only", "activations only", "weights and activations"):
        errors = dice.lognormal(-4, 1, (1, 10_000, 12))
        drawn.append(Curve(label, "accumulated", errors, np.ones((10_000, 12), bool), sizes=np.ones((10_000, 12))))
    points = tuple(Point(f"n{at}", f"t{at}", (at,), "Conv") for at in range(10_000))
    many = Curves("cumulative", Plan(), ("relative_l2",), tuple(range(12)), points, tuple(drawn))
    plot = CurvesPlot(curve_look("light"))
    qtbot.addWidget(plot)
    plot.resize(1280, 240)
    begin = time.process_time()
    plot.show_curves(ShownCurves(many, "relative_l2"))
    plot.grab()
    assert time.process_time() - begin < 0.5
