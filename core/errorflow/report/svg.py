"""A drawing as one SVG file that needs nothing else: opens in any browser, scales without loss."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from errorflow.layout.drawing import Drawing, Floats
from errorflow.report.scale import LIGHT, Scale, luminance

MARGIN = 24
LEGEND_HEIGHT = 56
LEGEND_STEPS = 24
FONT = "font-family='IBM Plex Sans, Inter, Segoe UI, Helvetica, Arial, sans-serif'"


@dataclass(frozen=True, slots=True)
class Paint:
    """What a picture says beyond the drawing: per box a badness (None: not measured) and a text for the pointer."""

    title: str
    badness: Sequence[float | None] = ()
    notes: Sequence[str] = ()
    # The measure that is painted, and its good and bad end.
    legend: tuple[str, str, str] | None = None
    scale: Scale = LIGHT


def drawing_svg(drawing: Drawing, paint: Paint) -> str:
    """The whole drawing at zoom 1, with title and legend."""
    top = MARGIN + 28
    width = max(drawing.size[0], 360) + 2 * MARGIN
    height = drawing.size[1] + top + MARGIN + (LEGEND_HEIGHT if paint.legend else 0)
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0f}' height='{height:.0f}' "
        f"viewBox='0 0 {width:.0f} {height:.0f}' {FONT} font-size='12'>",
        "<defs><pattern id='unknown' width='6' height='6' patternUnits='userSpaceOnUse' patternTransform='rotate(45)'>"
        "<rect width='6' height='6' fill='#F4F5F7'/><rect width='2' height='6' fill='#C9CED6'/></pattern></defs>",
        "<rect width='100%' height='100%' fill='#FFFFFF'/>",
        f"<text x='{MARGIN}' y='{MARGIN + 8}' font-size='14' font-weight='600' fill='#1F2933'>"
        f"{escape(paint.title)}</text>",
        f"<g transform='translate({MARGIN} {top})'>",
        *_groups(drawing),
        *_edges(drawing),
        *_boxes(drawing, paint),
        "</g>",
    ]
    if paint.legend is not None:
        parts.extend(_legend(paint.legend, paint.scale, height - LEGEND_HEIGHT))
    parts.append("</svg>\n")
    return "\n".join(parts)


def _groups(drawing: Drawing) -> Iterator[str]:
    rows = zip(drawing.group_boxes.tolist(), drawing.group_depths.tolist(), drawing.group_labels, strict=True)
    for (x, y, w, h), depth, label in rows:
        fill = "#F5F7FA" if depth % 2 == 0 else "#EDF1F6"
        yield f"<rect x='{x:.1f}' y='{y:.1f}' width='{w:.1f}' height='{h:.1f}' rx='6' fill='{fill}' stroke='#D5DCE5'/>"
        yield f"<text x='{x + 8:.1f}' y='{y + 15:.1f}' font-size='11' fill='#6B7785'>{escape(label)}</text>"


def _edges(drawing: Drawing) -> Iterator[str]:
    yield "<g fill='none' stroke='#9AA5B1' stroke-width='1.2'>"
    lines = drawing.lines.tolist()
    path = ""
    last = (0.0, 0.0)
    for x1, y1, x2, y2 in lines:
        if not path or (x1, y1) != last:
            if path:
                yield f"<path d='{path}'/>"
            path = f"M{x1:.1f} {y1:.1f}"
        path += f"L{x2:.1f} {y2:.1f}"
        last = (x2, y2)
    if path:
        yield f"<path d='{path}'/>"
    yield "</g>"


def _boxes(drawing: Drawing, paint: Paint) -> Iterator[str]:
    for box, (x, y, w, h) in enumerate(_rows(drawing.boxes)):
        value = paint.badness[box] if box < len(paint.badness) else None
        fill, ink = _fill(value, paint, box)
        note = escape(paint.notes[box]) if box < len(paint.notes) else ""
        yield f"<g><title>{note}</title>" if note else "<g>"
        yield f"<rect x='{x:.1f}' y='{y:.1f}' width='{w:.1f}' height='{h:.1f}' rx='4' fill='{fill}' stroke='#8894A3'/>"
        label = escape(drawing.labels[box])
        yield f"<text x='{x + w / 2:.1f}' y='{y + h / 2 + 4:.1f}' text-anchor='middle' fill='{ink}'>{label}</text></g>"


def _rows(boxes: Floats) -> list[list[float]]:
    rows: list[list[float]] = boxes.tolist()
    return rows


def _fill(value: float | None, paint: Paint, box: int) -> tuple[str, str]:
    if not paint.badness:
        return "#E9EEF3", "#1F2933"
    if value is None or box >= len(paint.badness):
        return "url(#unknown)", "#52606D"
    return paint.scale.hex(value), "#1F2933" if luminance(paint.scale.color(value)) > 0.3 else "#FFFFFF"


def _legend(legend: tuple[str, str, str], scale: Scale, top: float) -> Iterator[str]:
    label, good, bad = legend
    yield f"<g transform='translate({MARGIN} {top:.1f})' font-size='11' fill='#52606D'>"
    yield f"<text x='0' y='10'>{escape(label)}</text>"
    for step in range(LEGEND_STEPS):
        color = scale.hex(step / (LEGEND_STEPS - 1))
        yield f"<rect x='{step * 8}' y='16' width='8.5' height='10' fill='{color}'/>"
    end = LEGEND_STEPS * 8
    yield f"<text x='0' y='40'>{escape(good)}</text><text x='{end}' y='40' text-anchor='end'>{escape(bad)}</text>"
    yield f"<rect x='{end + 16}' y='16' width='16' height='10' fill='url(#unknown)' stroke='#C9CED6'/>"
    yield f"<text x='{end + 38}' y='25'>not measured</text></g>"
