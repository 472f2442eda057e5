"""Figures as the engine draws them, in a theme of the window."""

from PySide6.QtCore import QRectF

from errorflow.report.figure_shapes import DARK_LOOK, LIGHT_LOOK, Area, FigureLook
from errorflow_viewer.kit.look import Theme


def look_of(theme: Theme) -> FigureLook:
    return DARK_LOOK if theme.dark else LIGHT_LOOK


def area_of(place: QRectF) -> Area:
    return Area(place.x(), place.y(), place.width(), place.height())
