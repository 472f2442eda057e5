"""The patterns of a picture: what was not measured or cannot be compared, and values that are no numbers."""

from math import sqrt

import numpy as np

from errorflow.draw.shapes import Pattern, Rect, Rects, checks, slanting
from errorflow.report.colors import DrawingColors, mixed

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
