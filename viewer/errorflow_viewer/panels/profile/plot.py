"""The widget: shows the picture with what is selected, pointed at and brushed over, and listens to the user."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from errorflow.findings.profile import Profile
from errorflow_viewer.giving.plots import FINE, image_of, svg_of
from errorflow_viewer.giving.plots import Plot as GivenPlot
from errorflow_viewer.panels.profile.head import paint_head
from errorflow_viewer.plots.large import KEY as LARGE_KEY
from errorflow_viewer.plots.profile_colors import ProfileColors
from errorflow_viewer.plots.profile_picture import Picture
from errorflow_viewer.plots.profile_room import Room, meant
from errorflow_viewer.plots.span import Span, whole

# Logical px from where on a click becomes a brush.
_DRAG = 4.0
_ZOOM = 1.25
_NOTCH = 120.0
_BRUSH, _KEYS_ZOOM = 0.16, 1.6
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_NEARER, _FARTHER = (Qt.Key.Key_Plus, Qt.Key.Key_Equal), (Qt.Key.Key_Minus,)
_OWN = (*_STEPS, *_ENTER, *_NEARER, *_FARTHER, Qt.Key.Key_0, Qt.Key.Key_Home, Qt.Key.Key_End, LARGE_KEY)


class Plot(QWidget):
    """Places in, places out: whoever uses it knows their nodes."""

    pointed = Signal(object)  # place or None
    picked = Signal(int)
    walked = Signal(int)  # by key
    opened = Signal(int)  # double click or Enter
    brushed = Signal(int, int)  # from place to place
    enlarged = Signal()  # a window of its own is wanted
    cleared = Signal()  # the brush is to be taken away

    def __init__(self, colors: ProfileColors) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumHeight(96)
        self.setAccessibleName("Profile of error along the depth")
        self._colors = colors
        self.profile: Profile | None = None
        self.span = whole(1)
        self.selected: int | None = None
        self.hovered: int | None = None
        self.brush: tuple[int, int] | None = None
        self._kept: QPixmap | None = None
        self._pressed: QPointF | None = None
        self._panned: QPointF | None = None
        self._dragged: tuple[float, float] | None = None
        # Where a brush by keys began, and its moving end.
        self._stretched: tuple[int, int] | None = None

    # What is shown

    def show_profile(self, profile: Profile | None) -> None:
        """Another metric or other limits of the same places leave the view where it is."""
        if profile is None or self.profile is None or len(profile) != len(self.profile):
            self.span = whole(0 if profile is None else len(profile))
        self.profile = profile
        self.hovered = None
        self.refresh()

    def dress(self, colors: ProfileColors) -> None:
        self._colors = colors
        self.refresh()

    def refresh(self) -> None:
        self._kept = None
        self.update()

    def look_at(self, span: Span) -> None:
        if span != self.span:
            self.span = span
            self.refresh()

    def reset(self) -> None:
        """All places are on view again."""
        self.look_at(whole(0 if self.profile is None else len(self.profile)))

    def select(self, place: int | None) -> None:
        """Marks a place and brings it into view, without a signal."""
        self.selected = place
        if place is not None and self.profile is not None:
            self.look_at(self.span.with_place(place, len(self.profile)))
        self.setAccessibleDescription("" if place is None or self.profile is None else self._told(place))
        self.update()

    def point_at(self, place: int | None) -> None:
        """The pointer is on that node, here or elsewhere."""
        if place != self.hovered:
            self.hovered = place
            self.update()

    def show_brush(self, brush: tuple[int, int] | None) -> None:
        self.brush = brush
        self.update()

    @property
    def room(self) -> Room | None:
        return None if self.profile is None else Room.of(self.profile, self.span, self.width(), self.height())

    def place_at(self, spot: QPointF) -> int | None:
        """The node that is meant there: the worst of those under the pointer, else the nearest."""
        room, profile = self.room, self.profile
        if room is None or profile is None or not room.holds(spot.x(), spot.y()):
            return None
        return meant(profile, room, spot.x())

    # Painting

    def given(self) -> GivenPlot:
        """What its context menu gives away."""
        return GivenPlot(
            lambda: "profile",
            lambda: image_of(self.size(), self._colors.ground.name(), lambda painter: self._draw(painter, FINE)),
            lambda: svg_of(
                self.size(), self._colors.ground.name(), lambda painter: self._draw(painter, 1.0), "Profile"
            ),
            self._numbers,
            lambda: self.profile is not None,
        )

    def _numbers(self) -> Callable[[], str]:
        from errorflow.findings.profile_csv import profile_csv

        profile = self.profile
        return str if profile is None else lambda: profile_csv(profile)

    def _draw(self, painter: QPainter, ratio: float) -> None:
        room, profile = self.room, self.profile
        if room is None or profile is None:
            return
        Picture(profile, room, self._colors, ratio).paint(painter)
        paint_head(painter, profile, self._colors, self.width(), "")

    def paintEvent(self, _event: QPaintEvent) -> None:
        room, profile = self.room, self.profile
        painter = QPainter(self)
        if room is None or profile is None:
            painter.fillRect(self.rect(), self._colors.ground)
            return
        painter.drawPixmap(0, 0, self._picture(profile, room))
        self._paint_brush(painter, room)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place, color in ((self.selected, self._colors.selection), (self.hovered, self._colors.text)):
            if place is not None:
                self._cross(painter, room, place, color)
        told = self.hovered if self.hovered is not None else self.selected
        paint_head(painter, profile, self._colors, self.width(), "" if told is None else self._told(told))
        if self.hasFocus():
            painter.setPen(QPen(self._colors.selection, 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def _picture(self, profile: Profile, room: Room) -> QPixmap:
        ratio = self.devicePixelRatioF()
        size = self.size() * ratio
        if self._kept is None or self._kept.size() != size:
            kept = QPixmap(size)
            kept.setDevicePixelRatio(ratio)
            painter = QPainter(kept)
            Picture(profile, room, self._colors, ratio).paint(painter)
            painter.end()
            self._kept = kept
        return self._kept

    def _paint_brush(self, painter: QPainter, room: Room) -> None:
        ends = self._dragged
        if ends is None and self.brush is not None:
            ends = room.x(self.brush[0] - 0.5), room.x(self.brush[1] + 0.5)
        if ends is None:
            return
        left, right = max(min(ends), room.left), min(max(ends), room.right)
        if left > right:
            return
        band = QRectF(left, room.head, max(right - left, 1.0), room.bottom - room.head)
        color = QColor(self._colors.selection)
        painter.setPen(QPen(color, 1.0))
        painter.drawLine(QLineF(band.topLeft(), band.bottomLeft()))
        painter.drawLine(QLineF(band.topRight(), band.bottomRight()))
        color.setAlphaF(_BRUSH)
        painter.fillRect(band, color)

    def _cross(self, painter: QPainter, room: Room, place: int, color: QColor) -> None:
        """A line down to the axis, and a ring round each curve's point."""
        assert self.profile is not None, "there is a room for it"
        x = room.x(place)
        if not room.left <= x <= room.right:
            return
        painter.setPen(QPen(color, 1.0))
        painter.drawLine(QLineF(x, room.head, x, room.bottom))
        painter.setPen(QPen(color, 1.5))
        painter.setBrush(self._colors.ground)
        for curve in self.profile.curves:
            height = float(curve.heights[place])
            if height == height:  # no NaN
                painter.drawEllipse(QPointF(x, room.y(height)), 3.5, 3.5)

    def _told(self, place: int) -> str:
        return "" if self.profile is None else "  ·  ".join(self.profile.brief(place))

    # Pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        pans = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.button() == Qt.MouseButton.MiddleButton or (event.button() == Qt.MouseButton.LeftButton and pans):
            self._panned = event.position()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.position()
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        spot, room = event.position(), self.room
        if room is None or self.profile is None:
            return
        if self._panned is not None:
            by = (self._panned.x() - spot.x()) / room.per_place
            self._panned = spot
            self.look_at(self.span.moved(by, len(self.profile)))
        elif self._pressed is not None and (self._dragged or abs(spot.x() - self._pressed.x()) > _DRAG):
            self._dragged = self._pressed.x(), spot.x()
            self.update()
        else:
            self._hover(self.place_at(spot))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        dragged, pressed = self._dragged, self._pressed
        self._dragged = self._pressed = None
        if self._panned is not None:
            self._panned = None
            self.unsetCursor()
        elif dragged is not None:
            self._end_brush(*sorted(dragged))
        elif pressed is not None:
            place = self.place_at(event.position())
            if place is not None:
                self.picked.emit(place)

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
        room, turn = self.room, event.angleDelta()
        if room is None or self.profile is None:
            return
        count = len(self.profile)
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
            text = "" if place is None or self.profile is None else "\n".join(self.profile.lines(place))
            QToolTip.showText(event.globalPos(), text, self)
            return True
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and self._wants(event):
            event.accept()
            return True
        return super().event(event)

    def _hover(self, place: int | None) -> None:
        if place != self.hovered:
            self.point_at(place)
            self.pointed.emit(place)

    def _end_brush(self, left: float, right: float) -> None:
        room, profile = self.room, self.profile
        self.update()
        if room is None or profile is None:
            return
        last = len(profile) - 1
        first, end = (min(max(round(room.place(x)), 0), last) for x in (left, right))
        self.brushed.emit(first, end)

    # Keys

    def _wants(self, event: QKeyEvent) -> bool:
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
        return plain and (event.key() in _OWN or (event.key() == Qt.Key.Key_Escape and self.brush is not None))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        profile, key = self.profile, Qt.Key(event.key())
        if profile is None or not self._wants(event):
            super().keyPressEvent(event)
        elif key == Qt.Key.Key_Escape:
            self.cleared.emit()
        elif key in _ENTER:
            if self.selected is not None:
                self.opened.emit(self.selected)
        elif key == Qt.Key.Key_0:
            self.reset()
        elif key == LARGE_KEY:
            self.enlarged.emit()
        elif key in (*_NEARER, *_FARTHER):
            middle = (self.span.start + self.span.end) / 2
            at = middle if self.selected is None else self.selected + 0.5
            factor = _KEYS_ZOOM if key in _NEARER else 1 / _KEYS_ZOOM
            self.look_at(self.span.zoomed(factor, at, len(profile)))
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._stretch(profile, key)
        else:
            place = _beside(profile, key, self.selected)
            if place is not None:
                self.walked.emit(place)

    def _stretch(self, profile: Profile, key: Qt.Key) -> None:
        """Brushes from where one is, each time to the next measured node."""
        kept = self._stretched
        goes_on = kept is not None and self.brush == (min(kept), max(kept))
        start, tip = kept if kept is not None and goes_on else (self.selected, self.selected)
        place = _beside(profile, key, tip)
        if place is not None:
            start = place if start is None else start
            self._stretched = start, place
            self.look_at(self.span.with_place(place, len(profile)))
            self.brushed.emit(min(start, place), max(start, place))
            self.setAccessibleDescription(f"Marked from {min(start, place)} to {max(start, place)}")


def _beside(profile: Profile, key: Qt.Key, place: int | None) -> int | None:
    """The next measured node, from a place or from the side."""
    ends = {Qt.Key.Key_Home: (-1, 1), Qt.Key.Key_End: (len(profile), -1)}
    if key in ends:
        return profile.beside(*ends[key])
    step = _STEPS[key]
    return profile.beside(place if place is not None else -1 if step > 0 else len(profile), step)
