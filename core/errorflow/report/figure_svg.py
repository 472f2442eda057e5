"""A plot as one SVG file that needs nothing else, for tickets and reports."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from errorflow.base.language import translated
from errorflow.draw.text import clean, wrapped
from errorflow.explain.inspect.figure import (
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
from errorflow.report.colors import DARK, LIGHT

_FONT = "'Errorflow Sans',Inter,'Segoe UI','Helvetica Neue',Arial,sans-serif"
_LEFT, _RIGHT, _TOP, _BOTTOM = 72.0, 16.0, 56.0, 60.0
_NOTE = 16.0
# What a letter of a note may take: of a wider font than ours, where ours is not at hand.
_LETTER, _MOST_LINES = 12.5, 6
# The reference is neutral, as in the window.
_ROLES: dict[Role, str] = {
    "reference": "#5A6672",
    "candidate": "#2C5A86",
    "error": LIGHT.edge_strong,
    "quiet": "#5A6672",
    "strong": "#1B232C",
}
_GRID, GROUND = "#DCE1E7", "#FFFFFF"
# The same on a dark ground.
DARK_ROLES = {
    _ROLES["reference"]: "#9CA7B3",
    _ROLES["candidate"]: "#6FB1F2",
    _ROLES["error"]: DARK.edge_strong,
    _ROLES["strong"]: "#E2E7EC",
    _GRID: "#343D47",
    GROUND: "#1F252C",
}


@dataclass(frozen=True, slots=True)
class _Place:
    """From numbers to the picture."""

    figure: Figure
    width: float
    height: float
    # The figure's notes in lines that fit.
    notes: tuple[str, ...]

    def x(self, values: Doubles) -> list[float]:
        axis = self.figure.x
        share = (values - axis.low) / (axis.high - axis.low)
        found: list[float] = (_LEFT + np.clip(share, 0, 1) * (self.width - _LEFT - _RIGHT)).round(2).tolist()
        return found

    def y(self, values: Doubles) -> list[float]:
        axis = self.figure.y
        share = (values - axis.low) / (axis.high - axis.low)
        found: list[float] = (self.foot - np.clip(share, 0, 1) * (self.foot - _TOP)).round(2).tolist()
        return found

    @property
    def foot(self) -> float:
        return self.height - _BOTTOM - _NOTE * len(self.notes)


def figure_svg(figure: Figure, width: int = 640, height: int = 400) -> str:
    """The plot with its title, legend and notes, on white; higher than that where a note needs more than a line."""
    notes = _lines(figure.notes, width)
    height += round(_NOTE) * (len(notes) - len(figure.notes))
    place = _Place(figure, width, height, notes)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="{escape(_FONT)}" font-size="11" role="img"><title>{_text(figure.title)}</title>',
        f'<rect width="{width}" height="{height}" fill="{GROUND}"/>',
        f'<text x="16" y="22" font-size="14" font-weight="600" fill="{_ROLES["strong"]}">{_text(figure.title)}</text>',
        *_axes(place),
        *(part for layer in figure.layers for part in _DRAWN[type(layer)](layer, place)),
        *_legend(place),
        *_notes(place),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _axes(place: _Place) -> Iterator[str]:
    figure, foot, right = place.figure, place.foot, place.width - _RIGHT
    for at, name in ticks(figure.y, 6):
        y = place.y(np.array([at]))[0]
        yield f'<path d="M{_LEFT} {y}H{right}" stroke="{_GRID}"/>'
        yield _label(_LEFT - 6, y + 4, name, "end")
    last = -1e9
    for at, name in ticks(figure.x, 8):
        x = place.x(np.array([at]))[0]
        if x - last > 7 * len(name) + 6:
            yield f'<path d="M{x} {foot}v4" stroke="{_ROLES["quiet"]}"/>' + _label(x, foot + 16, name, "middle")
            last = x
    yield f'<path d="M{_LEFT} {foot}H{right}" stroke="{_ROLES["quiet"]}"/>'
    yield _label(right, foot + 32, figure.x.label, "end") + _label(16, _TOP - 4, figure.y.label, "start")


def _lines(notes: Sequence[str], width: int) -> tuple[str, ...]:
    """In the language in use before they are broken: parts of a sentence are found in no catalogue."""
    return tuple(part for note in notes for part in wrapped(translated(note), _LETTER, width - 32, _MOST_LINES))


def _legend(place: _Place) -> Iterator[str]:
    figure = place.figure
    labels = dict.fromkeys(layer.label for layer in figure.layers)
    wide = sum(30 + 6.5 * len(label) for label in labels)
    x, known = max(16, min(_LEFT + 40, int(place.width - _RIGHT - wide))), set()
    for layer in figure.layers:
        if layer.label not in known:
            known.add(layer.label)
            fill = _GRID if isinstance(layer, Band) else _ROLES[layer.role]
            yield f'<rect x="{x}" y="{_TOP - 22}" width="8" height="8" fill="{fill}"/>'
            yield _label(x + 12, _TOP - 14, layer.label, "start")
            x += 30 + 6.5 * len(layer.label)


def _notes(place: _Place) -> Iterator[str]:
    for number, note in enumerate(place.notes):
        yield _label(16, place.height - 12 - _NOTE * (len(place.notes) - 1 - number), note, "start")


def _label(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{_ROLES["quiet"]}">{_text(text)}</text>'


def _text(text: str) -> str:
    return escape(clean(text))


def _points(x: list[float], y: list[float]) -> str:
    return " ".join(f"{a},{b}" for a, b in zip(x, y, strict=True))


def _bars(bars: Bars, place: _Place) -> Iterator[str]:
    x = place.x(np.repeat(bars.edges, 2))
    y = [place.foot, *place.y(np.repeat(bars.heights, 2)), place.foot]
    color = _ROLES[bars.role]
    share = 0.35 if bars.filled else 0.12
    yield f'<polygon points="{_points(x, y)}" fill="{color}" fill-opacity="{share}" stroke="{color}"/>'


def _dots(points: Points, place: _Place) -> Iterator[str]:
    spots = zip(place.x(points.x), place.y(points.y), strict=True)
    # A line of no length is nothing to some programs.
    path = "".join(f"M{x} {y}h.01" for x, y in spots)
    yield f'<path d="{path}" stroke="{_ROLES[points.role]}" stroke-width="2" stroke-linecap="round" opacity="0.5"/>'


def _line(line: Line, place: _Place) -> Iterator[str]:
    dash = ' stroke-dasharray="4 3"' if line.dashed else ""
    points = _points(place.x(line.x), place.y(line.y))
    yield f'<polyline points="{points}" fill="none" stroke="{_ROLES[line.role]}"{dash}/>'


def _band(band: Band, place: _Place) -> Iterator[str]:
    left, right = place.x(np.array([band.low, band.high]))
    yield f'<rect x="{left}" y="{_TOP}" width="{right - left}" height="{place.foot - _TOP}" fill="{_GRID}"/>'


def _rules(rules: Rules, place: _Place) -> Iterator[str]:
    top = place.foot - 5 if rules.ticks else _TOP
    path = "".join(f"M{x} {top}V{place.foot}" for x in place.x(rules.x))
    yield f'<path d="{path}" stroke="{_ROLES[rules.role]}" opacity="0.6"/>'


def _boxes(boxes: BoxPlots, place: _Place) -> Iterator[str]:
    color = _ROLES[boxes.role]
    sides = (boxes.x - boxes.width / 2, boxes.x, boxes.x + boxes.width / 2)
    left, middle, right = (place.x(side) for side in sides)
    columns = (boxes.low, boxes.first, boxes.middle, boxes.third, boxes.high)
    fine = np.isfinite(np.stack(columns)).all(axis=0)
    rows = [place.y(np.nan_to_num(column)) for column in columns]
    for at in np.flatnonzero(fine).tolist():
        low, first, half, third, high = (row[at] for row in rows)
        yield (
            f'<path d="M{middle[at]} {low}V{high}M{left[at]} {half}H{right[at]}" stroke="{color}"/>'
            f'<rect x="{left[at]}" y="{third}" width="{round(right[at] - left[at], 2)}" '
            f'height="{max(round(first - third, 2), 1)}" fill="{color}" fill-opacity="0.5"/>'
        )


_DRAWN: dict[type[Layer], Callable[[Any, _Place], Iterator[str]]] = {
    Bars: _bars,
    Points: _dots,
    Line: _line,
    Band: _band,
    Rules: _rules,
    BoxPlots: _boxes,
}
