"""Curves as shapes: axes, bands over samples, lines, marks, the knee, and what has no height at the rims."""

import math
from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.compare.metrics.metric import Metric
from errorflow.draw.shapes import Dots, Floats, Group, Lines, Path, Pen, Rect, Shape, Text, line, rows
from errorflow.draw.text import LETTERS, Letters
from errorflow.draw.text import line as one_line
from errorflow.explain.findings.axis import place_ticks
from errorflow.explain.inspect.figure import nice, number_text
from errorflow.report.box_marks import check
from errorflow.report.curve_look import MOST_NAMED, CurveLook, Tone, tones
from errorflow.report.curve_strokes import FOOT, RIM, CurveRoom, apart, areas_of, marks_of, stripes_of, strokes_of
from errorflow.report.curve_text import end_text, knee_text, only_exact, x_title
from errorflow.study.rank.curves import Curve, Curves, Over
from errorflow.study.rank.curves_heights import exact
from errorflow.study.rank.curves_knee import Knee, knee_of

# Px: a row of the legend, a swatch, its distance from the text, from there to where the curve ends, between entries.
ROW, _SWATCH, _TO_TEXT, _TO_END, _GAP = 20.0, 16.0, 6.0, 8.0, 18.0
# Between two numbers at an axis, from them to the axis, a check, half a cross; a row of names in the plot.
_APART, _ACROSS, _BESIDE, _CHECK, _CROSS, _NAME_ROW = 22.0, 64.0, 6.0, 6.0, 3.5, 14.0
_DOT, _DOTS = 2.5, 9.0
# How strong bands are, and what lies below a text that is read over whatever is there.
_OUTER, _INNER, _PLATE = 0.10, 0.18, 0.85
_DOTTED, _DASHED = (1.0, 2.0), (5.2, 2.6)
Place = tuple[float, float, float, float]


Doubles = NDArray[np.float64]
# Room above and below all values; the least span, in decades and in units of a linear metric's limits.
_ROOM, _LEAST_DECADES, _LEAST_PART = 0.06, 0.6, 0.05
# Decades that are shown at most, from the worst on.
_MOST_DECADES = 7.0
# From so many decades on only powers of ten are written.
_FEW, _DIGITS = 3.0, (1, 2, 5)
_EXPONENT = -4


@dataclass(frozen=True, slots=True)
class Vertical:
    """Higher numbers are higher. Of a metric that is read in powers of ten, equal steps are equal factors of the
    distance from the best value, unless `linear`."""

    metric: Metric
    linear: bool
    low: float
    high: float

    @classmethod
    def of(cls, curves: Curves, key: str, linear: bool = False) -> "Vertical":
        metric = curves.metric(key)
        plain = linear or metric.scale == "linear"
        blank = cls(metric, plain, 0.0, 1.0)
        overs = [(curve, curves.over(curve, key)) for curve in curves.curves]
        values = [blank.raised(over.mean) for _, over in overs]
        if sum(curve.look == "line" for curve in curves.curves) == 1:  # else no bands are drawn
            values += [blank.raised(side) for curve, over in overs if curve.look == "line" for side in _band(over)]
        if curves.threshold is not None and key == curves.metrics[0]:
            values.append(blank.raised(np.array([curves.threshold])))
        if not any(np.isfinite(side).any() for side in values):
            values = [blank.raised(np.array([metric.good, metric.bad]))]
        return cls(metric, plain, *_ends(values, metric, plain))

    def raised(self, values: Doubles) -> Doubles:
        """Places on the axis, NaN for what has none: no number, infinite, or exact where that is infinitely far."""
        with np.errstate(all="ignore"):
            if self.linear:
                return np.where(np.isfinite(values), values, np.nan)
            away = np.log10(np.abs(values - self.metric.best))
            found = -away if self.metric.higher_is_better else away
            return np.where(np.isfinite(values) & ~exact(values, self.metric), found, np.nan)

    def shares(self, values: Doubles) -> Doubles:
        """0 at the foot, 1 at the head; what lies beyond stands there."""
        found: Doubles = np.clip((self.raised(values) - self.low) / (self.high - self.low), 0.0, 1.0)
        return found

    @property
    def good_end(self) -> float:
        """The share at which the best is."""
        return 1.0 if self.metric.higher_is_better else 0.0

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Shares, and the numbers there."""
        rows = self._linear_ticks(most) if self.linear else self._decades(most)
        span = self.high - self.low
        return [((at - self.low) / span, text) for at, text in rows if self.low <= at <= self.high]

    def _linear_ticks(self, most: int) -> list[tuple[float, str]]:
        step = nice((self.high - self.low) / most)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [(at * step, number_text(at * step, step)) for at in range(first, last + 1)]

    def _decades(self, most: int) -> list[tuple[float, str]]:
        better = self.metric.higher_is_better
        near, far = (-self.high, -self.low) if better else (self.low, self.high)
        every = max(1, math.ceil((far - near) / most))
        digits = _DIGITS if far - near < _FEW and len(_DIGITS) * (far - near) <= most else (1,)
        found = []
        for power in range(math.floor(near) - 1, math.ceil(far) + 1):
            for digit in digits if power % every == 0 else ():
                away = math.log10(digit) + power
                found.append((-away if better else away, self._text(digit, power)))
        return found

    def _text(self, digit: int, power: int) -> str:
        away = f"{digit}e{power}" if power < _EXPONENT else f"{digit * 10.0**power:.{max(0, -power)}f}"
        if not self.metric.best:
            return away.replace("-", "−")
        if power < -8:
            return f"{self.metric.best:g} − {away}".replace("e-", "e−")
        sign = -1 if self.metric.higher_is_better else 1
        number = self.metric.best + sign * digit * 10.0**power
        return f"{number:.{max(0, -power)}f}".replace("-", "−")


def _band(over: Over) -> tuple[Doubles, Doubles]:
    """The middle half: what lies further out may be cut off."""
    return over.upper, over.lower


def _ends(values: Iterable[Doubles], metric: Metric, linear: bool) -> tuple[float, float]:
    every = np.concatenate([np.zeros(0), *(side.ravel() for side in values)])
    known = every[np.isfinite(every)]
    least = _LEAST_PART * abs(metric.good - metric.bad) if linear else _LEAST_DECADES
    low, high = float(known.min()), float(known.max())
    if not linear and high - low > _MOST_DECADES:
        low, high = (low, low + _MOST_DECADES) if metric.higher_is_better else (high - _MOST_DECADES, high)
    if high - low < least:
        middle = (low + high) / 2
        low, high = middle - least / 2, middle + least / 2
    room = _ROOM * (high - low)
    return low - room, high + room


@dataclass(frozen=True)
class ShownCurves:
    """Curves in one metric, with all that does not depend on the room."""

    curves: Curves
    key: str
    linear: bool = False

    @cached_property
    def axis(self) -> Vertical:
        return Vertical.of(self.curves, self.key, self.linear)

    @cached_property
    def overs(self) -> tuple[Over, ...]:
        return tuple(self.curves.over(curve, self.key) for curve in self.curves.curves)

    @cached_property
    def shares(self) -> tuple[Floats, ...]:
        """Shares by curve where its points stand: 0 at the foot, 1 at the head; NaN: nowhere."""
        return tuple(self.axis.shares(over.mean) for over in self.overs)

    @cached_property
    def knees(self) -> tuple[Knee | None, ...]:
        return tuple(knee_of(self.curves, curve, self.key) for curve in self.curves.curves)

    @property
    def lines(self) -> int:
        return sum(curve.look == "line" for curve in self.curves.curves)

    @property
    def has_bands(self) -> bool:
        """Whether bands are drawn: of several curves they would hide each other."""
        return self.lines == 1

    @cached_property
    def places(self) -> dict[int, int]:
        """Places by node: the first that stands for it."""
        found: dict[int, int] = {}
        for place, point in enumerate(self.curves.points):
            for node in point.nodes:
                found.setdefault(node, place)
        return found

    def share(self, value: float) -> float:
        return float(self.axis.shares(np.array([value]))[0])

    def __len__(self) -> int:
        return len(self.curves.points)


@dataclass(frozen=True)
class CurveEntry:
    """Entry of the legend."""

    text: str
    end: str
    tone: Tone
    curve: Curve
    width: float


def legend_entries(shown: ShownCurves, look: CurveLook, room: float, letters: Letters) -> list[list[CurveEntry]]:
    """Rows of at most that width."""
    found: list[list[CurveEntry]] = [[]]
    taken = 0.0
    for curve, over, tone in zip(shown.curves.curves, shown.overs, tones(shown.curves, look.drawing), strict=True):
        text = letters.shortened(one_line(curve.label), max(room / 2, 120.0))
        end = end_text(shown.curves, shown.key, curve, over)
        wide = _SWATCH + _TO_TEXT + letters.width(text) + (_TO_END + letters.width(end) if end else 0) + _GAP
        if found[-1] and taken + wide > room:
            found.append([])
            taken = 0.0
        found[-1].append(CurveEntry(text, end, tone, curve, wide))
        taken += wide
    return found


def legend_shapes(
    entries: list[list[CurveEntry]], look: CurveLook, left: float, top: float, letters: Letters = LETTERS
) -> Iterator[Shape]:
    for number, row in enumerate(entries):
        x, y = left, top + number * ROW + ROW / 2
        base = y + letters.ascent - letters.height / 2
        for entry in row:
            yield _swatch(entry, x, y)
            begin = x + _SWATCH + _TO_TEXT
            yield Text(begin, base, entry.text, look.text, letters.size)
            yield Text(begin + letters.width(entry.text) + _TO_END, base, entry.end, look.muted, letters.size)
            x += entry.width


def _swatch(entry: CurveEntry, x: float, y: float) -> Shape:
    if entry.curve.look == "marks":
        return Lines(_crosses(np.array([[x + _SWATCH / 2, y]])), Pen(entry.tone.color, 1.4))
    return line(x, y, x + _SWATCH, y, Pen(entry.tone.color, 2.0, entry.tone.dashes))


def _crosses(spots: Floats) -> Floats:
    x, y = spots.T
    one = rows(x - _CROSS, y - _CROSS, x + _CROSS, y + _CROSS)
    return np.vstack([one, rows(x - _CROSS, y + _CROSS, x + _CROSS, y - _CROSS)])


@dataclass(frozen=True)
class CurvePlot:
    """Plot of curves but the legend."""

    shown: ShownCurves
    room: CurveRoom
    look: CurveLook
    letters: Letters = LETTERS

    def shapes(self) -> Iterator[Shape]:
        room = self.room
        yield from self._axes()
        clip = room.left - 1, room.top - RIM, room.right - room.left + 2, room.bottom - room.top + 2 * RIM
        yield Group(tuple(self._clipped()), clip=clip)
        taken: list[Place] = []
        for y, color, text in self._levels:
            # Curves begin far from it at the left.
            below = y < (room.top + room.bottom) / 2
            yield from self._name(room.left + 4, y + 14 if below else y - 5, text, color, taken)
        yield from self._knees(taken)

    def _clipped(self) -> Iterator[Shape]:
        for y, color, _ in self._levels:
            yield line(self.room.left, y, self.room.right, y, Pen(color, 1.3, _DASHED), kind="level")
        drawn = list(zip(self.shown.curves.curves, self.shown.overs, self.shown.shares, self._tones, strict=True))
        for curve, over, shares, tone in sorted(drawn, key=lambda row: not row[3].wide):
            if curve.look == "line":
                if self.shown.has_bands:
                    yield from self._bands(over, tone)
                yield from self._line(over, shares, tone)
            else:
                yield Lines(_crosses(marks_of(self.room, shares)), Pen(tone.color, 1.4), kind="marks")
        yield from self._rims()

    @cached_property
    def _tones(self) -> tuple[Tone, ...]:
        return tones(self.shown.curves, self.look.drawing)

    # Around the curves

    def _axes(self) -> Iterator[Shape]:
        room, look, letters = self.room, self.look, self.letters
        for share, text in self.shown.axis.ticks(max(int((room.bottom - room.top) / _APART), 2)):
            y = round(room.y(share)) + 0.5
            yield line(room.left, y, room.right, y, Pen(look.grid), crisp=True)
            base = y + letters.ascent - letters.height / 2
            yield Text(room.left - _BESIDE, base, text, look.muted, letters.size, "end")
        foot = room.bottom + RIM
        yield line(room.left, foot, room.right, foot, Pen(look.rule), crisp=True)
        yield from self._foot()

    def _foot(self) -> Iterator[Text]:
        """Numbers of places, and what they are: below them, or in little height behind them in the same row."""
        room, muted, size = self.room, self.look.muted, self.letters.size
        title, foot, end = x_title(self.shown.curves), room.bottom + RIM, room.right
        across = self.letters.width(title)
        if across < (room.right - room.left) / 2:
            yield Text(room.right, foot + room.foot - 6, title, muted, size, "end")
            end = room.right if room.foot > FOOT else room.right - across - _TO_END
        shift = 1 if self.shown.curves.kind == "cumulative" else 0
        first, last = room.start, min(room.end, len(self.shown) - 0.5)
        for tick in place_ticks(first + shift, last + shift, max(int((room.right - room.left) / _ACROSS), 2)):
            half = self.letters.width(tick.text) / 2
            x = min(max(room.x(tick.at - shift), room.left + half), room.right - half)
            if x + half <= end and tick.at >= shift:
                yield Text(x, foot + FOOT - 6, tick.text, muted, size, "middle")

    @cached_property
    def _levels(self) -> list[tuple[float, str, str]]:
        """Levels that float scores, and the threshold that parts were picked by: where, in which colour, in words."""
        curves, axis, found = self.shown.curves, self.shown.axis, []
        if curves.kind != "cumulative":
            base = curves.baseline(self.shown.key)
            share = self.shown.share(base) if axis.linear and base is not None else axis.good_end
            found.append((share, self.look.baseline, "float" if base is None else f"float: {base:g}"))
        threshold = curves.threshold
        if threshold is not None and self.shown.key == curves.metrics[0]:
            found.append((self.shown.share(threshold), self.look.muted, f"threshold {threshold:g}"))
        return [(self.room.y(share), color, text) for share, color, text in found if not np.isnan(share)]

    def _name(self, x: float, base: float, text: str, color: str, taken: list[Place]) -> tuple[Rect, Text]:
        """A text that is read over whatever lies below it; what it takes is added."""
        letters = self.letters
        place = x - 2, base - letters.ascent, letters.width(text) + 4, letters.height
        taken.append(place)
        plate = Rect(*place, self.look.ground, opacity=_PLATE)
        return plate, Text(x, base, text, color, letters.size)

    # Curves

    def _bands(self, over: Over, tone: Tone) -> Iterator[Shape]:
        """Paints bands from the worst sample to the best, and the middle half."""
        for one, other, strength in ((over.worst, over.best, _OUTER), (over.lower, over.upper, _INNER)):
            sides = self.shown.axis.shares(one), self.shown.axis.shares(other)
            if self.room.has_each:
                yield Path(areas_of(self.room, *sides), tone.color, opacity=strength, kind="band")
            else:
                pen = Pen(tone.color, opacity=strength)
                yield Lines(stripes_of(self.room, *sides), pen, crisp=True, kind="band")

    def _line(self, over: Over, shares: Floats, tone: Tone) -> Iterator[Shape]:
        """Dotted over what is not measured yet, and open where it is no number."""
        room = self.room
        strokes = strokes_of(room, shares, over.measured > 0)
        yield Lines(strokes.bridges, Pen(tone.color, dash=_DOTTED), kind="bridge")
        thin = self.shown.lines > MOST_NAMED or (not room.has_each and tone.dash)
        pen = Pen(tone.color, 3.2 if tone.wide else 1.0 if thin else 1.6, tone.dashes, round=not tone.dash)
        yield Path(strokes.solid, pen=pen, closed=False, kind="curve")
        few = room.per_place >= _DOTS and self.shown.lines <= MOST_NAMED
        yield Dots(strokes.points if few else strokes.alone, _DOT, tone.color, kind="points")

    def _rims(self) -> Iterator[Shape]:
        """Beyond the bad end what is no number, as a check; beyond the good one what is exact, as a ring."""
        room, good = self.room, self.shown.axis.good_end
        rim = {1.0: room.top - RIM / 2, 0.0: room.bottom + RIM / 2}
        broken = np.any([over.broken > 0 for over in self.shown.overs], axis=0)
        for x in apart(room, broken, _CHECK + 1):
            yield Group(check(0, 0, _CHECK), round(x), round(rim[1.0 - good]), kind="broken")
        for over, shares, tone in zip(self.shown.overs, self.shown.shares, self._tones, strict=True):
            only = only_exact(over, self.shown.axis.metric) & np.isnan(shares)
            for x in apart(room, only, _CHECK + 1):
                yield Dots(np.array([[x, rim[good]]]), 3.5, pen=Pen(tone.color, 1.3), kind="exact")

    def _knees(self, taken: list[Place]) -> Iterator[Shape]:
        """Paints knees; where something stands already, their texts go one row up."""
        room, row = self.room, 0
        for knee, tone in zip(self.shown.knees, self._tones, strict=True):
            share = np.nan if knee is None else self.shown.share(knee.value)
            if knee is None or np.isnan(share) or not room.left <= room.x(knee.at) <= room.right:
                continue
            x, y = room.x(knee.at), room.y(share)
            yield line(x, y, x, room.bottom, Pen(tone.color, dash=_DOTTED), kind="knee")
            yield Dots(np.array([[x, y]]), 5.0, self.look.ground, Pen(tone.color, 2.0), kind="knee")
            text = knee_text(self.shown.curves, self.shown.key, knee)
            across = self.letters.width(text)
            left = x - 8 - across if x + 8 + across > room.right else x + 8
            while any(_meet((left, room.bottom - 16 - _NAME_ROW * row, across, _NAME_ROW), place) for place in taken):
                row += 1
            yield from self._name(left, room.bottom - 6 - _NAME_ROW * row, text, self.look.text, [])
            row += 1


def _meet(one: Place, other: Place) -> bool:
    return all(one[at] < other[at] + other[at + 2] and other[at] < one[at] + one[at + 2] for at in (0, 1))
