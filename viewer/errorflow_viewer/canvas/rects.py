"""Arithmetic on rows of x, y, width, height."""

import numpy as np

from errorflow.layout.drawing import Floats


def whole(values: Floats) -> Floats:
    """The nearest whole numbers, halves upwards; numpy rounds halves to even, and a shifted picture would differ."""
    return np.floor(values + 0.5)


def grown(rects: Floats, out: float) -> Floats:
    """Each rectangle larger by `out` on every side."""
    return np.add(rects, [-out, -out, 2 * out, 2 * out])


def at_least(rects: Floats, side: float) -> Floats:
    """Each rectangle at least that wide and high, about the same middle."""
    more = np.maximum(side - rects[:, 2:], 0.0)
    return np.column_stack([rects[:, :2] - more / 2, rects[:, 2:] + more])


def moved(rects: Floats, dx: float, dy: float) -> Floats:
    return np.add(rects, [dx, dy, 0.0, 0.0])


def frames(rects: Floats, widths: "Floats | float") -> Floats:
    """The four sides of each rectangle, as rectangles: an outline costs ten times as much."""
    x, y, width, height = rects.T
    thick = np.broadcast_to(np.asarray(widths, float), (len(rects),))
    inner = height - 2 * thick
    sides = (
        (x, y, width, thick),
        (x, y + height - thick, width, thick),
        (x, y + thick, thick, inner),
        (x + width - thick, y + thick, thick, inner),
    )
    return np.concatenate([np.column_stack(side) for side in sides])
