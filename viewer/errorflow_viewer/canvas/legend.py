"""Legend of colours: a strip below the graph, with the two limits under the hand."""

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QLineEdit, QWidget

from errorflow.base.values import dataclass, field
from errorflow.report.frame import Frame
from errorflow.report.legend import (
    APART,
    GROUP,
    HIGH,
    OLDER,
    STEP,
    SWATCH,
    Entry,
    LimitAxis,
    entries,
    foot,
    head,
    swatch,
    typed,
)
from errorflow.report.paint import Paint
from errorflow_viewer.canvas.camera import Port
from errorflow_viewer.canvas.sheet import Style
from errorflow_viewer.kit.look import LABEL
from errorflow_viewer.kit.scaling import factor
from errorflow_viewer.plots.shapes import paint_shapes

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


def places(paint: Paint, width: int, ratio: float, style: Style) -> Places:
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
    paint: Paint, left: float, right: float, ratio: float, style: Style
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


def _fitting(paint: Paint, metrics: QFontMetricsF, room: float) -> str:
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


# The two limits of a legend under the hand: handles that are dragged or moved by keys, numbers that are typed.

Which = Literal["good", "bad"]
_WORDS: dict[Which, str] = {"good": "Good limit", "bad": "Bad limit"}
# Logical px: how wide a handle takes the pointer, and its frame while it has the keyboard.
_WIDE, _FRAME = 14, 1.5
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: -1, Qt.Key.Key_Up: 1}
_FAR = 5


class Handle(QWidget):
    """Handle of a limit. What is seen of it belongs to the legend, so that pictures have it, too."""

    def __init__(self, parent: QWidget, which: Which, limits: "Limits") -> None:
        super().__init__(parent)
        self._which: Which = which
        self._limits = limits
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        self.setAccessibleName(_WORDS[which])
        self.setToolTip(f"{_WORDS[which]}: drag it, or move it by the arrow keys. Enter: type it. Double click: reset")
        self.hide()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._limits.hold()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._limits.drag(self._which, self.mapToParent(event.position()).x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002 - the signature of Qt
        self._limits.release()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002 - the signature of Qt
        self._limits.reset.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        if step is not None:
            far = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self._limits.push(self._which, step * STEP * (_FAR if far else 1))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2):
            self._limits.ask(self._which)
        elif event.key() == Qt.Key.Key_Backspace:
            self._limits.reset.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._limits.release()
        self.update()
        super().focusOutEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the signature of Qt
        if self.hasFocus():
            painter = QPainter(self)
            painter.setPen(QPen(self.palette().accent().color(), _FRAME))
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -2, -2), 3, 3)
            painter.end()


class _Number(QWidget):
    """Number of a limit, read there, and typed after a double click."""

    def __init__(self, parent: QWidget, asked: Callable[[], None], which: Which) -> None:
        super().__init__(parent)
        self._asked = asked
        self.setToolTip(f"{_WORDS[which]}: double click to type it")
        self.setAccessibleName(f"{_WORDS[which]}, as a number")
        self.hide()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002 - the signature of Qt
        self._asked()


class Limits(QObject):
    """Limits of what a legend shows."""

    moved = Signal(float, float)  # good and bad, by the user; many of them make one move
    settled = Signal()  # the hand is off
    reset = Signal()  # the user wants the metric's own

    def __init__(self, parent: QWidget, legend: CanvasLegend) -> None:
        super().__init__(parent)
        self._legend = legend
        self._scale = QRect()
        self.handles: dict[Which, Handle] = {"good": Handle(parent, "good", self), "bad": Handle(parent, "bad", self)}
        self.numbers: dict[Which, _Number] = {
            "good": _Number(parent, lambda: self.ask("good"), "good"),
            "bad": _Number(parent, lambda: self.ask("bad"), "bad"),
        }
        self.editor = QLineEdit(parent)
        self.editor.hide()
        self.editor.installEventFilter(self)
        self.editor.returnPressed.connect(self._take)
        self._asked: Which = "good"

    @property
    def have_keyboard(self) -> bool:
        return any(handle.hasFocus() for handle in self.handles.values())

    def follow(self, places: Places | None, top: float, ratio: float) -> None:
        """Lies where the legend is; None: there is none."""
        axis = self._legend.axis
        shown = places is not None and axis is not None
        for widget in (*self.handles.values(), *self.numbers.values()):
            widget.setVisible(shown)
        if places is None or axis is None:
            self.editor.hide()
            return
        self._scale = _logical(places.scale, top, ratio)
        ends: tuple[tuple[Which, float], ...] = (("good", axis.good), ("bad", axis.bad))
        for which, place in ends:
            middle = round(self._scale.left() + place * places.scale.width() / ratio)
            self.handles[which].setGeometry(middle - _WIDE // 2, self._scale.top(), _WIDE, self._scale.height())
            value = axis.scale.limit(axis.scale.good if which == "good" else axis.scale.bad)
            self.handles[which].setAccessibleDescription(f"{axis.scale.label}: {value}")
            number = _logical(places.good if which == "good" else places.bad, top, ratio)
            self.numbers[which].setGeometry(number)

    # By hand

    def hold(self) -> None:
        """The line stays as it is until the hand is off."""
        self._legend.held = self._legend.axis

    def drag(self, which: Which, x: float) -> None:
        """Drags to a place in the parent."""
        self._put(which, (x - self._scale.left()) / max(self._scale.width(), 1))

    def push(self, which: Which, share: float) -> None:
        """Pushes by so much of the line. Presses of a key in a row are one move."""
        axis = self._legend.axis
        if axis is not None:
            self._legend.held = axis if self._legend.held is None else self._legend.held
            self._put(which, (axis.good if which == "good" else axis.bad) + share)

    def release(self) -> None:
        if self._legend.held is not None:
            self._legend.held = None
            self.settled.emit()

    def _put(self, which: Which, place: float) -> None:
        axis = self._legend.axis
        if axis is not None:
            self.moved.emit(*axis.moved(which, place))

    # By number

    def ask(self, which: Which) -> None:
        """Lets the user type a limit where it is written."""
        axis: LimitAxis | None = self._legend.axis
        if axis is None:
            return
        self._asked = which
        place = self.numbers[which].geometry()
        place.setWidth(max(place.width(), 72))
        self.editor.setGeometry(place.adjusted(0, 2, 0, -2))
        self.editor.setAccessibleName(f"{_WORDS[which]} of {axis.scale.label}")
        self.editor.setText(f"{axis.scale.good if which == 'good' else axis.scale.bad:g}")
        self.editor.selectAll()
        self.editor.show()
        self.editor.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self.editor.hide()
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape:
            self._leave()
            return True
        return super().eventFilter(watched, event)

    def _take(self) -> None:
        axis = self._legend.axis
        limits = None if axis is None else typed(axis.scale, self._asked, self.editor.text())
        if limits is None:
            self.editor.selectAll()
            self.editor.setToolTip("A number on the right side of the other limit")
            return
        self._leave()
        self.moved.emit(*limits)
        self.settled.emit()

    def _leave(self) -> None:
        """The keyboard goes on where it was."""
        self.editor.hide()
        self.handles[self._asked].setFocus()


def _logical(place: QRectF, top: float, ratio: float) -> QRect:
    """Converts device pixels of the strip to the parent's own."""
    left, upper = round(place.left() / ratio), round((top + place.top()) / ratio)
    return QRect(left, upper, round(place.width() / ratio), round(place.height() / ratio))
