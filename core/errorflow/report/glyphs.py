"""Signs at the corners of boxes, told apart by their form: at the left one a verdict, at the right one a state."""

from collections.abc import Mapping
from math import cos, pi, sin
from types import MappingProxyType

from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.change import Turn
from errorflow.explain.findings.model import State

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
