"""The canvas as others use it: what is shown, selected, said."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.kit.look import DARK, LIGHT
from viewer.canvas.made_up import empty, grid, painted
from viewer.canvas.pixels import channels


def middle_of(canvas: Canvas, box: int) -> QPoint:
    """Where a box is seen, in the coordinates of the widget."""
    return canvas.place_of(box).center().toPoint()


def test_everything_is_shown_at_first(chain: Canvas) -> None:
    seen = QRectF(chain.rect())
    assert all(seen.contains(chain.place_of(box)) for box in (0, 21))


def test_a_click_selects_and_says_so(chain: Canvas, qtbot: QtBot) -> None:
    with qtbot.waitSignal(chain.picked) as said:
        QTest.mouseClick(chain, Qt.MouseButton.LeftButton, pos=middle_of(chain, 3))
    assert said.args == [3]
    assert chain.selected() == 3


def test_a_click_on_nothing_clears(chain: Canvas, qtbot: QtBot) -> None:
    chain.select(3)
    with qtbot.waitSignal(chain.picked) as said:
        QTest.mouseClick(chain, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert said.args == [None]
    assert chain.selected() is None


def test_selecting_by_program_says_nothing(chain: Canvas, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(chain.picked):
        chain.select(5)
    assert chain.selected() == 5


def test_what_was_under_the_pointer_is_left_when_another_drawing_comes(chain: Canvas, qtbot: QtBot) -> None:
    chain.hover(7)
    with qtbot.waitSignal(chain.hovered) as said:
        chain.show_drawing(*grid(3))
    assert said.args == [None]


def test_an_error_while_painting_does_not_keep_the_painter(chain: Canvas, qtbot: QtBot) -> None:
    chain.set_error(painted([0.0]))  # there are more boxes
    with qtbot.captureExceptions() as errors, pytest.raises(IndexError):
        chain.grab()
    chain.set_error(None)
    assert not chain.paintingActive()
    assert not errors


def test_a_double_click_opens(chain: Canvas, qtbot: QtBot) -> None:
    with qtbot.waitSignal(chain.opened) as said:
        QTest.mouseDClick(chain, Qt.MouseButton.LeftButton, pos=middle_of(chain, 4))
    assert said.args == [4]


def test_the_pointer_over_a_box_is_told(chain: Canvas, qtbot: QtBot) -> None:
    with qtbot.waitSignal(chain.hovered) as said:
        QTest.mouseMove(chain, middle_of(chain, 7))
    assert said.args == [7]
    with qtbot.waitSignal(chain.hovered) as said:
        QTest.mouseMove(chain, QPoint(2, 2))
    assert said.args == [None]


def test_a_drag_moves_the_picture_with_the_pointer(chain: Canvas, qtbot: QtBot) -> None:
    chain.zoom_to(2.0)
    before = chain.place_of(10).center()
    start = QPoint(400, 300)
    with qtbot.assertNotEmitted(chain.picked):
        QTest.mousePress(chain, Qt.MouseButton.LeftButton, pos=start)
        QTest.mouseMove(chain, start + QPoint(0, 40))
        QTest.mouseMove(chain, start + QPoint(0, 90))
        QTest.mouseRelease(chain, Qt.MouseButton.LeftButton, pos=start + QPoint(0, 90))
    assert chain.place_of(10).center() - before == QPointF(0, 90)


def test_a_middle_drag_on_a_box_moves_and_selects_nothing(chain: Canvas, qtbot: QtBot) -> None:
    chain.centre_on(10, 2.0)
    spot = middle_of(chain, 10)
    with qtbot.assertNotEmitted(chain.picked):
        QTest.mousePress(chain, Qt.MouseButton.MiddleButton, pos=spot)
        QTest.mouseMove(chain, spot - QPoint(0, 3))
        QTest.mouseRelease(chain, Qt.MouseButton.MiddleButton, pos=spot - QPoint(0, 3))
    assert middle_of(chain, 10) == spot - QPoint(0, 3)


@pytest.mark.parametrize("zoom", [0.01, 0.7, 1.0, 3.0, 99.0])
def test_zoom_stays_between_fit_and_the_largest(chain: Canvas, zoom: float) -> None:
    least = chain.zoom
    chain.zoom_to(zoom)
    assert chain.zoom == pytest.approx(min(max(zoom, least), 4.0))


def test_zoom_is_told(chain: Canvas, qtbot: QtBot) -> None:
    with qtbot.waitSignal(chain.zoom_changed) as said:
        chain.zoom_to(1.5)
    assert said.args == [1.5]


def test_centre_on_brings_a_box_to_the_middle(chain: Canvas) -> None:
    chain.centre_on(12, 2.0)
    assert (middle_of(chain, 12) - chain.rect().center()).manhattanLength() <= 3


def test_fit_after_zooming_shows_everything(chain: Canvas) -> None:
    zoom = chain.zoom
    chain.zoom_to(3.0)
    chain.fit()
    assert chain.zoom == zoom


def test_a_fitted_view_stays_fitted_when_the_window_grows(chain: Canvas) -> None:
    chain.resize(800, 300)
    small = chain.zoom
    chain.resize(800, 600)
    assert chain.zoom > small
    assert QRectF(chain.rect()).contains(chain.place_of(21))


@pytest.mark.parametrize("size", [(300, 500), (801, 301), (900, 700)])
def test_a_spot_that_is_held_stays_in_the_middle_of_any_room(chain: Canvas, size: tuple[int, int]) -> None:
    spot = QPointF(chain.middle().x(), chain.middle().y() + 200)
    chain.hold(spot, 1.5)
    chain.resize(*size)
    assert (chain.middle() - spot).manhattanLength() < 1.5
    assert chain.zoom == pytest.approx(1.5)
    assert chain.gaze() == (spot, 1.5)


def test_what_is_held_is_still_wanted_where_there_is_too_much_room_for_it(chain: Canvas) -> None:
    zoom = chain.zoom * 1.2
    chain.hold(QPointF(chain.middle()), zoom)
    seen = chain.gaze()
    chain.resize(1000, 4000)
    assert chain.zoom > zoom
    assert chain.gaze() == seen
    chain.resize(400, 300)
    assert chain.zoom == pytest.approx(zoom)


@pytest.mark.parametrize(
    "move",
    [
        lambda canvas: canvas.pan(0, 40),
        lambda canvas: canvas.zoom_by(1.5),
        lambda canvas: canvas.fit(),
        lambda canvas: canvas.centre_on(3, animate=False),
        lambda canvas: canvas.show_drawing(*grid(3)),
    ],
    ids=["pan", "zoom", "fit", "centre", "another drawing"],
)
def test_a_spot_is_held_until_somebody_moves(chain: Canvas, move: Callable[[Canvas], None]) -> None:
    chain.hold(chain.middle(), 1.5)
    assert chain.held
    move(chain)
    assert not chain.held
    assert chain.gaze() == (chain.middle(), chain.zoom)


def test_another_drawing_keeps_the_view_when_asked(chain: Canvas) -> None:
    chain.centre_on(12, 2.0)
    place = chain.place_of(12)
    chain.show_drawing(*grid(20), keep_view=True)
    assert chain.place_of(12) == place
    chain.show_drawing(*grid(20))
    assert chain.zoom < 2.0


def test_control_edges_are_fainter_than_data(canvas: Canvas) -> None:
    drawing, graph = grid(20)
    canvas.show_drawing(drawing, graph)
    canvas.zoom_to(2.0)
    data = canvas.picture()
    canvas.show_drawing(replace(drawing, line_tensors=np.full_like(drawing.line_tensors, -1)), graph, keep_view=True)
    control = canvas.picture()
    spot = (canvas.place_of(10).center() + QPointF(0, 30 + 16)).toPoint()
    ground = QColor(LIGHT.groups[0])
    assert ground.lightness() > control.pixelColor(spot).lightness() > data.pixelColor(spot).lightness()


def test_another_screen_keeps_zoom_and_place(chain: Canvas) -> None:
    chain.centre_on(10, 2.0)
    place = chain.place_of(10)
    QApplication.sendEvent(chain, QEvent(QEvent.Type.DevicePixelRatioChange))
    assert (chain.zoom, chain.place_of(10)) == (2.0, place)


def test_an_empty_canvas_paints_its_background(canvas: Canvas) -> None:
    canvas.set_colors(colors_of(DARK))
    assert canvas.grab().toImage().pixelColor(400, 300) == QColor(DARK.canvas)
    canvas.show_drawing(*grid(5))
    canvas.clear()
    assert canvas.grab().toImage().pixelColor(400, 300) == QColor(DARK.canvas)


def test_a_drawing_without_boxes_is_shown(canvas: Canvas) -> None:
    canvas.show_drawing(*empty())
    canvas.repaint()
    canvas.fit()
    assert canvas.box_at(QPointF(10, 10)) is None


def test_picture_is_what_is_seen(chain: Canvas) -> None:
    assert chain.picture().size() == chain.size()
    assert chain.picture(2.0).size() == chain.size() * 2
    assert chain.picture().pixelColor(400, 300) == chain.grab().toImage().pixelColor(400, 300)


def red_pixels(image: QImage) -> int:
    blue, green, red = channels(image).reshape(-1, 3).T
    return int(((red > 200) & (green < 120) & (blue < 60)).sum())
