"""Curves of errors as an SVG that needs nothing else: along the depth of a model, or along a ranking of its parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

import numpy as np
from numpy.typing import NDArray

from errorflow.draw.svg import number
from errorflow.draw.text import ELLIPSIS, clean, fitted, line, width
from errorflow.explain.findings.axis import place_ticks
from errorflow.explain.findings.thinning import Columns, thinned
from errorflow.report.colors import DrawingColors
from errorflow.report.curve_axis import Vertical
from errorflow.report.curve_look import MOST_NAMED, Tone, baseline_color, tones
from errorflow.report.curve_text import (
    TITLES,
    end_text,
    knee_text,
    measure_title,
    notes,
    only_exact,
    point_lines,
    x_title,
)
from errorflow.report.frame import LABEL, TEXT_LEFT, TITLE
from errorflow.study.rank.curves import Curve, Curves, Over
from errorflow.study.rank.curves_knee import knee_of

Floats = NDArray[np.float64]
_FONT = "Errorflow Sans, Inter, Segoe UI, Helvetica Neue, Arial, sans-serif"
# In px: the page, the plot in it, the rims for what has no height, and the room between rows of text.
_WIDTH, _PLOT, _LEFT, _RIGHT = 1200.0, 300.0, 96.0, 1176.0
_RIM, _ROW, _HEAD = 14.0, 18.0, 44.0
# Names stand below their points where these are so far apart, and are no longer than that.
_NAMED, _LONGEST = 13.0, 180.0
_CHECK, _DOT, _DOTS = 8.0, 2.5, 9.0
# Of curves, so many rows of a legend.
_LEGEND_ROWS = 6
_GAP = 22.0


def curve_svg(curves: Curves, key: str, colors: DrawingColors, title: str = "", *, linear: bool = False) -> str:
    """One metric of the curves; those of several outputs are told apart by their labels."""
    return "".join(_Page(curves, key, colors, Vertical.of(curves, key, linear)).parts(title))


@dataclass(frozen=True)
class _Page:
    curves: Curves
    key: str
    colors: DrawingColors
    axis: Vertical

    def parts(self, title: str) -> Iterator[str]:
        head = line(title) if title else TITLES[self.curves.kind]
        size = f'width="{number(_WIDTH)}" height="{number(self._height)}"'
        box = f'viewBox="0 0 {number(_WIDTH)} {number(self._height)}"'
        yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} font-family="{escape(_FONT)}" role="img">\n'
        yield f"<title>{escape(head)}</title>\n"
        yield f'<rect width="{number(_WIDTH)}" height="{number(self._height)}" fill="{self.colors.background}"/>\n'
        yield self._text(TEXT_LEFT, 30, fitted(head, TITLE, _RIGHT - TEXT_LEFT), self.colors.text, TITLE)
        yield from self._legend()
        yield from self._axes()
        yield from self._levels()
        for _, over, tone in sorted(self._lines, key=lambda row: not row[2].wide):
            if self._has_bands:
                yield from self._bands(over, tone)
            yield from self._line(over, tone)
        yield from self._knees()
        for _, over, tone in self._marked:
            yield from self._crosses(over, tone)
        yield from self._rims()
        yield from self._hovers()
        yield from self._foot()
        yield "</svg>\n"

    # What is there to draw

    @cached_property
    def _overs(self) -> tuple[Over, ...]:
        return tuple(self.curves.over(curve, self.key) for curve in self.curves.curves)

    @cached_property
    def _drawn(self) -> list[tuple[Curve, Over, Tone]]:
        return list(zip(self.curves.curves, self._overs, tones(self.curves, self.colors), strict=True))

    @property
    def _lines(self) -> list[tuple[Curve, Over, Tone]]:
        return [row for row in self._drawn if row[0].look == "line"]

    @property
    def _marked(self) -> list[tuple[Curve, Over, Tone]]:
        return [row for row in self._drawn if row[0].look == "marks"]

    @property
    def _has_bands(self) -> bool:
        """Of several curves they would hide each other."""
        return len(self._lines) == 1

    # Where it is

    @cached_property
    def _legend_rows(self) -> list[list[tuple[Curve, Tone, str, str]]]:
        rows: list[list[tuple[Curve, Tone, str, str]]] = [[]]
        x = TEXT_LEFT
        for curve, over, tone in self._drawn:
            label = _shortened(line(curve.label), LABEL, 420)
            end = end_text(self.curves, self.key, curve, over)
            wide = self._entry(label, end)
            if rows[-1] and x + wide > _RIGHT:
                rows.append([])
                x = TEXT_LEFT
            rows[-1].append((curve, tone, label, end))
            x += wide
        return rows

    def _entry(self, label: str, end: str) -> float:
        return 24 + width(label, LABEL) + (6 + width(end, LABEL) if end else 0) + _GAP

    @property
    def _top(self) -> float:
        return _HEAD + _ROW * (min(len(self._legend_rows), _LEGEND_ROWS) + 1) + _RIM

    @property
    def _bottom(self) -> float:
        return self._top + _PLOT

    @cached_property
    def _labels(self) -> tuple[str, ...]:
        """Names below the points; none where they would overlap."""
        if self._per_place < _NAMED:
            return ()
        return tuple(_shortened(line(point.name), LABEL, _LONGEST) for point in self.curves.points)

    @cached_property
    def _label_room(self) -> float:
        numbers = 16.0 if self.curves.kind != "cumulative" or not self._labels else 0.0
        return numbers + (max((width(label, LABEL) for label in self._labels), default=0.0) + 8 if self._labels else 4)

    @property
    def _foot_top(self) -> float:
        return self._bottom + _RIM + self._label_room + _ROW + 8

    @property
    def _height(self) -> float:
        return self._foot_top + _ROW * len(self._notes) + 16

    @cached_property
    def _notes(self) -> list[str]:
        found = list(notes(self.curves, self.key, self._overs, bands=self._has_bands))
        hidden = sum(len(row) for row in self._legend_rows[_LEGEND_ROWS:])
        return [*found, f"{hidden:,} more curves are not named here"] if hidden else found

    @property
    def _count(self) -> int:
        return max(len(self.curves.points), 1)

    @property
    def _per_place(self) -> float:
        return (_RIGHT - _LEFT) / self._count

    def _x(self, place: float) -> float:
        return _LEFT + (place + 0.5) * self._per_place

    def _y(self, share: float) -> float:
        return self._bottom - share * _PLOT

    def _columns(self, shares: Floats) -> Columns:
        return thinned(shares, 0, self._count, round(_RIGHT - _LEFT))

    # What is drawn

    def _legend(self) -> Iterator[str]:
        y = _HEAD + 10
        for row in self._legend_rows[:_LEGEND_ROWS]:
            x = TEXT_LEFT
            for curve, tone, label, end in row:
                yield self._swatch(curve, tone, x, y - 4)
                yield self._text(x + 22, y, label, self.colors.text)
                if end:
                    yield self._text(x + 28 + width(label, LABEL), y, end, self.colors.muted)
                x += self._entry(label, end)
            y += _ROW

    def _swatch(self, curve: Curve, tone: Tone, x: float, y: float) -> str:
        if curve.look == "marks":
            return _cross([(x + 8, y)], tone.color)
        dash = f' stroke-dasharray="{tone.dash}"' if tone.dash else ""
        return f'<path d="M{number(x)} {number(y)}h16" stroke="{tone.color}" stroke-width="2"{dash}/>\n'

    def _axes(self) -> Iterator[str]:
        colors = self.colors
        yield self._text(TEXT_LEFT, self._top - _RIM - 6, measure_title(self.curves, self.key), colors.muted)
        for share, text in self.axis.ticks(7):
            y = self._y(share)
            yield f'<path d="M{number(_LEFT)} {number(y)}H{number(_RIGHT)}" stroke="{colors.groups[2]}"/>\n'
            yield self._text(_LEFT - 8, y + 4, text, colors.muted, anchor="end")
        yield f'<path d="M{number(_LEFT)} {number(self._bottom)}H{number(_RIGHT)}" stroke="{colors.group_border}"/>\n'
        yield from self._below()
        yield self._text(
            _RIGHT, self._bottom + _RIM + self._label_room + 16, x_title(self.curves), colors.muted, anchor="end"
        )

    def _below(self) -> Iterator[str]:
        y = self._bottom + _RIM
        if self.curves.kind != "cumulative" or not self._labels:
            shift = 0 if self.curves.kind != "cumulative" else 1
            most = int((_RIGHT - _LEFT) / (40 if self._labels else 90))
            for tick in place_ticks(0, self._count - 0.5 + shift, min(most, self._count)):
                if tick.at >= shift:
                    yield self._text(self._x(tick.at - shift), y + 10, tick.text, self.colors.muted, anchor="middle")
            y += 16
        for place, label in enumerate(self._labels):
            yield (
                f'<text transform="translate({number(self._x(place) + 4)} {number(y + 4)}) rotate(-90)" '
                f'text-anchor="end" font-size="{LABEL}" fill="{self.colors.muted}">{escape(label)}</text>\n'
            )

    def _levels(self) -> Iterator[str]:
        """What float scores, and the threshold that parts were picked by."""
        if self.curves.kind != "cumulative":
            base = self.curves.baseline(self.key)
            share = self.axis.good_end
            if self.axis.linear and base is not None:
                share = float(self.axis.shares(np.array([base]))[0])
            color = baseline_color(self.colors)
            text = "float" if base is None else f"float: {base:g}"
            yield from self._level(share, color, text)
        threshold = self.curves.threshold
        if threshold is not None and self.key == self.curves.metrics[0]:
            share = float(self.axis.shares(np.array([threshold]))[0])
            if not np.isnan(share):
                yield from self._level(share, self.colors.muted, f"threshold {threshold:g}")

    def _level(self, share: float, color: str, text: str) -> Iterator[str]:
        y = self._y(share)
        style = f'stroke="{color}" stroke-width="1.3" stroke-dasharray="6 4"'
        yield f'<path class="level" d="M{number(_LEFT)} {number(y)}H{number(_RIGHT)}" {style}/>\n'
        below = y + 14 if share > 0.5 else y - 6
        # Curves begin far from it on the left.
        yield self._text(_LEFT + 4, below, text, color)

    def _bands(self, over: Over, tone: Tone) -> Iterator[str]:
        for one, other, opacity in ((over.worst, over.best, "0.10"), (over.lower, over.upper, "0.18")):
            sides = self.axis.shares(one), self.axis.shares(other)
            there = ~(np.isnan(sides[0]) | np.isnan(sides[1]))
            upper = np.where(there, np.fmax(*sides), np.nan)
            lower = np.where(there, np.fmin(*sides), np.nan)
            tops, feet = self._columns(upper), self._columns(-lower)
            data = "".join(self._area(tops, feet))
            if data:
                yield f'<path class="band" d="{data}" fill="{tone.color}" fill-opacity="{opacity}"/>\n'

    def _area(self, tops: Columns, feet: Columns) -> Iterator[str]:
        half = min(self._per_place, 12.0) / 2
        starts = np.flatnonzero(~tops.joined).tolist()
        for start, end in zip(starts, [*starts[1:], len(tops.worst)], strict=False):
            xs = [self._x(column) for column in self._middles(tops)[start:end]]
            ups, downs = tops.high[start:end].tolist(), (-feet.high[start:end]).tolist()
            if len(xs) == 1:
                xs, ups, downs = [xs[0] - half, xs[0] + half], ups * 2, downs * 2
            there = [f"{number(x)} {number(self._y(y))}" for x, y in zip(xs, ups, strict=True)]
            back = [f"{number(x)} {number(self._y(y))}" for x, y in zip(xs, downs, strict=True)]
            yield f"M{'L'.join([*there, *reversed(back)])}Z"

    def _middles(self, columns: Columns) -> list[float]:
        """Places of columns, which hold several points where there are many."""
        if self._per_place >= 1:
            return [float(place) for place in columns.worst.tolist()]
        return [(column + 0.5) / self._per_place - 0.5 for column in columns.columns.tolist()]

    def _line(self, over: Over, tone: Tone) -> Iterator[str]:
        """Dotted where something between two points is not measured yet, and open where it is no number."""
        columns = self._columns(self.axis.shares(over.mean))
        xs = [self._x(place) for place in self._middles(columns)]
        ends = [side.tolist() for side in (columns.first, columns.low, columns.high, columns.last)]
        unknown = np.cumsum(over.measured == 0)
        solid, bridges = [], []
        for at, x in enumerate(xs):
            first, low, high, last = (side[at] for side in ends)
            joined = bool(at) and bool(columns.joined[at])
            if at and not joined and self._is_open(columns, unknown, at):
                before = f"M{number(xs[at - 1])} {number(self._y(ends[3][at - 1]))}"
                bridges.append(f"{before}L{number(x)} {number(self._y(first))}")
            points = dict.fromkeys((first, low, high, last))
            spots = "L".join(f"{number(x)} {number(self._y(y))}" for y in points)
            solid.append(f"{'L' if joined else 'M'}{spots}")
        dash = f' stroke-dasharray="{tone.dash}"' if tone.dash else ""
        if bridges:
            style = f'fill="none" stroke="{tone.color}" stroke-dasharray="1 4"'
            yield f'<path class="bridge" d="{"".join(bridges)}" {style}/>\n'
        thin = "3.2" if tone.wide else "1" if len(self._lines) > MOST_NAMED else "1.6"
        style = f'fill="none" stroke="{tone.color}" stroke-width="{thin}" stroke-linejoin="round"'
        if solid:
            yield f'<path class="curve" d="{"".join(solid)}" {style}{dash}/>\n'
        if self._per_place >= _DOTS and len(self._lines) <= MOST_NAMED:
            dots = "".join(
                f'<circle cx="{number(x)}" cy="{number(self._y(y))}" r="{_DOT}"/>'
                for x, y in zip(xs, ends[0], strict=True)
            )
            yield f'<g class="points" fill="{tone.color}">{dots}</g>\n'
        elif len(xs) == 1:
            yield f'<circle cx="{number(xs[0])}" cy="{number(self._y(ends[0][0]))}" r="{_DOT}" fill="{tone.color}"/>\n'

    def _is_open(self, columns: Columns, unknown: NDArray[np.int64], at: int) -> bool:
        """Whether all that is missing before a column is not measured yet."""
        first, last = int(columns.worst[at - 1]), int(columns.worst[at])
        return bool(unknown[last - 1] - unknown[first] == last - first - 1)

    def _crosses(self, over: Over, tone: Tone) -> Iterator[str]:
        shares = self.axis.shares(over.mean)
        spots = [(self._x(at), self._y(float(shares[at]))) for at in np.flatnonzero(~np.isnan(shares)).tolist()]
        if spots:
            yield _cross(spots, tone.color)

    def _rims(self) -> Iterator[str]:
        """What has no height: no numbers beyond the bad end, exact values beyond the good one."""
        good = self.axis.good_end
        rim = {1.0: self._top - _RIM / 2, 0.0: self._bottom + _RIM / 2}
        apart = int((_RIGHT - _LEFT) / (_CHECK + 1))
        broken = np.any([over.broken > 0 for over in self._overs], axis=0)
        for place in thinned(np.where(broken, 1.0, np.nan), 0, self._count, apart).worst.tolist():
            yield _checked(self._x(place) - _CHECK / 2, rim[1.0 - good] - _CHECK / 2)
        for _, over, tone in self._drawn:
            flags = np.isnan(self.axis.shares(over.mean)) & only_exact(over, self.axis.metric)
            for place in thinned(np.where(flags, 1.0, np.nan), 0, self._count, apart).worst.tolist():
                spot = f'cx="{number(self._x(place))}" cy="{number(rim[good])}" r="3.5"'
                yield f'<circle class="exact" {spot} fill="none" stroke="{tone.color}" stroke-width="1.3"/>\n'

    def _knees(self) -> Iterator[str]:
        for row, (curve, _, tone) in enumerate(self._lines):
            knee = knee_of(self.curves, curve, self.key)
            share = np.nan if knee is None else float(self.axis.shares(np.array([knee.value]))[0])
            if knee is None or np.isnan(share):
                continue
            x, y = self._x(knee.at), self._y(share)
            style = f'stroke="{tone.color}" stroke-width="1" stroke-dasharray="2 3"'
            yield f'<path class="knee" d="M{number(x)} {number(y)}V{number(self._bottom)}" {style}/>\n'
            ring = f'fill="{self.colors.background}" stroke="{tone.color}" stroke-width="2"'
            yield f'<circle class="knee" cx="{number(x)}" cy="{number(y)}" r="5" {ring}/>\n'
            text = knee_text(self.curves, self.key, knee)
            left = x + 10 + width(text, LABEL) > _RIGHT
            room = self._bottom - 8 - 14 * row
            yield self._text(x - 8 if left else x + 8, room, text, self.colors.text, anchor="end" if left else "")

    def _hovers(self) -> Iterator[str]:
        """Names and numbers for the pointer, where no name has room."""
        count = min(self._count, round(_RIGHT - _LEFT))
        yield '<g class="hovers" fill="none" pointer-events="all">\n'
        wide = (_RIGHT - _LEFT) / count
        for column in range(count):
            place = min(int((column + 0.5) * self._count / count), len(self.curves.points) - 1)
            if place < 0:
                break
            text = "\n".join(point_lines(self.curves, self.key, place, self._overs))
            box = f'x="{number(_LEFT + column * wide)}" y="{number(self._top - _RIM)}" width="{number(wide)}"'
            yield f'<rect {box} height="{number(_PLOT + 2 * _RIM)}"><title>{escape(clean(text))}</title></rect>\n'
        yield "</g>\n"

    def _foot(self) -> Iterator[str]:
        for row, note in enumerate(self._notes):
            text = fitted(line(note), LABEL, _RIGHT - TEXT_LEFT)
            yield self._text(TEXT_LEFT, self._foot_top + 12 + _ROW * row, text, self.colors.muted)

    def _text(self, x: float, y: float, text: str, color: str, size: int = LABEL, anchor: str = "") -> str:
        where = f' text-anchor="{anchor}"' if anchor else ""
        weight = ' font-weight="600"' if size == TITLE else ""
        spot = f'x="{number(x)}" y="{number(y)}" font-size="{size}"{weight}'
        return f'<text {spot} fill="{color}"{where}>{escape(text)}</text>\n' if text else ""


def _shortened(text: str, size: float, room: float) -> str:
    """Ends of names tell more than their middles."""
    if width(text, size) <= room:
        return text
    keep = len(text) - 1
    while keep > 2 and width(text[: keep // 3] + ELLIPSIS + text[len(text) - (keep - keep // 3) :], size) > room:
        keep -= 1
    return text[: keep // 3] + ELLIPSIS + text[len(text) - (keep - keep // 3) :]


def _cross(spots: Sequence[tuple[float, float]], color: str) -> str:
    path = "".join(f"M{number(x - 3.5)} {number(y - 3.5)}l7 7m0-7l-7 7" for x, y in spots)
    return f'<path class="marks" d="{path}" fill="none" stroke="{color}" stroke-width="1.4"/>\n'


def _checked(x: float, y: float) -> str:
    half = _CHECK / 2
    squares = f"M{number(x)} {number(y)}h{half:g}v{half:g}h-{half:g}zM{number(x + half)} {number(y + half)}"
    whole = f'x="{number(x)}" y="{number(y)}" width="{_CHECK:g}" height="{_CHECK:g}"'
    return (
        f'<rect class="broken" {whole} fill="#FFF" stroke="#5A6672" stroke-width="0.5"/>'
        f'<path d="{squares}h{half:g}v{half:g}h-{half:g}z" fill="#000"/>\n'
    )
