"""Legend of colours: a strip below the graph."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QLinearGradient, QPainter, QPolygonF

from errorflow.base.values import dataclass, field
from errorflow.report.frame import Frame
from errorflow.report.legend import APART, GROUP, HIGH, OLDER, SWATCH, Entry, entries, foot, head, swatch
from errorflow.report.limits import LimitAxis
from errorflow_viewer.canvas.camera import Port
from errorflow_viewer.canvas.sheet import Style
from errorflow_viewer.kit.look import LABEL
from errorflow_viewer.kit.scaling import factor
from errorflow_viewer.plots.shapes import paint_shapes

if TYPE_CHECKING:
    from errorflow.report.paint import Paint

# Logical px: how high the strip is, a further row of it, and its margin.
STRIP, ROW, MARGIN = 26, 20, 12.0
# The scale.
SCALE = 120.0
# Of the scale, where there is little room: beside its name, and even less.
SHORT, LEAST = 80.0, 48.0
# The least room of a limit's number: a strip must not jump while one is moved.
NUMBER = 52.0
# More rows would take too much from the graph, where text is large as well; of what has no room, the last entry tells
# how much it is.
_ROWS, _LARGE_ROWS, _LARGE = 3, 2, 1.5


@dataclass(frozen=True, slots=True)
class Places:
    """Places in device pixels from the left upper corner of the strip."""

    height: int
    # Empty where there is no room.
    measure: QRectF
    good: QRectF
    scale: QRectF
    bad: QRectF
    entries: tuple[tuple[Entry, QRectF], ...]
    # What has no room, and where that is told.
    hidden: tuple[Entry, ...] = ()
    more: QRectF = field(default_factory=QRectF)

    @property
    def more_text(self) -> str:
        return _more(len(self.hidden))


def places(paint: "Paint", width: int, ratio: float, style: Style) -> Places:
    """Places parts from left to right; what is explained beside the scale goes on in a second row."""
    pixels = round(LABEL * ratio)
    row, margin, group = round(STRIP * ratio), MARGIN * ratio, GROUP * ratio
    good, bad = (max(style.width(text, pixels), NUMBER * ratio) for text in (paint.good, paint.bad))
    room, measure = width - 2 * margin, style.width(paint.measure, pixels)
    left = room - good - bad - 2 * APART * ratio
    scale = min(SCALE * ratio, max(left - group - measure, SHORT * ratio), max(left, LEAST * ratio))
    fixed = good + bad + scale + 2 * APART * ratio
    measure = min(measure, max(room - fixed - group, 0.0))
    left = margin + (measure + group if measure else 0.0)
    rects = []
    for wide in (good, scale, bad):
        rects.append(QRectF(round(left), 0, round(wide), row))
        left += wide + APART * ratio
    told, hidden, more = _flow(paint, left - APART * ratio + group, width - margin, ratio, style)
    spots = (*(rect for _, rect in told), more)
    rows = 1 + max(round(rect.top() / (ROW * ratio)) for rect in spots)
    first = QRectF(margin, 0, measure, row)
    return Places(strip(rows, ratio), first, rects[0], rects[1], rects[2], told, hidden, more)


def strip(rows: int, ratio: float) -> int:
    """Computes how high so many rows are, in device pixels."""
    return round(STRIP * ratio) + round((rows - 1) * ROW * ratio)


def _flow(
    paint: "Paint", left: float, right: float, ratio: float, style: Style
) -> tuple[tuple[tuple[Entry, QRectF], ...], tuple[Entry, ...], QRectF]:
    """Places entries one after the other, as long as there are rows; then what is left over, and where that is told."""
    pixels, margin, high = round(LABEL * ratio), MARGIN * ratio, round(STRIP * ratio)
    every, row, found = entries(paint), 0, []
    most = _ROWS if factor() < _LARGE else _LARGE_ROWS
    for entry in every:
        wide = (SWATCH + APART) * ratio + style.width(entry.text, pixels)
        if left + wide > right and left > margin:
            left, row = margin, row + 1
        if row == most:
            break
        found.append((entry, QRectF(round(left), round(row * ROW * ratio), wide, high)))
        left += wide + GROUP * ratio
    if len(found) == len(every):
        return tuple(found), (), QRectF()
    last = round((most - 1) * ROW * ratio)
    while True:
        wide = style.width(_more(len(every) - len(found)), pixels)
        ends = [rect.right() + GROUP * ratio for _, rect in found if rect.top() == last]
        left = max(ends, default=margin)
        if left + wide <= right or not ends:
            return tuple(found), every[len(found) :], QRectF(round(left), last, wide, high)
        found.pop()


def _more(count: int) -> str:
    return f"… {count} more"


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
