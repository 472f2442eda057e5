"""A plot along places: which of them are on view, and what pointer and keys do to that. What is drawn is its heirs'."""

from collections.abc import Callable, Iterable
from typing import Protocol

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QPixmap, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from errorflow_viewer.plots.span import Span, whole

_ZOOM, _KEYS_ZOOM, _NOTCH = 1.25, 1.6, 120.0
STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_NEARER, _FARTHER = (Qt.Key.Key_Plus, Qt.Key.Key_Equal), (Qt.Key.Key_Minus,)
_OWN = (*STEPS, *_ENTER, *_NEARER, *_FARTHER, Qt.Key.Key_0, Qt.Key.Key_Home, Qt.Key.Key_End)


class PlotRoom(Protocol):
    """Room of the picture, in logical px."""

    @property
    def left(self) -> float: ...
    @property
    def right(self) -> float: ...
    @property
    def head(self) -> float: ...
    @property
    def bottom(self) -> float: ...
    @property
    def per_place(self) -> float: ...

    def x(self, place: float) -> float: ...
    def y(self, height: float, /) -> float: ...
    def place(self, x: float) -> float: ...


class PlotAlong(QWidget):
    """Plot of places in and places out: its user knows their nodes."""

    pointed = Signal(object)  # place or None
    picked = Signal(int)
    walked = Signal(int)  # by key
    opened = Signal(int)  # double click or Enter

    def __init__(self, name: str, least: int) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumHeight(least)
        self.setAccessibleName(name)
        self.span = whole(1)
        self.selected: int | None = None
        self.hovered: int | None = None
        self._kept: QPixmap | None = None
        self._panned: QPointF | None = None

    # What its heirs say

    @property
    def count(self) -> int | None:
        """Number of places; None: nothing is shown."""
        raise NotImplementedError

    @property
    def room(self) -> PlotRoom | None:
        raise NotImplementedError

    def place_at(self, spot: QPointF) -> int | None:
        """The place that is meant there."""
        raise NotImplementedError

    def told(self, place: int) -> str:
        """Writes all that is known of a place, a line each."""
        raise NotImplementedError

    def _described(self, place: int) -> str:
        """Writes what a screen reader says of the selected place."""
        return self.told(place)

    # What is shown

    def refresh(self) -> None:
        self._kept = None
        self.update()

    def look_at(self, span: Span) -> None:
        if span != self.span:
            self.span = span
            self.refresh()

    def reset(self) -> None:
        """Resets: all places are on view again."""
        self.look_at(whole(self.count or 0))

    def select(self, place: int | None) -> None:
        """Marks a place and moves it into view, without a signal."""
        self.selected = place
        if place is not None and self.count is not None:
            self.look_at(self.span.with_place(place, self.count))
        self.setAccessibleDescription("" if place is None else self._described(place))
        self.update()

    def point_at(self, place: int | None) -> None:
        """The pointer is on that node, here or elsewhere."""
        if place != self.hovered:
            self.hovered = place
            self.update()

    # Painting

    def _picture(self, paint: Callable[[QPainter, float], None]) -> QPixmap:
        """Keeps what `paint` paints until it has to be another one."""
        ratio = self.devicePixelRatioF()
        size = self.size() * ratio
        if self._kept is None or self._kept.size() != size:
            kept = QPixmap(size)
            kept.setDevicePixelRatio(ratio)
            painter = QPainter(kept)
            paint(painter, ratio)
            painter.end()
            self._kept = kept
        return self._kept

    def _paint_cross(
        self, painter: QPainter, room: PlotRoom, place: int, heights: Iterable[float], color: QColor, ground: QColor
    ) -> None:
        """A line down to the axis, and a ring round each curve's point."""
        x = room.x(place)
        if not room.left <= x <= room.right:
            return
        painter.setPen(QPen(color, 1.0))
        painter.drawLine(QLineF(x, room.head, x, room.bottom))
        painter.setPen(QPen(color, 1.5))
        painter.setBrush(ground)
        for height in heights:
            if height == height:  # no NaN
                painter.drawEllipse(QPointF(x, room.y(height)), 3.5, 3.5)

    def _paint_focus(self, painter: QPainter, color: QColor) -> None:
        if self.hasFocus():
            painter.setPen(QPen(color, 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    # Pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        pans = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.button() == Qt.MouseButton.MiddleButton or (event.button() == Qt.MouseButton.LeftButton and pans):
            self._panned = event.position()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.button() == Qt.MouseButton.LeftButton:
            self._press(event.position())
        else:
            super().mousePressEvent(event)

    def _press(self, spot: QPointF) -> None:
        raise NotImplementedError

    def _pan(self, from_spot: QPointF, spot: QPointF, room: PlotRoom, count: int) -> None:
        self._panned = spot
        self.look_at(self.span.moved((from_spot.x() - spot.x()) / room.per_place, count))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        place = self.place_at(event.position())
        if place is None:
            self.reset()
        else:
            self.opened.emit(place)

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(None)
        super().leaveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn, room, count = event.angleDelta(), self.room, self.count
        if room is None or count is None:
            return
        if abs(turn.x()) > abs(turn.y()) or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            by = -(turn.x() if turn.x() else turn.y()) / _NOTCH
            self.look_at(self.span.moved(by * self.span.length * 0.1, count))
        else:
            at = room.place(event.position().x()) + 0.5
            self.look_at(self.span.zoomed(_ZOOM ** (turn.y() / _NOTCH), at, count))
        event.accept()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            place = self.place_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), "" if place is None else self.told(place), self)
            return True
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and self._wants(event):
            event.accept()
            return True
        return super().event(event)

    def _hover(self, place: int | None) -> None:
        if place != self.hovered:
            self.point_at(place)
            self.pointed.emit(place)

    # Keys

    def _wants(self, event: QKeyEvent) -> bool:
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
        return plain and self._is_own(event.key())

    def _is_own(self, key: int) -> bool:
        return key in _OWN

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, count = Qt.Key(event.key()), self.count
        if count is None or not self._wants(event):
            super().keyPressEvent(event)
        elif key in _ENTER:
            if self.selected is not None:
                self.opened.emit(self.selected)
        elif key == Qt.Key.Key_0:
            self.reset()
        elif key in (*_NEARER, *_FARTHER):
            middle = (self.span.start + self.span.end) / 2
            at = middle if self.selected is None else self.selected + 0.5
            factor = _KEYS_ZOOM if key in _NEARER else 1 / _KEYS_ZOOM
            self.look_at(self.span.zoomed(factor, at, count))
        else:
            self._walk(key, bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))

    def _walk(self, key: Qt.Key, stretches: bool) -> None:
        """An arrow, Home or End, or a key of the heir's; with Shift it stretches what is marked."""
        raise NotImplementedError
