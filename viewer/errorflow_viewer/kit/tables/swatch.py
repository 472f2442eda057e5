"""The small square beside a number that says how bad it is, in the colours of the graph."""

import math

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPalette

from errorflow.case.session.model import Palette
from errorflow.report.scale import scale_of

# Logical px: the square, and what it takes from a cell.
SWATCH, SWATCH_ROOM = 10, 18


def paint_swatch(painter: QPainter, cell: QRect, badness: float, colors: Palette, palette: QPalette) -> None:
    """Paints a swatch at the left end of a cell; a check where the value is no number."""
    place = QRectF(cell.left() + 5, cell.center().y() - SWATCH / 2 + 0.5, SWATCH, SWATCH)
    dark = palette.color(QPalette.ColorRole.Base).lightness() < palette.color(QPalette.ColorRole.Text).lightness()
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    if math.isnan(badness):
        half = SWATCH / 2
        painter.fillRect(place, Qt.GlobalColor.white)
        for x, y in ((0.0, 0.0), (half, half)):
            painter.fillRect(QRectF(place.x() + x, place.y() + y, half, half), Qt.GlobalColor.black)
    else:
        painter.fillRect(place, QColor(scale_of(colors, dark).hex(badness)))
    painter.setPen(palette.color(QPalette.ColorRole.Mid))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(place.adjusted(0, 0, -1, -1))
    painter.restore()
