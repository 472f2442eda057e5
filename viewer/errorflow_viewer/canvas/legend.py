"""Which colour stands for how bad: two rows, in the window on a card in the corner."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QLinearGradient, QPainter, QPen

from errorflow_viewer.canvas.bars import hatching
from errorflow_viewer.canvas.camera import Port
from errorflow_viewer.canvas.sheet import Style
from errorflow_viewer.look import LABEL

if TYPE_CHECKING:
    from errorflow.report.paint import Paint

# Logical px: the card's distance from the corner, its margins, and the radius of its corners; a row.
_CORNER, _MARGIN, _ABOVE, _RADIUS, _ROW = 12.0, 8.0, 6.0, 4.0, 16.0
# The scale, the swatch, what both are high, and what lies between the parts.
_SCALE, _SWATCH, _HIGH, _APART, _GROUP = 96.0, 14.0, 8.0, 6.0, 16.0
_UNKNOWN = "not measured"


class Legend:
    """Names the measure, its good and its bad end, and what is hatched."""

    def __init__(self) -> None:
        # What it explains; None: nothing is painted by error.
        self.shown: Paint | None = None

    def place(self, port: Port, style: Style) -> QRectF:
        """Where the card lies, in device pixels; empty when there is none."""
        if self.shown is None:
            return QRectF()
        ratio = port.ratio
        width = round(_width(self.shown, style, ratio) + 2 * _MARGIN * ratio)
        height, corner = round((2 * _ROW + 2 * _ABOVE) * ratio), round(_CORNER * ratio)
        if 2 * width > port.width or 4 * height > port.height:  # a small window is for the graph
            return QRectF()
        return QRectF(corner, port.height - corner - height, width, height)

    def paint(self, painter: QPainter, port: Port, style: Style) -> None:
        paint, place, ratio = self.shown, self.place(port, style), port.ratio
        if paint is None or place.isEmpty():
            return
        hair = max(1.0, float(round(ratio)))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(QPen(style.colors.group_border, hair))
        painter.setBrush(style.colors.sheet)
        painter.drawRoundedRect(place.translated(hair / 2, hair / 2), _RADIUS * ratio, _RADIUS * ratio)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        paint_rows(painter, place.topLeft() + QPointF(_MARGIN, _ABOVE) * ratio, style, paint, paint.measure, ratio)


def paint_rows(
    painter: QPainter, corner: QPointF, style: Style, paint: "Paint", measure: str, ratio: float = 1.0
) -> None:
    """The name of the measure, and below it the scale between its good and its bad end and the swatch."""
    colors, (font, metrics) = style.colors, style.text(round(LABEL * ratio))
    painter.setFont(font)
    first, second = (round(corner.y() + _ROW * ratio * row) for row in (0.5, 1.5))
    _write(painter, corner.x(), first, measure, metrics, colors.box_text)
    left = _write(painter, corner.x(), second, paint.good, metrics, colors.group_text) + _APART * ratio
    top, high = second - round(_HIGH * ratio / 2), round(_HIGH * ratio)
    bar = QRectF(round(left), top, round(_SCALE * ratio), high)
    painter.fillRect(bar, _gradient(bar, colors.error))
    left = _write(painter, bar.right() + _APART * ratio, second, paint.bad, metrics, colors.group_text)
    swatch = QRectF(round(left + _GROUP * ratio), top, round(_SWATCH * ratio), high)
    hair = max(1.0, float(round(ratio)))
    painter.fillRect(swatch, colors.unmeasured)
    painter.fillRect(swatch.adjusted(hair, hair, -hair, -hair), colors.blank)
    painter.fillRect(swatch, hatching(colors.unmeasured, ratio))
    _write(painter, swatch.right() + _APART * ratio, second, _UNKNOWN, metrics, colors.group_text)


def _write(painter: QPainter, left: float, middle: float, text: str, metrics: QFontMetricsF, ink: QColor) -> float:
    """Writes a text and says where it ends."""
    painter.setPen(ink)
    painter.drawText(QPointF(left, middle + metrics.capHeight() / 2), text)
    painter.setPen(Qt.PenStyle.NoPen)
    return left + metrics.horizontalAdvance(text)


def _width(paint: "Paint", style: Style, ratio: float) -> float:
    """Of the wider row."""
    pixels = round(LABEL * ratio)
    measure, *texts = (style.width(text, pixels) for text in (paint.measure, paint.good, paint.bad, _UNKNOWN))
    return max(measure, sum(texts) + (_SCALE + _SWATCH + 3 * _APART + _GROUP) * ratio)


def _gradient(place: QRectF, colors: tuple[QColor, ...]) -> QLinearGradient:
    gradient = QLinearGradient(place.topLeft(), place.topRight())
    for step, color in enumerate(colors):
        gradient.setColorAt(step / (len(colors) - 1), color)
    return gradient
