"""The boxes of a picture as SVG: form and tone say what sort of box it is, the mark and the label what it does."""

from collections.abc import Iterator
from functools import cache
from html import escape
from math import isnan

import numpy as np

from errorflow.draw.shapes import Rect, Shape
from errorflow.draw.svg import data, elements, number, numbers
from errorflow.draw.text import clean, fitted, line, width
from errorflow.explain.findings.states import State
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing, Kind
from errorflow.quant.kept import Kept
from errorflow.report.box_marks import BAR_ROOM, broken_state, frame, has_bar, marks, ring
from errorflow.report.colors import DrawingColors
from errorflow.report.families import family_of
from errorflow.report.fold import (
    BAND_BADNESS,
    BAR,
    BAR_ORDER,
    BELOW,
    BESIDE,
    LEAST,
    LINE,
    ROOM,
    UNMEASURED,
    BoxErrors,
    bar_widths,
)
from errorflow.report.frame import LABEL
from errorflow.report.marks import mark
from errorflow.report.notes import box_note
from errorflow.report.paint import Paint
from errorflow.report.scale import luminance
from errorflow.report.switch_marks import OVER, kept_mark


# What a box that stands for several nodes shows beside its fill: how bad how many of them are.
def bars(drawing: Drawing, colors: DrawingColors, errors: BoxErrors) -> dict[int, str]:
    """For each box that stands for several nodes, how bad how many of them are; the worst at the right."""
    told = errors.measured[errors.folds]
    folds, bands = errors.folds[told], errors.bands[told]
    x, y, w, h = drawing.boxes[folds].T
    room = np.maximum(w - 2 * BESIDE, 0.0)
    widths = bar_widths(bands, room, LEAST)
    lefts = (x + BESIDE)[:, None] + np.cumsum(widths, axis=1) - widths
    tops = y + h - BELOW - BAR
    fills = [colors.unknown[1] if band == UNMEASURED else colors.error.hex(BAND_BADNESS[band]) for band in BAR_ORDER]
    found = {}
    for row, box in enumerate(folds.tolist()):
        top = float(tops[row])
        parts = [Rect(float(lefts[row, 0]), top - LINE, float(room[row]), LINE, colors.background)]
        for left, across, fill in zip(lefts[row].tolist(), widths[row].tolist(), fills, strict=True):
            if across > 0:
                parts.append(Rect(left, top, across, BAR, fill))
        found[box] = "".join(elements(parts))
    return found


_RADIUS = 4.0
# How far the sheets of a closed group or stack stick out, and how many there are.
_OFFSET = 2.5
_SHEETS = {Kind.FOLD: 1, Kind.STACK: 2}
_SORTS = {
    Kind.INPUT: "input",
    Kind.OUTPUT: "output",
    Kind.CONSTANT: "constant",
    Kind.FOLD: "fold",
    Kind.STACK: "fold",
}
_MARKS = {"input": "border", "output": "border"}
# Room beside the text, and beside mark and text; the mark's size and its distance from the text; where a label's
# middle lies above its base line. All in text heights.
_BESIDE, _BESIDE_MARK, _MARK, _APART, _MIDDLE = 0.35, 0.2, 0.62, 0.38, 0.364
# Programs without the font use one that may be so much wider; a text that would not fit then is told its width.
_WIDER = 1.12
# From this luminance on a fill takes dark text.
_LIGHT_FILL = 0.246
_DARK_INK, _LIGHT_INK = "#1B232C", "#FFFFFF"


def boxes(drawing: Drawing, graph: Graph, colors: DrawingColors, paint: Paint | None) -> Iterator[str]:
    """A group of elements per box, with the number of its node as id."""
    told = bars(drawing, colors, paint.errors) if paint is not None else {}
    for box, (place, text) in enumerate(zip(drawing.boxes.tolist(), drawing.labels, strict=True)):
        kind, node = Kind(int(drawing.kinds[box])), int(drawing.nodes[box])
        family = family_of(graph.op_types[node]) if node >= 0 else "other"
        sort = _SORTS.get(kind, family)
        fill, ink = _fill(paint, box, colors)
        note = "\n".join(filter(None, (box_note(drawing, graph, box), paint.note(box) if paint is not None else "")))
        bar = told.get(box, "")
        radius = _radius(place, kind)
        behind, over, left = (
            _beside(paint, box, place, ROOM if bar else 0.0, radius, colors) if paint is not None else ("", "", 0.0)
        )
        label = _label(
            [place[0] + left, place[1], place[2] - left, place[3]], sort, line(text), ink, ROOM if bar else 0.0
        )
        yield (
            f'<g id="{_name(drawing, box, kind)}"><title>{escape(clean(note))}</title>'
            f"{behind}{_shape(place, kind, sort, fill)}{bar}{over}{label}</g>\n"
        )


def _beside(
    paint: Paint, box: int, place: list[float], taken: float, radius: float, colors: DrawingColors
) -> tuple[str, str, float]:
    """What is painted behind the box, and over it but for what is `taken` at the bottom; and what that takes of the
    label's room at the left."""
    signs, nan, free = paint.signs, bool(paint.errors.broken[box]), [*place[:3], place[3] - taken]
    if signs is None:
        return "", "".join(elements([frame(free, radius, State.NAN)])) if nan else "", 0.0
    broken = broken_state(State(int(signs.states[box])), nan)
    told: list[Shape] = [frame(free, radius, broken)] if broken is not None else []
    behind = elements([ring(place, radius, bool(signs.ends[box]), colors)] if signs.front[box] else [])
    # A frame takes the bar's place.
    barred = broken is None and has_bar(signs, box, float(paint.errors.badness[box]))
    told += marks(free, radius, signs, box, barred, colors)
    if signs.kept is not None and signs.kept[box]:
        corner = place[0] + place[2] + 2.0, place[1] + place[3] + OVER
        told.append(kept_mark(Kept(int(signs.kept[box])), *corner, colors.text, colors.background))
    return "".join(behind), "".join(elements(told)), BAR_ROOM if barred else 0.0


def _name(drawing: Drawing, box: int, kind: Kind) -> str:
    if kind == Kind.OPERATOR:
        return f"node-{drawing.nodes[box]}"
    if kind in _SHEETS:
        return f"fold-{drawing.folds[box]}"
    return f"{_SORTS[kind]}-{drawing.tensors[box]}"


def _fill(paint: Paint | None, box: int, colors: DrawingColors) -> tuple[str, str]:
    """The fill and the colour of text that error gives a box; "": its class says it."""
    if paint is None:
        return "", ""
    value = float(paint.errors.badness[box])
    if isnan(value):
        crossed = paint.signs is not None and bool(paint.signs.states[box] & State.INCOMPARABLE)
        return ("url(#crossed)", colors.box_text) if crossed else ("url(#unknown)", colors.muted)
    light = luminance(colors.error.color(value)) > _LIGHT_FILL
    return colors.error.hex(value), _DARK_INK if light else _LIGHT_INK


def _shape(place: list[float], kind: Kind, sort: str, fill: str) -> str:
    """The box, and below it those that it stands for."""
    x, y, w, h = place
    radius = _radius(place, kind)
    style = _style("fill", fill)
    shapes = []
    for sheet in range(_SHEETS.get(kind, 0), -1, -1):
        left, top = number(x + sheet * _OFFSET), number(y + sheet * _OFFSET)
        size = f'width="{number(w)}" height="{number(h)}" rx="{number(radius)}"'
        shapes.append(f'<rect class="box {sort}" x="{left}" y="{top}" {size}{style}/>')
    return "".join(shapes)


def _radius(place: list[float], kind: Kind) -> float:
    return place[3] / 2 if kind in (Kind.INPUT, Kind.OUTPUT) else _RADIUS


def _label(place: list[float], sort: str, label: str, ink: str, taken: float) -> str:
    """A mark if there is room, and the text, cut off where it must be; at the bottom something is `taken`."""
    x, y, w, h = place[0], place[1], place[2], place[3] - taken
    room = w - 2 * _BESIDE * LABEL
    text = fitted(label, LABEL, room)
    across, before = width(text, LABEL), (_MARK + _APART) * LABEL
    marked = across + before <= w - 2 * _BESIDE_MARK * LABEL
    left = x + (w - across - (before if marked else 0.0)) / 2
    start = left + (before if marked else 0.0)
    sure = f' textLength="{number(across)}" lengthAdjust="spacingAndGlyphs"' if across * _WIDER > room else ""
    base = y + h / 2 + _MIDDLE * LABEL
    return (
        _mark(sort, left, y + h / 2 - _MARK * LABEL / 2, ink) if marked else ""
    ) + f'<text x="{number(start)}" y="{number(base)}"{_style("fill", ink)}{sure}>{escape(text)}</text>'


def _mark(sort: str, left: float, top: float, ink: str) -> str:
    path, stroked = _mark_path(_MARKS.get(sort, sort))
    look, colored = ("stroke", "stroke") if stroked else ("mark", "fill")
    return f'<path class="{look}" transform="translate({numbers(left, top)})" d="{path}"{_style(colored, ink)}/>'


@cache
def _mark_path(family: str) -> tuple[str, bool]:
    """At 0, and whether it is stroked."""
    shape = mark(family, _MARK * LABEL, "#000000")
    return data(shape), shape.pen is not None


def _style(name: str, color: str) -> str:
    return f' style="{name}:{color}"' if color else ""
