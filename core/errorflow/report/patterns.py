"""The patterns of a picture: what was not measured or cannot be compared, and values that are no numbers."""

from math import sqrt

from errorflow.draw.shapes import Pattern, checks, slanting
from errorflow.report.colors import DrawingColors, mixed

# Px along x from stripe to stripe that are so far apart.
_HATCH, _STRIPES = 6 * sqrt(2), 8 * sqrt(2)
BROKEN, INFINITE = checks("broken", 2), slanting("infinite", _STRIPES, 0.5, "#FFF", "#000")


def hatched(name: str, colors: DrawingColors, *, crossed: bool = False, side: float = _HATCH) -> Pattern:
    """What was not measured; `crossed`: what cannot be compared."""
    ground, stripe = colors.unknown
    if not crossed:
        return slanting(name, side, 1 / 3, ground, stripe)
    strong = mixed(stripe, colors.box_border, 0.6)
    return slanting(name, side, 1 / 3, ground, strong, strong)


def of_boxes(colors: DrawingColors) -> tuple[Pattern, ...]:
    """Those that boxes name."""
    return hatched("unknown", colors), hatched("crossed", colors, crossed=True), BROKEN, INFINITE
