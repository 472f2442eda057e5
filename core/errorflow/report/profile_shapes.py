"""The profile as shapes, in its colours: limits, axes, the area and the line of what accumulates, bars, marks."""

from collections.abc import Callable, Iterator

import numpy as np

from errorflow.base.arrays import distinct
from errorflow.base.values import dataclass
from errorflow.case.session.model import Palette
from errorflow.draw.shapes import Dots, Floats, Gradient, Group, Lines, Path, Pen, Rect, Rects, Shape, Text, line, rows
from errorflow.draw.svg import page
from errorflow.draw.text import LETTERS, Letters, fitted
from errorflow.draw.text import line as one_line
from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.axis import (
    ThinnedColumns,
    height_ticks,
    limit_ticks,
    place_ticks,
    shares,
    thinned,
    window,
)
from errorflow.explain.findings.model import State
from errorflow.explain.findings.profile import Profile, ProfileCurve
from errorflow.report.box_marks import VERDICT_GLYPHS, check, placed
from errorflow.report.colors import THEMES, ThemeName, mixed, painted_in
from errorflow.report.figure_shapes import DARK_LOOK, LIGHT_LOOK
from errorflow.report.frame import LABEL, TEXT_LEFT, TITLE
from errorflow.report.scale import ColorScale

# How much of the ground shows through the area below the curve.
_AREA = 0.55
# Of a second and a third run, on light and dark ground: no hue of error, of a selection, or of overflow.
_SECOND, _THIRD = ("#2C5A86", "#86B7E8"), ("#2E8B76", "#5CC4AC")
# In how many steps badness is drawn.
SHADES = 32


@dataclass(frozen=True, slots=True)
class ProfileColors:
    """Colours of everything in the profile."""

    ground: str
    text: str
    muted: str
    grid: str
    # The curves, the first run's first.
    lines: tuple[str, ...]
    bridge: str
    bar_border: str
    unknown: str
    selection: str
    overflow: str
    # Of badness in `SHADES` steps: of bars, and of the area.
    bars: tuple[str, ...]
    area: tuple[str, ...]

    def line(self, number: int) -> str:
        return self.lines[min(number, len(self.lines) - 1)]


def profile_colors(theme: ThemeName, palette: Palette) -> ProfileColors:
    dark = theme == "dark"
    colors, look = painted_in(THEMES[theme], palette), DARK_LOOK if dark else LIGHT_LOOK
    steps = [step / (SHADES - 1) for step in range(SHADES)]
    return ProfileColors(
        ground=colors.background,
        text=colors.text,
        muted=colors.muted,
        grid=look.grid,
        lines=(colors.edge_strong, _SECOND[dark], _THIRD[dark]),
        bridge=colors.edge,
        bar_border=colors.box_border,
        unknown=colors.unknown[1],
        selection=look.roles["candidate"],
        overflow=colors.overflow,
        bars=tuple(_bar(colors.error, step, colors.box_border) for step in steps),
        area=tuple(mixed(colors.error.hex(step), colors.background, _AREA) for step in steps),
    )


def _bar(scale: ColorScale, badness: float, border: str) -> str:
    """Chooses a colour in which what is good is still seen as a bar."""
    return mixed(scale.hex(badness), border, 0.5 * max(0.0, 1 - 4 * badness))


# Px at text of 100 %: between two numbers at an axis, from numbers to the axis, and down to those of places.
_APART, _ACROSS, _BESIDE, _BELOW = 15.0, 72.0, 6.0, 13.0
# Px: marks above and below the plot, the widest bar, from where on a bar has a border, the side of a glyph and of a
# check with what is round it; in a file one says its name, and is larger.
EDGE, RUG = 10, 5
_WIDEST, _BORDERED, _GLYPH, _NAMED_GLYPH, _CHECK = 7.0, 4.0, 9.0, 12.0, 8.0
# Nodes that stand so close to each other are steps; from so far on each has a dot, or where it says its name.
_CLOSE, _DOTS, _NAMED = 2.5, 9.0, 6.0
_LINE, _PALE = 1.25, 0.3
_DOT, _DASH = (1.0, 2.0), (4.0, 2.0)
# Of the line above the plot: a swatch, its distance from the text, and the way to the next.
SWATCH, _TO_TEXT, _GAP = 14.0, 6.0, 16.0
# A file: the page, and the plot in it.
_WIDTH, _HEIGHT, _LEGEND = 1200.0, 360.0, 50.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 80.0, 1176.0, 84.0, 316.0


@dataclass(frozen=True)
class ProfileRoom:
    """Room of a profile: from places and heights to px, and back."""

    left: float
    right: float
    top: float
    bottom: float
    # Places from where to where are seen, and heights.
    start: float
    end: float
    low: float
    high: float

    @property
    def across(self) -> float:
        return self.right - self.left

    @property
    def per_place(self) -> float:
        return self.across / (self.end - self.start)

    def x(self, place: float) -> float:
        """The middle of a place."""
        return self.left + (place + 0.5 - self.start) * self.per_place

    def y(self, height: float) -> float:
        return float(self.ys(np.array([height]))[0])

    def ys(self, heights: Floats) -> Floats:
        part = (np.clip(heights, self.low, self.high) - self.low) / (self.high - self.low)
        found: Floats = self.bottom - part * (self.bottom - self.top)
        return found

    def place(self, x: float) -> float:
        """The place whose middle is there, with a fraction."""
        return self.start + (x - self.left) / self.per_place - 0.5


@dataclass(frozen=True)
class ProfilePlot:
    """`fine`: pixels to a px, which columns are as fine as; `told`: what the pointer is told of a place."""

    profile: Profile
    room: ProfileRoom
    colors: ProfileColors
    fine: float = 1.0
    letters: Letters = LETTERS
    told: Callable[[int], str] | None = None

    def shapes(self) -> Iterator[Shape]:
        yield from self._axes()
        yield from self.curves()

    def curves(self) -> Iterator[Shape]:
        """Yields curves without axes and their numbers."""
        room = self.room
        clip = room.left, room.top - EDGE, room.across, room.bottom + RUG - room.top + EDGE
        yield Group(tuple(self._clipped()), clip=clip)
        yield from self._glyphs()

    def _clipped(self) -> Iterator[Shape]:
        first = self._columns(self.profile.curves[0].heights)
        yield self._area(first)
        for height, dash in ((0.0, _DOT), (1.0, _DASH)):
            y = round(self.room.y(height)) + 0.5
            yield line(self.room.left, y, self.room.right, y, Pen(self.colors.muted, dash=dash), crisp=True)
        if self.profile.introduced is not None:
            yield from self._bars(self.profile.introduced)
        for number, curve in reversed(list(enumerate(self.profile.curves))):
            yield from self._line(self._columns(curve.heights) if number else first, number)
        yield from self._edge_marks()
        yield from self._rug()

    # Curves

    def _columns(self, heights: Floats) -> ThinnedColumns:
        return thinned(heights, self.room.start, self.room.end, self._count)

    def _apart(self, heights: Floats, least: float) -> ThinnedColumns:
        """Chooses only the worst of what would overlap."""
        return thinned(heights, self.room.start, self.room.end, max(1, int(self.room.across / least)))

    @property
    def _count(self) -> int:
        return max(1, round(self.room.across * self.fine))

    def _xs(self, columns: ThinnedColumns) -> Floats:
        """The middle of the place where there is one in a column, else of the column."""
        room = self.room
        if room.per_place * self.fine >= 1:
            return np.asarray(room.left + (columns.worst + 0.5 - room.start) * room.per_place, np.float64)
        return np.asarray(room.left + (columns.columns + 0.5) / self.fine, np.float64)

    def _area(self, columns: ThinnedColumns) -> Shape:
        room, xs, tops = self.room, self._xs(columns), self.room.ys(columns.high)
        stops = tuple((step / (SHADES - 1), color) for step, color in enumerate(self.colors.area))
        fill = Gradient("badness", (0, room.y(0.0)), (0, room.y(1.0)), stops)
        half = max(room.per_place, 1 / self.fine) / 2
        if room.per_place < _CLOSE:  # a slope cannot be told from a step, which is drawn in a tenth of the time
            return Rects(rows(xs - half, tops, 2 * half, room.bottom - tops), fill, crisp=True, kind="area")
        runs = []
        for run in runs_of(columns, rows(xs, tops)):
            if len(run) == 1:  # a node that stands alone has the width that it would have among others
                run = run + np.array([[-half, 0.0], [half, 0.0]])
            runs.append(np.vstack([run, (run[-1, 0], room.bottom), (run[0, 0], room.bottom)]))
        return Path(runs, fill, kind="area")

    def _line(self, columns: ThinnedColumns, number: int) -> Iterator[Shape]:
        """Solid where neighbours were measured, dotted over gaps. Where many share a column, it goes along the worst of
        them, and below it is pale down to the best."""
        room, color, xs = self.room, self.colors.line(number), self._xs(columns)
        low, high = room.ys(columns.low), room.ys(columns.high)
        spots, joined = rows(xs, high), columns.joined[1:]
        if room.per_place * self.fine < 1:
            pale = Pen(color, 1 / self.fine, (), _PALE)
            yield Lines(rows(xs, low, xs, high)[low - high > 1], pale, crisp=True)
        gaps = np.hstack([spots[:-1], spots[1:]])[~joined]
        yield Lines(gaps, Pen(self.colors.bridge, dash=_DOT), kind="bridge")
        runs = runs_of(columns, spots)
        pen = Pen(color, 1.0 if number else _LINE, round=True)
        yield Path([run for run in runs if len(run) > 1], pen=pen, closed=False, kind="curve")
        if number == 0 and room.per_place >= (_NAMED if self.told else _DOTS):
            yield from self._dots(columns, spots)
        else:
            yield Dots(np.array([run[0] for run in runs if len(run) == 1]).reshape(-1, 2), 1.5, color)

    def _dots(self, columns: ThinnedColumns, spots: Floats) -> Iterator[Shape]:
        """Paints dots in the colour of their badness, or in one."""
        pen = Pen(self.colors.lines[0])
        for spot, height, place in zip(spots, columns.high.tolist(), columns.worst.tolist(), strict=True):
            yield from self._noted(place, Dots(spot[None], 2.5, self._shade(height), pen))

    def _noted(self, place: int, *shapes: Shape, kind: str = "") -> tuple[Shape, ...]:
        return shapes if self.told is None else (Group(shapes, note=self.told(place), kind=kind),)

    def _bars(self, curve: ProfileCurve) -> Iterator[Shape]:
        columns, room = self._columns(curve.heights), self.room
        width = min(max(room.per_place * 0.5, 1 / self.fine), _WIDEST)
        pen = Pen(self.colors.bar_border) if width >= _BORDERED else None
        tops, lefts = room.ys(columns.high), self._xs(columns) - width / 2
        shades = np.clip(np.nan_to_num(columns.high, nan=1.0) * (SHADES - 1), 0, SHADES - 1).astype(int)
        for shade in distinct(shades).tolist():
            these = shades == shade
            places = rows(lefts[these], tops[these], width, room.bottom - tops[these])
            yield Rects(places, self.colors.bars[shade], pen, crisp=pen is None, kind="introduced")

    def _shade(self, height: float) -> str:
        return self.colors.bars[round(min(max(height, 0.0), 1.0) * (SHADES - 1))]

    # What has no height

    def _edge_marks(self) -> Iterator[Shape]:
        """NaN and infinity as a check of black and white, overflow in its own colour, at the upper edge."""
        profile, top = self.profile, self.room.top - EDGE
        overflow = (profile.states & State.OVERFLOW) != 0
        for place in self._apart(np.where(profile.strange, 1.0, np.nan), _CHECK).worst.tolist():
            x = round(self.room.x(place))
            marks: list[Shape] = list(check(x, top + 4, 6.0))
            if overflow[place]:
                marks.append(Rect(x - 3, top + 7, 6, 2, self.colors.overflow, crisp=True))
            yield from self._noted(place, *marks, kind="strange")

    def _rug(self) -> Iterator[Shape]:
        """Ticks below the plot where nothing was measured, fainter where only some was not."""
        room, wide = self.room, max(self.room.per_place - 1, 1 / self.fine)
        missing = np.nan_to_num(shares(~self.profile.measured, room.start, room.end, self._count))
        faint = np.where(missing > 0, np.maximum(np.round(missing * 20) / 20, 0.25), 0.0)
        for opacity in distinct(faint[faint > 0]).tolist():
            middles = np.asarray(room.left + (np.flatnonzero(faint == opacity) + 0.5) / self.fine, np.float64)
            places = rows(middles - wide / 2, room.bottom + 2, wide, RUG - 2)
            yield Rects(places, self.colors.unknown, opacity=opacity, crisp=True, kind="missing")

    def _glyphs(self) -> Iterator[Shape]:
        """Origins have the glyph that they have in the graph, above their point."""
        profile, room = self.profile, self.room
        size = _GLYPH if self.told is None else _NAMED_GLYPH
        columns = self._apart(np.where(profile.verdicts == Verdict.ORIGIN, profile.curves[0].heights, np.nan), size)
        for place, y in zip(columns.worst.tolist(), room.ys(columns.high).tolist(), strict=True):
            middle = room.x(place), max(y - size, room.top - EDGE + size / 2)
            runs = placed(VERDICT_GLYPHS[Verdict.ORIGIN], *middle, size)
            halo = Path(runs, pen=Pen(self.colors.ground, 1.5))
            yield from self._noted(place, halo, Path(runs, self.colors.text), kind="origin")

    # Axes

    def _axes(self) -> Iterator[Shape]:
        room, colors, profile, letters = self.room, self.colors, self.profile, self.letters
        larger = letters.size / LABEL
        yield line(room.left, room.bottom + 0.5, room.right, room.bottom + 0.5, Pen(colors.grid), crisp=True)
        apart = larger * _APART * (room.high - room.low) / max(room.bottom - room.top, 1.0)
        ticks = [(tick, colors.muted) for tick in height_ticks(profile.scale, room.low, room.high, apart)]
        good, bad = limit_ticks(profile.scale)
        limits = (good, bad) if apart <= 1 else (bad,)  # which says what is wrong
        for tick, color in (*ticks, *((tick, colors.text) for tick in limits)):
            base = room.y(tick.at) + letters.ascent - letters.height / 2
            yield Text(room.left - _BESIDE, base, tick.text, color, letters.size, "end")
        end, most = min(room.end, len(profile) - 0.5), int(room.across / (larger * _ACROSS))
        for tick in place_ticks(room.start, end, most):
            half = letters.width(tick.text) / 2
            x = min(max(room.x(tick.at), room.left + half), room.right - half)
            base = room.bottom + RUG + larger * _BELOW
            yield Text(x, base, tick.text, colors.muted, letters.size, "middle")


def runs_of(columns: ThinnedColumns, spots: Floats) -> list[Floats]:
    """Points of neighbours, as far as nothing is missing between them."""
    return np.split(spots, np.flatnonzero(~columns.joined[1:]) + 1) if len(spots) else []


def head_entries(profile: Profile) -> list[tuple[str, int]]:
    """Lists what the line above the plot names, each with its number; -1: what is introduced."""
    found = [(curve.title, number) for number, curve in enumerate(profile.curves)]
    return found if profile.introduced is None else [*found, (profile.introduced.title, -1)]


def head_shapes(
    entries: list[tuple[str, int]], colors: ProfileColors, left: float, middle: float, letters: Letters = LETTERS
) -> Iterator[Shape]:
    """The line above the plot, or above it on a page."""
    for title, number in entries:
        yield from swatch_shapes(number, colors, left, middle)
        left += SWATCH + _TO_TEXT
        yield Text(left, middle + letters.ascent - letters.height / 2, one_line(title), colors.muted, letters.size)
        left += letters.width(title) + _GAP


def head_width(entries: list[tuple[str, int]], letters: Letters) -> float:
    return sum(SWATCH + _TO_TEXT + letters.width(title) + _GAP for title, _ in entries)


def swatch_shapes(number: int, colors: ProfileColors, x: float, middle: float) -> Iterator[Shape]:
    """A line over its area for the first run, a line for others, a bar for what is introduced (-1)."""
    if number < 0:
        yield Rect(x + SWATCH / 2 - 2.5, middle - 5, 5, 10, colors.bars[SHADES // 2], Pen(colors.bar_border))
        return
    if number == 0:
        yield Rect(x, middle, SWATCH, 5, colors.area[SHADES // 3])
    yield line(x, middle, x + SWATCH, middle, Pen(colors.line(number), 1.5))


def profile_svg(profile: Profile, theme: ThemeName, palette: Palette = "ember", title: str = "") -> str:
    """A page of a fixed size, however many places there are: no worst point is lost."""
    ends = 0.0, float(max(len(profile), 1))
    room = ProfileRoom(_LEFT, _RIGHT, _TOP, _BOTTOM, *ends, *window(*profile.bounds()))
    colors = profile_colors(theme, palette)

    def told(place: int) -> str:
        return one_line(" · ".join(profile.lines(place)))

    name = fitted(one_line(title), TITLE, _RIGHT - TEXT_LEFT)
    head = Text(TEXT_LEFT, 30, name, colors.text, TITLE, strong=True)
    legend = head_shapes(head_entries(profile), colors, TEXT_LEFT, _LEGEND)
    shapes = ProfilePlot(profile, room, colors, told=told).shapes()
    return page([head, *legend, *shapes], (_WIDTH, _HEIGHT), colors.ground)
