"""Plot of attempts as points: the measure against the number of parts that are kept, with the target."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from errorflow.base.values import dataclass
from errorflow.study.search.asked import Sought
from errorflow.study.search.model import Search, Tried
from errorflow_viewer.commands.copy_save.plots import Plot as GivenPlot
from errorflow_viewer.commands.copy_save.plots import image_of, svg_of
from errorflow_viewer.commands.copy_save.tables import Table, text_of
from errorflow_viewer.kit.look import LABEL, Theme
from errorflow_viewer.kit.style import font
from errorflow_viewer.panels.search.told import attempt
from errorflow_viewer.panels.search.words import value_text

# Logical px: what is free around the plot, numbers of parts below; around points; how near the pointer must be.
_AROUND, _RIGHT, _TOP, _FOOT = 8.0, 16.0, 12.0, 24.0
_DOT, _RING, _REACH = 4.0, 7.5, 14.0
# Between numbers along the axes, and the height of a line of text.
_ACROSS, _APART, _LINE = 60.0, 34.0, 14.0
_TITLE = "Kept"
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_ENDS = (Qt.Key.Key_Home, Qt.Key.Key_End)
_AT_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
# From this ratio on values stand by their magnitude.
_WIDE = 50.0
_MARGIN = 0.08


@dataclass(frozen=True)
class ShownSearch:
    """Search with what it takes to draw it. `edge`: the worst value that is good enough; NaN: unknown."""

    found: Search
    sought: Sought
    edge: float

    @cached_property
    def values(self) -> tuple[float, ...]:
        return tuple(each.value for each in self.found.tried)

    @cached_property
    def is_log(self) -> bool:
        known = [value for value in (*self.values, self.edge) if math.isfinite(value)]
        return bool(known) and min(known) > 0 and max(known) / min(known) >= _WIDE

    @cached_property
    def span(self) -> tuple[float, float]:
        """Span of what is drawn, in the axis' own terms."""
        wanted = [*self.values, self.edge]
        if not self.is_log:
            wanted.append(self.found.original)
        known = [self.own(value) for value in wanted if math.isfinite(value)]
        low, high = (min(known), max(known)) if known else (0.0, 1.0)
        room = (high - low) * _MARGIN if high > low else max(abs(high), 1.0) * _MARGIN
        return low - room, high + room

    @cached_property
    def most(self) -> int:
        return max((len(each.choice) for each in self.found.tried), default=0)

    def own(self, value: float) -> float:
        return math.log10(value) if self.is_log else value

    def share(self, value: float) -> float:
        """0 at the foot, 1 at the head; NaN: it is nowhere."""
        if not math.isfinite(value) or (self.is_log and value <= 0):
            return math.nan
        low, high = self.span
        return (self.own(value) - low) / (high - low)

    def ticks(self, count: int) -> list[float]:
        low, high = self.span
        step = _nice((high - low) / max(count, 1))
        if self.is_log:
            step = max(round(step), 1)
        first = math.ceil(low / step)
        marks = [number * step for number in range(first, math.floor(high / step) + 1)]
        return [10**mark if self.is_log else round(mark, 12) for mark in marks]


@dataclass(frozen=True, slots=True)
class _Level:
    """A line across the plot."""

    y: float
    text: str
    tone: str
    color: str
    style: Qt.PenStyle


def _number(value: float) -> str:
    return f"{value:.4g}"


def _about(spot: QPointF, reach: float) -> QRectF:
    return QRectF(spot.x() - reach, spot.y() - reach, 2 * reach, 2 * reach)


def _nice(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step)) if step > 0 else 1.0
    return next(each * power for each in (1.0, 2.0, 5.0, 10.0) if each * power >= step * 0.999)


class SearchPlot(QWidget):
    """Attempts in, attempts out."""

    picked = Signal(int)  # click or key
    opened = Signal(int)  # double click or Enter

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(200, 90)
        self.setAccessibleName("What was tried")
        self._theme = theme
        self.seen: ShownSearch | None = None
        self._left = self._gutter()
        self.selected: int | None = None
        self.hovered: int | None = None

    def dress(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_search(self, seen: ShownSearch | None) -> None:
        self.seen = seen
        if seen is None or (self.selected is not None and self.selected >= len(seen.found.tried)):
            self.selected = self.hovered = None
        self._left = self._gutter()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._left = self._gutter()

    def select(self, number: int | None) -> None:
        """Marks an attempt, without a signal."""
        self.selected = number
        self.setAccessibleDescription("" if number is None else self.told(number))
        self.update()

    def told(self, number: int) -> str:
        seen = self.seen
        if seen is None or not 0 <= number < len(seen.found.tried):
            return ""
        return attempt(seen.found, seen.sought, seen.found.tried[number])

    # Where things stand

    @property
    def room(self) -> QRectF:
        left = self._left
        return QRectF(left, _TOP, max(self.width() - left - _RIGHT, 1.0), max(self.height() - _TOP - _FOOT, 1.0))

    def _gutter(self) -> float:
        """Measures the widest number of the axis, or the title of the one below."""
        metrics = QFontMetricsF(font(LABEL))
        texts = [_TITLE, *(() if self.seen is None else map(_number, self.seen.ticks(self._rows)))]
        return max(metrics.horizontalAdvance(text) for text in texts) + 2 * _AROUND

    @property
    def _rows(self) -> int:
        return max(int((self.height() - _TOP - _FOOT) / _APART), 2)

    def spot(self, tried: Tried) -> QPointF:
        """Places a point; what is no number stands below the axis."""
        assert self.seen is not None, "asked for what is drawn"
        room, most = self.room, max(self.seen.most, 1)
        share = self.seen.share(tried.value)
        y = room.bottom() + 6 if math.isnan(share) else room.bottom() - share * room.height()
        return QPointF(room.left() + _AROUND + len(tried.choice) / most * (room.width() - 2 * _AROUND), y)

    def attempt_at(self, at: QPointF) -> int | None:
        if self.seen is None:
            return None
        near = [(QLineF(at, self.spot(tried)).length(), -tried.number) for tried in self.seen.found.tried]
        distance, number = min(near, default=(math.inf, 0))
        return -number if distance <= _REACH else None

    # Painting

    def given(self) -> GivenPlot:
        """Makes what its context menu offers."""
        return GivenPlot(
            lambda: "search",
            lambda: image_of(self.size(), self._theme.canvas, self._draw),
            lambda: svg_of(self.size(), self._theme.canvas, self._draw, "What was tried"),
            self._numbers,
            lambda: self.seen is not None,
        )

    def _numbers(self) -> Callable[[], str]:
        seen = self.seen
        head = ("No.", "Kept", "" if seen is None else seen.found.measure, "Enough")
        tried = () if seen is None else seen.found.tried
        rows = [(one.number + 1, len(one.choice), one.value, "yes" if one.good else "no") for one in tried]
        return Table(head, [[text_of(cell) for cell in row] for row in rows]).csv

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.canvas))
        self._draw(painter)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(self._theme.focus), 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def _draw(self, painter: QPainter) -> None:
        painter.setFont(font(LABEL))
        seen = self.seen
        if seen is not None:
            self._axes(painter, seen)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._lines(painter, seen)
            self._points(painter, seen)
            self._write(painter, seen)

    def _axes(self, painter: QPainter, seen: ShownSearch) -> None:
        room, theme = self.room, self._theme
        for value in seen.ticks(self._rows):
            y = round(room.bottom() - seen.share(value) * room.height()) + 0.5
            painter.setPen(QPen(QColor(theme.hairline), 1.0))
            painter.drawLine(QLineF(room.left(), y, room.right(), y))
            painter.setPen(QColor(theme.muted))
            painter.drawText(QRectF(0, y - 8, room.left() - _AROUND, 16), _AT_RIGHT, _number(value))
        y = room.bottom() + 0.5
        painter.setPen(QPen(QColor(theme.control_border), 1.0))
        painter.drawLine(QLineF(room.left(), y, room.right(), y))
        painter.setPen(QColor(theme.muted))
        foot = QRectF(0, room.bottom() + 4, room.left() - _AROUND, 18)
        painter.drawText(foot, _AT_RIGHT, _TITLE)
        most = max(seen.most, 1)
        step = max(round(_nice(most / max(room.width() / _ACROSS, 1))), 1)
        for count in range(0, most + 1, step):
            x = room.left() + _AROUND + count / most * (room.width() - 2 * _AROUND)
            painter.drawText(QRectF(x - 40, foot.top(), 80, foot.height()), Qt.AlignmentFlag.AlignCenter, f"{count:,}")

    def _levels(self, seen: ShownSearch) -> list[_Level]:
        """Lists the target, and what the float model has, if it is on view."""
        theme, room = self._theme, self.room
        asked, own = seen.share(seen.edge), seen.share(seen.found.original)

        def y(share: float) -> float:
            return room.bottom() - share * room.height()

        text = f"asked for: {value_text(seen.sought, seen.edge)}"
        found = [_Level(y(asked), text, theme.accent, theme.text, Qt.PenStyle.DashLine)]
        if own != asked and not seen.is_log:
            text = f"float: {value_text(seen.sought, seen.found.original)}"
            found.append(_Level(y(own), text, theme.muted, theme.muted, Qt.PenStyle.DotLine))
        return [level for level in found if room.top() - 1 <= level.y <= room.bottom() + 1]

    def labels(self) -> list[tuple[str, QRectF]]:
        """Places what is written into the plot: over no point, no line and no other label if that can be."""
        seen = self.seen
        if seen is None:
            return []
        metrics, levels, inside = QFontMetricsF(font(LABEL)), self._levels(seen), self.room
        room = inside.adjusted(0, -_TOP, 0, 0)
        dots = [_about(self.spot(tried), _DOT + 2) for tried in seen.found.tried]
        lines = [QRectF(inside.left(), level.y - 1, inside.width(), 2) for level in levels]
        found: list[tuple[str, QRectF]] = []
        best = seen.found.best
        if best is not None and len(best.choice):
            spot, text = self.spot(best), "best" if best.good else "closest"
            dots.append(_about(spot, _RING + 2))
            size = QSizeF(metrics.horizontalAdvance(text), _LINE)
            found.append((text, placed(around(spot, _RING, size), [*dots, *lines], room)))
        for number, level in enumerate(levels):
            size = QSizeF(metrics.horizontalAdvance(level.text), _LINE)
            others = [line for each, line in enumerate(lines) if each != number]
            taken = [*dots, *others, *(rect for _, rect in found)]
            found.append((level.text, placed(along(level.y, size, room), taken, room)))
        return found

    def _lines(self, painter: QPainter, seen: ShownSearch) -> None:
        room = self.room
        for level in self._levels(seen):
            painter.setPen(QPen(QColor(level.tone), 1.3, level.style))
            painter.drawLine(QLineF(room.left(), level.y, room.right(), level.y))

    def _write(self, painter: QPainter, seen: ShownSearch) -> None:
        colors = {level.text: level.color for level in self._levels(seen)}
        for text, rect in self.labels():
            painter.setPen(QColor(colors.get(text, self._theme.text)))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)

    def _points(self, painter: QPainter, seen: ShownSearch) -> None:
        theme, best = self._theme, seen.found.best
        for tried in seen.found.tried:
            color, spot = QColor(theme.accent if tried.good else theme.muted), self.spot(tried)
            painter.setPen(QPen(color, 1.6))
            if math.isnan(seen.share(tried.value)):
                _cross(painter, spot)
                continue
            # Full are those that are good enough, also for who sees no colour.
            painter.setBrush(color if tried.good else QColor(theme.canvas))
            painter.drawEllipse(spot, _DOT, _DOT)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if best is not None and len(best.choice):
            painter.setPen(QPen(QColor(theme.text), 1.6))
            painter.drawEllipse(self.spot(best), _RING, _RING)
        for number, tone in ((self.selected, theme.selection), (self.hovered, theme.text)):
            if number is not None and number < len(seen.found.tried):
                painter.setPen(QPen(QColor(tone), 2.0))
                painter.drawEllipse(self.spot(seen.found.tried[number]), _RING + 2, _RING + 2)

    # Pointer and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        number = self.attempt_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and number is not None:
            self.picked.emit(number)
        else:
            super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        number = self.attempt_at(event.position())
        if number is not None:
            self.opened.emit(number)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.attempt_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(None)
        super().leaveEvent(event)

    def _hover(self, number: int | None) -> None:
        if number != self.hovered:
            self.hovered = number
            self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            number = self.attempt_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), "" if number is None else self.told(number), self)
            return True
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and _wants(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Goes along the points from left to right."""
        if self.seen is None or not self.seen.found.tried or not _wants(event):
            super().keyPressEvent(event)
        elif event.key() in _ENTER:
            if self.selected is not None:
                self.opened.emit(self.selected)
        else:
            self.picked.emit(self._next(self.seen.found.tried, Qt.Key(event.key())))

    def _next(self, tried: Sequence[Tried], key: Qt.Key) -> int:
        order = [each.number for each in sorted(tried, key=lambda each: (len(each.choice), each.number))]
        if key in _ENDS:
            return order[0 if key == Qt.Key.Key_Home else -1]
        if self.selected is None:
            return order[0]
        return order[min(max(order.index(self.selected) + _STEPS[key], 0), len(order) - 1)]


def _wants(event: QKeyEvent) -> bool:
    plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return plain and event.key() in (*_STEPS, *_ENDS, *_ENTER)


def _cross(painter: QPainter, spot: QPointF) -> None:
    for one, other in ((-_DOT, -_DOT), (-_DOT, _DOT)):
        painter.drawLine(QLineF(spot.x() + one, spot.y() + other, spot.x() - one, spot.y() - other))


# Where labels of a plot stand so that they cover neither its points nor each other.

# Logical px between a label and what it is of.
_AWAY = 4.0


def placed(wishes: Iterable[QRectF], taken: Sequence[QRectF], room: QRectF) -> QRectF:
    """The first of the wishes, which are moved into the room, that covers nothing; if all do, what covers least."""
    inside = [_inside(each, room) for each in wishes]
    return min(inside, key=lambda each: sum(_area(each.intersected(other)) for other in taken))


def along(y: float, size: QSizeF, room: QRectF) -> Iterator[QRectF]:
    """Above and below a line through the room: at its left end, at its right one, and in between."""
    spare = room.width() - size.width() - 2 * _AWAY
    for share in (0.0, 1.0, 0.5, 0.25, 0.75):
        left = room.left() + _AWAY + max(spare, 0.0) * share
        for top in (y - size.height() - 1, y + 1):
            if room.top() <= top and top + size.height() <= room.bottom():
                yield QRectF(QPointF(left, top), size)
    yield QRectF(QPointF(room.left() + _AWAY, y - size.height() - 1), size)


def around(spot: QPointF, reach: float, size: QSizeF) -> Iterator[QRectF]:
    """Above a point, at its right, at its left, and below it."""
    away = reach + _AWAY
    middle = spot - QPointF(size.width() / 2, size.height() / 2)
    side, down = QPointF(away + size.width() / 2, 0.0), QPointF(0.0, away + size.height() / 2)
    for corner in (middle - down, middle + side, middle - side, middle + down):
        yield QRectF(corner, size)


def _inside(label: QRectF, room: QRectF) -> QRectF:
    left = min(max(label.left(), room.left()), max(room.right() - label.width(), room.left()))
    top = min(max(label.top(), room.top()), max(room.bottom() - label.height(), room.top()))
    return QRectF(QPointF(left, top), label.size())


def _area(shared: QRectF) -> float:
    return max(shared.width(), 0.0) * max(shared.height(), 0.0)
