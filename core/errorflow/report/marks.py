"""The small shapes in front of labels that tell operator families apart where tones do not."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

Points = tuple[tuple[float, float], ...]

# Points of a unit square, y down: closed and filled, …
FILLED: Mapping[str, Points] = MappingProxyType(
    {
        "compute": ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)),
        "combine": ((0.5, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5)),
        "reduce": ((0.0, 0.08), (1.0, 0.08), (0.5, 0.95)),
    }
)
# … or open strokes.
OPEN: Mapping[str, tuple[Points, ...]] = MappingProxyType(
    {
        "activate": (((0.0, 0.9), (0.45, 0.9), (1.0, 0.1)),),
        "normalize": (((0.0, 0.2), (1.0, 0.2)), ((0.0, 0.8), (1.0, 0.8))),
        "move": (((0.0, 0.5), (1.0, 0.5)), ((0.55, 0.05), (1.0, 0.5), (0.55, 0.95))),
        "quantize": (((0.0, 1.0), (0.33, 1.0), (0.33, 0.5), (0.67, 0.5), (0.67, 0.0), (1.0, 0.0)),),
        "control": (((0.0, 0.5), (0.4, 0.5), (1.0, 0.05)), ((0.4, 0.5), (1.0, 0.95))),
        "fold": (((0.1, 0.5), (0.9, 0.5)), ((0.5, 0.1), (0.5, 0.9))),
    }
)
# Circles, some of them hollow.
ROUND = ("border", "other", "constant")
HOLLOW = ("border", "other")

_DIGITS = 2


@dataclass(frozen=True, slots=True)
class MarkPath:
    """A mark as the path of an SVG, from where it begins (relative to the mark's corner) on."""

    start: tuple[float, float]
    way: str
    stroked: bool


@cache
def mark_path(mark: str, size: float) -> MarkPath:
    """The mark of a family, "constant" or "fold", filling a square of that size."""
    if mark in ROUND:
        return _circle(size, mark in HOLLOW)
    if mark in FILLED:
        way = _way((FILLED[mark],), size)
        return MarkPath(_scaled(FILLED[mark][0], size), f"{way}z", stroked=False)
    return MarkPath(_scaled(OPEN[mark][0][0], size), _way(OPEN[mark], size), stroked=True)


def _circle(size: float, hollow: bool) -> MarkPath:
    inset = size / 12 + size * 0.08
    radius = round(size / 2 - inset, _DIGITS)
    half = f"a{radius:g} {radius:g} 0 1 0 "
    return MarkPath((inset, size / 2), f"{half}{2 * radius:g} 0{half}{-2 * radius:g} 0z", stroked=hollow)


def _way(strokes: tuple[Points, ...], size: float) -> str:
    """All strokes, each point relative to the one before it, as it is written."""
    x, y = (round(value, _DIGITS) for value in _scaled(strokes[0][0], size))
    parts = []
    for stroke in strokes:
        for place, point in enumerate(stroke):
            to_x, to_y = (round(value, _DIGITS) for value in _scaled(point, size))
            if place or stroke is not strokes[0]:
                parts.append(f"{'l' if place else 'm'}{round(to_x - x, _DIGITS):g} {round(to_y - y, _DIGITS):g}")
            x, y = to_x, to_y
    return "".join(parts)


def _scaled(point: tuple[float, float], size: float) -> tuple[float, float]:
    return point[0] * size, point[1] * size
