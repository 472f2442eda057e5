"""Which colour stands for how bad: a strip below the graph, or two rows on a page."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QLinearGradient, QPainter

from errorflow_viewer.canvas.bars import hatching
from errorflow_viewer.canvas.camera import Port
from errorflow_viewer.canvas.sheet import Style
from errorflow_viewer.look import LABEL

if TYPE_CHECKING:
    from errorflow.report.paint import Paint

# Logical px: how high the strip is, what its window must measure, and its margin; a row on a page.
STRIP = 26
_FROM, _MARGIN, _ROW = 160.0, 12.0, 16.0
# The scale, the swatch, what both are high, and what lies between the parts and between groups of them.
_SCALE, _SWATCH, _HIGH, _APART, _GROUP = 96.0, 14.0, 8.0, 6.0, 20.0
_UNKNOWN = "not measured"


class Legend:
    """Names the measure, its good and its bad end, and what is hatched."""

    def __init__(self) -> None:
        # What it explains; None: nothing is painted by error.
        self.shown: Paint | None = None

    def height(self, window: int, ratio: float) -> int:
        """How much of the lower end of a window so high it takes, in device pixels."""
        return 0 if self.shown is None or window < _FROM * ratio else round(STRIP * ratio)

    def paint(self, painter: QPainter, port: Port, style: Style) -> None:
        """Below the port."""
        paint, ratio = self.shown, port.ratio
        if paint is None:
            return
        hair = max(1.0, float(round(ratio)))
        strip = QRectF(0, port.height, port.width, round(STRIP * ratio))
        painter.fillRect(strip, style.colors.sheet)
        painter.fillRect(QRectF(0, port.height, port.width, hair), style.colors.group_border)
        middle, left = round(strip.center().y()), _MARGIN * ratio
        font, metrics = style.text(round(LABEL * ratio))
        painter.setFont(font)
        room = port.width - 2 * _MARGIN * ratio
        rest = _width(paint, style, ratio)
        if room >= rest:
            measure = metrics.elidedText(paint.measure, Qt.TextElideMode.ElideRight, room - rest)
            left = _write(painter, left, middle, measure, metrics, style.colors.box_text) + _GROUP * ratio
        _paint_scale(painter, QPointF(left, middle), style, paint, ratio)


def paint_rows(painter: QPainter, corner: QPointF, style: Style, paint: "Paint", measure: str) -> None:
    """On a page: the name of the measure, and below it all else."""
    font, metrics = style.text(LABEL)
    painter.setFont(font)
    _write(painter, corner.x(), round(corner.y() + _ROW / 2), measure, metrics, style.colors.box_text)
    _paint_scale(painter, corner + QPointF(0, 1.5 * _ROW), style, paint, 1.0)


def _paint_scale(painter: QPainter, start: QPointF, style: Style, paint: "Paint", ratio: float) -> None:
    """The scale between its good and its bad end, and the swatch of what was not measured."""
    colors, metrics = style.colors, style.text(round(LABEL * ratio))[1]
    middle, high = round(start.y()), round(_HIGH * ratio)
    left = _write(painter, start.x(), middle, paint.good, metrics, colors.group_text) + _APART * ratio
    bar = QRectF(round(left), middle - high // 2, round(_SCALE * ratio), high)
    painter.fillRect(bar, _gradient(bar, colors.error))
    left = _write(painter, bar.right() + _APART * ratio, middle, paint.bad, metrics, colors.group_text)
    swatch = QRectF(round(left + _GROUP * ratio), bar.top(), round(_SWATCH * ratio), high)
    hair = max(1.0, float(round(ratio)))
    painter.fillRect(swatch, colors.unmeasured)
    painter.fillRect(swatch.adjusted(hair, hair, -hair, -hair), colors.blank)
    painter.fillRect(swatch, hatching(colors.unmeasured, ratio))
    _write(painter, swatch.right() + _APART * ratio, middle, _UNKNOWN, metrics, colors.group_text)


def _width(paint: "Paint", style: Style, ratio: float) -> float:
    """Of all but the measure's name."""
    pixels = round(LABEL * ratio)
    texts = sum(style.width(text, pixels) for text in (paint.good, paint.bad, _UNKNOWN))
    return texts + (_SCALE + _SWATCH + 3 * _APART + 2 * _GROUP) * ratio


def _write(painter: QPainter, left: float, middle: float, text: str, metrics: QFontMetricsF, ink: QColor) -> float:
    """Writes a text and says where it ends."""
    painter.setPen(ink)
    painter.drawText(QPointF(left, middle + metrics.capHeight() / 2), text)
    painter.setPen(Qt.PenStyle.NoPen)
    return left + metrics.horizontalAdvance(text)


def _gradient(place: QRectF, colors: tuple[QColor, ...]) -> QLinearGradient:
    gradient = QLinearGradient(place.topLeft(), place.topRight())
    for step, color in enumerate(colors):
        gradient.setColorAt(step / (len(colors) - 1), color)
    return gradient
