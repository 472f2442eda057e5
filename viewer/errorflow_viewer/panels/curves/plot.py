"""The widget: shows the picture with what is selected and pointed at, and listens to the user."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent

from errorflow.report.curve_text import point_lines
from errorflow_viewer.panels.curves.picture import ROW, Picture, Shown, legend
from errorflow_viewer.panels.curves.room import Room
from errorflow_viewer.panels.curves.shades import Shades
from errorflow_viewer.plots.along import STEPS, PlotAlong
from errorflow_viewer.plots.span import whole

# Logical px, without which nothing is read off curves.
LEAST = 140


class Plot(PlotAlong):
    """Curves over the points that they were measured at."""

    def __init__(self, shades: Shades) -> None:
        super().__init__("Curves", LEAST)
        self._shades = shades
        self.shown: Shown | None = None

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

    def told(self, place: int) -> str:
        """All that is known of a place, a line each."""
        shown = self.shown
        if shown is None or not 0 <= place < len(shown):
            return ""
        return "\n".join(point_lines(shown.curves, shown.key, place, shown.overs))

    @property
    def count(self) -> int | None:
        return None if self.shown is None else len(self.shown)

    @property
    def room(self) -> Room:
        rows = 1 if self.shown is None else len(legend(self.shown, self._shades, self.width() - 16))
        return Room(self.width(), self.height(), self.span, min(rows, 3) * ROW)

    def place_at(self, spot: QPointF) -> int | None:
        return None if self.shown is None else self.room.nearest(spot.x(), spot.y(), len(self.shown))

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, shown = QPainter(self), self.shown
        if shown is None:
            painter.fillRect(self.rect(), self._shades.ground)
            return
        room = self.room
        painter.drawPixmap(0, 0, self._picture(lambda over, _: self._draw(over, shown, room)))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place, color in ((self.selected, self._shades.selection), (self.hovered, self._shades.text)):
            if place is not None and place < len(shown):
                heights = [float(shares[place]) for shares in shown.shares]
                self._paint_cross(painter, room, place, heights, color, self._shades.ground)
        self._paint_focus(painter, self._shades.selection)

    def _draw(self, painter: QPainter, shown: Shown, room: Room) -> None:
        entries = legend(shown, self._shades, self.width() - 16)[:3]
        Picture(shown, room, self._shades, entries).paint(painter)

    # Pointer and keys

    def _press(self, spot: QPointF) -> None:
        place = self.place_at(spot)
        if place is not None:
            self.picked.emit(place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        spot = event.position()
        if self._panned is not None and self.shown is not None:
            self._pan(self._panned, spot, self.room, len(self.shown))
        else:
            self._hover(self.place_at(spot))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._panned is not None:
            self._panned = None
            self.unsetCursor()
        super().mouseReleaseEvent(event)

    def _walk(self, key: Qt.Key, stretches: bool) -> None:  # noqa: ARG002 - nothing is marked on curves
        count = self.count or 0
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: count - 1}
        if key in ends:
            place = ends[key]
        else:
            step = STEPS[key]
            start = self.selected if self.selected is not None else -1 if step > 0 else count
            place = min(max(start + step, 0), count - 1)
        if count:
            self.walked.emit(place)
