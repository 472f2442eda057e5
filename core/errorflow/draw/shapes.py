"""Shapes of pictures, in px, y down, as plain values, which say nothing of their painter.

A colour is #RRGGBB, or #RGB where it is the same in every theme; "" is none. `kind` says what a shape stands for, as
the class of its element in an SVG.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass

Floats = NDArray[np.float64]
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A square of shapes that fills an area again and again; a picture has one of each name."""

    name: str
    side: float
    shapes: "tuple[Shape, ...]"


@dataclass(frozen=True, slots=True)
class Gradient:
    """Colours at shares of the way between two points; a picture has one of each name."""

    name: str
    start: tuple[float, float]
    end: tuple[float, float]
    stops: tuple[tuple[float, str], ...]


Fill = str | Pattern | Gradient


@dataclass(frozen=True, slots=True)
class Pen:
    """`dash`: how long lines and gaps are, by turns; `round`: at ends and corners."""

    color: Fill
    width: float = 1.0
    dash: tuple[float, ...] = ()
    opacity: float = 1.0
    round: bool = False


@dataclass(frozen=True, slots=True)
class Rect:
    """`crisp`: without smooth edges; `opacity`: of the fill."""

    x: float
    y: float
    width: float
    height: float
    fill: Fill = ""
    pen: Pen | None = None
    radius: float = 0.0
    opacity: float = 1.0
    crisp: bool = False
    kind: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Rects:
    """Many of the same look: rows of x, y, width and height."""

    places: Floats
    fill: Fill = ""
    pen: Pen | None = None
    opacity: float = 1.0
    crisp: bool = False
    kind: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Each by itself: rows of x, y, x, y."""

    ends: Floats
    pen: Pen
    crisp: bool = False
    kind: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """Runs of points (x, y), each a polygon, or if not `closed` a line through them."""

    runs: Sequence[Floats]
    fill: Fill = ""
    pen: Pen | None = None
    closed: bool = True
    opacity: float = 1.0
    crisp: bool = False
    kind: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Dots:
    """Circles round rows of x, y; small and crisp ones may be squares."""

    spots: Floats
    radius: float
    fill: Fill = ""
    pen: Pen | None = None
    opacity: float = 1.0
    crisp: bool = False
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """Begins, ends or has its middle at `x`, its letters stand on `base`; `upwards`: it is read from below."""

    x: float
    base: float
    text: str
    color: str
    size: float = 11
    anchor: Anchor = "start"
    strong: bool = False
    upwards: bool = False
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Shapes moved by `x` and `y`, cut off outside `clip` (x, y, width, height); `note` is told the pointer."""

    shapes: "tuple[Shape, ...]"
    x: float = 0.0
    y: float = 0.0
    clip: tuple[float, float, float, float] | None = None
    note: str = ""
    kind: str = ""


Shape = Rect | Rects | Lines | Path | Dots | Text | Group


def rows(*columns: "Floats | Sequence[float] | float") -> Floats:
    """Columns side by side, as `Rects`, `Lines` and `Dots` take them; a number stands in every row."""
    return np.stack(np.broadcast_arrays(*(np.asarray(column, np.float64) for column in columns)), axis=-1).reshape(
        -1, len(columns)
    )


def line(x1: float, y1: float, x2: float, y2: float, pen: Pen, *, crisp: bool = False, kind: str = "") -> Lines:
    return Lines(np.array([[x1, y1, x2, y2]]), pen, crisp, kind)


def fills_of(shapes: Iterable[Shape]) -> Iterator[Pattern | Gradient]:
    """Yields all that is no plain colour."""
    for shape in shapes:
        if isinstance(shape, Group):
            yield from fills_of(shape.shapes)
        elif not isinstance(shape, Text):
            pen = shape.pen.color if shape.pen is not None else ""
            fill = "" if isinstance(shape, Lines) else shape.fill
            yield from (each for each in (fill, pen) if not isinstance(each, str))


def checks(name: str, side: float) -> Pattern:
    """Squares of black and white, so large."""
    black = np.array([[0.0, 0.0, side, side], [side, side, side, side]])
    return Pattern(name, 2 * side, (Rect(0, 0, 2 * side, 2 * side, "#FFF"), Rects(black, "#000", crisp=True)))


def slanting(name: str, side: float, share: float, ground: str, *colors: str) -> Pattern:
    """Stripes that rise to the right, a `side` apart along x, which cover a share of the ground; of a second colour
    others that cross them."""
    thick = share * side
    rising = (
        np.array([[0, 0], [thick, 0], [0, thick]], np.float64),
        np.array([[side, 0], [side, thick], [thick, side], [0, side]], np.float64),
    )
    falling = tuple(np.array([side, 0]) + run * (-1, 1) for run in rising)
    found: list[Shape] = [Rect(0, 0, side, side, ground)] if ground else []
    return Pattern(
        name, side, (*found, *(Path(runs, color) for runs, color in zip((rising, falling), colors, strict=False)))
    )
