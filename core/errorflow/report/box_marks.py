"""Marks beside the fill of a box, and patterns in it: frames, outlines, a second mark, signs at corners, the front."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from math import cos, pi, sin, sqrt
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.draw.shapes import Floats, Group, Path, Pattern, Pen, Rect, Rects, Shape, Text, checks, slanting
from errorflow.draw.text import CAPITAL, width
from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.change import Turn
from errorflow.explain.findings.model import State
from errorflow.quant.switching import Kept
from errorflow.report.box_signs import BoxSigns
from errorflow.report.colors import DrawingColors, mixed
from errorflow.report.paint import Paint

# Signs at the corners of boxes, told apart by their form: at the left one a verdict, at the right one a state.

Points = tuple[tuple[float, float], ...]


def _star(points: int, inner: float) -> Points:
    """A star that fills the unit square."""
    turns = (pi * step / points for step in range(2 * points))
    radii = ((0.5, inner)[step % 2] for step in range(2 * points))
    return tuple((0.5 + r * sin(turn), 0.5 - r * cos(turn)) for turn, r in zip(turns, radii, strict=True))


# Points of a unit square, y down; each part is closed and filled.
VERDICT_GLYPHS: Mapping[Verdict, tuple[Points, ...]] = MappingProxyType(
    {
        # An error begins here, grows, is undone.
        Verdict.ORIGIN: (_star(5, 0.2),),
        Verdict.AMPLIFIER: (((0.5, 0.04), (1.0, 0.96), (0.0, 0.96)),),
        Verdict.HEALER: (
            (
                *((0.34, 0.02), (0.66, 0.02), (0.66, 0.34), (0.98, 0.34), (0.98, 0.66), (0.66, 0.66)),
                *((0.66, 0.98), (0.34, 0.98), (0.34, 0.66), (0.02, 0.66), (0.02, 0.34), (0.34, 0.34)),
            ),
        ),
    }
)
# An arrow: the error is up, or down.
TURN_GLYPHS: Mapping[Turn, tuple[Points, ...]] = MappingProxyType(
    {
        Turn.WORSE: (((0.5, 0.0), (1.0, 0.52), (0.68, 0.52), (0.68, 1.0), (0.32, 1.0), (0.32, 0.52), (0.0, 0.52)),),
        Turn.BETTER: (((0.5, 1.0), (0.0, 0.48), (0.32, 0.48), (0.32, 0.0), (0.68, 0.0), (0.68, 0.48), (1.0, 0.48)),),
    }
)
# The same on a tile, the most telling first: only one of them has room.
STATE_GLYPHS: Mapping[State, tuple[Points, ...]] = MappingProxyType(
    {
        # Plus and minus; nothing inside; one level; cut off at the top.
        State.FLIPPED: (
            ((0.4, 0.0), (0.6, 0.0), (0.6, 0.62), (0.4, 0.62)),
            ((0.1, 0.22), (0.9, 0.22), (0.9, 0.4), (0.1, 0.4)),
            ((0.1, 0.8), (0.9, 0.8), (0.9, 1.0), (0.1, 1.0)),
        ),
        State.ZERO: (
            ((0.1, 0.0), (0.9, 0.0), (0.9, 0.2), (0.1, 0.2)),
            ((0.1, 0.8), (0.9, 0.8), (0.9, 1.0), (0.1, 1.0)),
            ((0.1, 0.2), (0.3, 0.2), (0.3, 0.8), (0.1, 0.8)),
            ((0.7, 0.2), (0.9, 0.2), (0.9, 0.8), (0.7, 0.8)),
        ),
        State.CONSTANT: (((0.0, 0.4), (1.0, 0.4), (1.0, 0.6), (0.0, 0.6)),),
        State.SATURATED: (((0.0, 0.0), (1.0, 0.0), (1.0, 0.2), (0.0, 0.2)), ((0.5, 0.35), (1.0, 1.0), (0.0, 1.0))),
    }
)
# Logical px: how large a glyph is at scale 1, and at least where boxes have room for one.
SIZE, LEAST = 12.0, 10.0
# A tile is that much larger than what stands on it, and a glyph has that much of the ground round it.
TILE, HALO = 1.5, 1.5


def told_state(states: State) -> State | None:
    """The one of several that has the sign."""
    return next((state for state in STATE_GLYPHS if state in states), None)


# Px along x from stripe to stripe that are so far apart.
_HATCH, _STRIPES = 6 * sqrt(2), 8 * sqrt(2)
BROKEN, INFINITE = checks("broken", 2), slanting("infinite", _STRIPES, 0.5, "#FFF", "#000")


def hatched(name: str, colors: DrawingColors, *, crossed: bool = False, side: float = _HATCH) -> Pattern:
    """Draws what was not measured; `crossed`: what cannot be compared."""
    ground, stripe = colors.unknown
    if not crossed:
        return slanting(name, side, 1 / 3, ground, stripe)
    strong = mixed(stripe, colors.box_border, 0.6)
    return slanting(name, side, 1 / 3, ground, strong, strong)


def of_boxes(colors: DrawingColors) -> tuple[Pattern, ...]:
    """Lists the patterns that boxes name."""
    return hatched("unknown", colors), hatched("crossed", colors, crossed=True), BROKEN, INFINITE


def check(x: float, y: float, side: float) -> tuple[Rect | Rects, ...]:
    """Four squares round a point, black and white by turns, in a frame that is seen on any ground."""
    half = side / 2
    left, top = x - half, y - half
    black = np.array([[left, top, half, half], [x, y, half, half]])
    frame = Rect(left - 1, top - 1, side + 2, side + 2, "#808080", crisp=True)
    return frame, Rect(left, top, side, side, "#FFF", crisp=True), Rects(black, "#000", crisp=True)


Sign = Verdict | State | Turn
Place = list[float]
# How wide the frame round a box is whose worst value is no number, and the outline of what overflows.
FRAME, OUTLINE = 3.0, 2.0
# The second mark: its width, its distance from the left edge, and from top and bottom; what it takes of a label's room.
BAR, BAR_LEFT, BAR_ENDS, BAR_ROOM = 3.0, 1.0, 2.0, 3.0
# The ring of the front, and where it begins; how far from the box.
RING, RING_END, CLEAR = 1.5, 2.5, 2.5
# How far from the corner of a box that has such a ring its verdict's sign stands.
ON_RING = CLEAR + RING_END + 1.0


def broken_state(states: State, nan: bool) -> State | None:
    """Chooses the state that frames a box: NaN before what is infinite."""
    if State.NAN in states or (nan and State.INF not in states):
        return State.NAN
    return State.INF if State.INF in states else None


def frame(place: Place, radius: float, state: State) -> Rect:
    """Draws the frame that marks a value that is no number, inside the border."""
    inner = [place[0] + 0.5, place[1] + 0.5, place[2] - 1, place[3] - 1]
    return outline(inner, Pen(BROKEN if state == State.NAN else INFINITE, FRAME), radius)


def outline(place: Place, pen: Pen, radius: float = 0.0) -> Rect:
    """Draws along the inner side of an edge."""
    x, y, w, h = place
    half = pen.width / 2
    return Rect(x + half, y + half, w - pen.width, h - pen.width, "", pen, max(radius - half, 0.0))


def second_mark(place: Place, badness: float, colors: DrawingColors) -> tuple[Rect, ...]:
    """The bar at the left edge, with a line of the ground at its right: it may have the colour of the fill."""
    x, y, _, h = place
    left, top, high = x + BAR_LEFT, y + BAR_ENDS, h - 2 * BAR_ENDS
    ground = Rect(left, top, BAR + 1, high, colors.background)
    return ground, Rect(left, top, BAR, high, colors.error.hex(badness))


def ring(place: Place, radius: float, first: bool, colors: DrawingColors) -> Rect:
    """Draws a ring behind the box."""
    wide = RING_END if first else RING
    out = CLEAR + wide / 2
    x, y, w, h = place
    pen = Pen(colors.text if first else colors.front, wide)
    return Rect(x - out, y - out, w + 2 * out, h + 2 * out, "", pen, radius + out)


def sign(told: Sign, x: float, y: float, ink: str, ground: str) -> Group:
    """Draws a sign round a point, with what sets it off from whatever is behind it."""
    return Group(_sign(type(told), told, ink, ground), x, y)


@cache
def _sign(_kind: type, told: Sign, ink: str, ground: str) -> tuple[Rect | Path, ...]:
    """Draws round 0; numbers of different kinds of signs may be equal."""
    if isinstance(told, State):
        inner, half = SIZE - 2 * TILE - 2, SIZE / 2 - 0.5
        tile = Rect(-half, -half, 2 * half, 2 * half, ground, Pen(ink), 2.0)
        return tile, Path(placed(STATE_GLYPHS[told], 0.0, 0.0, inner), ink)
    runs = placed(TURN_GLYPHS[told] if isinstance(told, Turn) else VERDICT_GLYPHS[told], 0.0, 0.0, SIZE)
    return Path(runs, ink, Pen(ground, 2 * HALO, round=True)), Path(runs, ink)


def placed(parts: tuple[Points, ...], x: float, y: float, size: float) -> list[Floats]:
    return [(np.array(part) - 0.5) * size + (x, y) for part in parts]


def has_bar(signs: BoxSigns, box: int, fill: float) -> bool:
    """Whether the second mark says something: what is good both ways stays calm."""
    bar = float(signs.bars[box])
    return bar > 0 or (bar == 0 and fill > 0)


def marks(place: Place, radius: float, signs: BoxSigns, box: int, barred: bool, colors: DrawingColors) -> list[Shape]:
    """Draws marks over the fill, below the label."""
    ink, ground, states = colors.text, colors.background, State(int(signs.states[box]))
    made: list[Shape] = [*second_mark(place, float(signs.bars[box]), colors)] if barred else []
    made += [outline(place, Pen(colors.overflow, OUTLINE), radius)] if State.OVERFLOW in states else []
    if signs.verdicts[box]:
        inside = 1 - ON_RING if signs.front[box] else 1.0
        made.append(sign(Verdict(int(signs.verdicts[box])), place[0] + inside, place[1] + inside, ink, ground))
    if signs.turns is not None and signs.turns[box]:
        made.append(sign(Turn(int(signs.turns[box])), place[0] + 1.0, place[1] + 1.0, ink, ground))
    told = told_state(states)
    if told is not None:
        made.append(sign(told, place[0] + place[2] - 1, place[1] + 1, ink, ground))
    return made


# Marks of what the user switched away from a simulation's plan: a word at the lower right corner of a box.

Codes = NDArray[np.uint8]
# In px at scale 1: the text, what is beside it, how high the mark is, and by how much it hangs over the box.
TEXT, BESIDE, HIGH, OVER = 9.0, 4.0, 11.0, 5.0


def kept_of_boxes(kept: Codes, boxes: Ints, count: int) -> Codes:
    """Finds for each box what the nodes in it were switched to; several sorts are `PART`, and so are some of many.

    `kept`: of each node its `Kept`, or 0. `boxes`: for each node the box that shows it, or -1.
    """
    shown = np.flatnonzero(boxes >= 0)
    least = np.full(count, 255, np.uint8)
    most = np.zeros(count, np.uint8)
    np.minimum.at(least, boxes[shown], kept[shown])
    np.maximum.at(most, boxes[shown], kept[shown])
    return np.where((most > 0) & (least != most), np.uint8(Kept.PART), most).astype(np.uint8)


def with_kept(paint: Paint, kept: Codes, boxes: Ints, told: Callable[[int], str]) -> Paint:
    """The same with marks; `told` says of a node what it was asked to compute in, and what it does."""
    if paint.signs is None:
        return paint
    count = len(paint.signs.states)
    of_node = told_of_boxes(boxes, count, told)

    def note(box: int) -> str:
        return "\n".join(filter(None, (paint.note(box), of_node(box))))

    found = kept_of_boxes(kept, boxes, count) if kept.any() else None
    return replace(paint, signs=replace(paint.signs, kept=found), note=note)


def told_of_boxes(boxes: Ints, count: int, told: Callable[[int], str]) -> Callable[[int], str]:
    """Makes what `told` says of the node that a box shows; "": it shows several, or none."""
    nodes = np.full(count, -1, np.int64)
    shown = np.flatnonzero(boxes >= 0)
    nodes[boxes[shown]] = shown
    several = np.bincount(boxes[shown], minlength=count) > 1

    def note(box: int) -> str:
        node = -1 if several[box] else int(nodes[box])
        return told(node) if node >= 0 else ""

    return note


def mark_width(kept: Kept) -> float:
    return width(kept.word, TEXT) + 2 * BESIDE


def kept_mark(kept: Kept, right: float, bottom: float, ink: str, ground: str) -> Group:
    """Draws the mark with its lower right corner at a point."""
    return Group(_mark(kept, ink, ground), right, bottom)


@cache
def _mark(kept: Kept, ink: str, ground: str) -> tuple[Rect, Text]:
    wide = mark_width(kept)
    plate = Rect(0.5 - wide, 0.5 - HIGH, wide - 1, HIGH - 1, ink, Pen(ground), (HIGH - 1) / 2)
    return plate, Text(-wide / 2, CAPITAL * TEXT / 2 - HIGH / 2, kept.word, ground, TEXT, "middle")
