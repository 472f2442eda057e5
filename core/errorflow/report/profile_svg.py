"""The profile as an SVG: the metric along the depth, as the window draws it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from errorflow.draw.shapes import Rect
from errorflow.draw.svg import definitions, number
from errorflow.draw.text import fitted, line, width
from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.axis import height_ticks, limit_ticks, place_ticks, window
from errorflow.explain.findings.profile import Curve, Profile
from errorflow.explain.findings.thinning import Columns, shares, thinned
from errorflow.report.colors import DrawingColors, mixed
from errorflow.report.frame import LABEL, TEXT_LEFT, TITLE
from errorflow.report.glyphs import VERDICT_GLYPHS
from errorflow.report.patterns import BROKEN

Floats = NDArray[np.float64]
# In px: the page, what is left for the plot, and the room of marks above and below it.
_WIDTH, _HEIGHT = 1200.0, 360.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 80.0, 1176.0, 84.0, 316.0
_EDGE, _RUG = 12.0, 4.0
_APART, _ACROSS, _BAR, _GLYPH, _CHECK = 16.0, 90.0, 8.0, 12.0, 8.0
# Places that stand so far apart have a dot each, which says their name.
_DOTS = 6.0
# Of the area below the curve, what is ground.
_PALE = 0.55
_STOPS = 12
_DASHES = ("", "6 3", "2 3")


def profile_svg(profile: Profile, colors: DrawingColors, title: str = "") -> str:
    """A page of a fixed size, however many places there are: no worst point is lost."""
    return "".join(_Page(profile, colors, *window(*profile.bounds())).parts(title))


@dataclass(frozen=True)
class _Page:
    profile: Profile
    colors: DrawingColors
    low: float
    high: float

    def parts(self, title: str) -> Iterator[str]:
        size = f'width="{number(_WIDTH)}" height="{number(_HEIGHT)}" viewBox="0 0 {number(_WIDTH)} {number(_HEIGHT)}"'
        yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="Inter, \'Segoe UI\', Arial, sans-serif">\n'
        yield f"<defs>{definitions([Rect(0, 0, 0, 0, BROKEN)])}{self._gradient()}</defs>\n"
        # In numbers: Qt, which prints it, takes percents for pixels.
        yield f'<rect width="{number(_WIDTH)}" height="{number(_HEIGHT)}" fill="{self.colors.background}"/>\n'
        yield _text(TEXT_LEFT, 30, fitted(line(title), TITLE, _RIGHT - TEXT_LEFT), self.colors.text, TITLE)
        yield from self._legend()
        yield from self._axes()
        first = self._columns(self.profile.curves[0].heights)
        yield self._area(first)
        yield from self._limits()
        if self.profile.introduced is not None:
            yield from self._bars(self.profile.introduced)
        for place, curve in reversed(list(enumerate(self.profile.curves))):
            yield from self._line(self._columns(curve.heights), place)
        yield from self._dots(first)
        yield from self._marks()
        yield "</svg>\n"

    # From places and heights to px

    @property
    def _count(self) -> int:
        return max(len(self.profile), 1)

    @property
    def _per_place(self) -> float:
        return (_RIGHT - _LEFT) / self._count

    def _x(self, place: float) -> float:
        return _LEFT + (place + 0.5) * self._per_place

    def _ys(self, heights: Floats) -> Floats:
        part = (np.clip(heights, self.low, self.high) - self.low) / (self.high - self.low)
        found: Floats = _BOTTOM - part * (_BOTTOM - _TOP)
        return found

    def _y(self, height: float) -> float:
        return float(self._ys(np.array([height]))[0])

    def _columns(self, heights: Floats) -> Columns:
        return thinned(heights, 0, self._count, round(_RIGHT - _LEFT))

    def _apart(self, heights: Floats) -> Columns:
        """Only the worst of what would overlap."""
        return thinned(heights, 0, self._count, int((_RIGHT - _LEFT) / _GLYPH))

    # What is drawn

    def _gradient(self) -> str:
        colors, steps = self.colors, [step / _STOPS for step in range(_STOPS + 1)]
        shades = [mixed(colors.error.hex(step), colors.background, _PALE) for step in steps]
        rows = zip(steps, shades, strict=True)
        stops = "".join(f'<stop offset="{number(step)}" stop-color="{shade}"/>' for step, shade in rows)
        ends = f'x1="0" x2="0" y1="{number(self._y(0.0))}" y2="{number(self._y(1.0))}"'
        return f'<linearGradient id="badness" gradientUnits="userSpaceOnUse" {ends}>{stops}</linearGradient>'

    def _legend(self) -> Iterator[str]:
        x = TEXT_LEFT
        for place, curve in enumerate(self.profile.curves):
            dash = f' stroke-dasharray="{_DASHES[min(place, 2)]}"' if place else ""
            yield f'<path d="M{number(x)} 50h16" stroke="{self.colors.edge_strong}" stroke-width="1.5"{dash}/>'
            yield _text(x + 22, 54, line(curve.title), self.colors.muted)
            x += 42 + width(line(curve.title), LABEL)
        if self.profile.introduced is not None:
            style = f'fill="{self.colors.error.hex(0.5)}" stroke="{self.colors.box_border}"'
            yield f'<rect x="{number(x + 5)}" y="45" width="5" height="10" {style}/>'
            yield _text(x + 22, 54, line(self.profile.introduced.title), self.colors.muted)

    def _axes(self) -> Iterator[str]:
        colors, scale = self.colors, self.profile.scale
        yield _rule(_BOTTOM, colors.group_border)
        apart = _APART * (self.high - self.low) / (_BOTTOM - _TOP)
        ticks = [(tick, colors.muted) for tick in height_ticks(scale, self.low, self.high, apart)]
        for tick, color in (*ticks, *((tick, colors.text) for tick in limit_ticks(scale))):
            yield _text(_LEFT - 8, self._y(tick.at) + 4, tick.text, color, anchor="end")
        for tick in place_ticks(0, self._count - 0.5, int((_RIGHT - _LEFT) / _ACROSS)):
            yield _text(self._x(tick.at), _BOTTOM + 22, tick.text, colors.muted, anchor="middle")
        yield "\n"

    def _limits(self) -> Iterator[str]:
        for height, dash in ((0.0, "1 3"), (1.0, "5 3")):
            yield _rule(self._y(height), self.colors.muted, f' stroke-dasharray="{dash}"')

    def _area(self, columns: Columns) -> str:
        """One path; a part of it for each run of neighbours."""
        xs, tops = self._x(0) + columns.worst * self._per_place, self._ys(columns.high)
        half = max(self._per_place, 1.0) / 2
        starts = np.flatnonzero(~columns.joined).tolist()
        parts = []
        for start, end in zip(starts, [*starts[1:], len(xs)], strict=False):
            run = list(zip(xs[start:end].tolist(), tops[start:end].tolist(), strict=True))
            if len(run) == 1:
                run = [(run[0][0] - half, run[0][1]), (run[0][0] + half, run[0][1])]
            top = "L".join(f"{number(x)} {number(y)}" for x, y in run)
            parts.append(f"M{number(run[0][0])} {number(_BOTTOM)}L{top}V{number(_BOTTOM)}Z")
        return f'<path class="area" d="{"".join(parts)}" fill="url(#badness)"/>\n' if parts else ""

    def _line(self, columns: Columns, place: int) -> Iterator[str]:
        """Through the highest and lowest of every column; dotted where something is missing between two."""
        xs = (self._x(0) + columns.worst * self._per_place).tolist()
        first, low, high, last = (
            self._ys(heights).tolist() for heights in (columns.first, columns.low, columns.high, columns.last)
        )
        solid, bridges = [], []
        for at, x in enumerate(xs):
            if at and not columns.joined[at]:
                bridges.append(f"M{number(xs[at - 1])} {number(last[at - 1])}L{number(x)} {number(first[at])}")
            points = dict.fromkeys((first[at], low[at], high[at], last[at]))
            command = "L" if at and columns.joined[at] else "M"
            solid.append(command + "L".join(f"{number(x)} {number(y)}" for y in points))
        color = self.colors.edge_strong
        dash = f' stroke-dasharray="{_DASHES[min(place, 2)]}"' if place else ""
        if bridges:
            style = f'fill="none" stroke="{self.colors.edge}" stroke-dasharray="1 3"'
            yield f'<path class="bridge" d="{"".join(bridges)}" {style}/>\n'
        if solid:
            yield f'<path class="curve" d="{"".join(solid)}" fill="none" stroke="{color}" stroke-width="1.3"{dash}/>\n'

    def _bars(self, curve: Curve) -> Iterator[str]:
        columns = self._columns(curve.heights)
        wide = min(max(self._per_place * 0.5, 1.0), _BAR)
        border = f' stroke="{self.colors.box_border}" stroke-width="0.75"' if wide >= 4 else ""
        yield f'<g class="introduced"{border}>'
        rows = zip(columns.worst.tolist(), self._ys(columns.high).tolist(), columns.high.tolist(), strict=True)
        for place, y, height in rows:
            box = f'x="{number(self._x(place) - wide / 2)}" y="{number(y)}" width="{number(wide)}"'
            yield f'<rect {box} height="{number(_BOTTOM - y)}" fill="{self._shade(height)}"/>'
        yield "</g>\n"

    def _shade(self, height: float) -> str:
        pale = 0.5 * max(0.0, 1 - 4 * max(height, 0.0))
        return mixed(self.colors.error.hex(height), self.colors.box_border, pale)

    def _dots(self, columns: Columns) -> Iterator[str]:
        """Points with a name, where there is room for them."""
        if self._per_place < _DOTS:
            return
        yield f'<g class="points" stroke="{self.colors.edge_strong}">'
        for place, y, height in zip(
            columns.worst.tolist(), self._ys(columns.high).tolist(), columns.high.tolist(), strict=True
        ):
            spot = f'cx="{number(self._x(place))}" cy="{number(y)}" r="2.5"'
            yield f'<circle {spot} fill="{self._shade(height)}">{self._title(place)}</circle>'
        yield "</g>\n"

    def _marks(self) -> Iterator[str]:
        """What has no height, what was not measured, and where an error begins."""
        profile, top = self.profile, _TOP - _EDGE
        for place in self._apart(np.where(profile.strange, 1.0, np.nan)).worst.tolist():
            box = f'x="{number(self._x(place) - _CHECK / 2)}" y="{number(top)}"'
            style = f'fill="url(#broken)" stroke="{self.colors.muted}" stroke-width="0.5"'
            yield f'<rect class="strange" {box} width="8" height="8" {style}>{self._title(place)}</rect>\n'
        missing = shares(~profile.measured, 0, self._count, round(_RIGHT - _LEFT))
        wide = max(self._per_place - 1, 1.0)
        runs = [
            f"M{number(_LEFT + at + 0.5 - wide / 2)} {number(_BOTTOM + 4)}h{number(wide)}" for at in _flagged(missing)
        ]
        if runs:
            style = f'stroke="{self.colors.unknown[1]}" stroke-width="{number(_RUG)}"'
            yield f'<path class="missing" d="{"".join(runs)}" {style}/>\n'
        origins = self._apart(np.where(profile.verdicts == Verdict.ORIGIN, profile.curves[0].heights, np.nan))
        for place, y in zip(origins.worst.tolist(), self._ys(origins.high).tolist(), strict=True):
            shape = _glyph(self._x(place), max(y - _GLYPH, top + _GLYPH / 2))
            style = f'fill="{self.colors.text}" stroke="{self.colors.background}" paint-order="stroke"'
            yield f'<path class="origin" d="{shape}" {style}>{self._title(place)}</path>\n'

    def _title(self, place: int) -> str:
        return f"<title>{escape(line(' · '.join(self.profile.lines(place))))}</title>"


def _flagged(missing: Floats) -> Sequence[int]:
    with np.errstate(invalid="ignore"):
        found: list[int] = np.flatnonzero(missing > 0).tolist()
    return found


def _glyph(x: float, y: float) -> str:
    parts = []
    for points in VERDICT_GLYPHS[Verdict.ORIGIN]:
        spots = (f"{number(x + (a - 0.5) * _GLYPH)} {number(y + (b - 0.5) * _GLYPH)}" for a, b in points)
        parts.append(f"M{'L'.join(spots)}Z")
    return "".join(parts)


def _rule(y: float, color: str, more: str = "") -> str:
    return f'<path d="M{number(_LEFT)} {number(y)}H{number(_RIGHT)}" stroke="{color}"{more}/>\n'


def _text(x: float, y: float, text: str, color: str, size: int = LABEL, anchor: str = "") -> str:
    where = f' text-anchor="{anchor}"' if anchor else ""
    weight = ' font-weight="600"' if size == TITLE else ""
    spot = f'x="{number(x)}" y="{number(y)}" font-size="{size}"{weight}'
    return f'<text {spot} fill="{color}"{where}>{escape(text)}</text>' if text else ""
