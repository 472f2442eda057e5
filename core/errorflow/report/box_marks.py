"""What stands beside the fill of a box in an SVG: frames, outlines, the second mark, glyphs, the front's ring."""

from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.change import Turn
from errorflow.explain.findings.states import State
from errorflow.report.box_signs import BoxSigns
from errorflow.report.colors import DrawingColors
from errorflow.report.curves import number
from errorflow.report.glyphs import HALO, SIZE, STATE_GLYPHS, TILE, TURN_GLYPHS, VERDICT_GLYPHS, Points, told_state

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
    """What frames a box: NaN before what is infinite."""
    if State.NAN in states or (nan and State.INF not in states):
        return State.NAN
    return State.INF if State.INF in states else None


def frame(place: Place, radius: float, state: State) -> str:
    """What says that a value is no number, inside the border."""
    x, y, w, h = (place[0] + 0.5, place[1] + 0.5, place[2] - 1, place[3] - 1)
    return _outline((x, y, w, h), radius, pattern_of(state), FRAME)


def pattern_of(state: State) -> str:
    """What stands for NaN, or for what is infinite."""
    return "url(#broken)" if state == State.NAN else "url(#infinite)"


def overflow(place: Place, radius: float, colors: DrawingColors) -> str:
    return _outline(place, radius, colors.overflow, OUTLINE)


def _outline(place: "Place | tuple[float, ...]", radius: float, paint: str, wide: float) -> str:
    x, y, w, h = place
    shape = f'<rect x="{number(x + wide / 2)}" y="{number(y + wide / 2)}" width="{number(w - wide)}"'
    style = f'fill="none" stroke="{paint}" stroke-width="{number(wide)}"'
    return f'{shape} height="{number(h - wide)}" rx="{number(max(radius - wide / 2, 0.0))}" {style}/>'


def second_mark(place: Place, badness: float, colors: DrawingColors) -> str:
    """The bar at the left edge, with a line of the ground at its right: it may have the colour of the fill."""
    x, y, _, h = place
    left, top, high = x + BAR_LEFT, y + BAR_ENDS, h - 2 * BAR_ENDS
    ground = _rect(left, top, BAR + 1, high, colors.background)
    return ground + _rect(left, top, BAR, high, colors.error.hex(badness))


def ring(place: Place, radius: float, first: bool, colors: DrawingColors) -> str:
    """Behind the box."""
    wide = RING_END if first else RING
    out = CLEAR + wide / 2
    x, y, w, h = place
    shape = f'<rect x="{number(x - out)}" y="{number(y - out)}" width="{number(w + 2 * out)}"'
    color = colors.text if first else colors.front
    return (
        f'{shape} height="{number(h + 2 * out)}" rx="{number(radius + out)}" fill="none" stroke="{color}" '
        f'stroke-width="{number(wide)}"/>'
    )


def verdict_glyph(verdict: Verdict | Turn, x: float, y: float, colors: DrawingColors) -> str:
    """Round a point."""
    left, top = x - SIZE / 2, y - SIZE / 2
    parts = TURN_GLYPHS[verdict] if isinstance(verdict, Turn) else VERDICT_GLYPHS[verdict]
    way = "".join(path_of(part, left, top, SIZE) for part in parts)
    halo = f'stroke="{colors.background}" stroke-width="{number(2 * HALO)}" stroke-linejoin="round"'
    return f'<path d="{way}" {halo} fill="{colors.text}"/><path d="{way}" fill="{colors.text}"/>'


def state_tile(state: State, x: float, y: float, colors: DrawingColors) -> str:
    """Round a point."""
    side, inner = SIZE, SIZE - 2 * TILE - 2
    way = "".join(path_of(part, x - inner / 2, y - inner / 2, inner) for part in STATE_GLYPHS[state])
    place = f'x="{number(x - side / 2)}" y="{number(y - side / 2)}" width="{number(side)}" height="{number(side)}"'
    return (
        f'<rect {place} rx="2" fill="{colors.background}" stroke="{colors.text}"/>'
        f'<path d="{way}" fill="{colors.text}"/>'
    )


def has_bar(signs: BoxSigns, box: int, fill: float) -> bool:
    """Whether the second mark says something: what is good both ways stays calm."""
    bar = float(signs.bars[box])
    return bar > 0 or (bar == 0 and fill > 0)


def marks(place: Place, radius: float, signs: BoxSigns, box: int, barred: bool, colors: DrawingColors) -> str:
    """Over the fill, below the label."""
    states = State(int(signs.states[box]))
    made = [second_mark(place, float(signs.bars[box]), colors)] if barred else []
    made += [overflow(place, radius, colors)] if State.OVERFLOW in states else []
    if signs.verdicts[box]:
        inside = 1 - ON_RING if signs.front[box] else 1.0
        made.append(verdict_glyph(Verdict(int(signs.verdicts[box])), place[0] + inside, place[1] + inside, colors))
    if signs.turns is not None and signs.turns[box]:
        made.append(verdict_glyph(Turn(int(signs.turns[box])), place[0] + 1.0, place[1] + 1.0, colors))
    told = told_state(states)
    if told is not None:
        made.append(state_tile(told, place[0] + place[2] - 1, place[1] + 1, colors))
    return "".join(made)


def path_of(points: Points, left: float, top: float, size: float) -> str:
    steps = (f"{number(left + x * size)} {number(top + y * size)}" for x, y in points)
    return f"M{'L'.join(steps)}Z"


def _rect(x: float, y: float, width: float, height: float, fill: str) -> str:
    size = f'width="{number(width)}" height="{number(height)}"'
    return f'<rect x="{number(x)}" y="{number(y)}" {size} fill="{fill}"/>'
