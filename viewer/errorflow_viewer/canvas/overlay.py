"""What lies over the picture and changes without painting it anew: selection, hover, their edges, the path."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from errorflow.layout.drawing import Floats
from errorflow_viewer.canvas.cells import Cells, Indices, bounds_of
from errorflow_viewer.canvas.colors import mixed
from errorflow_viewer.canvas.edges import stroke_lines
from errorflow_viewer.canvas.glyphs import paint_glyphs
from errorflow_viewer.canvas.rects import at_least, grown
from errorflow_viewer.canvas.sheet import Sheet
from errorflow_viewer.canvas.signs import paint_counts
from errorflow_viewer.canvas.switch_marks import paint_switch_marks

# Logical px: the ring's line, its distance from the box, the least side of what it encloses.
_RING, _CLEAR, _LEAST = 2.0, 2.0, 6.0
_EDGE = 2.0
_PATH, _OVER_TINTS = 1.2, 2.2
# More lines than this add nothing that can be told apart, and would make the pointer stutter.
_MOST_LINES = 6_000


@dataclass(frozen=True, eq=False)
class Lit:
    """A box's lines, findable by place: some tensors go everywhere."""

    lines: Floats
    cells: Cells

    @classmethod
    def of(cls, lines: Floats) -> "Lit":
        return cls(lines, Cells(bounds_of(lines)))


def paint_path(sheet: Sheet, on: NDArray[np.bool_]) -> None:
    """Softly, all lines of the tensors that are `on` the path."""
    level = sheet.scene.lines.at(sheet.zoom)
    seen = level.cells.within(*sheet.clip)
    tensors = level.tensors[seen]
    seen = seen[(tensors >= 0) & on[tensors]]
    colors = sheet.style.colors
    # What is tinted is wider, and must not stick out at both sides.
    width = _PATH if sheet.signs.tints is None else _OVER_TINTS
    stroke_lines(sheet, level.lines, _longest(level.lines, seen), mixed(colors.selection, colors.edge, 0.5), width)


def paint_selection(sheet: Sheet, box: int, lit: Lit) -> None:
    """The box's edges and a ring round it, set off from what is behind."""
    color = sheet.style.colors.selection
    _stroke(sheet, lit, color, _EDGE)
    _ring(sheet, box, sheet.style.colors.background, _CLEAR / 2, _CLEAR + 1)
    _ring(sheet, box, color, _CLEAR + _RING / 2, _RING)


def paint_hover(sheet: Sheet, box: int, lit: Lit) -> None:
    """The same, quieter."""
    color = sheet.style.colors.edge_strong
    _stroke(sheet, lit, color, _EDGE - 0.5)
    _ring(sheet, box, color, 0.5, _RING - 0.5)


def paint_group(sheet: Sheet, group: int) -> None:
    """A ring round an open group, in each column that it is in."""
    drawing, ratio = sheet.scene.drawing, sheet.ratio
    rects = sheet.placed(drawing.group_boxes[drawing.group_ids == group])
    batch = sheet.batch
    batch.smooth(True)
    batch.stroke(sheet.style.colors.selection, _RING * ratio)
    batch.rounded(grown(at_least(rects, _LEAST * ratio), ratio), 6 * min(sheet.zoom, 1.0) * ratio)
    batch.smooth(False)


def _stroke(sheet: Sheet, lit: Lit, color: QColor, width: float) -> None:
    seen = lit.cells.within(*sheet.clip)
    stroke_lines(sheet, lit.lines, _longest(lit.lines, seen), color, width)


def _longest(lines: Floats, picked: Indices) -> Indices:
    """No more than can be told apart."""
    if len(picked) <= _MOST_LINES:
        return picked
    lengths = np.abs(lines[picked, 2:] - lines[picked, :2]).sum(axis=1)
    return picked[np.sort(np.argpartition(lengths, -_MOST_LINES)[-_MOST_LINES:])]


def paint_signs(sheet: Sheet) -> None:
    """Once more what stands on the corners of boxes, which rings and names may have crossed."""
    seen = sheet.scene.cells.within(*sheet.clip)
    rects = sheet.placed(sheet.scene.drawing.boxes[seen])
    paint_glyphs(sheet, seen, rects)
    paint_switch_marks(sheet, seen, rects)
    paint_counts(sheet, seen, rects)


def _ring(sheet: Sheet, box: int, color: QColor, out: float, width: float) -> None:
    ratio = sheet.ratio
    rect = sheet.placed(sheet.scene.drawing.boxes[box : box + 1])
    rect = grown(at_least(rect, _LEAST * ratio), out * ratio)
    batch = sheet.batch
    batch.smooth(True)
    batch.stroke(color, width * ratio)
    batch.rounded(rect, min((4 + out) * min(sheet.zoom, 1.5) * ratio, float(rect[0, 3]) / 2))
    batch.smooth(False)
