"""What was tried as points: the measure against the number of parts that are kept, with what is asked for."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from errorflow.search.asked import Sought
from errorflow.search.model import Search, Tried
from errorflow_viewer.look import LABEL, Theme
from errorflow_viewer.panels.search.told import attempt
from errorflow_viewer.panels.search.words import value_text
from errorflow_viewer.style import font

# Logical px: numbers at the left, of parts below; around points; how near the pointer must be.
_LEFT, _RIGHT, _TOP, _FOOT = 76.0, 20.0, 14.0, 38.0
_DOT, _RING, _REACH = 4.0, 7.5, 14.0
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_ENDS = (Qt.Key.Key_Home, Qt.Key.Key_End)
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
# From this ratio on values stand by their magnitude.
_WIDE = 50.0
_MARGIN = 0.08


@dataclass(frozen=True)
class Seen:
    """A search with what it takes to draw it. `edge`: the worst value that is good enough; NaN: nobody knows."""

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
        """Of what is drawn, in the axis' own terms."""
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
        self.seen: Seen | None = None
        self.selected: int | None = None
        self.hovered: int | None = None

    def dress(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_search(self, seen: Seen | None) -> None:
        self.seen = seen
        if seen is None or (self.selected is not None and self.selected >= len(seen.found.tried)):
            self.selected = self.hovered = None
        self.update()

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
        return QRectF(_LEFT, _TOP, max(self.width() - _LEFT - _RIGHT, 1.0), max(self.height() - _TOP - _FOOT, 1.0))

    def spot(self, tried: Tried) -> QPointF:
        """What is no number stands below the axis."""
        assert self.seen is not None, "asked for what is drawn"
        room, most = self.room, max(self.seen.most, 1)
        share = self.seen.share(tried.value)
        y = room.bottom() + 6 if math.isnan(share) else room.bottom() - share * room.height()
        return QPointF(room.left() + 8 + len(tried.choice) / most * (room.width() - 16), y)

    def attempt_at(self, at: QPointF) -> int | None:
        if self.seen is None:
            return None
        near = [(QLineF(at, self.spot(tried)).length(), -tried.number) for tried in self.seen.found.tried]
        distance, number = min(near, default=(math.inf, 0))
        return -number if distance <= _REACH else None

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.canvas))
        painter.setFont(font(LABEL))
        seen = self.seen
        if seen is not None:
            self._axes(painter, seen)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._lines(painter, seen)
            self._points(painter, seen)
        if self.hasFocus():
            painter.setPen(QPen(QColor(self._theme.focus), 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def _axes(self, painter: QPainter, seen: Seen) -> None:
        room, theme = self.room, self._theme
        for value in seen.ticks(max(int(room.height() / 30), 2)):
            y = round(room.bottom() - seen.share(value) * room.height()) + 0.5
            painter.setPen(QPen(QColor(theme.hairline), 1.0))
            painter.drawLine(QLineF(room.left(), y, room.right(), y))
            painter.setPen(QColor(theme.muted))
            box = QRectF(0, y - 8, _LEFT - 8, 16)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{value:.4g}")
        y = room.bottom() + 0.5
        painter.setPen(QPen(QColor(theme.control_border), 1.0))
        painter.drawLine(QLineF(room.left(), y, room.right(), y))
        painter.setPen(QColor(theme.muted))
        metrics, most = QFontMetricsF(painter.font()), max(seen.most, 1)
        step = max(round(_nice(most / max(room.width() / 60, 1))), 1)
        for count in range(0, most + 1, step):
            x = room.left() + 8 + count / most * (room.width() - 16)
            text = f"{count:,}"
            painter.drawText(QPointF(x - metrics.horizontalAdvance(text) / 2, room.bottom() + 20), text)
        title = "parts kept"
        painter.drawText(QPointF(room.right() - metrics.horizontalAdvance(title), self.height() - 4.0), title)

    def _lines(self, painter: QPainter, seen: Seen) -> None:
        """What is asked for, and what the float model has."""
        theme = self._theme
        asked = f"asked for: {value_text(seen.sought, seen.edge)}"
        rows = [(seen.edge, asked, theme.accent, Qt.PenStyle.DashLine)]
        is_apart = seen.share(seen.found.original) != seen.share(seen.edge)
        if is_apart and not seen.is_log:
            text = f"float: {value_text(seen.sought, seen.found.original)}"
            rows.append((seen.found.original, text, theme.muted, Qt.PenStyle.DotLine))
        metrics, room, taken = QFontMetricsF(painter.font()), self.room, list[float]()
        for value, text, color, style in rows:
            share = seen.share(value)
            if math.isnan(share) or not -0.01 <= share <= 1.01:
                continue
            y = room.bottom() - share * room.height()
            painter.setPen(QPen(QColor(color), 1.3, style))
            painter.drawLine(QLineF(room.left(), y, room.right(), y))
            painter.setPen(QColor(theme.muted if color == theme.muted else theme.text))
            at = y - 4 if y - room.top() > 12 else y + 13
            at = at + 17 if any(abs(at - other) < 12 for other in taken) else at
            taken.append(at)
            painter.drawText(QPointF(room.right() - metrics.horizontalAdvance(text) - 4, at), text)

    def _points(self, painter: QPainter, seen: Seen) -> None:
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
            self._name(painter, self.spot(best), "best" if best.good else "closest")
        for number, tone in ((self.selected, theme.selection), (self.hovered, theme.text)):
            if number is not None and number < len(seen.found.tried):
                painter.setPen(QPen(QColor(tone), 2.0))
                painter.drawEllipse(self.spot(seen.found.tried[number]), _RING + 2, _RING + 2)

    def _name(self, painter: QPainter, spot: QPointF, text: str) -> None:
        wide = QFontMetricsF(painter.font()).horizontalAdvance(text)
        left = spot.x() + _RING + 5
        left = spot.x() - _RING - 5 - wide if left + wide > self.room.right() else left
        painter.drawText(QPointF(left, spot.y() + 16), text)

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
        """Along the points from left to right."""
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
