"""A drawing as one SVG file that needs nothing else: opens in any browser, scales without loss, can be searched."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from errorflow.base.language.drawn import drawn
from errorflow.base.progress import SILENT, Progress
from errorflow.draw.shapes import Rect
from errorflow.draw.svg import FONT, definitions, elements, number
from errorflow.draw.text import clean, fitted, line, width
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.layout.pieces import CONTINUED
from errorflow.report.boxes import boxes
from errorflow.report.caption import NO_CAPTION, Caption
from errorflow.report.colors import LIGHT, DrawingColors, painted_in
from errorflow.report.curves import paths
from errorflow.report.ends import ends
from errorflow.report.frame import LABEL, Frame
from errorflow.report.legend import foot, head, legend_height, legend_width
from errorflow.report.notes import tensor_note
from errorflow.report.paint import Paint
from errorflow.report.patterns import of_boxes as patterns_of_boxes
from errorflow.report.tints import LEAST, edge_color, edge_width

# Of marks that are drawn as lines.
_STROKE = 1.3
# Of group names, in px: from the group's corner, and round the text, where it covers the lines that pass.
_NAME_LEFT, _NAME_BASE, _NAME_HEIGHT, _AROUND = 8.0, 16.0, 14.0, 2.0
# A name is left out where it would be cut shorter than that.
_LEAST_NAME = 40.0


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn, and how large: `scale` px per unit of the drawing."""

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
        """With error in the palette of the paint."""
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
    """Of an edge that carries error; a clean one is as calm as any."""
    if not badness >= LEAST:
        return ""
    return f' style="stroke:{edge_color(badness, colors)};stroke-width:{number(edge_width(badness))}"'


def _numbers(values: Sequence[float]) -> tuple[str, ...]:
    return tuple(map(number, values))
