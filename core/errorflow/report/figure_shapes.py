"""A plot as shapes: text and axes round its layers, from back to front; in a panel, in a large window, in a file."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from errorflow.base.language import translated
from errorflow.base.values import dataclass
from errorflow.draw.shapes import Dots, Group, Lines, Path, Pen, Rect, Rects, Shape, Text, line, rows, slanting
from errorflow.draw.svg import page
from errorflow.draw.text import LETTERS, Letters, wrapped
from errorflow.explain.inspect.figure import (
    Axis,
    Band,
    Bars,
    BoxPlots,
    Doubles,
    Figure,
    Layer,
    Line,
    Points,
    Role,
    Rules,
    ticks,
)

# Px: from text to text, and around the plot; a mark in the legend; marks at an axis, and steps at the foot.
SPACE, _EDGE, MARK, TICK_HEIGHT = 4.0, 8.0, 8.0, 5.0
# How far apart numbers on the axes are at least.
_TICK_ROOM = (64.0, 26.0)
# Smaller, a square would tell less than a plot as wide as there is room.
_SQUARE_FROM = 120.0
# More numbers than these tell no more.
_MOST_TICKS = 10
# What lies further away, in sizes of the plot, is drawn there: lines keep their slope, and numbers stay in bounds.
_FAR = 1000.0
# Boxes that are narrower stand close together; from so many points on each is small and faint.
_CLEAR, _MANY = 4.0, 1000
# Of a mark in a legend, where ticks stand in it; a hatch, and how much of the ground it covers.
_MARKED, _HATCH, _COVERED = (0.1, 0.5, 0.9), 6.0, 0.15
_DASH = (4.0, 2.0)
# Of a page: the title, a line of a note, what a letter may take of a wider font than ours, and lines of one at most.
_TITLE, _NOTE, _LETTER, _MOST_LINES = 32.0, 16.0, 12.5, 6
_TITLE_SIZE = 14


@dataclass(frozen=True, slots=True)
class FigureLook:
    """Colours the reference warm, the candidate with the accent: told apart in thin lines, too, and by all eyes."""

    roles: Mapping[Role, str]
    ground: str
    grid: str
    border: str

    @property
    def text(self) -> str:
        return self.roles["strong"]

    @property
    def muted(self) -> str:
        return self.roles["quiet"]


def _look(reference: str, candidate: str, error: str, quiet: str, strong: str, *rest: str) -> FigureLook:
    roles: dict[Role, str] = {"reference": reference, "candidate": candidate, "error": error}
    return FigureLook({**roles, "quiet": quiet, "strong": strong}, *rest)


LIGHT_LOOK = _look("#8A6100", "#1F6FC4", "#5F6D7B", "#5A6672", "#1B232C", "#FFFFFF", "#DCE1E7", "#B9C2CC")
DARK_LOOK = _look("#E8BE5A", "#6CB2F7", "#9CA9B6", "#9CA7B3", "#E2E7EC", "#20262D", "#343C46", "#505B67")


def colors_in_the_dark() -> dict[str, str]:
    """Maps each colour of a light plot to that on a dark ground."""
    pairs = ((LIGHT_LOOK.roles[role], color) for role, color in DARK_LOOK.roles.items())
    rest = ((getattr(LIGHT_LOOK, name), getattr(DARK_LOOK, name)) for name in ("ground", "grid", "border"))
    return dict((*pairs, *rest))


@dataclass(frozen=True, slots=True)
class Area:
    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2

    def contains(self, x: float, y: float) -> bool:
        return self.x <= x <= self.right and self.y <= y <= self.bottom


@dataclass(frozen=True, slots=True)
class FigureScale:
    """Scale from numbers to pixels and back. `far`: how far out something may lie, in sizes of the plot."""

    area: Area
    x_low: float
    x_high: float
    y_low: float
    y_high: float
    far: float = _FAR

    def x(self, values: Doubles) -> Doubles:
        share = (values - self.x_low) / (self.x_high - self.x_low)
        found: Doubles = self.area.x + np.clip(share, -self.far, 1 + self.far) * self.area.width
        return found

    def y(self, values: Doubles) -> Doubles:
        share = (values - self.y_low) / (self.y_high - self.y_low)
        found: Doubles = self.area.bottom - np.clip(share, -self.far, 1 + self.far) * self.area.height
        return found

    def spots(self, x: Doubles, y: Doubles) -> Doubles:
        return rows(self.x(x), self.y(y))

    def x_at(self, pixel: float) -> float:
        return self.x_low + (pixel - self.area.x) / max(self.area.width, 1.0) * (self.x_high - self.x_low)


class FigurePlot:
    """One figure in one area. `window`: what of the x axis is seen."""

    def __init__(
        self,
        figure: Figure,
        look: FigureLook,
        size: Area,
        window: tuple[float, float] | None = None,
        letters: Letters = LETTERS,
        far: float = _FAR,
    ) -> None:
        self.figure, self.look, self._size, self._letters = figure, look, size, letters
        low, high = window or (figure.x.low, figure.x.high)
        self._rows = _legend_rows(figure, letters, size.width - 2 * _EDGE)
        self._x = Axis(figure.x.label, low, high, whole=figure.x.whole, names=figure.x.names)
        self._y_ticks = ticks(figure.y, 5)
        self.scale = FigureScale(self._area(), low, high, figure.y.low, figure.y.high, far)
        most = min(round(self.scale.area.height / _TICK_ROOM[1]), _MOST_TICKS)
        self._y_ticks = apart(ticks(figure.y, most), lambda place: self._y_at(place) / (letters.height + 2))
        wide = max((letters.width(text) for _, text in ticks(self._x, 5)), default=0.0) + 2 * SPACE
        most = int(self.scale.area.width / max(wide, 20.0 if figure.x.names else _TICK_ROOM[0] * 0.75))
        self._x_ticks = apart(ticks(self._x, most), lambda place: self._x_at(place) / wide)

    def shapes(self) -> Iterator[Shape]:
        area = self.scale.area
        yield from self._axes()
        layers = tuple(shape for layer in self.figure.layers for shape in layer_shapes(layer, self.scale, self.look))
        yield Group(layers, clip=(area.x - 0.5, area.y - 0.5, area.width + 1, area.height + 1))
        yield line(area.x, area.bottom, area.right, area.bottom, Pen(self.look.border), crisp=True)
        yield from self._legend()

    def _area(self) -> Area:
        size, text = self._size, self._letters
        left = max((text.width(name) for _, name in self._y_ticks), default=0.0) + SPACE + _EDGE
        top = (len(self._rows) + 1) * (text.height + SPACE) + SPACE
        bottom = 2 * text.height + SPACE + TICK_HEIGHT
        width, height = size.width - left - _EDGE - SPACE, size.height - top - bottom
        side = min(width, height)
        if self.figure.square and side >= _SQUARE_FROM:
            return Area(size.x + left + (width - side) / 2, size.y + top, side, side)
        if width <= 8 or height <= 8:
            width = height = 8
        return Area(size.x + left, size.y + top, width, height)

    def _x_at(self, place: float) -> float:
        return float(self.scale.x(np.array([place]))[0])

    def _y_at(self, place: float) -> float:
        return float(self.scale.y(np.array([place]))[0])

    def _axes(self) -> Iterator[Shape]:
        area, text, look = self.scale.area, self._letters, self.look
        middle = text.ascent - text.height / 2
        for place, name in self._y_ticks:
            y = self._y_at(place)
            yield line(area.x, y, area.right, y, Pen(look.grid), crisp=True)
            yield Text(area.x - SPACE, y + middle, name, look.muted, text.size, "end")
        under = area.bottom + TICK_HEIGHT + text.ascent
        for place, name in self._x_ticks:
            x = self._x_at(place)
            yield line(x, area.bottom, x, area.bottom + TICK_HEIGHT - 1, Pen(look.border), crisp=True)
            yield Text(self._within(x, name), under, name, look.muted, text.size, "middle")
        top = area.y - SPACE - text.height + text.ascent
        yield Text(self._size.x + _EDGE, top, self.figure.y.label, look.text, text.size)
        yield Text(area.right, under + text.height, self.figure.x.label, look.text, text.size, "end")

    def _within(self, x: float, name: str) -> float:
        """Never out of the picture."""
        half = self._letters.width(name) / 2 + 1
        return min(max(x, self._size.x + half), self._size.right - half)

    def _legend(self) -> Iterator[Shape]:
        text, y = self._letters, self._size.y + SPACE
        for row in self._rows:
            x = self._size.x + _EDGE
            for layer, label in row:
                yield from mark_shapes(layer, Area(x, y + (text.height - MARK) / 2, MARK, MARK), self.look)
                yield Text(x + MARK + SPACE, y + text.ascent, label, self.look.text, text.size)
                x += _entry_width(label, text)
            y += text.height + SPACE


def figure_svg(figure: Figure, width: int = 640, height: int = 400) -> str:
    """The plot with its title, legend and notes, on white; higher than that where a note needs more than a line."""
    notes = _lines(figure.notes, width)
    height += round(_NOTE) * (len(notes) - len(figure.notes))
    look, foot = LIGHT_LOOK, height - _NOTE * len(notes) - (_EDGE if notes else 0)
    plot = FigurePlot(figure, look, Area(_EDGE, _TITLE, width - 2 * _EDGE, foot - _TITLE), far=0.0)
    title = Text(2 * _EDGE, 22, figure.title, look.text, _TITLE_SIZE, strong=True)
    told = [Text(2 * _EDGE, foot + _NOTE * (at + 1) - SPACE, note, look.muted) for at, note in enumerate(notes)]
    return page([title, *plot.shapes(), *told], (width, height), look.ground, figure.title)


def _lines(notes: Sequence[str], width: int) -> tuple[str, ...]:
    """Breaks notes in the language in use before they are broken: parts of a sentence are found in no catalogue."""
    return tuple(part for note in notes for part in wrapped(translated(note), _LETTER, width - 32, _MOST_LINES))


def apart(found: list[tuple[float, str]], place: Callable[[float], float]) -> list[tuple[float, str]]:
    """Keeps the ticks between which there is room: zero first, then from there outwards."""
    kept: list[tuple[float, str]] = []
    for tick in sorted(found, key=lambda tick: (tick[1] != "0", abs(tick[0]))):
        if all(abs(place(tick[0]) - place(other[0])) >= 1 for other in kept):
            kept.append(tick)
    return sorted(kept)


def _legend_rows(figure: Figure, letters: Letters, width: float) -> list[list[tuple[Layer, str]]]:
    """The labels of all layers, each once, on as many lines as they need."""
    found: list[list[tuple[Layer, str]]] = []
    used, known = 0.0, set()
    for layer in figure.layers:
        if layer.label in known or (isinstance(layer, Rules) and not len(layer.x)):
            continue
        known.add(layer.label)
        label = letters.fitted(layer.label, width - MARK - SPACE)
        wide = _entry_width(label, letters)
        if not found or used + wide - 2 * SPACE > width:
            found.append([])
            used = 0.0
        found[-1].append((layer, label))
        used += wide
    return found


def _entry_width(label: str, letters: Letters) -> float:
    return MARK + SPACE + letters.width(label) + 3 * SPACE


def mark_shapes(layer: Layer, spot: Area, look: FigureLook) -> Iterator[Shape]:
    """Paints what stands for a layer in a legend."""
    x, y = spot.middle
    if isinstance(layer, Band):
        # Framed: of a pattern alone there is little to see in so small a place.
        yield Rect(spot.x + 0.5, spot.y + 0.5, spot.width - 1, spot.height - 1, _hatch(look), Pen(look.border))
    elif isinstance(layer, Rules) and layer.ticks:
        places = rows(spot.x + np.array(_MARKED) * spot.width)[:, 0]
        yield Lines(rows(places, spot.bottom - TICK_HEIGHT, places, spot.bottom), Pen(look.roles[layer.role]), True)
    elif isinstance(layer, Rules):
        yield line(x, spot.y, x, spot.bottom, Pen(look.roles[layer.role], dash=_DASH), crisp=True)
    elif isinstance(layer, Line):
        pen = Pen(look.roles[layer.role], 1.5, (6.0, 3.0) if layer.dashed else ())
        yield line(spot.x, y, spot.right, y, pen, crisp=True)
    else:
        yield Rect(spot.x, spot.y, spot.width, spot.height, look.roles[layer.role])


def layer_shapes(layer: Layer, scale: FigureScale, look: FigureLook, letters: Letters = LETTERS) -> Iterator[Shape]:
    """Yields what is drawn of a layer, in and around the area."""
    return _DRAWN[type(layer)](layer, scale, look, letters)


def _hatch(look: FigureLook) -> Any:
    return slanting("hatch", _HATCH, _COVERED, "", look.border)


def _band(band: Band, scale: FigureScale, look: FigureLook, _: Letters) -> Iterator[Shape]:
    left, right = scale.x(np.array([band.low, band.high])).tolist()
    yield Rect(left, scale.area.y, right - left, scale.area.height, _hatch(look))


def _bars(bars: Bars, scale: FigureScale, look: FigureLook, _: Letters) -> Iterator[Shape]:
    foot = [scale.area.bottom]
    outline = rows(np.repeat(scale.x(bars.edges), 2), np.concatenate([foot, np.repeat(scale.y(bars.heights), 2), foot]))
    color = look.roles[bars.role]
    yield Path([outline], color, opacity=0.35 if bars.filled else 0.12, crisp=True)
    yield Path([outline], pen=Pen(color, 1.0 if bars.filled else 1.5), closed=False, crisp=True)


def _points(points: Points, scale: FigureScale, look: FigureLook, _: Letters) -> Iterator[Shape]:
    many = len(points.x) > _MANY
    spots, color = scale.spots(points.x, points.y), look.roles[points.role]
    yield Dots(spots, 1.0 if many else 2.0, color, opacity=0.45 if many else 0.8, crisp=True)


def _line(way: Line, scale: FigureScale, look: FigureLook, letters: Letters) -> Iterator[Shape]:
    spots = scale.spots(way.x, way.y)
    yield Path([spots], pen=Pen(look.roles[way.role], dash=_DASH if way.dashed else ()), closed=False)
    if way.named and len(spots):
        # Left of its end, in the plot.
        right, top = min(float(spots[-1, 0]), scale.area.right), max(float(spots[-1, 1]), scale.area.y)
        spot = right - 2 * letters.height, top + letters.height
        yield Text(*spot, way.label, look.text, letters.size, "end")


def _rules(rules: Rules, scale: FigureScale, look: FigureLook, letters: Letters) -> Iterator[Shape]:
    area, places = scale.area, scale.x(rules.x)
    seen = places[(places >= area.x) & (places <= area.right)]
    top = area.bottom - TICK_HEIGHT if rules.ticks else area.y
    opacity = 0.4 if len(places) > area.width / 3 else 0.7
    pen = Pen(look.roles[rules.role], 1.0, () if rules.ticks else _DASH, opacity)
    yield Lines(rows(seen, top, seen, area.bottom), pen, crisp=True)
    yield from _names(rules, places.tolist(), area, look, letters)


def _names(rules: Rules, places: list[float], area: Area, look: FigureLook, letters: Letters) -> Iterator[Text]:
    """Names rules beside their heads; those of one name are in one row, away from each other."""
    lines = list(dict.fromkeys(rules.names))
    for at, name in enumerate(rules.names):
        left = places[at] < max(place for place, same in zip(places, rules.names, strict=False) if same == name)
        wide = letters.width(name) + 3
        fits = places[at] - wide > area.x if left else places[at] + wide < area.right
        base = area.y + letters.ascent + lines.index(name) * letters.height
        x, anchor = (places[at] - 3, "end") if left == fits else (places[at] + 3, "start")
        yield Text(x, base, name, look.text, letters.size, "end" if anchor == "end" else "start")


def _boxes(boxes: BoxPlots, scale: FigureScale, look: FigureLook, _: Letters) -> Iterator[Shape]:
    color = look.roles[boxes.role]
    wide = max(boxes.width * scale.area.width / (scale.x_high - scale.x_low), 1.0)
    columns = (boxes.low, boxes.first, boxes.middle, boxes.third, boxes.high)
    found = np.stack([scale.x(boxes.x), *map(scale.y, columns)], axis=1)
    x, low, first, middle, third, high = found[np.isfinite(found).all(axis=1)].T
    left = x - wide / 2
    # Close together, whiskers step back behind the boxes.
    yield Lines(rows(x, low, x, high), Pen(color, opacity=1.0 if wide >= _CLEAR else 0.4), crisp=True)
    yield Rects(rows(left, third, wide, np.maximum(first - third, 1.0)), color, opacity=0.55, crisp=True)
    yield Lines(rows(left, middle, left + wide, middle), Pen(color), crisp=True)


_DRAWN: dict[type[Layer], Callable[[Any, FigureScale, FigureLook, Letters], Iterator[Shape]]] = {
    Bars: _bars,
    Points: _points,
    Line: _line,
    Band: _band,
    Rules: _rules,
    BoxPlots: _boxes,
}
