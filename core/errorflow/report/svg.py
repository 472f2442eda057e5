"""A drawing as one SVG file that needs nothing else: opens in any browser, scales without loss, can be searched."""

from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from math import isnan

import numpy as np
from numpy.typing import NDArray

from errorflow.base import SILENT, Progress, dataclass
from errorflow.base.arrays import Ints, Longs
from errorflow.base.language.drawn import drawn
from errorflow.draw.shapes import Rect, Shape
from errorflow.draw.svg import FONT, data, definitions, elements, number, numbers
from errorflow.draw.text import clean, fitted, line, width
from errorflow.explain.findings.model import State
from errorflow.graph.model import Graph
from errorflow.layout.drawing import TURNED, Drawing, Floats, Kind
from errorflow.layout.pieces import CONTINUED
from errorflow.layout.route import PIECES, s_curves
from errorflow.quant.switching import Kept
from errorflow.report.box_marks import BAR_ROOM, OVER, broken_state, frame, has_bar, kept_mark, marks, ring
from errorflow.report.box_marks import of_boxes as patterns_of_boxes
from errorflow.report.caption import NO_CAPTION, Caption
from errorflow.report.colors import LIGHT, DrawingColors, painted_in
from errorflow.report.families import family_of
from errorflow.report.fold import (
    BAND_BADNESS,
    BAR,
    BAR_ORDER,
    BELOW,
    BESIDE,
    LINE,
    ROOM,
    UNMEASURED,
    BoxErrors,
    bar_widths,
)
from errorflow.report.fold import LEAST as FOLD_LEAST
from errorflow.report.frame import LABEL, Frame
from errorflow.report.legend import foot, head, legend_height, legend_width
from errorflow.report.marks import mark
from errorflow.report.notes import box_note, counted, tensor_note
from errorflow.report.paint import Paint
from errorflow.report.scale import luminance
from errorflow.report.tints import LEAST, edge_color, edge_width

# Of marks that are drawn as lines.
_STROKE = 1.3
# Of group names, in px: from the group's corner, and round the text, where it covers the lines that pass.
_NAME_LEFT, _NAME_BASE, _NAME_HEIGHT, _AROUND = 8.0, 16.0, 14.0, 2.0
# A name is left out where it would be cut shorter than that.
_LEAST_NAME = 40.0


@dataclass(frozen=True, slots=True)
class Picture:
    """Picture of a drawing: `scale` px per unit of it."""

    drawing: Drawing
    graph: Graph
    title: str = ""
    # What stands below the title, smaller.
    note: str = ""
    colors: DrawingColors = LIGHT
    paint: Paint | None = None
    scale: float = 1.0
    # What was compared, below the note; when and by what it was made, at the foot.
    caption: Caption = NO_CAPTION

    @property
    def frame(self) -> Frame:
        return framed(self.drawing.size, self.title, self.note, self.paint, self.caption)

    @property
    def painted_colors(self) -> DrawingColors:
        """Colours with error in the palette of the paint."""
        return self.colors if self.paint is None else painted_in(self.colors, self.paint.palette, self.paint.diverging)


def framed(size: tuple[float, float], title: str, note: str, paint: Paint | None, caption: Caption) -> Frame:
    """The page round something of that size."""
    legend_size = (0.0, 0.0) if paint is None else (legend_height(paint), legend_width(paint))
    return Frame.of(size, title, note, *legend_size, caption.told, caption.end)


def svg(picture: Picture, progress: Progress = SILENT) -> Iterator[str]:
    """The file, piece by piece: a graph of 100 000 nodes never lies in memory as text."""
    drawing, colors, frame = picture.drawing, picture.painted_colors, picture.frame
    yield _head(picture)
    yield from map(drawn, elements(head(frame, colors)))
    yield f'<g class="graph" transform="translate({number(frame.left)} {number(frame.top)})">\n'
    yield from _groups(drawing)
    yield from _edges(drawing, picture.graph, colors, picture.paint)
    yield from ends(drawing, picture.graph)
    yield from _group_names(drawing, colors)
    total = len(drawing)
    for done, box in enumerate(boxes(drawing, picture.graph, colors, picture.paint)):
        if done % 1000 == 0:
            progress.step(done, total, "Writing the picture")
        yield box
    yield "</g>\n"
    yield from map(drawn, elements(foot(frame, colors, picture.paint)))
    yield "</svg>\n"


def _head(picture: Picture) -> str:
    frame, scale, colors = picture.frame, picture.scale, picture.painted_colors
    across, down = number(frame.width), number(frame.height)
    of_boxes = [Rect(0, 0, 0, 0, pattern) for pattern in patterns_of_boxes(colors)]
    named = definitions([*of_boxes, *foot(frame, colors, picture.paint)])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(frame.width * scale)}" '
        f'height="{number(frame.height * scale)}" viewBox="0 0 {across} {down}">\n'
        f"<title>{escape(frame.title)}</title>\n<style>\n{_styles(colors)}\n</style>\n"
        f"<defs>{named}</defs>\n"
        f'<rect width="{across}" height="{down}" fill="{colors.background}"/>\n'
    )


def _styles(colors: DrawingColors) -> str:
    """Classes of one name each, which every program that shows SVG understands."""
    families = [f".{family}{{fill:{fill}}}" for family, fill in colors.families.items()]
    depths = [f".depth{depth}{{fill:{fill}}}" for depth, fill in enumerate(colors.groups)]
    return "\n".join(
        (
            f"text{{font-family:{FONT};font-size:{LABEL}px;fill:{colors.box_text}}}",
            f".group{{stroke:{colors.group_border}}}",
            f".name{{fill:{colors.group_text}}}",
            f".edge{{fill:none;stroke:{colors.edge};stroke-width:1.2}}",
            f".control-edge{{fill:none;stroke:{colors.control_edge};stroke-width:1.2}}",
            f".cut{{fill:none;stroke:{colors.edge_strong};stroke-width:1.4}}",
            f".stub{{fill:{colors.edge_strong}}}",
            f".box{{stroke:{colors.box_border}}}",
            f".fold{{fill:{colors.fold}}}",
            *families,
            *(f".{sort}{{fill:{colors.families['border']}}}" for sort in ("input", "output", "constant")),
            f".mark{{fill:{colors.box_text}}}",
            f".stroke{{fill:none;stroke:{colors.box_text};stroke-width:{_STROKE}}}",
            *depths,
        )
    )


def _groups(drawing: Drawing) -> Iterator[str]:
    seen: set[int] = set()
    deepest = len(LIGHT.groups) - 1
    for row in _outer_first(drawing):
        x, y, w, h = _numbers(drawing.group_boxes[row].tolist())
        group, depth = int(drawing.group_ids[row]), min(int(drawing.group_depths[row]), deepest)
        # A group that goes on in the next column has a box in each, and its number only once.
        known = "" if group in seen else f' id="group-{group}"'
        seen.add(group)
        yield f'<rect{known} class="group depth{depth}" x="{x}" y="{y}" width="{w}" height="{h}" rx="6"/>\n'


def _group_names(drawing: Drawing, colors: DrawingColors) -> Iterator[str]:
    for row in _outer_first(drawing):
        x, y, w, h = drawing.group_boxes[row].tolist()
        label, left, base = line(drawing.group_labels[row]), x + _NAME_LEFT, y + _NAME_BASE
        room = w - 2 * _NAME_LEFT
        if not label or h < 2 * LABEL or room < min(width(label, LABEL), _LEAST_NAME):
            continue
        text, fill = fitted(label, LABEL, room), colors.group(int(drawing.group_depths[row]))
        patch = _numbers((left - _AROUND, base - _NAME_HEIGHT + 3, width(text, LABEL) + 2 * _AROUND, _NAME_HEIGHT))
        yield '<rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>'.format(*patch, fill)
        name = f'<text class="name" x="{number(left)}" y="{number(base)}">{escape(text)}</text>\n'
        yield drawn(name) if label.endswith(CONTINUED) else name


def _outer_first(drawing: Drawing) -> list[int]:
    order: list[int] = np.argsort(drawing.group_depths, kind="stable").tolist()
    return order


def _edges(drawing: Drawing, graph: Graph, colors: DrawingColors, paint: Paint | None) -> Iterator[str]:
    tints = None if paint is None else paint.tints
    for tensor, path in paths(drawing):
        if tensor < 0:
            yield f'<path class="control-edge" d="{path}"/>\n'
        else:
            title = escape(clean(tensor_note(graph, tensor)))
            tint = "" if tints is None else _tint(float(tints[tensor]), colors)
            yield f'<path id="tensor-{tensor}" class="edge" d="{path}"{tint}><title>{title}</title></path>\n'


def _tint(badness: float, colors: DrawingColors) -> str:
    """Chooses the tint of an edge that carries error; a clean one is as calm as any."""
    if not badness >= LEAST:
        return ""
    return f' style="stroke:{edge_color(badness, colors)};stroke-width:{number(edge_width(badness))}"'


def _numbers(values: Sequence[float]) -> tuple[str, ...]:
    return tuple(map(number, values))


# Where a line goes on elsewhere: a chevron where a column is cut, a dot where only a short piece of it is drawn.

# Half a chevron's width and its height, and a dot's radius, in px.
_WIDE, _HIGH, _DOT = 3.5, 4.0, 2.5
_DOWN = f"l{_WIDE:g} {_HIGH:g}l{_WIDE:g} {-_HIGH:g}"
_RIGHT = f"l{_HIGH:g} {_WIDE:g}l{-_HIGH:g} {_WIDE:g}"


def ends(drawing: Drawing, graph: Graph) -> Iterator[str]:
    yield from _cuts(drawing, graph)
    yield from _stubs(drawing, graph)


def _cuts(drawing: Drawing, graph: Graph) -> Iterator[str]:
    """Yields cuts of columns, or of rows where the flow runs to the right."""
    word = "row" if drawing.across else "column"
    back = (_HIGH / 2, _WIDE) if drawing.across else (_WIDE, _HIGH / 2)
    way = _RIGHT if drawing.across else _DOWN
    rows = zip(drawing.marks.tolist(), drawing.mark_tensors.tolist(), drawing.mark_ends.tolist(), strict=True)
    for (x, y), tensor, ahead in rows:
        words = f"goes on in the next {word}" if ahead else f"comes from the {word} before"
        start = f"M{number(x - back[0])} {number(y - back[1])}"
        yield f'<path class="cut" d="{start}{way}">{_title(graph, tensor, words)}</path>\n'


def _stubs(drawing: Drawing, graph: Graph) -> Iterator[str]:
    rows = zip(drawing.stubs.tolist(), drawing.stub_tensors.tolist(), drawing.stub_ends.tolist(), strict=True)
    for (x, y), tensor, leaving in rows:
        place = f'cx="{number(x)}" cy="{number(y)}" r="{_DOT:g}"'
        words = _readers(graph, tensor) if leaving else _maker(graph, tensor)
        yield f'<circle class="stub" {place}>{_title(graph, tensor, words)}</circle>\n'


def _readers(graph: Graph, tensor: int) -> str:
    return f"read by {counted(len(graph.consumers[tensor]), 'node')}" if tensor >= 0 else "goes on elsewhere"


def _maker(graph: Graph, tensor: int) -> str:
    maker = int(graph.producers[tensor]) if tensor >= 0 else -1
    return f"made by {graph.node_names[maker]}" if maker >= 0 and graph.node_names[maker] else "comes from elsewhere"


def _title(graph: Graph, tensor: int, words: str) -> str:
    name = tensor_note(graph, tensor) if tensor >= 0 else "control edge"
    return f"<title>{escape(clean(f'{name}{chr(10)}{words}'))}</title>"


# How far from the curve, in px, pieces may be that stand for it.
_NEAR = 0.1
_DIGITS = 2
# Lines that are looked at together: a window beside this waits for no more, and no more is copied.
_AT_A_TIME = 10_000


def paths(drawing: Drawing) -> Iterator[tuple[int, str]]:
    """Yields for each run of lines of one tensor that tensor and the data of its path."""
    pen = _Pen(drawing.across)
    starts = np.flatnonzero(np.diff(drawing.line_tensors, prepend=-2))
    ends = np.append(starts[1:], len(drawing.line_tensors))
    first = 0
    while first < len(starts):
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + _AT_A_TIME)))
        part = slice(int(starts[first]), int(ends[last - 1]))
        lines, tensors = drawing.lines[part], drawing.line_tensors[part]
        lines = np.round(lines[:, TURNED] if drawing.across else lines, _DIGITS)
        curves = _curves(lines, tensors)
        for start, end in zip(
            (starts[first:last] - part.start).tolist(), (ends[first:last] - part.start).tolist(), strict=True
        ):
            yield int(tensors[start]), _path(lines[start:end].tolist(), curves[start:end].tolist(), pen)
        first = last


@dataclass(frozen=True, slots=True)
class _Pen:
    """Writes a path; for a drawing that runs to the right it is given points as if that ran down."""

    across: bool

    def to(self, command: str, *numbers: float) -> str:
        if self.across:
            numbers = tuple(numbers[place ^ 1] for place in range(len(numbers)))
        return f"{command}{' '.join(map(number, numbers))}"

    def along(self, end: float) -> str:
        """Straight on with the flow."""
        return f"{'H' if self.across else 'V'}{number(end)}"


def _path(lines: list[list[float]], curves: list[int], pen: _Pen) -> str:
    parts = []
    last: tuple[float, float] | None = None
    at = 0
    while at < len(lines):
        x1, y1, x2, y2 = lines[at]
        if (x1, y1) != last:
            parts.append(pen.to("M", x1, y1))
        if curves[at]:
            at += curves[at]
            x2, y2 = lines[at - 1][2:]
            middle = (y1 + y2) / 2
            parts.append(pen.to("C", x1, middle, x2, middle, x2, y2))
        elif x1 == x2:
            at += 1
            parts.append(pen.along(y2))
        else:
            end = _end_of_chain(lines, curves, at)
            parts.extend(_smooth([(x1, y1), *[(line[2], line[3]) for line in lines[at:end]]], pen))
            at = end
        last = (lines[at - 1][2], lines[at - 1][3])
    return "".join(parts)


def _end_of_chain(lines: list[list[float]], curves: list[int], at: int) -> int:
    """Finds the end behind the last of the bent pieces that follow each other from here on and are no whole curve."""
    end = at + 1
    while end < len(lines):
        x1, y1, x2, _ = lines[end]
        if curves[end] or x1 == x2 or [x1, y1] != lines[end - 1][2:]:
            break
        end += 1
    return end


def _smooth(points: list[tuple[float, float]], pen: _Pen) -> Iterator[str]:
    """A part of a curve, such as the end of a column leaves, or an arc: round at every point but its ends."""
    if len(points) == 2:
        yield pen.to("L", *points[1])
        return
    slopes = [((bx - ax) / 6, (by - ay) / 6) for (ax, ay), (bx, by) in zip(points, points[2:], strict=False)]
    slopes = [(0.0, 0.0), *slopes, (0.0, 0.0)]
    for (ax, ay), (bx, by), (ux, uy), (vx, vy) in zip(points, points[1:], slopes, slopes[1:], strict=False):
        yield pen.to("C", ax + ux, ay + uy, bx - vx, by - vy, bx, by)


def _curves(lines: Floats, tensors: Ints) -> Longs:
    """Counts for each piece how many pieces, from it on, are one curve; 0: none."""
    result = np.zeros(len(lines), np.int64)
    begin = _beginnings(lines, tensors)
    if len(begin):
        start, end = lines[begin], lines[begin + PIECES - 1]
        wanted = s_curves(start[:, 0], start[:, 1], end[:, 2], end[:, 3])
        found = lines[begin[:, None] + np.arange(PIECES)]
        result[begin[np.abs(wanted - found).max(axis=(1, 2)) <= _NEAR]] = PIECES
    return result


def _beginnings(lines: Floats, tensors: Ints) -> NDArray[np.intp]:
    """Finds where curves may begin: every so many pieces of each chain of bent ones."""
    bent = lines[:, 0] != lines[:, 2]
    joined = np.zeros(len(lines), bool)  # to the piece before
    joined[1:] = (lines[1:, :2] == lines[:-1, 2:]).all(axis=1) & (tensors[1:] == tensors[:-1]) & bent[1:] & bent[:-1]
    numbers = np.arange(len(lines))
    first = np.maximum.accumulate(np.where(joined, 0, numbers))
    length = np.bincount(first, minlength=len(lines))
    place = numbers - first
    return np.flatnonzero(bent & (place % PIECES == 0) & (length[first] - place >= PIECES))


# The boxes of a picture as SVG: form and tone say what sort of box it is, the mark and the label what it does.


# What a box that stands for several nodes shows beside its fill: how bad how many of them are.
def bars(drawing: Drawing, colors: DrawingColors, errors: BoxErrors) -> dict[int, str]:
    """Draws for each box of several nodes how bad how many of them are; the worst at the right."""
    told = errors.measured[errors.folds]
    folds, bands = errors.folds[told], errors.bands[told]
    x, y, w, h = drawing.boxes[folds].T
    room = np.maximum(w - 2 * BESIDE, 0.0)
    widths = bar_widths(bands, room, FOLD_LEAST)
    lefts = (x + BESIDE)[:, None] + np.cumsum(widths, axis=1) - widths
    tops = y + h - BELOW - BAR
    fills = [colors.unknown[1] if band == UNMEASURED else colors.error.hex(BAND_BADNESS[band]) for band in BAR_ORDER]
    found = {}
    for row, box in enumerate(folds.tolist()):
        top = float(tops[row])
        parts = [Rect(float(lefts[row, 0]), top - LINE, float(room[row]), LINE, colors.background)]
        for left, across, fill in zip(lefts[row].tolist(), widths[row].tolist(), fills, strict=True):
            if across > 0:
                parts.append(Rect(left, top, across, BAR, fill))
        found[box] = "".join(elements(parts))
    return found


_RADIUS = 4.0
# How far the sheets of a closed group or stack stick out, and how many there are.
_OFFSET = 2.5
_SHEETS = {Kind.FOLD: 1, Kind.STACK: 2}
_SORTS = {Kind.INPUT: "input", Kind.OUTPUT: "output", Kind.CONSTANT: "constant", Kind.FOLD: "fold", Kind.STACK: "fold"}
_MARKS = {"input": "border", "output": "border"}
# Room beside the text, and beside mark and text; the mark's size and its distance from the text; where a label's
# middle lies above its base line. All in text heights.
_BESIDE, _BESIDE_MARK, _MARK, _APART, _MIDDLE = 0.35, 0.2, 0.62, 0.38, 0.364
# Programs without the font use one that may be so much wider; a text that would not fit then is told its width.
_WIDER = 1.12
# From this luminance on a fill takes dark text.
_LIGHT_FILL = 0.246
_DARK_INK, _LIGHT_INK = "#1B232C", "#FFFFFF"


def boxes(drawing: Drawing, graph: Graph, colors: DrawingColors, paint: Paint | None) -> Iterator[str]:
    """A group of elements per box, with the number of its node as id."""
    told = bars(drawing, colors, paint.errors) if paint is not None else {}
    for box, (place, text) in enumerate(zip(drawing.boxes.tolist(), drawing.labels, strict=True)):
        kind, node = Kind(int(drawing.kinds[box])), int(drawing.nodes[box])
        family = family_of(graph.op_types[node]) if node >= 0 else "other"
        sort = _SORTS.get(kind, family)
        fill, ink = _fill(paint, box, colors)
        note = "\n".join(filter(None, (box_note(drawing, graph, box), paint.note(box) if paint is not None else "")))
        bar = told.get(box, "")
        radius = _radius(place, kind)
        behind, over, left = (
            _beside(paint, box, place, ROOM if bar else 0.0, radius, colors) if paint is not None else ("", "", 0.0)
        )
        label = _label(
            [place[0] + left, place[1], place[2] - left, place[3]], sort, line(text), ink, ROOM if bar else 0.0
        )
        yield (
            f'<g id="{_name(drawing, box, kind)}"><title>{escape(clean(note))}</title>'
            f"{behind}{_shape(place, kind, sort, fill)}{bar}{over}{label}</g>\n"
        )


def _beside(
    paint: Paint, box: int, place: list[float], taken: float, radius: float, colors: DrawingColors
) -> tuple[str, str, float]:
    """Draws what is behind the box, and over it but for what is `taken` at the bottom; returns too what that takes of
    the label's room at the left.
    """
    signs, nan, free = paint.signs, bool(paint.errors.broken[box]), [*place[:3], place[3] - taken]
    if signs is None:
        return "", "".join(elements([frame(free, radius, State.NAN)])) if nan else "", 0.0
    broken = broken_state(State(int(signs.states[box])), nan)
    told: list[Shape] = [frame(free, radius, broken)] if broken is not None else []
    behind = elements([ring(place, radius, bool(signs.ends[box]), colors)] if signs.front[box] else [])
    # A frame takes the bar's place.
    barred = broken is None and has_bar(signs, box, float(paint.errors.badness[box]))
    told += marks(free, radius, signs, box, barred, colors)
    if signs.kept is not None and signs.kept[box]:
        corner = place[0] + place[2] + 2.0, place[1] + place[3] + OVER
        told.append(kept_mark(Kept(int(signs.kept[box])), *corner, colors.text, colors.background))
    return "".join(behind), "".join(elements(told)), BAR_ROOM if barred else 0.0


def _name(drawing: Drawing, box: int, kind: Kind) -> str:
    if kind == Kind.OPERATOR:
        return f"node-{drawing.nodes[box]}"
    if kind in _SHEETS:
        return f"fold-{drawing.folds[box]}"
    return f"{_SORTS[kind]}-{drawing.tensors[box]}"


def _fill(paint: Paint | None, box: int, colors: DrawingColors) -> tuple[str, str]:
    """The fill and the colour of text that error gives a box; "": its class says it."""
    if paint is None:
        return "", ""
    value = float(paint.errors.badness[box])
    if isnan(value):
        crossed = paint.signs is not None and bool(paint.signs.states[box] & State.INCOMPARABLE)
        return ("url(#crossed)", colors.box_text) if crossed else ("url(#unknown)", colors.muted)
    light = luminance(colors.error.color(value)) > _LIGHT_FILL
    return colors.error.hex(value), _DARK_INK if light else _LIGHT_INK


def _shape(place: list[float], kind: Kind, sort: str, fill: str) -> str:
    """The box, and below it those that it stands for."""
    x, y, w, h = place
    radius = _radius(place, kind)
    style = _style("fill", fill)
    shapes = []
    for sheet in range(_SHEETS.get(kind, 0), -1, -1):
        left, top = number(x + sheet * _OFFSET), number(y + sheet * _OFFSET)
        size = f'width="{number(w)}" height="{number(h)}" rx="{number(radius)}"'
        shapes.append(f'<rect class="box {sort}" x="{left}" y="{top}" {size}{style}/>')
    return "".join(shapes)


def _radius(place: list[float], kind: Kind) -> float:
    return place[3] / 2 if kind in (Kind.INPUT, Kind.OUTPUT) else _RADIUS


def _label(place: list[float], sort: str, label: str, ink: str, taken: float) -> str:
    """A mark if there is room, and the text, cut off where it must be; at the bottom something is `taken`."""
    x, y, w, h = place[0], place[1], place[2], place[3] - taken
    room = w - 2 * _BESIDE * LABEL
    text = fitted(label, LABEL, room)
    across, before = width(text, LABEL), (_MARK + _APART) * LABEL
    marked = across + before <= w - 2 * _BESIDE_MARK * LABEL
    left = x + (w - across - (before if marked else 0.0)) / 2
    start = left + (before if marked else 0.0)
    sure = f' textLength="{number(across)}" lengthAdjust="spacingAndGlyphs"' if across * _WIDER > room else ""
    base = y + h / 2 + _MIDDLE * LABEL
    return (
        _mark(sort, left, y + h / 2 - _MARK * LABEL / 2, ink) if marked else ""
    ) + f'<text x="{number(start)}" y="{number(base)}"{_style("fill", ink)}{sure}>{escape(text)}</text>'


def _mark(sort: str, left: float, top: float, ink: str) -> str:
    path, stroked = _mark_path(_MARKS.get(sort, sort))
    look, colored = ("stroke", "stroke") if stroked else ("mark", "fill")
    return f'<path class="{look}" transform="translate({numbers(left, top)})" d="{path}"{_style(colored, ink)}/>'


@cache
def _mark_path(family: str) -> tuple[str, bool]:
    """Writes the path at 0, and whether it is stroked."""
    shape = mark(family, _MARK * LABEL, "#000000")
    return data(shape), shape.pen is not None


def _style(name: str, color: str) -> str:
    return f' style="{name}:{color}"' if color else ""
