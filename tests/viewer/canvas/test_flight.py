"""Journeys: short, the further the shorter, and sharp on arrival."""

import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from errorflow_viewer.canvas.camera import Camera, Port
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.canvas.viewpoint import milliseconds
from viewer.canvas import pixels
from viewer.canvas.made_up import grid

PORT = Port(800, 600, 1.0, 50_000.0, 50_000.0)


@pytest.mark.parametrize(
    ("goal", "least", "most"),
    [
        (Camera(1.0, 100, 0), 110, 110),  # a nudge
        (Camera(2.0, 0, 0), 110, 110),
        (Camera(1.0, 0, 6_000), 50, 60),
        (Camera(1.0, 40_000, 40_000), 50, 50),
        (Camera(0.01, 0, 0), 50, 60),
    ],
)
def test_the_further_the_shorter(goal: Camera, least: int, most: int) -> None:
    assert least <= milliseconds(PORT, Camera(), goal) <= most


def test_there_and_back_takes_as_long() -> None:
    here, there = Camera(0.1, 0, 0), Camera(1.0, 9_000, 4_000)
    assert milliseconds(PORT, here, there) == milliseconds(PORT, there, here)


def test_the_picture_is_sharp_on_arrival(canvas: Canvas, qtbot: QtBot) -> None:
    canvas.set_minimap(False)
    canvas.show_drawing(*grid(3000, columns=30))
    canvas.repaint()
    canvas.set_reduced_motion(False)
    canvas.look_at(QPointF(2000, 2000), 1.0)
    assert canvas.zoom < 1.0
    qtbot.waitUntil(lambda: not canvas._viewpoint.flying)
    assert not canvas._viewpoint.zooming  # nobody is about to go on
    assert canvas.zoom == 1.0
    assert pixels.difference(canvas.grab().toImage(), canvas.picture())[40:].max() == 0
