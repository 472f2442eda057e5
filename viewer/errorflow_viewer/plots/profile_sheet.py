"""The profile, large: the same picture as in the panel, in a plot that can be zoomed along both axes."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from errorflow.base.language import joined
from errorflow.explain.findings.axis import height_ticks, limit_ticks, place_ticks, window
from errorflow.explain.findings.profile import Profile, profile_csv
from errorflow.report.profile_shapes import EDGE, RUG, SWATCH, ProfileColors, ProfilePlot, head_entries, swatch_shapes
from errorflow_viewer.kit.look import Theme
from errorflow_viewer.plots.box import LegendEntry, Marks, PaintedBox, PlotAxis, PlotBox, PlotLegend
from errorflow_viewer.plots.large import ProfileContent
from errorflow_viewer.plots.profile_room import Room, box_room, meant
from errorflow_viewer.plots.shapes import paint_shapes
from errorflow_viewer.plots.sheet import PlotSheet
from errorflow_viewer.plots.span import LEAST, Span

_APART = 18.0


class ProfileSheet(PlotSheet):
    """Places along x, heights (good is 0, bad is 1) along y."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.setAccessibleName("Profile of error along the depth")
        self._content: ProfileContent | None = None
        self.colors: ProfileColors | None = None
        self.selected: int | None = None
        self.hovered: int | None = None
        self.legend = PlotLegend()
        self.legend.toggled.connect(self._redraw)
        self.box = PlotBox()
        self.box.clicked.connect(self._click)
        self.boxes = [self.box]
        self.left, self.bottom = PlotAxis("left"), PlotAxis("bottom")
        for axis in (self.left, self.bottom):
            axis.linkToView(self.box)
        self.layout_.addItem(self.legend, 0, 1)
        self.layout_.addItem(self.left, 1, 0)
        self.layout_.addItem(self.box, 1, 1)
        self.layout_.addItem(self.bottom, 2, 1)
        self._curves = ProfileItem(self)
        self._cursors = ProfileCursors(self)

    @property
    def title(self) -> str:
        return "" if self._content is None else f"Profile of {self._content.name}"

    @property
    def notes(self) -> str:
        profile = self.profile
        return "" if profile is None else f"{int(profile.measured.sum()):,} of {len(profile):,} nodes are measured"

    @property
    def profile(self) -> Profile | None:
        return None if self._content is None else self._content.profile

    @property
    def labels(self) -> Sequence[tuple[str, bool]]:
        return [(entry.label, entry.label not in self.legend.hidden) for entry in self.legend.entries]

    def toggle(self, label: str) -> None:
        self.legend.toggle(label)

    def show_content(self, content: ProfileContent) -> None:
        """Shows a content; another metric of the same places leaves the part that is seen where it is."""
        before, self._content = self.profile, content
        low, high = window(*content.profile.bounds())
        ends = -0.5, len(content.profile) - 0.5
        self.box.keep_within(ends, (low, high))
        self.box.setLimits(minXRange=min(LEAST, len(content.profile)))
        if before is None or len(before) != len(content.profile):
            self.hovered = None
            self.fit()
        else:
            self.box.setRange(yRange=(low, high), padding=0)
        self.dress(self.theme)

    def dress(self, theme: Theme) -> None:
        super().dress(theme)
        content = self._content
        if content is None:
            return
        self.colors = content.colors()
        self.setBackground(QColor(self.colors.ground))
        profile = content.profile
        self.left.dress(theme, profile.scale.label)
        self.bottom.dress(theme, "Depth")
        self.left.ask(lambda low, high, most: _height_marks(profile, low, high, most))
        self.bottom.ask(_place_marks)
        self.legend.fill(tuple(self._entries(profile)), theme)
        self._redraw()

    def fit(self) -> None:
        if self.profile is not None:
            self.box.setRange(xRange=(-0.5, len(self.profile) - 0.5), yRange=window(*self.profile.bounds()), padding=0)

    def numbers(self) -> Callable[[], str]:
        profile = self.profile
        return lambda: "" if profile is None else profile_csv(profile)

    def mark(self, selected: int | None, pointed: int | None) -> None:
        """Marks without telling of it."""
        if (selected, pointed) != (self.selected, self.hovered):
            self.selected, self.hovered = selected, pointed
            self._say()

    def room(self) -> Room:
        """Finds the room of what is seen now."""
        (left, right), (low, high) = self.box.viewRange()
        area = self.box.area()
        per = (high - low) / max(area.height(), 1.0)
        heights = low + RUG * per, high - EDGE * per
        return box_room(Span(left + 0.5, right + 0.5), *heights, area.width(), area.height())

    def shown(self) -> Profile | None:
        """Finds the profile without what is hidden; the first curve says what is good and bad, and stays."""
        content, hidden = self._content, self.legend.hidden
        if content is None or not hidden:
            return self.profile
        profile = content.profile
        curves = tuple(curve for at, curve in enumerate(profile.curves) if not at or curve.title not in hidden)
        added = profile.introduced
        added = None if added is not None and added.title in hidden else added
        return Profile(curves, added, profile.nodes, profile.verdicts, profile.states, profile.titles)

    def _entries(self, profile: Profile) -> list[LegendEntry]:
        return [LegendEntry(title, self._mark(number)) for title, number in head_entries(profile)]

    def _mark(self, number: int) -> Callable[[QPainter, QRectF], None]:
        """Paints a mark as in the panel."""

        def paint(painter: QPainter, spot: QRectF) -> None:
            assert self.colors is not None, "dressed before it is painted"
            shift = QPointF(spot.center().x() - SWATCH / 2, spot.center().y())
            paint_shapes(painter, swatch_shapes(number, self.colors, 0.0, 0.0), at=shift)

        return paint

    def _redraw(self) -> None:
        self._curves.forget()
        self._cursors.update()

    # Pointer and keys

    def point(self, spot: QPointF | None) -> None:
        place = None
        if self.profile is not None and spot is not None and self.box.sceneBoundingRect().contains(spot):
            place = meant(self.profile, self.room(), self.box.mapFromScene(spot).x())
        if place != self.hovered:
            self.hovered = place
            self._say()
            if self._content is not None:
                self._content.pointed(place)

    def _click(self, at: QPointF) -> None:
        if self.profile is not None and self._content is not None:
            place = meant(self.profile, self.room(), self.box.mapFromView(at).x())
            if place is not None:
                self._content.picked(place)

    def step(self, across: int, _down: int) -> None:
        """Steps to the next measured node; the window that is told of it marks it."""
        if self.profile is None or self._content is None or not across:
            return
        start = self.selected if self.selected is not None else -1 if across > 0 else len(self.profile)
        place = self.profile.beside(start, across)
        if place is not None:
            self._content.walked(place)
            left, right = self.box.viewRange()[0]
            if not left <= place <= right:
                self.box.translateBy(x=place - (left + right) / 2)

    def _say(self) -> None:
        told = self.hovered if self.hovered is not None else self.selected
        profile = self.profile
        known = profile is not None and told is not None and told < len(profile)
        text = joined("  ·  ", profile.lines(told)) if known and profile is not None and told is not None else ""
        self.said.emit(text)
        self.setAccessibleDescription(text)
        self._cursors.update()


class ProfileItem(PaintedBox):
    """The curves. While what is seen stays the same, its picture is kept."""

    def __init__(self, sheet: ProfileSheet) -> None:
        self._sheet = sheet
        self._kept: QPixmap | None = None
        self._kept_of: tuple[object, ...] = ()
        super().__init__(sheet.box, depth=-5)

    def forget(self) -> None:
        self._kept = None
        self.update()

    def draw(self, painter: QPainter) -> None:
        profile, colors, room = self._sheet.shown(), self._sheet.colors, self._sheet.room()
        if profile is None or colors is None:
            return
        if self._sheet.exporting:
            paint_shapes(painter, ProfilePlot(profile, room, colors).curves())
            return
        ratio = self._sheet.devicePixelRatioF()
        key = (room, ratio)
        if self._kept is None or key != self._kept_of:
            self._kept, self._kept_of = self._picture(profile, colors, room, ratio), key
        painter.drawPixmap(QPointF(), self._kept)

    def _picture(self, profile: Profile, colors: ProfileColors, room: Room, ratio: float) -> QPixmap:
        kept = QPixmap((self.box.area().size() * ratio).toSize())
        kept.setDevicePixelRatio(ratio)
        kept.fill(QColor(colors.ground))
        painter = QPainter(kept)
        paint_shapes(painter, ProfilePlot(profile, room, colors, ratio).curves())
        painter.end()
        return kept


class ProfileCursors(PaintedBox):
    """Cursors of what is selected and what is pointed at: a line down, and a ring on each curve."""

    def __init__(self, sheet: ProfileSheet) -> None:
        self._sheet = sheet
        super().__init__(sheet.box, depth=30)

    def draw(self, painter: QPainter) -> None:
        sheet = self._sheet
        profile, colors = sheet.shown(), sheet.colors
        if profile is None or colors is None:
            return
        hovered = None if sheet.exporting else sheet.hovered
        for place, color in ((sheet.selected, colors.selection), (hovered, colors.text)):
            if place is not None and place < len(profile):
                self._cross(painter, profile, place, QColor(color))

    def _cross(self, painter: QPainter, profile: Profile, place: int, color: QColor) -> None:
        room, colors = self._sheet.room(), self._sheet.colors
        x = room.x(place)
        painter.setPen(QPen(color, 1))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.drawLine(QLineF(x, 0, x, room.foot))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(color, 1.5))
        if colors is not None:
            painter.setBrush(QColor(colors.ground))
        for curve in profile.curves:
            height = float(curve.heights[place])
            if height == height:  # no NaN
                painter.drawEllipse(QPointF(x, room.y(height)), 4.0, 4.0)


def _height_marks(profile: Profile, low: float, high: float, most: int) -> Marks:
    """Finds both limits, and round values of the metric between them and beyond."""
    apart = (high - low) / max(most, 1) * _APART / 30
    found = [*limit_ticks(profile.scale), *height_ticks(profile.scale, low, high, apart)]
    return [(tick.at, tick.text) for tick in found if low <= tick.at <= high]


def _place_marks(low: float, high: float, most: int) -> Marks:
    return [(tick.at, tick.text) for tick in place_ticks(low, high, most)]
