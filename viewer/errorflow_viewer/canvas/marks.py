"""The small shape in front of a label that tells operator families apart without a colour."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from errorflow.report.marks import mark
from errorflow_viewer.kit.look import FAMILIES
from errorflow_viewer.plots.shapes import paint_shapes


def paint_mark(painter: QPainter, tone: int, place: QRectF, ink: QColor) -> None:
    """The mark of a tone of `scene.Scene.tones`, filling a square."""
    family = (*FAMILIES, "constant", "fold")[tone]
    paint_shapes(painter, [mark(family, place.width(), ink.name())], at=place.topLeft())
