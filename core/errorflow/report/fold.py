"""Folds: a box tells of all that it stands for its worst node, and how bad how many of its nodes are."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints, Longs, Ragged
from errorflow.base.values import dataclass
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing, Floats, Kind

if TYPE_CHECKING:
    from errorflow.compare.placed import Measured

Indices = NDArray[np.intp]
# The scale of badness in equal parts, and what stands for each: its ends are those of the scale.
BANDS = 5
BAND_BADNESS = tuple(band / (BANDS - 1) for band in range(BANDS))
UNMEASURED = BANDS
# The order of a bar from left to right: the worst is at the right.
BAR_ORDER = (UNMEASURED, *range(BANDS))
# A bar along the bottom of a box, in px at scale 1: its height, its distance from the sides and from the bottom, the
# line above it, what is the least of a part that is not empty, and how much room it takes from the label.
BAR, BESIDE, BELOW, LINE, LEAST, ROOM = 4.0, 2.0, 1.0, 1.0, 2.0, 5.0


@dataclass(frozen=True, eq=False)
class BoxErrors:
    """Errors on a drawing. Up to `folds` the arrays have an entry per box."""

    badness: Floats  # of what is worst in it; NaN: nothing was measured
    tensors: Ints  # the tensor that is worst; -1: nothing was measured
    nodes: Ints  # the node that makes it; -1: nothing was measured, or the box is an input, output or constant
    broken: NDArray[np.bool_]  # what is worst is NaN
    folds: Ints  # (k,): the boxes that stand for several nodes, in order
    bands: Longs  # (k, BANDS + 1): how many nodes lie in each part of the scale, and how many were not measured
    limits: Longs  # (k, 2): how many nodes lie beyond the good limit, and how many beyond the bad one as well

    @property
    def measured(self) -> NDArray[np.bool_]:
        return self.tensors >= 0

    def rows_of(self, boxes: Indices) -> Indices:
        """Finds where boxes stand in `folds`; -1: they are none."""
        if not len(self.folds):
            return np.full(len(boxes), -1, np.intp)
        rows = np.searchsorted(self.folds, boxes)
        rows[rows == len(self.folds)] = 0
        return np.where(self.folds[rows] == boxes, rows, -1)

    def of_boxes(self, boxes: Indices) -> "BoxErrors":
        """Takes the errors for a drawing of just these boxes."""
        rows = self.rows_of(boxes)
        folds = np.flatnonzero(rows >= 0)
        return BoxErrors(
            self.badness[boxes],
            self.tensors[boxes],
            self.nodes[boxes],
            self.broken[boxes],
            folds.astype(np.int32),
            self.bands[rows[folds]],
            self.limits[rows[folds]],
        )


def box_errors(graph: Graph, drawing: Drawing, measured: "Measured", boxes: Ints | None = None) -> BoxErrors:
    """`boxes`: for each node of the graph the box that shows it, where the drawing is of another form of the graph."""
    boxes = drawing.node_boxes if boxes is None else boxes
    places, values = np.append(measured.places, -np.inf), np.append(measured.values, np.nan)  # their ends stand for -1
    made = _worst_made(graph.node_outputs, places)
    shown = np.flatnonzero(boxes >= 0)
    owners, place = boxes[shown], places[made[shown]]
    nodes = np.append(shown, -1)[_worst(owners, place, len(drawing))]
    own = drawing.tensors >= 0
    tensors = np.where(own, drawing.tensors, np.append(made, -1)[nodes])
    known = places[tensors] > -np.inf
    folds = np.flatnonzero((drawing.kinds == Kind.FOLD) | (drawing.kinds == Kind.STACK))
    return BoxErrors(
        np.where(known, np.clip(places[tensors], 0.0, 1.0), np.nan),
        np.where(known, tensors, -1).astype(np.int32),
        np.where(known & ~own, nodes, -1).astype(np.int32),
        known & np.isnan(values[tensors]),
        folds.astype(np.int32),
        *_spread(folds, owners, place, len(drawing)),
    )


def bar_widths(bands: Longs, room: Floats, least: float) -> Floats:
    """Computes how wide each part of a bar is, in `BAR_ORDER`: none that is not empty is narrower than `least`."""
    counts = bands[:, BAR_ORDER]
    least_widths = np.where(counts > 0, least, 0.0)
    rest = np.maximum(room - least_widths.sum(axis=1), 0.0) / np.maximum(counts.sum(axis=1), 1)
    widths: Floats = least_widths + counts * rest[:, None]
    return widths


def _worst_made(node_outputs: Ragged, places: Floats) -> Ints:
    """Finds for each node the worst tensor that it makes; -1: none of them was measured."""
    found = _worst(node_outputs.owners(), places[node_outputs.values], len(node_outputs))
    return np.append(node_outputs.values, -1)[found]


def _worst(owners: Ints, places: Floats, count: int) -> Indices:
    """Finds for each owner the first of its entries that no other one is worse than; -1: none was measured."""
    top = np.full(count, -np.inf)
    np.maximum.at(top, owners, places)
    hits = np.flatnonzero((places == top[owners]) & (places > -np.inf))[::-1]
    found = np.full(count, -1, np.intp)
    found[owners[hits]] = hits  # of equals the last one stays, which is the first
    return found


def _spread(folds: Indices, owners: Ints, places: Floats, count: int) -> tuple[Longs, Longs]:
    """`bands` and `limits` of `BoxErrors`."""
    rows = np.full(count, -1)
    rows[folds] = np.arange(len(folds))
    inside = rows[owners] >= 0
    row, place = rows[owners[inside]], places[inside]
    band = np.minimum(np.clip(place, 0.0, 1.0) * BANDS, BANDS - 1).astype(np.int64)
    band[place == -np.inf] = UNMEASURED
    bands = np.bincount(row * (BANDS + 1) + band, minlength=len(folds) * (BANDS + 1)).reshape(-1, BANDS + 1)
    limits = [np.bincount(row[beyond], minlength=len(folds)) for beyond in (place > 0, place >= 1)]
    return bands, np.column_stack(limits)
