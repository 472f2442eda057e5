"""A canvas to test, shown on no screen."""

import os

import pytest
from pytestqt.qtbot import QtBot

from errorflow_viewer.canvas.view import Canvas
from viewer.canvas.made_up import grid

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


@pytest.fixture
def canvas(qtbot: QtBot) -> Canvas:
    """An empty canvas of 800 × 600, without motion."""
    canvas = Canvas()
    canvas.set_reduced_motion(True)
    canvas.resize(800, 600)
    qtbot.addWidget(canvas)
    canvas.show()
    qtbot.waitExposed(canvas)
    return canvas


@pytest.fixture
def chain(canvas: Canvas) -> Canvas:
    """Twenty operators in a column between an input (box 0) and an output (box 21)."""
    canvas.show_drawing(*grid(20))
    canvas.repaint()
    return canvas
