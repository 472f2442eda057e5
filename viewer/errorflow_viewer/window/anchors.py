"""Anchors that stay where they are on the screen while groups open and close."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from errorflow.base.arrays import Ints
from errorflow.base.values import dataclass
from errorflow.layout.drawing import Drawing, Floats
from errorflow.layout.folding import hidden_by
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.kit.drawings import Unfolded

# So many closed groups tell where all the others go.
_MOST_FOLDS = 20


@dataclass(frozen=True, slots=True)
class Anchor:
    """A group, open or closed, or a node or tensor that has a box of its own, or a spot of the drawing."""

    group: int = -1
    node: int = -1
    tensor: int = -1
    spot: tuple[float, float] | None = None

    @classmethod
    def of_box(cls, shown: Unfolded, box: int) -> "Anchor":
        drawing = shown.drawing
        return cls(int(drawing.folds[box]), int(drawing.nodes[box]), int(drawing.tensors[box]))

    @classmethod
    def middle(cls, canvas: Canvas) -> "Anchor":
        spot = canvas.middle()
        return cls(spot=(spot.x(), spot.y()))


def spots(before: Unfolded, after: Unfolded, anchor: Anchor) -> tuple[QPointF, QPointF] | None:
    """Finds where the anchor is in both pictures; None: it is not in both."""
    if anchor.spot is not None:
        box = _nearest(before, anchor.spot)
        anchor = Anchor() if box is None else Anchor.of_box(before, box)
    was, now = _rect(before, anchor), _rect(after, anchor)
    if was is None or now is None:
        return None
    if before.drawing.across != after.drawing.across or before.columns != after.columns:
        return was.center(), now.center()
    old, new = _entry(was, before), _entry(now, after)
    aside = None if before.columns else _aside(before, after)
    if aside is None:
        return old, new
    return old, QPointF(new.x(), old.y() + aside) if after.drawing.across else QPointF(old.x() + aside, new.y())


def spots_of_drafts(before: Unfolded, after: Unfolded, middle: QPointF) -> tuple[QPointF, QPointF] | None:
    """The same for pictures in which not the same is drawn: where the box is that was nearest to a spot."""
    box = _nearest(before, (middle.x(), middle.y()))
    if box is None:
        return None
    nodes = before.drawing.nodes_of_box(box)
    if len(nodes):
        there = after.box_of(before.draft.real_node(int(nodes[0])))
        new = None if there is None else _at(after, there)
    else:
        rect = _rect(after, Anchor.of_box(before, box))
        new = None if rect is None else _entry(rect, after)
    return None if new is None else (_at(before, box), new)


def _nearest(shown: Unfolded, spot: tuple[float, float]) -> int | None:
    boxes = shown.drawing.boxes
    away = np.abs(boxes[:, :2] + boxes[:, 2:] / 2 - spot).sum(axis=1)
    return int(np.argmin(away)) if len(boxes) else None


def _rect(shown: Unfolded, anchor: Anchor) -> QRectF | None:
    drawing = shown.drawing
    if anchor.group >= 0:
        return _rect_of_group(shown, anchor.group)
    if anchor.node >= 0:
        box = drawing.box_of_node(anchor.node)
    else:
        boxes = np.flatnonzero((drawing.tensors == anchor.tensor) & (drawing.nodes < 0))
        box = int(boxes[0]) if len(boxes) and anchor.tensor >= 0 else None
    return None if box is None else QRectF(*drawing.boxes[box].tolist())


def _rect_of_group(shown: Unfolded, group: int) -> QRectF | None:
    rows = np.flatnonzero(shown.drawing.group_ids == group)
    if len(rows):
        return QRectF(*shown.drawing.group_boxes[rows[0]].tolist())
    box = shown.fold_of(hidden_by(shown.outline, shown.groups, group))
    return None if box is None else QRectF(*shown.drawing.boxes[box].tolist())


def _at(shown: Unfolded, box: int) -> QPointF:
    return _entry(QRectF(*shown.drawing.boxes[box].tolist()), shown)


def _entry(rect: QRectF, shown: Unfolded) -> QPointF:
    """The middle of the edge where lines come in."""
    middle = rect.center()
    return QPointF(rect.x(), middle.y()) if shown.drawing.across else QPointF(middle.x(), rect.y())


def beginning(drawing: Drawing, width: float, height: float, zoom: float) -> QPointF:
    """Finds the middle of a view of that size whose edge is just before where the flow begins."""
    along = 0 if drawing.across else 1
    first = drawing.boxes[int(np.argmin(drawing.boxes[:, along]))]
    x, y = (first[:2] + first[2:] / 2).tolist()
    return QPointF(width / 2 / zoom, y) if drawing.across else QPointF(x, height / 2 / zoom)


def _aside(before: Unfolded, after: Unfolded) -> float | None:
    """Measures how far most boxes have moved across the flow: what has grown at one side pushes all others."""
    old, new = before.drawing, after.drawing
    nodes = new.nodes[new.nodes >= 0]
    own = old.node_boxes[nodes]
    same = own >= 0
    same[same] &= old.nodes[own[same]] == nodes[same]
    if same.any():
        there = new.node_boxes[nodes[same]]
        return float(np.median(_middles(new, there) - _middles(old, own[same])))
    folds = np.intersect1d(old.folds[old.folds >= 0], new.folds[new.folds >= 0])[:_MOST_FOLDS]
    pairs = [(before.fold_of(group), after.fold_of(group)) for group in folds.tolist()]
    moves = [_middles(new, [b]) - _middles(old, [a]) for a, b in pairs if a is not None and b is not None]
    return float(np.median(moves)) if moves else None


def _middles(drawing: Drawing, boxes: "Ints | list[int]") -> Floats:
    """Finds where boxes are across the flow."""
    axis = 1 if drawing.across else 0
    middles: Floats = drawing.boxes[boxes, axis] + drawing.boxes[boxes, axis + 2] / 2
    return middles
