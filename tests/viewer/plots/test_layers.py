"""What stands for a layer in a legend."""

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from errorflow.explain.inspect.figure import Layer, Line, Rules
from errorflow_viewer.kit.look import LIGHT
from errorflow_viewer.plots.layers import paint_mark


def mark(layer: Layer) -> QImage:
    image = QImage(16, 16, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    painter = QPainter(image)
    paint_mark(painter, layer, LIGHT, QRectF(2, 2, 10, 10))
    painter.end()
    return image


def test_steps_thresholds_and_lines_have_marks_of_their_own(qapp: QApplication) -> None:
    x = np.zeros(1)
    layers = (Rules("strong", "Steps", x, ticks=True), Rules("strong", "Thresholds", x), Line("strong", "Line", x, x))
    marks = [mark(layer) for layer in layers]
    assert all(one != other for at, one in enumerate(marks) for other in marks[at + 1 :])
