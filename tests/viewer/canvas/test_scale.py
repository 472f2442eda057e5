"""Screens with more than one device pixel per pixel. The factor is fixed when Qt starts, hence a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = """
import json
import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from errorflow_viewer.canvas.view import Canvas
from viewer.canvas.made_up import grid

application = QApplication([])
canvas = Canvas()
canvas.set_reduced_motion(True)
canvas.set_minimap(False)
canvas.resize(403, 303)
canvas.show_drawing(*grid(60, columns=3))
canvas.show()
canvas.centre_on(30, 1.0)
canvas.pan(3, 5)
canvas.repaint()
canvas.settle()
picked = []
canvas.picked.connect(picked.append)
QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(31).center().toPoint())
canvas.set_path(False)
canvas.select(None)
canvas.hover(None)
seen = canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
seen.setDevicePixelRatio(1)
fresh = canvas.picture().convertToFormat(QImage.Format.Format_RGB32)
top = seen.copy(0, seen.height() // 4, seen.width(), seen.height() // 2)
same = top == fresh.copy(0, seen.height() // 4, seen.width(), seen.height() // 2)
place = canvas.place_of(30)
print(json.dumps(dict(
    ratio=canvas.devicePixelRatioF(), zoom=canvas.zoom, picked=picked, same=same,
    picture=[fresh.width(), fresh.height()], box=[place.width(), place.height()],
)))
"""


def outcome(factor: str) -> dict[str, Any]:
    tests = Path(__file__).parents[2]
    environment = os.environ | {
        "QT_QPA_PLATFORM": "offscreen",
        "QT_SCALE_FACTOR": factor,
        "PYTHONPATH": os.pathsep.join([str(tests), *sys.path]),
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


@pytest.mark.parametrize(("factor", "picture"), [("1", [403, 303]), ("1.5", [605, 455]), ("2", [806, 606])])
def test_a_picture_has_the_pixels_of_the_screen(factor: str, picture: list[int]) -> None:
    result = outcome(factor)
    assert result["ratio"] == float(factor)
    assert result["picture"] == picture  # with the pixels at the edge that are its own only in part
    # Boxes measure the same to the user, clicks hit them, and what is shown is sharp.
    assert result["zoom"] == 1.0
    assert result["box"] == [120, 24]
    assert result["picked"] == [31]
    assert result["same"]
