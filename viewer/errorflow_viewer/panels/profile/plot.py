"""The widget: shows the picture with what is selected, pointed at and brushed over, and listens to the user."""

from collections.abc import Callable

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen

from errorflow.base.language import joined
from errorflow.draw.shapes import Text
from errorflow.explain.findings.profile import Profile
from errorflow.report.profile_shapes import ProfileColors, ProfilePlot, head_entries, head_shapes, head_width
from errorflow_viewer.commands.copy_save.plots import FINE, image_of, svg_of
from errorflow_viewer.commands.copy_save.plots import Plot as GivenPlot
from errorflow_viewer.kit.look import PADDING
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.plots.along import STEPS, PlotAlong
from errorflow_viewer.plots.large import KEY as LARGE_KEY
from errorflow_viewer.plots.profile_room import HEAD, Room, meant, panel_room
from errorflow_viewer.plots.shapes import WindowLetters, paint_shapes
from errorflow_viewer.plots.span import whole

# Logical px from where on a click becomes a brush.
_DRAG = 4.0
_BRUSH = 0.16


class ProfileView(PlotAlong):
    """The profile, with a brush over its places."""

    brushed = Signal(int, int)  # from place to place
    enlarged = Signal()  # a window of its own is wanted
    cleared = Signal()  # the brush is to be taken away

    def __init__(self, colors: ProfileColors) -> None:
        super().__init__("Profile of error along the depth", 96)
        self._colors = colors
        self.profile: Profile | None = None
        self.brush: tuple[int, int] | None = None
        self._pressed: QPointF | None = None
        self._dragged: tuple[float, float] | None = None
        # Where a brush by keys began, and its moving end.
        self._stretched: tuple[int, int] | None = None

    # What is shown

    def show_profile(self, profile: Profile | None) -> None:
        """Shows a profile; another metric or other limits of the same places leave the view where it is."""
        if profile is None or self.profile is None or len(profile) != len(self.profile):
            self.span = whole(0 if profile is None else len(profile))
        self.profile = profile
        self.hovered = None
        self.refresh()

    def dress(self, colors: ProfileColors) -> None:
        self._colors = colors
        self.refresh()

    def show_brush(self, brush: tuple[int, int] | None) -> None:
        self.brush = brush
        self.update()

    @property
    def count(self) -> int | None:
        return None if self.profile is None else len(self.profile)

    @property
    def room(self) -> Room | None:
        return None if self.profile is None else panel_room(self.profile, self.span, self.width(), self.height())

    def place_at(self, spot: QPointF) -> int | None:
        """The node that is meant there: the worst of those under the pointer, else the nearest."""
        room, profile = self.room, self.profile
        if room is None or profile is None or not room.holds(spot.x(), spot.y()):
            return None
        return meant(profile, room, spot.x())

    # Painting

    def given(self) -> GivenPlot:
        """Makes what its context menu offers."""
        return GivenPlot(
            lambda: "profile",
            lambda: image_of(self.size(), self._colors.ground, lambda painter: self._draw(painter, FINE)),
            lambda: svg_of(self.size(), self._colors.ground, lambda painter: self._draw(painter, 1.0), "Profile"),
            self._numbers,
            lambda: self.profile is not None,
        )

    def _numbers(self) -> Callable[[], str]:
        from errorflow.explain.findings.profile import profile_csv

        profile = self.profile
        return str if profile is None else lambda: profile_csv(profile)

    def _draw(self, painter: QPainter, ratio: float) -> None:
        room, profile = self.room, self.profile
        if room is None or profile is None:
            return
        self._paint(painter, profile, room, ratio)
        paint_head(painter, profile, self._colors, self.width(), "")

    def _paint(self, painter: QPainter, profile: Profile, room: Room, ratio: float) -> None:
        """Paints all that stays while the pointer moves."""
        painter.fillRect(self.rect(), QColor(self._colors.ground))
        paint_shapes(painter, ProfilePlot(profile, room, self._colors, ratio, WindowLetters()).shapes())

    def paintEvent(self, _event: QPaintEvent) -> None:
        room, profile = self.room, self.profile
        painter = QPainter(self)
        if room is None or profile is None:
            painter.fillRect(self.rect(), QColor(self._colors.ground))
            return
        kept = self._picture(lambda over, ratio: self._paint(over, profile, room, ratio))
        painter.drawPixmap(0, 0, kept)
        self._paint_brush(painter, room)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place, color in ((self.selected, self._colors.selection), (self.hovered, self._colors.text)):
            if place is not None:
                heights = [float(curve.heights[place]) for curve in profile.curves]
                self._paint_cross(painter, room, place, heights, QColor(color), QColor(self._colors.ground))
        told = self.hovered if self.hovered is not None else self.selected
        paint_head(painter, profile, self._colors, self.width(), "" if told is None else self._described(told))
        self._paint_focus(painter, QColor(self._colors.selection))

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

    def told(self, place: int) -> str:
        """Writes all that is known of a place, a line each."""
        return "" if self.profile is None else joined("\n", self.profile.lines(place))

    def _described(self, place: int) -> str:
        return "" if self.profile is None else joined("  ·  ", self.profile.brief(place))

    # Pointer

    def _press(self, spot: QPointF) -> None:
        self._pressed = spot

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        spot, room = event.position(), self.room
        if room is None or self.profile is None:
            return
        if self._panned is not None:
            self._pan(self._panned, spot, room, len(self.profile))
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

    def _end_brush(self, left: float, right: float) -> None:
        room, profile = self.room, self.profile
        self.update()
        if room is None or profile is None:
            return
        last = len(profile) - 1
        first, end = (min(max(round(room.place(x)), 0), last) for x in (left, right))
        self.brushed.emit(first, end)

    # Keys

    def _is_own(self, key: int) -> bool:
        return super()._is_own(key) or key == LARGE_KEY or (key == Qt.Key.Key_Escape and self.brush is not None)

    def _walk(self, key: Qt.Key, stretches: bool) -> None:
        profile = self.profile
        if key == Qt.Key.Key_Escape:
            self.cleared.emit()
        elif key == LARGE_KEY:
            self.enlarged.emit()
        elif profile is not None and stretches:
            self._stretch(profile, key)
        elif profile is not None:
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
    step = STEPS[key]
    return profile.beside(place if place is not None else -1 if step > 0 else len(profile), step)


_LEAST = 120.0


def paint_head(painter: QPainter, profile: Profile, colors: ProfileColors, width: float, told: str) -> None:
    """The legend at the left; what is told at the right, as far as there is room."""
    letters, entries = WindowLetters(), head_entries(profile)
    if head_width(entries, letters) > width - 2 * PADDING:  # the metric also stands in the legend of the graph
        entries = [(title.partition(" · ")[0], number) for title, number in entries]
    middle = px(HEAD) / 2
    paint_shapes(painter, head_shapes(entries, colors, PADDING, middle, letters))
    room = width - 2 * PADDING - head_width(entries, letters)
    if told and room >= _LEAST:
        base = middle + letters.ascent - letters.height / 2
        shown = letters.fitted(told, room)
        paint_shapes(painter, [Text(width - PADDING, base, shown, colors.text, letters.size, "end")])
