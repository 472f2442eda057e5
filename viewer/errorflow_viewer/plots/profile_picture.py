"""Paints a profile: limits and axes, the area and the line of what accumulates, bars of what is introduced, marks."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QLinearGradient, QPainter, QPainterPath, QPen, QPolygonF

from errorflow.base.arrays import distinct
from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.axis import height_ticks, limit_ticks, place_ticks
from errorflow.explain.findings.profile import Curve, Profile
from errorflow.explain.findings.states import State
from errorflow.explain.findings.thinning import Columns, shares, thinned
from errorflow.report.glyphs import VERDICT_GLYPHS
from errorflow_viewer.kit.look import LABEL
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.style import font
from errorflow_viewer.plots.profile_colors import SHADES, ProfileColors
from errorflow_viewer.plots.profile_room import EDGE, LEFT, RUG, Room

Floats = NDArray[np.float64]
# Logical px: between two numbers at an axis, the widest bar, from where on a bar has a border, the
# side of a glyph and of a check with what is round it.
_APART, _ACROSS, _WIDEST, _BORDERED, _GLYPH, _CHECK = 15.0, 72.0, 7.0, 4.0, 9.0, 8.0
# Nodes that stand so close to each other are steps.
_CLOSE = 2.5
# Nodes that stand so far apart have a dot each.
_DOTS = 9.0
_LINE, _PALE = 1.25, 0.3


@dataclass(frozen=True)
class Picture:
    """One act of painting. Columns are as fine as the device has pixels."""

    profile: Profile
    room: Room
    colors: ProfileColors
    ratio: float = 1.0

    def paint(self, painter: QPainter) -> None:
        room = self.room
        painter.fillRect(QRectF(0, 0, room.width, room.height), self.colors.ground)
        painter.setFont(font(LABEL))
        self._axes(painter)
        self.paint_curves(painter)

    def paint_curves(self, painter: QPainter) -> None:
        """Without ground, axes and their numbers."""
        room = self.room
        painter.save()
        painter.setClipRect(QRectF(room.left, room.top - EDGE, room.across, room.height))
        first = self._columns(self.profile.curves[0].heights)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._area(painter, first)
        self._limits(painter)
        if self.profile.introduced is not None:
            self._bars(painter, self.profile.introduced)
        for number, curve in reversed(list(enumerate(self.profile.curves))):
            self._line(painter, first if number == 0 else self._columns(curve.heights), number)
        self._edge_marks(painter)
        self._rug(painter)
        painter.restore()
        self._glyphs(painter)

    # Curves

    def _columns(self, heights: Floats) -> Columns:
        return thinned(heights, self.room.span.start, self.room.span.end, self._count)

    def _apart(self, heights: Floats, least: float) -> Columns:
        """Only the worst of what would overlap."""
        return thinned(heights, self.room.span.start, self.room.span.end, max(1, int(self.room.across / least)))

    @property
    def _count(self) -> int:
        return max(1, round(self.room.across * self.ratio))

    def _xs(self, columns: Columns) -> Floats:
        """The middle of the place where there is one in a column, else of the column."""
        room = self.room
        each = room.per_place * self.ratio >= 1
        places: Floats = (columns.worst if each else columns.columns).astype(np.float64) + 0.5
        found: Floats = (places - room.span.start) * room.per_place if each else places / self.ratio
        return room.left + found

    def _ys(self, heights: Floats) -> Floats:
        room = self.room
        part = (np.clip(heights, room.low, room.high) - room.low) / (room.high - room.low)
        found: Floats = room.bottom - part * (room.bottom - room.top)
        return found

    def _area(self, painter: QPainter, columns: Columns) -> None:
        room = self.room
        gradient = QLinearGradient(QPointF(0, room.y(0.0)), QPointF(0, room.y(1.0)))
        for step, color in enumerate(self.colors.area):
            gradient.setColorAt(step / (SHADES - 1), color)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QBrush(gradient))
        xs, tops = self._xs(columns), self._ys(columns.high)
        half = max(room.per_place, 1 / self.ratio) / 2
        if room.per_place < _CLOSE:  # a slope cannot be told from a step, which is painted in a tenth of the time
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            spots = zip(xs.tolist(), tops.tolist(), strict=True)
            painter.drawRects([QRectF(x - half, y, 2 * half, room.bottom - y) for x, y in spots])
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            return
        starts = np.flatnonzero(~columns.joined)
        for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(xs)], strict=False):
            run_x, run_y = xs[start:end], tops[start:end]
            if len(run_x) == 1:  # a node that stands alone has the width that it would have among others
                run_x, run_y = np.array([run_x[0] - half, run_x[0] + half]), run_y.repeat(2)
            ends = [QPointF(run_x[-1], room.bottom), QPointF(run_x[0], room.bottom)]
            painter.drawPolygon(QPolygonF([*_points(run_x, run_y), *ends]))

    def _line(self, painter: QPainter, columns: Columns, number: int) -> None:
        """Solid where neighbours were measured, dotted over gaps. Where many share a column, it goes along the worst of
        them, and below it is pale down to the best."""
        colors = self.colors
        color = colors.lines[min(number, len(colors.lines) - 1)]
        xs, many = self._xs(columns), self.room.per_place * self.ratio < 1
        low, high = self._ys(columns.low), self._ys(columns.high)
        ends = (high, high) if many else (self._ys(columns.last), self._ys(columns.first))
        solid = columns.joined[1:]
        before = np.stack([xs[:-1], ends[0][:-1], xs[1:], ends[1][1:]], axis=1)
        if many:
            pale = QColor(color)
            pale.setAlphaF(_PALE)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(QPen(pale, 0))
            painter.drawLines(_lines(np.stack([xs, low, xs, high], axis=1)[low - high > 1]))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colors.bridge, 1.0, Qt.PenStyle.DotLine))
        painter.drawLines(_lines(before[~solid]))
        painter.setPen(QPen(color, _LINE if number == 0 else 1.0))
        painter.drawLines(_lines(before[solid]))
        if number == 0 and self.room.per_place >= _DOTS:
            self._dots(painter, columns, np.full(len(xs), True), 2.5)
        else:
            self._dots(painter, columns, ~columns.joined & ~np.append(solid, False), 1.5, color)

    def _dots(
        self, painter: QPainter, columns: Columns, which: NDArray[np.bool_], radius: float, color: QColor | None = None
    ) -> None:
        """In the colour of their badness, or in one."""
        painter.save()
        painter.setPen(Qt.PenStyle.NoPen if color is not None else QPen(self.colors.lines[0], 1.0))
        spots = zip(_points(self._xs(columns)[which], self._ys(columns.high[which])), columns.high[which], strict=True)
        for spot, height in spots:
            painter.setBrush(self._shade(height) if color is None else color)
            painter.drawEllipse(spot, radius, radius)
        painter.restore()

    def _bars(self, painter: QPainter, curve: Curve) -> None:
        columns, room = self._columns(curve.heights), self.room
        width = min(max(room.per_place * 0.5, 1 / self.ratio), _WIDEST)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, width >= _BORDERED)
        painter.setPen(QPen(self.colors.bar_border, 1.0) if width >= _BORDERED else Qt.PenStyle.NoPen)
        tops = self._ys(columns.high)
        shades = np.clip(np.nan_to_num(columns.high, nan=1.0) * (SHADES - 1), 0, SHADES - 1).astype(int)
        for shade in distinct(shades).tolist():
            these = shades == shade
            painter.setBrush(self.colors.bars[shade])
            spots = zip(self._xs(columns)[these].tolist(), tops[these].tolist(), strict=True)
            painter.drawRects([QRectF(x - width / 2, y, width, room.bottom - y) for x, y in spots])
        painter.restore()

    def _shade(self, height: float) -> QColor:
        return self.colors.bars[round(min(max(height, 0.0), 1.0) * (SHADES - 1))]

    # What has no height

    def _edge_marks(self, painter: QPainter) -> None:
        """NaN and infinity as a check of black and white, overflow in its own colour, at the upper edge."""
        profile, room = self.profile, self.room
        strange = np.where(profile.strange, 1.0, np.nan)
        columns = self._apart(strange, _CHECK)
        overflow = (profile.states & State.OVERFLOW) != 0
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(self.colors.grid, 0))
        for place in columns.worst.tolist():
            x = room.x(place)
            _check(painter, QRectF(round(x) - 3, room.top - EDGE + 1, 6, 6))
            if overflow[place]:
                painter.fillRect(QRectF(round(x) - 3, room.top - EDGE + 7, 6, 2), self.colors.overflow)
        painter.restore()

    def _rug(self, painter: QPainter) -> None:
        """Ticks below the plot where nothing was measured, fainter where only some was not."""
        room = self.room
        missing = shares(~self.profile.measured, room.span.start, room.span.end, self._count)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        wide = max(room.per_place - 1, 1 / self.ratio)
        for column in np.flatnonzero(missing > 0).tolist():
            color = QColor(self.colors.unknown)
            color.setAlphaF(max(0.25, float(missing[column])))
            x = room.left + (column + 0.5) / self.ratio
            painter.fillRect(QRectF(x - wide / 2, room.bottom + 2, wide, RUG - 2), color)
        painter.restore()

    def _glyphs(self, painter: QPainter) -> None:
        """Origins have the glyph that they have in the graph, above their point."""
        profile, room = self.profile, self.room
        origins = np.where(profile.verdicts == Verdict.ORIGIN, profile.curves[0].heights, np.nan)
        columns = self._apart(origins, _GLYPH)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.colors.ground, 1.5))
        painter.setBrush(self.colors.text)
        for place, y in zip(columns.worst.tolist(), self._ys(columns.high).tolist(), strict=True):
            _glyph(painter, Verdict.ORIGIN, room.x(place), max(y - _GLYPH, room.top - EDGE + _GLYPH / 2))
        painter.restore()

    # Axes

    def _axes(self, painter: QPainter) -> None:
        room, colors, profile = self.room, self.colors, self.profile
        painter.setPen(QPen(colors.grid, 1.0))
        painter.drawLine(QLineF(room.left, room.bottom + 0.5, room.right, room.bottom + 0.5))
        apart = px(_APART) * (room.high - room.low) / max(room.bottom - room.top, 1.0)
        painter.setPen(colors.muted)
        for tick in height_ticks(profile.scale, room.low, room.high, apart):
            _number(painter, tick.text, room.y(tick.at))
        good, bad = limit_ticks(profile.scale)
        painter.setPen(colors.text)
        for tick in (good, bad) if apart <= 1 else (bad,):  # which says what is wrong
            _number(painter, tick.text, room.y(tick.at))
        painter.setPen(colors.muted)
        metrics = QFontMetricsF(painter.font())
        end, most = min(room.span.end, len(profile) - 0.5), int(room.across / px(_ACROSS))
        for tick in place_ticks(room.span.start, end, most):
            x, width = room.x(tick.at), metrics.horizontalAdvance(tick.text)
            left = min(max(x - width / 2, room.left), room.right - width)
            painter.drawText(QPointF(left, room.height - px(5)), tick.text)

    def _limits(self, painter: QPainter) -> None:
        room = self.room
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for height in (0.0, 1.0):
            painter.setPen(QPen(self.colors.muted, 1.0, Qt.PenStyle.DashLine if height else Qt.PenStyle.DotLine))
            y = round(room.y(height)) + 0.5
            painter.drawLine(QLineF(room.left, y, room.right, y))
        painter.restore()


def _number(painter: QPainter, text: str, y: float) -> None:
    box = QRectF(0, y - px(8), px(LEFT) - 6, px(16))
    painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)


def _points(xs: Floats, ys: Floats) -> list[QPointF]:
    return [QPointF(x, y) for x, y in zip(xs.tolist(), ys.tolist(), strict=True)]


def _lines(ends: Floats) -> list[QLineF]:
    return [QLineF(*row) for row in ends.tolist()]


def _check(painter: QPainter, box: QRectF) -> None:
    """Four squares, black and white in turns."""
    half = box.width() / 2
    painter.fillRect(box.adjusted(-1, -1, 1, 1), QColor("#808080"))
    for row in (0, 1):
        for column in (0, 1):
            color = QColor("#000000" if row == column else "#FFFFFF")
            painter.fillRect(QRectF(box.x() + column * half, box.y() + row * half, half, half), color)


def _glyph(painter: QPainter, verdict: Verdict, x: float, y: float) -> None:
    path = QPainterPath()
    for part in VERDICT_GLYPHS[verdict]:
        path.addPolygon(QPolygonF([QPointF(x + (a - 0.5) * _GLYPH, y + (b - 0.5) * _GLYPH) for a, b in part]))
        path.closeSubpath()
    painter.strokePath(path, painter.pen())
    painter.fillPath(path, painter.brush())
