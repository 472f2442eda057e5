"""Shapes as SVG: a page that needs nothing else, or elements for a page that is written piece by piece."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from html import escape
from typing import Any

from errorflow.draw.shapes import (
    Dots,
    Fill,
    Gradient,
    Group,
    Lines,
    Path,
    Pattern,
    Pen,
    Rect,
    Rects,
    Shape,
    Text,
    fills_of,
)
from errorflow.draw.text import clean

FONT = "'Errorflow Sans',Inter,'Segoe UI','Helvetica Neue',Arial,sans-serif"
_DIGITS = 2
# Groups of so few shapes may be signs, which are there again and again.
_FEW = 2


def page(shapes: Iterable[Shape], size: tuple[float, float], ground: str, title: str = "") -> str:
    """The whole file, a shape a line."""
    drawn = list(shapes)
    across, down = map(number, size)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across}" height="{down}" viewBox="0 0 {across} {down}" '
        f'font-family="{escape(FONT)}" role="img">'
    )
    named = f"<title>{escape(clean(title))}</title>" if title else ""
    # In numbers: Qt, which prints it, takes percents for pixels.
    back = f'<rect width="{across}" height="{down}" fill="{ground}"/>'
    return "\n".join((head, f"{named}<defs>{definitions(drawn)}</defs>", back, *elements(drawn), "</svg>\n"))


def definitions(shapes: Iterable[Shape]) -> str:
    """Writes all patterns and gradients, which elements name."""
    named = {fill.name: fill for fill in fills_of(shapes)}
    return "".join(_pattern(fill) if isinstance(fill, Pattern) else _gradient(fill) for fill in named.values())


def elements(shapes: Iterable[Shape]) -> Iterator[str]:
    for shape in shapes:
        yield _WRITTEN[type(shape)](shape)


def number(value: float) -> str:
    """Writes a number as short as can be, with two decimals at most."""
    text = f"{value:.{_DIGITS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def numbers(*values: float) -> str:
    return " ".join(map(number, values))


def data(shape: "Path | Dots") -> str:
    """Writes the path that draws it."""
    return "".join(_circles(shape) if isinstance(shape, Dots) else _runs(shape))


def _pattern(pattern: Pattern) -> str:
    size = f'width="{number(pattern.side)}" height="{number(pattern.side)}" patternUnits="userSpaceOnUse"'
    return f'<pattern id="{pattern.name}" {size}>{"".join(elements(pattern.shapes))}</pattern>'


def _gradient(gradient: Gradient) -> str:
    ends = zip(("x1", "y1", "x2", "y2"), (*gradient.start, *gradient.end), strict=True)
    place = " ".join(f'{name}="{number(value)}"' for name, value in ends)
    stops = "".join(f'<stop offset="{share:.4g}" stop-color="{color}"/>' for share, color in gradient.stops)
    return f'<linearGradient id="{gradient.name}" gradientUnits="userSpaceOnUse" {place}>{stops}</linearGradient>'


def _look(fill: Fill, pen: Pen | None, opacity: float = 1.0) -> str:
    found = f' fill="{_color(fill)}"'
    if fill and opacity != 1.0:
        found += f' fill-opacity="{opacity:.3g}"'
    if pen is None:
        return found
    found += f' stroke="{_color(pen.color)}"'
    if pen.width != 1.0:
        found += f' stroke-width="{number(pen.width)}"'
    if pen.dash:
        found += f' stroke-dasharray="{numbers(*pen.dash)}"'
    if pen.opacity != 1.0:
        found += f' stroke-opacity="{pen.opacity:.3g}"'
    return found + (' stroke-linejoin="round" stroke-linecap="round"' if pen.round else "")


def _color(fill: Fill) -> str:
    return (fill if fill else "none") if isinstance(fill, str) else f"url(#{fill.name})"


def _kind(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _rect(rect: Rect) -> str:
    place = f'x="{number(rect.x)}" y="{number(rect.y)}" width="{number(rect.width)}" height="{number(rect.height)}"'
    radius = f' rx="{number(rect.radius)}"' if rect.radius else ""
    return f"<rect{_kind(rect.kind)} {place}{radius}{_look(rect.fill, rect.pen, rect.opacity)}/>"


def _rects(rects: Rects) -> str:
    parts = (f"M{numbers(x, y)}h{number(w)}v{number(h)}h{number(-w)}z" for x, y, w, h in rects.places.tolist())
    return _path_of("".join(parts), rects.kind, _look(rects.fill, rects.pen, rects.opacity))


def _lines(lines: Lines) -> str:
    data = "".join(f"M{numbers(x1, y1)}L{numbers(x2, y2)}" for x1, y1, x2, y2 in lines.ends.tolist())
    return _path_of(data, lines.kind, _look("", lines.pen))


def _path(path: Path) -> str:
    return _path_of(data(path), path.kind, _look(path.fill, path.pen, path.opacity))


def _runs(path: Path) -> Iterator[str]:
    end = "Z" if path.closed else ""
    for run in path.runs:
        yield "M" + "L".join(numbers(*spot) for spot in run.tolist()) + end


def _dots(dots: Dots) -> str:
    look = _look(dots.fill, dots.pen, dots.opacity)
    if len(dots.spots) == 1:
        [(x, y)] = dots.spots.tolist()
        return f'<circle{_kind(dots.kind)} cx="{number(x)}" cy="{number(y)}" r="{number(dots.radius)}"{look}/>'
    if dots.pen is None:
        # A line of no length is nothing to some programs.
        ways = "".join(f"M{numbers(*spot)}h.01" for spot in dots.spots.tolist())
        return _path_of(ways, dots.kind, _look("", Pen(dots.fill, 2 * dots.radius, (), dots.opacity, round=True)))
    return _path_of(data(dots), dots.kind, look)


def _circles(dots: Dots) -> Iterator[str]:
    radius = number(dots.radius)
    for x, y in dots.spots.tolist():
        half = f"a{radius} {radius} 0 1 0"
        yield f"M{numbers(x - dots.radius, y)}{half} {number(2 * dots.radius)} 0{half} {number(-2 * dots.radius)} 0z"


def _path_of(data: str, kind: str, look: str) -> str:
    return f'<path{_kind(kind)} d="{data}"{look}/>' if data else ""


def _text(text: Text) -> str:
    if not text.text:
        return ""
    place = f'x="{number(text.x)}" y="{number(text.base)}"'
    if text.upwards:
        place = f'transform="translate({numbers(text.x, text.base)}) rotate(-90)"'
    anchor = f' text-anchor="{text.anchor}"' if text.anchor != "start" else ""
    # A style, because a page may have another one for all its texts.
    style = f"fill:{text.color};font-size:{number(text.size)}px" + (";font-weight:600" if text.strong else "")
    return f'<text{_kind(text.kind)} {place}{anchor} style="{style}">{escape(clean(text.text))}</text>'


def _group(group: Group) -> str:
    moved = f' transform="translate({numbers(group.x, group.y)})"' if group.x or group.y else ""
    note = f"<title>{escape(clean(group.note))}</title>" if group.note else ""
    inner, cut = _repeated(group.shapes) if len(group.shapes) <= _FEW else "".join(elements(group.shapes)), ""
    if group.clip is not None:
        x, y, width, height = map(number, group.clip)
        name = f"clip-{x}-{y}-{width}-{height}".replace(".", "_")
        # Within definitions, or Qt draws it.
        rect = f'<rect x="{x}" y="{y}" width="{width}" height="{height}"/>'
        note += f'<defs><clipPath id="{name}">{rect}</clipPath></defs>'
        cut = f' clip-path="url(#{name})"'
    return f"<g{_kind(group.kind)}{moved}{cut}>{note}{inner}</g>"


@lru_cache(256)
def _repeated(shapes: tuple[Shape, ...]) -> str:
    """Writes groups that are many times there, each at its place."""
    return "".join(elements(shapes))


_WRITTEN: dict[type[Shape], Callable[[Any], str]] = {
    Rect: _rect,
    Rects: _rects,
    Lines: _lines,
    Path: _path,
    Dots: _dots,
    Text: _text,
    Group: _group,
}
