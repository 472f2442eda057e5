"""The widget: shows the picture with what is selected and pointed at, and listens to the user."""

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from errorflow.report.curve_text import point_lines
from errorflow_viewer.panels.curves.picture import ROW, Picture, Shown, legend
from errorflow_viewer.panels.curves.room import Room
from errorflow_viewer.panels.curves.shades import Shades
from errorflow_viewer.plots.span import Span, whole

_ZOOM, _KEYS_ZOOM, _NOTCH = 1.25, 1.6, 120.0
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_NEARER, _FARTHER = (Qt.Key.Key_Plus, Qt.Key.Key_Equal), (Qt.Key.Key_Minus,)
# Logical px, without which nothing is read off curves.
LEAST = 140
_OWN = (*_STEPS, *_ENTER, *_NEARER, *_FARTHER, Qt.Key.Key_0, Qt.Key.Key_Home, Qt.Key.Key_End)


class Plot(QWidget):
    """Places in, places out: whoever uses it knows their nodes."""

    pointed = Signal(object)  # place or None
    picked = Signal(int)
    walked = Signal(int)  # by key
    opened = Signal(int)  # double click or Enter

    def __init__(self, shades: Shades) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumHeight(LEAST)
        self.setAccessibleName("Curves")
        self._shades = shades
        self.shown: Shown | None = None
        self.span = whole(1)
        self.selected: int | None = None
        self.hovered: int | None = None
        self._kept: QPixmap | None = None
        self._panned: QPointF | None = None

    # What is shown

    def show_curves(self, shown: Shown | None) -> None:
        """The view stays where it is as long as there are as many places."""
        before = 0 if self.shown is None else len(self.shown)
        count = 0 if shown is None else len(shown)
        if count != before:
            self.span = whole(count)
            self.selected = self.hovered = None
        self.shown = shown
        self.refresh()

    def dress(self, shades: Shades) -> None:
        self._shades = shades
        self.refresh()

    def refresh(self) -> None:
        self._kept = None
        self.update()

    def look_at(self, span: Span) -> None:
        if span != self.span:
            self.span = span
            self.refresh()

    def reset(self) -> None:
        self.look_at(whole(0 if self.shown is None else len(self.shown)))

    def select(self, place: int | None) -> None:
        """Marks a place and brings it into view, without a signal."""
        self.selected = place
        if place is not None and self.shown is not None:
            self.look_at(self.span.with_place(place, len(self.shown)))
        self.setAccessibleDescription("" if place is None else self.told(place))
        self.update()

    def point_at(self, place: int | None) -> None:
        if place != self.hovered:
            self.hovered = place
            self.update()

    def told(self, place: int) -> str:
        """All that is known of a place, a line each."""
        shown = self.shown
        if shown is None or not 0 <= place < len(shown):
            return ""
        return "\n".join(point_lines(shown.curves, shown.key, place, shown.overs))

    @property
    def room(self) -> Room:
        rows = 1 if self.shown is None else len(legend(self.shown, self._shades, self.width() - 16))
        return Room(self.width(), self.height(), self.span, min(rows, 3) * ROW)

    def place_at(self, spot: QPointF) -> int | None:
        return None if self.shown is None else self.room.nearest(spot.x(), spot.y(), len(self.shown))

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self.shown is None:
            painter.fillRect(self.rect(), self._shades.ground)
            return
        room = self.room
        painter.drawPixmap(0, 0, self._picture(self.shown, room))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place, color in ((self.selected, self._shades.selection), (self.hovered, self._shades.text)):
            if place is not None and place < len(self.shown):
                self._cross(painter, self.shown, room, place, color)
        if self.hasFocus():
            painter.setPen(QPen(self._shades.selection, 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def _picture(self, shown: Shown, room: Room) -> QPixmap:
        ratio = self.devicePixelRatioF()
        size = self.size() * ratio
        if self._kept is None or self._kept.size() != size:
            kept = QPixmap(size)
            kept.setDevicePixelRatio(ratio)
            painter = QPainter(kept)
            Picture(shown, room, self._shades, legend(shown, self._shades, self.width() - 16)[:3]).paint(painter)
            painter.end()
            self._kept = kept
        return self._kept

    def _cross(self, painter: QPainter, shown: Shown, room: Room, place: int, color: QColor) -> None:
        """A line down to the axis, and a ring round each curve's point."""
        x = room.x(place)
        if not room.left <= x <= room.right:
            return
        painter.setPen(QPen(color, 1.0))
        painter.drawLine(QLineF(x, room.head, x, room.bottom))
        painter.setPen(QPen(color, 1.5))
        painter.setBrush(self._shades.ground)
        for shares in shown.shares:
            share = float(shares[place])
            if share == share:  # no NaN
                painter.drawEllipse(QPointF(x, room.y(share)), 3.5, 3.5)

    # Pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        pans = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.button() == Qt.MouseButton.MiddleButton or (event.button() == Qt.MouseButton.LeftButton and pans):
            self._panned = event.position()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.button() == Qt.MouseButton.LeftButton:
            place = self.place_at(event.position())
            if place is not None:
                self.picked.emit(place)
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        spot = event.position()
        if self._panned is not None and self.shown is not None:
            by = (self._panned.x() - spot.x()) / self.room.per_place
            self._panned = spot
            self.look_at(self.span.moved(by, len(self.shown)))
        else:
            self._hover(self.place_at(spot))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._panned is not None:
            self._panned = None
            self.unsetCursor()
        super().mouseReleaseEvent(event)

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
        if self.shown is None:
            return
        turn, count = event.angleDelta(), len(self.shown)
        if abs(turn.x()) > abs(turn.y()) or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            by = -(turn.x() if turn.x() else turn.y()) / _NOTCH
            self.look_at(self.span.moved(by * self.span.length * 0.1, count))
        else:
            at = self.room.place(event.position().x()) + 0.5
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
        return plain and event.key() in _OWN

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shown, key = self.shown, Qt.Key(event.key())
        if shown is None or not self._wants(event):
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
            self.look_at(self.span.zoomed(factor, at, len(shown)))
        else:
            self._step(len(shown), key)

    def _step(self, count: int, key: Qt.Key) -> None:
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: count - 1}
        if key in ends:
            place = ends[key]
        else:
            step = _STEPS[key]
            start = self.selected if self.selected is not None else -1 if step > 0 else count
            place = min(max(start + step, 0), count - 1)
        if count:
            self.walked.emit(place)
