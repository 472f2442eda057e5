"""Legend of colours: a strip below the graph."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QLinearGradient, QPainter, QPolygonF

from errorflow.report.frame import Frame
from errorflow.report.legend import APART, HIGH, SWATCH, foot, head, swatch
from errorflow.report.legend_entries import OLDER, Entry, entries
from errorflow.report.limits import LimitAxis
from errorflow_viewer.canvas.camera import Port
from errorflow_viewer.canvas.legend_places import Places, places
from errorflow_viewer.canvas.sheet import Style
from errorflow_viewer.kit.look import LABEL
from errorflow_viewer.kit.scaling import factor
from errorflow_viewer.plots.shapes import paint_shapes

if TYPE_CHECKING:
    from errorflow.report.paint import Paint

# Logical px: what its window must measure.
_FROM = 160.0
# Logical px of a handle: how far it reaches beyond the scale, and half of what it is wide.
_REACH, _HALF = 3.0, 4.0


class CanvasLegend:
    """Names the measure, its good and its bad end, and what else is to be seen."""

    def __init__(self) -> None:
        # What it explains; None: nothing is painted by error.
        self.shown: Paint | None = None
        # The line on which the limits lie while one of them is moved; None: the one that suits them.
        self.held: LimitAxis | None = None
        self.entries: tuple[Entry, ...] = ()
        # As high as that in logical px at least, to be level with the one of another graph.
        self.least = 0
        self._places: tuple[tuple[int, float, Style], Places] | None = None

    def show(self, paint: "Paint | None") -> None:
        self.shown = paint
        self.entries = () if paint is None else entries(paint)
        self._places = None

    @property
    def axis(self) -> LimitAxis | None:
        """The line on which limits lie; None: they cannot be moved."""
        metric = None if self.shown is None else self.shown.metric
        if metric is None:
            return None
        return LimitAxis.of(metric) if self.held is None else self.held.with_limits(metric)

    def height(self, width: int, height: int, ratio: float, style: Style) -> int:
        """Computes how much of the lower end of a window of that size it takes, in device pixels."""
        own = self.own_height(width, height, ratio, style)
        return max(own, round(self.least * ratio)) if height >= _FROM * ratio else 0

    def own_height(self, width: int, height: int, ratio: float, style: Style) -> int:
        """The same, if it stood alone."""
        if self.shown is None or height < _FROM * ratio:
            return 0
        return self.places(width, ratio, style).height

    def places(self, width: int, ratio: float, style: Style) -> Places:
        """Finds where its parts are."""
        assert self.shown is not None, "asked for where there is a legend"
        key = (width, ratio * factor(), style)
        if self._places is None or self._places[0] != key:
            self._places = key, places(self.shown, *key)
        return self._places[1]

    def paint(self, painter: QPainter, port: Port, style: Style) -> None:
        """Paints below the port; its words are as large as those of the window."""
        paint, ratio = self.shown, port.ratio * factor()
        hair, colors = max(1.0, float(round(port.ratio))), style.colors
        found = None if paint is None else self.places(port.width, port.ratio, style)
        height = max(0 if found is None else found.height, round(self.least * port.ratio))
        painter.fillRect(QRectF(0, port.height, port.width, height), colors.sheet)
        painter.fillRect(QRectF(0, port.height, port.width, min(hair, height)), colors.group_border)
        if paint is None or found is None:
            return
        painter.save()
        painter.translate(0, port.height)
        font, metrics = style.text(round(LABEL * ratio))
        painter.setFont(font)
        if found.measure.width() > 0:
            text = _fitting(paint, metrics, found.measure.width() + 1)
            _write(painter, found.measure.left(), found.measure, text, metrics, colors.box_text)
        good = found.good.right() - metrics.horizontalAdvance(paint.good)
        _write(painter, good, found.good, paint.good, metrics, colors.group_text)
        _write(painter, found.bad.left(), found.bad, paint.bad, metrics, colors.group_text)
        _paint_axis(painter, _lying(found.scale, ratio), style, self.axis, ratio)
        for entry, place in found.entries:
            _paint_entry(painter, entry, place, style, ratio)
        if found.hidden:
            _write(painter, found.more.left(), found.more, found.more_text, metrics, colors.box_text)
        painter.restore()


def paint_round(painter: QPainter, frame: Frame, style: Style, paint: "Paint | None") -> None:
    """Paints what stands round a drawing on its page, in px of that."""
    colors = style.colors.drawing
    paint_shapes(painter, (*head(frame, colors), *foot(frame, colors, paint)), style.font_of)


def _fitting(paint: "Paint", metrics: QFontMetricsF, room: float) -> str:
    """The measure and the metric, or the metric alone where there is little room."""
    whole = metrics.horizontalAdvance(paint.measure) <= room or paint.metric is None
    short = "" if paint.metric is None else f"{OLDER if paint.older else ''}{paint.metric.label}"
    text = paint.measure if whole else short
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)


def _lying(place: QRectF, ratio: float) -> QRectF:
    """The middle of a place, as high as a scale is."""
    high = round(HIGH * ratio)
    return QRectF(place.left(), round(place.center().y()) - high // 2, place.width(), high)


def _paint_axis(painter: QPainter, bar: QRectF, style: Style, axis: LimitAxis | None, ratio: float) -> None:
    """The scale, between handles at the two limits where they can be moved."""
    colors = style.colors
    good, bad = (0.0, 1.0) if axis is None else (axis.good, axis.bad)
    gradient = QLinearGradient(bar.topLeft(), bar.topRight())
    for step, color in enumerate(colors.error):
        gradient.setColorAt(good + (bad - good) * step / (len(colors.error) - 1), color)
    painter.fillRect(bar, gradient)
    if axis is not None:
        for place in (good, bad):
            _paint_handle(painter, bar, bar.left() + place * bar.width(), style, ratio)


def _paint_handle(painter: QPainter, bar: QRectF, x: float, style: Style, ratio: float) -> None:
    """A line across the scale that ends in a foot."""
    hair, reach, half = max(1.0, float(round(ratio))), _REACH * ratio, _HALF * ratio
    x = round(x)
    line = QRectF(x - hair, bar.top() - reach, 2 * hair, bar.height() + 2 * reach)
    painter.fillRect(line.adjusted(-hair, 0, hair, 0), style.colors.sheet)
    painter.fillRect(line, style.colors.box_text)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(style.colors.box_text)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    bottom = bar.bottom() + reach + half
    painter.drawPolygon(
        QPolygonF([QPointF(x, bar.bottom() - half / 2), QPointF(x - half, bottom), QPointF(x + half, bottom)])
    )
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _paint_entry(painter: QPainter, entry: Entry, place: QRectF, style: Style, ratio: float) -> None:
    """A sign and its words."""
    metrics = style.text(round(LABEL * ratio))[1]
    lying = _lying(QRectF(place.left(), place.top(), round(SWATCH * ratio), place.height()), ratio)
    paint_swatch(painter, entry, lying.topLeft(), style, ratio)
    painter.setFont(style.text(round(LABEL * ratio))[0])
    _write(painter, lying.right() + APART * ratio, place, entry.text, metrics, style.colors.group_text)


def paint_swatch(painter: QPainter, entry: Entry, corner: QPointF, style: Style, ratio: float) -> None:
    """The sign itself, small."""
    paint_shapes(painter, swatch(entry, 0.0, 0.0, style.colors.drawing), style.font_of, corner, ratio)


def _write(painter: QPainter, left: float, place: QRectF, text: str, metrics: QFontMetricsF, ink: QColor) -> None:
    """Writes a text in the middle of a row."""
    painter.setPen(ink)
    painter.drawText(QPointF(left, round(place.center().y()) + metrics.capHeight() / 2), text)
    painter.setPen(Qt.PenStyle.NoPen)
