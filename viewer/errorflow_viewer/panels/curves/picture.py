"""Paints curves: axes, bands over samples, lines, marks, the knee, and what has no height at the rims."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from errorflow.explain.findings.axis import place_ticks
from errorflow.report.curve_look import Tone, baseline_color, tones
from errorflow.report.curve_text import end_text, knee_text, measure_title, x_title
from errorflow.study.rank.curves import Curve, Curves, Over
from errorflow.study.rank.curves_heights import exact
from errorflow.study.rank.curves_knee import Knee, knee_of
from errorflow_viewer.kit.look import LABEL, PADDING
from errorflow_viewer.kit.style import font
from errorflow_viewer.panels.curves.room import FOOT, LEFT, RIM, Room
from errorflow_viewer.panels.curves.shades import Shades
from errorflow_viewer.panels.curves.strokes import (
    apart,
    areas_of,
    has_each,
    lines_of,
    marks_of,
    stripes_of,
    strokes_of,
)

if TYPE_CHECKING:
    from errorflow.report.curve_axis import Vertical

Floats = NDArray[np.float64]
# Logical px: a row of the legend, a swatch, between two entries, between two numbers at an axis, a check, a cross.
ROW, _SWATCH, _GAP, _APART, _ACROSS, _CHECK, _CROSS = 20.0, 16.0, 18.0, 22.0, 64.0, 6.0, 3.5
_DOT, _DOTS, _MOST_NAMED = 2.5, 9.0, 12
_OUTER, _INNER, _PLATE = 0.10, 0.18, 0.85


@dataclass(frozen=True)
class Shown:
    """Curves in one metric, with all that does not depend on the room."""

    curves: Curves
    key: str
    linear: bool = False

    @cached_property
    def axis(self) -> "Vertical":
        from errorflow.report.curve_axis import Vertical

        return Vertical.of(self.curves, self.key, self.linear)

    @cached_property
    def overs(self) -> tuple[Over, ...]:
        return tuple(self.curves.over(curve, self.key) for curve in self.curves.curves)

    @cached_property
    def shares(self) -> tuple[Floats, ...]:
        """By curve, where its points stand: 0 at the foot, 1 at the head; NaN: nowhere."""
        return tuple(self.axis.shares(over.mean) for over in self.overs)

    @cached_property
    def knees(self) -> tuple[Knee | None, ...]:
        return tuple(knee_of(self.curves, curve, self.key) for curve in self.curves.curves)

    @property
    def lines(self) -> int:
        return sum(curve.look == "line" for curve in self.curves.curves)

    @cached_property
    def places(self) -> dict[int, int]:
        """By node the first place that stands for it."""
        found: dict[int, int] = {}
        for place, point in enumerate(self.curves.points):
            for node in point.nodes:
                found.setdefault(node, place)
        return found

    def __len__(self) -> int:
        return len(self.curves.points)


@dataclass(frozen=True)
class Entry:
    """Of the legend."""

    text: str
    end: str
    tone: Tone
    curve: Curve
    width: float


def legend(shown: Shown, shades: Shades, room: float) -> list[list[Entry]]:
    """Rows of at most that width."""
    metrics = QFontMetricsF(font(LABEL))
    rows: list[list[Entry]] = [[]]
    taken = 0.0
    rest = zip(shown.curves.curves, shown.overs, tones(shown.curves, shades.drawing), strict=True)
    for curve, over, tone in rest:
        text = metrics.elidedText(curve.label, Qt.TextElideMode.ElideMiddle, max(room / 2, 120.0))
        end = end_text(shown.curves, shown.key, curve, over)
        wide = _SWATCH + 6 + metrics.horizontalAdvance(text) + (8 + metrics.horizontalAdvance(end) if end else 0) + _GAP
        if rows[-1] and taken + wide > room:
            rows.append([])
            taken = 0.0
        rows[-1].append(Entry(text, end, tone, curve, wide))
        taken += wide
    return rows


@dataclass(frozen=True)
class Picture:
    """One act of painting."""

    shown: Shown
    room: Room
    shades: Shades
    legend: list[list[Entry]]

    def paint(self, painter: QPainter) -> None:
        room = self.room
        painter.fillRect(QRectF(0, 0, room.width, room.height), self.shades.ground)
        painter.setFont(font(LABEL))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._legend(painter)
        self._axes(painter)
        painter.save()
        painter.setClipRect(QRectF(room.left - 1, room.head, room.right - room.left + 2, room.bottom - room.head + RIM))
        self._float(painter)
        drawn = list(zip(self.shown.curves.curves, self.shown.overs, self.shown.shares, self._tones, strict=True))
        for curve, over, shares, tone in sorted(drawn, key=lambda row: not row[3].wide):
            if curve.look == "line":
                if self.shown.lines == 1:
                    self._bands(painter, over, tone)
                self._line(painter, over, shares, tone)
            else:
                self._crosses(painter, shares, tone)
        self._rims(painter)
        painter.restore()
        taken = self._float_name(painter)
        self._knees(painter, taken)

    @cached_property
    def _tones(self) -> tuple[Tone, ...]:
        return tones(self.shown.curves, self.shades.drawing)

    # Around the curves

    def _legend(self, painter: QPainter) -> None:
        metrics = QFontMetricsF(painter.font())
        for number, row in enumerate(self.legend):
            x, y = float(PADDING), number * ROW
            for entry in row:
                self._swatch(painter, entry, x, y + ROW / 2)
                left = x + _SWATCH + 6
                painter.setPen(self.shades.text)
                painter.drawText(QRectF(left, y, entry.width, ROW), Qt.AlignmentFlag.AlignVCenter, entry.text)
                if entry.end:
                    painter.setPen(self.shades.muted)
                    beside = left + metrics.horizontalAdvance(entry.text) + 8
                    painter.drawText(QRectF(beside, y, entry.width, ROW), Qt.AlignmentFlag.AlignVCenter, entry.end)
                x += entry.width
        title = measure_title(self.shown.curves, self.shown.key)
        left = self.room.right - metrics.horizontalAdvance(title)
        if left >= PADDING + sum(entry.width for entry in self.legend[0]):
            painter.setPen(self.shades.muted)
            painter.drawText(QRectF(left, 0, self.room.width, ROW), Qt.AlignmentFlag.AlignVCenter, title)

    def _swatch(self, painter: QPainter, entry: Entry, x: float, y: float) -> None:
        if entry.curve.look == "marks":
            painter.setPen(QPen(QColor(entry.tone.color), 1.4))
            painter.drawLines(_cross(x + _SWATCH / 2, y))
            return
        painter.setPen(_pen(entry.tone, 2.0))
        painter.drawLine(QLineF(x, y, x + _SWATCH, y))

    def _axes(self, painter: QPainter) -> None:
        room, shades = self.room, self.shades
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        most = max(int((room.bottom - room.top) / _APART), 2)
        for share, text in self.shown.axis.ticks(most):
            y = round(room.y(share)) + 0.5
            painter.setPen(QPen(shades.grid, 1.0))
            painter.drawLine(QLineF(room.left, y, room.right, y))
            painter.setPen(shades.muted)
            box = QRectF(0, y - 8, LEFT - 6, 16)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        painter.setPen(QPen(shades.rule, 1.0))
        painter.drawLine(QLineF(room.left, room.bottom + RIM, room.right, room.bottom + RIM))
        self._foot(painter)
        painter.restore()

    def _foot(self, painter: QPainter) -> None:
        """Numbers of places, and what they are: below them, or in little height behind them in the same row."""
        room = self.room
        painter.setPen(self.shades.muted)
        metrics, title = QFontMetricsF(painter.font()), x_title(self.shown.curves)
        across = metrics.horizontalAdvance(title)
        begins, end = room.right - across, room.right
        if across < (room.right - room.left) / 2:
            painter.drawText(QPointF(begins, room.height - 6), title)
            end = room.right if room.foot > FOOT else begins - PADDING
        shift = 1 if self.shown.curves.kind == "cumulative" else 0
        first, last = room.span.start, min(room.span.end, len(self.shown) - 0.5)
        for tick in place_ticks(first + shift, last + shift, max(int((room.right - room.left) / _ACROSS), 2)):
            x, wide = room.x(tick.at - shift), metrics.horizontalAdvance(tick.text)
            left = min(max(x - wide / 2, room.left), room.right - wide)
            if left + wide <= end:
                painter.drawText(QPointF(left, room.height - 6 - room.foot + FOOT), tick.text)

    def _float(self, painter: QPainter) -> None:
        """What float scores."""
        if self._float_height is not None:
            painter.setPen(QPen(QColor(baseline_color(self.shades.drawing)), 1.3, Qt.PenStyle.DashLine))
            y = self._float_height
            painter.drawLine(QLineF(self.room.left, y, self.room.right, y))

    @cached_property
    def _float_height(self) -> float | None:
        curves, axis = self.shown.curves, self.shown.axis
        if curves.kind == "cumulative":
            return None
        base, share = curves.baseline(self.shown.key), axis.good_end
        if axis.linear and base is not None:
            share = float(axis.shares(np.array([base]))[0])
        return self.room.y(share)

    def _float_name(self, painter: QPainter) -> QRectF:
        """At the left, where curves are far from it."""
        y = self._float_height
        if y is None:
            return QRectF()
        base = self.shown.curves.baseline(self.shown.key)
        text = "float" if base is None else f"float: {base:g}"
        below = y < (self.room.top + self.room.bottom) / 2
        spot = QPointF(self.room.left + 4, y + 14 if below else y - 5)
        return self._name(painter, spot, text, QColor(baseline_color(self.shades.drawing)))

    def _name(self, painter: QPainter, spot: QPointF, text: str, color: QColor) -> QRectF:
        """A text that is read over whatever lies below it."""
        metrics, ground = QFontMetricsF(painter.font()), QColor(self.shades.ground)
        across, up = metrics.horizontalAdvance(text), metrics.ascent()
        plate = QRectF(spot.x() - 2, spot.y() - up, across + 4, up + metrics.descent())
        ground.setAlphaF(_PLATE)
        painter.fillRect(plate, ground)
        painter.setPen(color)
        painter.drawText(spot, text)
        return plate

    # Curves

    def _bands(self, painter: QPainter, over: Over, tone: Tone) -> None:
        """From the worst sample to the best, and the middle half."""
        painter.save()
        for one, other, strength in ((over.worst, over.best, _OUTER), (over.lower, over.upper, _INNER)):
            sides = self.shown.axis.shares(one), self.shown.axis.shares(other)
            color = QColor(tone.color)
            color.setAlphaF(strength)
            if has_each(self.room):
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color)
                for area in areas_of(self.room, *sides):
                    painter.drawPolygon(area)
            else:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
                painter.setPen(QPen(color, 1.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
                painter.drawLines(stripes_of(self.room, *sides))
        painter.restore()

    def _line(self, painter: QPainter, over: Over, shares: Floats, tone: Tone) -> None:
        """Dotted over what is not measured yet, and open where it is no number."""
        strokes, color = strokes_of(self.room, shares, over.measured > 0), QColor(tone.color)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(color, 1.0, Qt.PenStyle.DotLine))
        painter.drawLines(strokes.bridges)
        dense = not has_each(self.room)
        thin = self.shown.lines > _MOST_NAMED or (dense and tone.dash)
        painter.setPen(_pen(tone, 3.2 if tone.wide else 1.0 if thin else 1.6))
        for run in strokes.solid:
            if dense and not tone.dash:
                painter.drawLines(lines_of(run))
            else:
                painter.drawPolyline(run)
        few = self.room.per_place >= _DOTS and self.shown.lines <= _MOST_NAMED
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        for spot in strokes.points if few else strokes.alone:
            painter.drawEllipse(spot, _DOT, _DOT)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _crosses(self, painter: QPainter, shares: Floats, tone: Tone) -> None:
        painter.setPen(QPen(QColor(tone.color), 1.4))
        spots = marks_of(self.room, shares)
        painter.drawLines([line for x, y in spots for line in _cross(x, y)])

    def _rims(self, painter: QPainter) -> None:
        """Beyond the bad end what is no number, as a check; beyond the good one what is exact, as a ring."""
        room, good = self.room, self.shown.axis.good_end
        rim = {1.0: room.top - RIM / 2, 0.0: room.bottom + RIM / 2}
        broken = np.any([over.broken > 0 for over in self.shown.overs], axis=0)
        for x in apart(room, broken, _CHECK + 1):
            _check(painter, x, rim[1.0 - good])
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for over, shares, tone in zip(self.shown.overs, self.shown.shares, self._tones, strict=True):
            only = (over.exact > 0) & np.isnan(over.mean) | exact(over.mean, self.shown.axis.metric)
            painter.setPen(QPen(QColor(tone.color), 1.3))
            for x in apart(room, only & np.isnan(shares), _CHECK + 1):
                painter.drawEllipse(QPointF(x, rim[good]), 3.5, 3.5)

    def _knees(self, painter: QPainter, taken: QRectF) -> None:
        """Where something stands already, their texts go one row up."""
        room, row = self.room, 0
        metrics = QFontMetricsF(painter.font())
        for knee, tone in zip(self.shown.knees, self._tones, strict=True):
            share = np.nan if knee is None else float(self.shown.axis.shares(np.array([knee.value]))[0])
            if knee is None or np.isnan(share) or not room.left <= room.x(knee.at) <= room.right:
                continue
            x, y, color = room.x(knee.at), room.y(share), QColor(tone.color)
            painter.setPen(QPen(color, 1.0, Qt.PenStyle.DotLine))
            painter.drawLine(QLineF(x, y, x, room.bottom))
            painter.setPen(QPen(color, 2.0))
            painter.setBrush(self.shades.ground)
            painter.drawEllipse(QPointF(x, y), 5.0, 5.0)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            text = knee_text(self.shown.curves, self.shown.key, knee)
            across = metrics.horizontalAdvance(text)
            left = x - 8 - across if x + 8 + across > room.right else x + 8
            foot = QRectF(left, room.bottom - 16 - 14 * row, across, 14)
            row += 1 if foot.intersects(taken) else 0
            self._name(painter, QPointF(left, room.bottom - 6 - 14 * row), text, self.shades.text)
            row += 1


def _pen(tone: Tone, wide: float) -> QPen:
    pen = QPen(QColor(tone.color), wide)
    if tone.dash:
        pen.setDashPattern([float(part) / wide for part in tone.dash.split()])
    return pen


def _cross(x: float, y: float) -> list[QLineF]:
    return [
        QLineF(x - _CROSS, y - _CROSS, x + _CROSS, y + _CROSS),
        QLineF(x - _CROSS, y + _CROSS, x + _CROSS, y - _CROSS),
    ]


def _check(painter: QPainter, x: float, y: float) -> None:
    """Four squares, black and white in turns."""
    half = _CHECK / 2
    corner = QPointF(round(x) - half, round(y) - half)
    painter.fillRect(QRectF(corner.x() - 1, corner.y() - 1, _CHECK + 2, _CHECK + 2), QColor("#808080"))
    for row in (0, 1):
        for column in (0, 1):
            color = QColor("#000000" if row == column else "#FFFFFF")
            painter.fillRect(QRectF(corner.x() + column * half, corner.y() + row * half, half, half), color)
