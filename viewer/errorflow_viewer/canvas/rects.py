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
