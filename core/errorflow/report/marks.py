"""The small shapes in front of labels that tell operator families apart where tones do not."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from errorflow.draw.shapes import Dots, Path, Pen

Points = tuple[tuple[float, float], ...]

# Points of a unit square, y down: closed and filled, …
_FILLED: Mapping[str, Points] = MappingProxyType(
    {
        "compute": ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)),
        "combine": ((0.5, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5)),
        "reduce": ((0.0, 0.08), (1.0, 0.08), (0.5, 0.95)),
    }
)
# … or open strokes.
_OPEN: Mapping[str, tuple[Points, ...]] = MappingProxyType(
    {
        "activate": (((0.0, 0.9), (0.45, 0.9), (1.0, 0.1)),),
        "normalize": (((0.0, 0.2), (1.0, 0.2)), ((0.0, 0.8), (1.0, 0.8))),
        "move": (((0.0, 0.5), (1.0, 0.5)), ((0.55, 0.05), (1.0, 0.5), (0.55, 0.95))),
        "quantize": (((0.0, 1.0), (0.33, 1.0), (0.33, 0.5), (0.67, 0.5), (0.67, 0.0), (1.0, 0.0)),),
        "control": (((0.0, 0.5), (0.4, 0.5), (1.0, 0.05)), ((0.4, 0.5), (1.0, 0.95))),
        "fold": (((0.1, 0.5), (0.9, 0.5)), ((0.5, 0.1), (0.5, 0.9))),
    }
)
# Circles, of which one is filled.
_DOT = "constant"
# Of the mark's size: how thick strokes and circles are, and how far these stay inside.
_STROKE, _LINE, _INSIDE = 1.15 / 6, 1 / 6, 0.08


def mark(family: str, size: float, ink: str) -> Path | Dots:
    """Draws the mark of a family, "constant" or "fold", filling a square of that size at 0."""
    if family in _FILLED:
        return Path([np.array(_FILLED[family]) * size], ink)
    if family in _OPEN:
        pen = Pen(ink, max(size, 6.0) * _STROKE)
        return Path([np.array(stroke) * size for stroke in _OPEN[family]], pen=pen, closed=False)
    line = max(size, 6.0) * _LINE
    radius = size * (0.5 - _INSIDE) - line / 2
    middle = np.array([[size / 2, size / 2]])
    return Dots(middle, radius, ink) if family == _DOT else Dots(middle, radius, pen=Pen(ink, line))
