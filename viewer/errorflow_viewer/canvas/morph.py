"""Transition from one drawing to the next: boxes on the way from their old places to the new ones.

Both drawings are of the same graph, and what is compared lies in the coordinates of the new one.
"""

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import distinct
from errorflow.base.values import dataclass, replace
from errorflow.layout.drawing import Drawing, Floats
from errorflow_viewer.canvas.cells import Indices
from errorflow_viewer.canvas.scene import Scene

# More than this moves too slowly to be worth it.
_MOST_BOXES, _MOST_LINES = 800, 8000
# Lines that take another way appear when everything is nearly there.
_LATE = 0.55

Clip = tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class Morph:
    """Parts of the new drawing that are seen, and where each comes from."""

    scene: Scene
    boxes: Indices
    _old_boxes: Floats
    _frames: Indices
    _old_frames: Floats
    _lines: Indices
    _old_lines: Floats
    _known_lines: NDArray[np.bool_]

    @classmethod
    def of(cls, old: Scene, new: Scene, offset: tuple[float, float], clip: Clip) -> "Morph | None":
        """Makes a transition; None: there is too much to move."""
        boxes = np.union1d(new.cells.within(*clip), _arriving(old, new, offset, clip))
        level = new.lines.at(1.0)
        lines = np.sort(level.cells.within(*clip))
        if len(boxes) > _MOST_BOXES or len(lines) > _MOST_LINES:
            return None
        frames = np.sort(new.groups_within(*clip))
        origins = _Origins(old.drawing, new.drawing, offset)
        known, old_lines = _old_lines(old.drawing, new.drawing, lines, offset)
        return cls(
            new,
            boxes,
            np.array([origins.of_box(box) for box in boxes.tolist()]).reshape(-1, 4),
            frames,
            np.array([origins.of_frame(frame) for frame in frames.tolist()]).reshape(-1, 4),
            lines,
            old_lines,
            known,
        )

    def at(self, share: float) -> Scene:
        """Makes the scene when that share (0…1) of the way is done."""
        drawing = self.scene.drawing
        boxes, frames = drawing.boxes[self.boxes], drawing.group_boxes[self._frames]
        grown = np.any(self._old_boxes[:, 2:] != boxes[:, 2:], axis=1)
        shown = self._known_lines if share < _LATE else np.ones(len(self._lines), bool)
        between = replace(
            drawing,
            boxes=_between(self._old_boxes, boxes, share),
            kinds=drawing.kinds[self.boxes],
            nodes=drawing.nodes[self.boxes],
            tensors=drawing.tensors[self.boxes],
            groups=drawing.groups[self.boxes],
            folds=drawing.folds[self.boxes],
            labels=tuple(
                "" if changes else drawing.labels[box]
                for box, changes in zip(self.boxes.tolist(), grown.tolist(), strict=True)
            ),
            lines=_between(self._old_lines, drawing.lines[self._lines], share)[shown],
            line_tensors=drawing.line_tensors[self._lines][shown],
            group_boxes=_between(self._old_frames, frames, share),
            group_depths=drawing.group_depths[self._frames],
            group_ids=drawing.group_ids[self._frames],
            group_labels=tuple(drawing.group_labels[frame] for frame in self._frames.tolist()),
            group_continued=np.zeros(0, np.uint8),
            node_boxes=np.zeros(0, np.int32),
            marks=np.zeros((0, 2)),
            mark_ends=np.zeros(0, np.uint8),
            stubs=np.zeros((0, 2)),
        )
        return Scene(between, self.scene.graph)


def _between(start: Floats, end: Floats, share: float) -> Floats:
    moved: Floats = start + (end - start) * share
    return moved


def _arriving(old: Scene, new: Scene, offset: tuple[float, float], clip: Clip) -> Indices:
    """Boxes of the new drawing that were in sight in the old one."""
    dx, dy = offset
    seen = old.cells.within(clip[0] - dx, clip[1] - dy, clip[2] - dx, clip[3] - dy)
    nodes = old.drawing.nodes[seen]
    boxes = new.drawing.node_boxes[nodes[nodes >= 0]]
    return boxes[boxes >= 0].astype(np.intp)


class _Origins:
    """Places of things in the old drawing."""

    def __init__(self, old: Drawing, new: Drawing, offset: tuple[float, float]) -> None:
        move = np.array([*offset, 0.0, 0.0])
        self._new = new
        self._boxes = old.boxes + move
        self._frames = old.group_boxes + move
        self._old = old
        self._folds = {group: box for box, group in enumerate(old.folds.tolist()) if group >= 0}
        self._rows: dict[int, int] = {}
        for row, group in enumerate(old.group_ids.tolist()):
            self._rows.setdefault(group, row)
        ends = np.flatnonzero((old.tensors >= 0) & (old.nodes < 0))
        self._ends = {(int(old.kinds[box]), int(old.tensors[box])): int(box) for box in ends.tolist()}

    def of_box(self, box: int) -> Floats:
        new = self._new
        size: Floats = new.boxes[box]
        node, group = int(new.nodes[box]), int(new.folds[box])
        if node >= 0:
            return self._of_node(node, size)
        if group < 0:
            end = self._ends.get((int(new.kinds[box]), int(new.tensors[box])))
            return size if end is None else self._resized(end, size)
        if group in self._folds:
            return self._resized(self._folds[group], size)
        if group in self._rows:
            return self._frame(self._rows[group])
        nodes = new.nodes_of_box(box)
        return self._of_node(int(nodes[0]), size) if len(nodes) else size

    def of_frame(self, frame: int) -> Floats:
        """The frame that it was, or the closed group."""
        new = self._new
        size: Floats = new.group_boxes[frame]
        group = int(new.group_ids[frame])
        if group in self._rows:
            return self._frame(self._rows[group]) if self._single(group) else size
        if group in self._folds:
            return self._box(self._folds[group])
        inner = np.flatnonzero((new.groups == group) & (new.nodes >= 0))
        return self._of_node(int(new.nodes[inner[0]]), size) if len(inner) else size

    def _frame(self, row: int) -> Floats:
        frame: Floats = self._frames[row]
        return frame

    def _box(self, box: int) -> Floats:
        place: Floats = self._boxes[box]
        return place

    def _single(self, group: int) -> bool:
        """Whether the group is in one piece in both, and not cut into columns."""
        return int((self._old.group_ids == group).sum()) == 1 == int((self._new.group_ids == group).sum())

    def _of_node(self, node: int, otherwise: Floats) -> Floats:
        box = int(self._old.node_boxes[node])
        if box < 0:
            return otherwise
        return self._resized(box, otherwise) if self._old.nodes[box] == node else self._box(box)

    def _resized(self, box: int, size: Floats) -> Floats:
        """The old place with the new size, if that has hardly changed: text then stays."""
        old = self._boxes[box]
        middle = old[:2] + old[2:] / 2
        return np.concatenate([middle - size[2:] / 2, size[2:]])


def _old_lines(
    old: Drawing, new: Drawing, rows: Indices, offset: tuple[float, float]
) -> tuple[NDArray[np.bool_], Floats]:
    """Finds for rows of the new lines the old ones, where a tensor is drawn in as many pieces as before."""
    dx, dy = offset
    found = new.lines[rows].copy()
    known = np.zeros(len(rows), bool)
    tensors = new.line_tensors[rows]
    for tensor in distinct(tensors).tolist():
        before, after = old.lines_of_tensor(tensor), new.lines_of_tensor(tensor)
        if tensor < 0 or before.stop - before.start != after.stop - after.start:
            continue
        mine = tensors == tensor
        found[mine] = old.lines[rows[mine] - after.start + before.start] + (dx, dy, dx, dy)
        known |= mine
    return known, found
