"""Marks beside the fill of a box: frames, outlines, the second mark, signs at corners, the front's ring."""

from functools import cache

import numpy as np

from errorflow.draw.shapes import Floats, Group, Path, Pen, Rect, Shape
from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.change import Turn
from errorflow.explain.findings.states import State
from errorflow.report.box_signs import BoxSigns
from errorflow.report.colors import DrawingColors
from errorflow.report.glyphs import HALO, SIZE, STATE_GLYPHS, TILE, TURN_GLYPHS, VERDICT_GLYPHS, Points, told_state
from errorflow.report.patterns import BROKEN, INFINITE

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
