"""The kept picture: whatever the user does, what is shown is what would be painted anew."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRect
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from errorflow_viewer.canvas.frame import uncovered
from errorflow_viewer.canvas.view import Canvas
from viewer.canvas import pixels
from viewer.canvas.made_up import diamond, grid


def difference(one: QImage, other: QImage) -> int:
    """How far the worst pixel is off, below the line that names the groups round the view."""
    return int(pixels.difference(one, other)[40:].max())


def shown(canvas: Canvas) -> QImage:
    return canvas.grab().toImage()


@given(st.integers(-300, 300), st.integers(-300, 300), st.integers(1, 400), st.integers(1, 400))
def test_uncovered_is_what_a_shifted_picture_does_not_reach(dx: int, dy: int, width: int, height: int) -> None:
    whole = QRect(0, 0, width, height)
    bare = np.ones((height, width), bool)
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    bare[(x - dx >= 0) & (x - dx < width) & (y - dy >= 0) & (y - dy < height)] = False
    covered = np.zeros_like(bare)
    for area in uncovered(whole, dx, dy):
        covered[area.top() : area.top() + area.height(), area.left() : area.left() + area.width()] = True
    assert np.array_equal(bare, covered)


@pytest.mark.parametrize("zoom", [0.3, 0.55, 1.0, 1.37, 2.2, 4.0])
def test_panning_in_steps_paints_what_painting_anew_does(canvas: Canvas, zoom: float) -> None:
    canvas.set_minimap(False)
    canvas.show_drawing(*grid(300, columns=6))
    canvas.centre_on(150, zoom)
    canvas.settle()
    for dx, dy in ((5, 3), (-40, 17), (1, -90), (120, 0), (0, 33), (-333, -7), (900, 10), (2, 2)):
        canvas.pan(dx, dy)
        canvas.repaint()
    assert canvas.counts.shapes > 0
    assert difference(shown(canvas), canvas.picture()) <= 4  # where a strip cuts a round corner


def test_panning_paints_curves_as_painting_anew_does(canvas: Canvas) -> None:
    canvas.set_minimap(False)
    canvas.show_drawing(*diamond())
    canvas.zoom_to(4.0)
    canvas.settle()
    for dx, dy in ((35, 3), (-80, 17), (1, -90), (60, 20)):
        canvas.pan(dx, dy)
        canvas.repaint()
    # Where a strip cuts a smooth line, its edge may be a shade off.
    assert difference(shown(canvas), canvas.picture()) <= 16


def test_a_shift_paints_only_what_comes_into_sight(canvas: Canvas) -> None:
    canvas.show_drawing(*grid(300, columns=6))
    canvas.centre_on(150, 1.0)
    canvas.settle()
    canvas.set_error(None)
    canvas.repaint()
    whole = canvas.counts.shapes
    canvas.pan(0, 12)
    canvas.repaint()
    assert 0 < canvas.counts.shapes < whole / 4


def test_an_untouched_view_is_not_painted_anew(chain: Canvas) -> None:
    chain.repaint()
    assert chain.counts.shapes == 0


def test_zooming_among_many_boxes_is_sharp_when_settled(canvas: Canvas, qtbot: QtBot) -> None:
    canvas.set_minimap(False)
    canvas.show_drawing(*grid(3000, columns=30))
    canvas.repaint()
    for _ in range(3):
        canvas.zoom_at(1.2, QPointF(400, 300))
        canvas.repaint()
        assert canvas.counts.shapes == 0  # the last picture, enlarged
    qtbot.waitUntil(lambda: canvas.counts.shapes > 0)
    assert difference(shown(canvas), canvas.picture()) == 0


def test_zooming_out_shows_the_whole_before_it_is_sharp(canvas: Canvas) -> None:
    canvas.show_drawing(*grid(3000, columns=30))
    canvas.repaint()
    canvas.zoom_at(2.0, QPointF(400, 300))
    canvas.settle()
    canvas.zoom_at(0.6, QPointF(400, 300))
    hasty = shown(canvas)
    canvas.settle()
    corner = QRect(0, 0, 120, 120)  # not part of the last picture
    assert hasty.copy(corner) != QImage(corner.size(), hasty.format())


@pytest.mark.parametrize(("nodes", "columns", "zoom"), [(8, 2, 1.3), (200, 10, 0.3)])
def test_few_boxes_are_sharp_at_every_step(canvas: Canvas, nodes: int, columns: int, zoom: float) -> None:
    canvas.set_minimap(False)
    canvas.show_drawing(*grid(nodes, columns=columns))
    canvas.zoom_to(zoom)
    canvas.settle()
    canvas.repaint()
    canvas.zoom_at(1.1, QPointF(400, 300))
    assert difference(shown(canvas), canvas.picture()) == 0


def test_what_is_lit_is_enlarged_with_the_picture_and_painted_once(canvas: Canvas) -> None:
    canvas.set_minimap(False)
    canvas.set_path(False)
    canvas.show_drawing(*grid(3000, columns=30))
    canvas.centre_on(1500, 0.15)
    canvas.settle()
    canvas.select(1500)
    canvas.repaint()
    canvas.zoom_at(1.01, QPointF(400, 300))
    canvas.repaint()
    assert canvas.counts.rounded == 2  # the ring, and what sets it off
    canvas.zoom_at(1.2, QPointF(400, 300))
    enlarged = shown(canvas)
    assert canvas.counts.shapes == 0
    assert pixels.difference(enlarged, canvas.picture())[280:320, 380:420].max() > 50


def test_a_picture_with_what_was_lit_is_not_shifted(canvas: Canvas) -> None:
    canvas.set_minimap(False)
    canvas.set_path(False)
    canvas.show_drawing(*grid(3000, columns=30))
    canvas.zoom_to(0.3)
    canvas.settle()
    canvas.select(canvas.box_at(QPointF(400, 300)))
    canvas.repaint()
    canvas.zoom_at(1.1, QPointF(400, 300))
    canvas.repaint()
    canvas.zoom_at(1 / 1.1, QPointF(400, 300))
    canvas.settle()
    canvas.select(None)
    canvas.pan(7, 3)
    assert difference(shown(canvas), canvas.picture()) <= 4


def test_a_zoom_does_not_wait_for_the_minimap(canvas: Canvas) -> None:
    canvas.show_drawing(*grid(3000, columns=30))
    canvas.repaint()
    canvas.zoom_at(1.5, QPointF(400, 300))
    canvas.repaint()
    assert canvas.counts.shapes == 0
    canvas.settle()
    hasty = shown(canvas)
    canvas.set_minimap(False)
    assert pixels.difference(shown(canvas), hasty).max() > 0  # it is there at rest


def test_a_new_size_is_painted_anew(canvas: Canvas) -> None:
    canvas.set_minimap(False)
    canvas.show_drawing(*grid(100, columns=4))
    canvas.centre_on(50, 1.0)
    canvas.settle()
    canvas.resize(700, 500)
    assert difference(shown(canvas), canvas.picture()) == 0
