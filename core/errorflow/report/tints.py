"""Edges carry the colour of what flows: in a few shades, and only from where something is wrong."""

from errorflow.report.colors import DrawingColors

# The shades beside the calm one; what is below the least badness is calm.
SHADES = 5
LEAST = 0.02
# From the calmest to the worst: how wide, in logical px.
_THIN, _WIDE = 1.4, 2.2


def shade_of(badness: float) -> int:
    """Chooses a shade from 1 to `SHADES`."""
    return min(int(badness * SHADES) + 1, SHADES)


def shade_badness(shade: int) -> float:
    """Finds what a shade stands for: so far from the ground that a thin line shows it, and the worst is the worst."""
    return 0.25 + 0.75 * (shade - 1) / (SHADES - 1)


def shade_width(shade: int) -> float:
    return _THIN + (_WIDE - _THIN) * (shade - 1) / (SHADES - 1)


def edge_color(badness: float, colors: DrawingColors) -> str:
    return colors.error.hex(shade_badness(shade_of(badness)))


def edge_width(badness: float) -> float:
    return shade_width(shade_of(badness))
