"""Highlights: what the user points at, and what is lit up because of it."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QColor

from errorflow.base.values import dataclass
from errorflow.layout.drawing import Drawing, Floats
from errorflow_viewer.canvas.cells import Cells, Indices, at_least, bounds_of, grown
from errorflow_viewer.canvas.colors import mixed
from errorflow_viewer.canvas.edges import stroke_lines
from errorflow_viewer.canvas.glyphs import paint_glyphs, paint_switch_marks
from errorflow_viewer.canvas.links import Links, Reach, start_of
from errorflow_viewer.canvas.scene import Scene
from errorflow_viewer.canvas.sheet import Sheet
from errorflow_viewer.canvas.signs import paint_counts
from errorflow_viewer.canvas.titles import paint_titles

# Boxes whose lines are remembered, for a pointer that wanders about.
_KEPT = 16


# What lies over the picture and changes without painting it anew: selection, hover, their edges, the path.

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


class Highlights(QObject):
    """The selected and the hovered box; finds the path through the selected one in idle moments."""

    def __init__(self, parent: QObject, changed: Callable[[], None]) -> None:
        super().__init__(parent)
        self.selected: int | None = None
        self.group: int | None = None
        self.hovered: int | None = None
        self._changed = changed
        self._scene: Scene | None = None
        self._with_path = True
        self._path: NDArray[np.bool_] | None = None
        self._reach: Reach | None = None
        self._lit: dict[int, Lit] = {}
        self._idle = QTimer(self)
        self._idle.setInterval(0)
        self._idle.timeout.connect(self._search_on)

    def reset(self, scene: Scene | None) -> None:
        """Resets for another scene, nothing selected."""
        self._scene = scene
        self.hovered = None
        self.select(None)

    def select(self, box: int | None) -> None:
        self.selected, self.group = box, None
        self._start_anew()

    def select_group(self, group: int) -> None:
        self.selected, self.group = None, group
        self._start_anew()

    def _start_anew(self) -> None:
        self._path = self._reach = None
        self._lit.clear()
        self._search()
        self._changed()

    def hover(self, box: int | None) -> None:
        self.hovered = box
        self._changed()

    @property
    def with_path(self) -> bool:
        """Whether all that leads to the selected box and depends on it is lit."""
        return self._with_path

    @with_path.setter
    def with_path(self, on: bool) -> None:
        self._with_path = on
        self._search()
        self._changed()

    @property
    def path(self) -> NDArray[np.bool_] | None:
        """Marks of the tensors on the path; None while that is not known."""
        return self._path if self._with_path else None

    def paint(self, sheet: Sheet) -> None:
        if self.path is not None:
            paint_path(sheet, self.path)
        if self.hovered is not None and self.hovered != self.selected:
            paint_hover(sheet, self.hovered, self._lit_by(sheet.scene, self.hovered))
        if self.selected is not None:
            paint_selection(sheet, self.selected, self._lit_by(sheet.scene, self.selected))
        if self.group is not None:
            paint_group(sheet, self.group)
        if sheet.readable and (self.hovered is not None or self.selected is not None):
            paint_titles(sheet)  # which lit lines may have crossed
        if self.hovered is not None or self.selected is not None:
            paint_signs(sheet)

    def _lit_by(self, scene: Scene, box: int) -> Lit:
        if box not in self._lit:
            if len(self._lit) >= _KEPT:
                self._lit.clear()
            self._lit[box] = Lit.of(lines_of(scene.drawing, scene.links, box))
        return self._lit[box]

    def _search(self) -> None:
        scene, box = self._scene, self.selected
        if scene is None or box is None or not self._with_path:
            self._idle.stop()
        elif self._path is None:
            self._reach = Reach(scene.graph, scene.neighbours, start_of(scene.drawing, scene.graph, box))
            self._idle.start()

    def _search_on(self) -> None:
        if self._reach is None:
            self._idle.stop()
        elif self._reach.advance():
            self._path = self._reach.tensors()
            self._reach = None
            self._idle.stop()
            self._changed()


# The lines that belong to a box: what flows in, from its maker to here, and all that flows out.
#
# All consumers of a tensor share one trunk, so of an incoming tensor only the way to this box is of interest. It is
# found
# by walking up along the pieces, from the top of a column to where it is cut in the one before. Where the pieces do
# not
# meet, the whole tensor is shown, or where only its ends are drawn, those at the two boxes.

# Scene units: how close counts as touching.
_TOUCH = 0.6
# No way through one tensor's pieces is longer.
_STEPS = 5000


def lines_of(drawing: Drawing, links: Links, box: int) -> Floats:
    """Finds all lines to highlight with a box."""
    parts = [np.zeros((0, 4))]
    for tensor in links.drawn(links.tensors_into(box)).tolist():
        pieces = links.lines_of(tensor)
        maker = links.maker(tensor)
        cuts = _Cuts.of(drawing, tensor)
        way = _way(pieces, cuts, drawing.boxes[box], drawing.boxes[maker]) if maker is not None else None
        if way is None and maker is not None and tensor in drawing.stub_tensors:
            way = _ends(pieces, drawing.boxes[box], drawing.boxes[maker])
        parts.append(pieces if way is None else way)
    parts += [links.lines_of(tensor) for tensor in links.drawn(links.tensors_out_of(box)).tolist()]
    return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class _Cuts:
    """Cuts where a tensor's lines come into a column, and where each of them left the one before."""

    into: Floats
    out: Floats

    @classmethod
    def of(cls, drawing: Drawing, tensor: int) -> "_Cuts":
        """The layout hands over where cut pieces begin, and then in the same order what each of them goes on from."""
        half = len(drawing.marks) // 2
        mine = np.flatnonzero(drawing.mark_tensors[:half] == tensor)
        return cls(drawing.marks[mine], drawing.marks[half + mine])

    def before(self, point: Floats) -> Floats | None:
        """Finds where the line left that comes in at a point."""
        near = np.flatnonzero(np.all(np.abs(self.into - point) <= _TOUCH, axis=1))
        return self.out[near[0]] if len(near) else None


def _way(pieces: Floats, cuts: _Cuts, end: Floats, start: Floats) -> Floats | None:
    """The pieces, cut where the way branches off, that lead from one box to the other; None: they do not meet."""
    entries = np.flatnonzero(_on(pieces[:, 2:], end))
    if not len(entries):
        return None
    cells = Cells(bounds_of(pieces))
    ways = [_walk_up(pieces, cells, cuts, int(entry), start) for entry in entries.tolist()]
    found = [way for way in ways if way is not None]
    return np.concatenate(found) if found else None


def _ends(pieces: Floats, end: Floats, start: Floats) -> Floats:
    """Finds what there is at both boxes of a line of which no more is drawn."""
    found: Floats = pieces[_on(pieces[:, 2:], end) | _on(pieces[:, :2], start)]
    return found


def _walk_up(pieces: Floats, cells: Cells, cuts: _Cuts, piece: int, start: Floats) -> Floats | None:
    """The way to a last piece, in the order of the flow, so that it is drawn as the curve that it is."""
    point = pieces[piece, 2:]
    walked: set[int] = set()
    way = []
    for _ in range(min(len(pieces), _STEPS)):
        way.append((*pieces[piece, :2], *point))
        point = pieces[piece, :2]
        walked.add(piece)
        if _on(point[None], start)[0]:
            return np.array(way[::-1])
        out = cuts.before(point)
        point = point if out is None else out
        before = [other for other in _through(pieces, cells, point) if other not in walked]
        if not before:
            return None
        # The one that comes from furthest: a trunk rather than another branch that begins here.
        piece = max(before, key=lambda other: float(np.abs(pieces[other, :2] - point).sum()))
    return None


def _on(points: Floats, box: Floats) -> NDArray[np.bool_]:
    """Marks the points that lie on the border of a box or within."""
    low, high = box[:2] - _TOUCH, box[:2] + box[2:] + _TOUCH
    inside: NDArray[np.bool_] = np.all((points >= low) & (points <= high), axis=1)
    return inside


def _through(pieces: Floats, cells: Cells, point: Floats) -> list[int]:
    """Pieces that pass through a point."""
    near = cells.within(*(point - _TOUCH), *(point + _TOUCH))
    some = pieces[near]
    along = some[:, 2:] - some[:, :2]
    length = np.maximum((along**2).sum(axis=1), 1e-12)
    share = np.clip(((point - some[:, :2]) * along).sum(axis=1) / length, 0.0, 1.0)
    gap = some[:, :2] + along * share[:, None] - point
    found: list[int] = near[np.all(np.abs(gap) <= _TOUCH, axis=1)].tolist()
    return found
