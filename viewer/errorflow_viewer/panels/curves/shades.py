"""The colours of curves, of a theme."""

from dataclasses import dataclass

from PySide6.QtGui import QColor

from errorflow.report.colors import DARK, LIGHT, DrawingColors
from errorflow_viewer.kit.look import Theme


@dataclass(frozen=True, slots=True)
class Shades:
    """Tones of the curves themselves are made of `drawing`, as in files."""

    ground: QColor
    text: QColor
    muted: QColor
    grid: QColor
    rule: QColor
    selection: QColor
    drawing: DrawingColors


def shades_of(theme: Theme) -> Shades:
    return Shades(
        QColor(theme.canvas),
        QColor(theme.text),
        QColor(theme.muted),
        QColor(theme.hairline),
        QColor(theme.control_border),
        QColor(theme.selection),
        DARK if theme.dark else LIGHT,
    )
