"""The widget: shows the picture with what is selected and pointed at, and listens to the user."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent

from errorflow.draw.shapes import Text
from errorflow.report.curve_look import CurveLook
from errorflow.report.curve_shapes import ROW, CurveEntry, CurvePlot, ShownCurves, legend_entries, legend_shapes
from errorflow.report.curve_text import measure_title, point_lines
from errorflow_viewer.kit.look import PADDING
from errorflow_viewer.panels.curves.room import Room
from errorflow_viewer.plots.along import STEPS, PlotAlong
from errorflow_viewer.plots.shapes import WindowLetters, paint_shapes
from errorflow_viewer.plots.span import whole

# Logical px, without which nothing is read off curves.
LEAST = 140
# Of the legend.
_ROWS = 3


class Plot(PlotAlong):
    """Curves over the points that they were measured at."""

    def __init__(self, look: CurveLook) -> None:
        super().__init__("Curves", LEAST)
        self._look = look
        self.shown: ShownCurves | None = None

    # What is shown

    def show_curves(self, shown: ShownCurves | None) -> None:
        """The view stays where it is as long as there are as many places."""
        before = 0 if self.shown is None else len(self.shown)
        count = 0 if shown is None else len(shown)
        if count != before:
            self.span = whole(count)
            self.selected = self.hovered = None
        self.shown = shown
        self.refresh()

    def dress(self, look: CurveLook) -> None:
        self._look = look
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
        rows = 1 if self.shown is None else len(self._legend(self.shown))
        return Room.of(self.width(), self.height(), self.span, rows * ROW)

    def place_at(self, spot: QPointF) -> int | None:
        return None if self.shown is None else self.room.nearest(spot.x(), spot.y(), len(self.shown))

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, shown = QPainter(self), self.shown
        if shown is None:
            painter.fillRect(self.rect(), QColor(self._look.ground))
            return
        room = self.room
        painter.drawPixmap(0, 0, self._picture(lambda over, _: self._draw(over, shown, room)))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place, color in ((self.selected, self._look.selection), (self.hovered, self._look.text)):
            if place is not None and place < len(shown):
                heights = [float(shares[place]) for shares in shown.shares]
                self._paint_cross(painter, room, place, heights, QColor(color), QColor(self._look.ground))
        self._paint_focus(painter, QColor(self._look.selection))

    def _legend(self, shown: ShownCurves) -> list[list[CurveEntry]]:
        """As many rows as have room."""
        return legend_entries(shown, self._look, self.width() - 2 * PADDING, WindowLetters())[:_ROWS]

    def _draw(self, painter: QPainter, shown: ShownCurves, room: Room) -> None:
        look, letters, legend = self._look, WindowLetters(), self._legend(shown)
        painter.fillRect(self.rect(), QColor(look.ground))
        paint_shapes(painter, legend_shapes(legend, look, PADDING, 0, letters))
        title = measure_title(shown.curves, shown.key)
        if room.right - letters.width(title) >= PADDING + sum(entry.width for entry in legend[0]):
            base = ROW / 2 + letters.ascent - letters.height / 2
            paint_shapes(painter, [Text(room.right, base, title, look.muted, letters.size, "end")])
        paint_shapes(painter, CurvePlot(shown, room, look, letters).shapes())

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
