"""What error looks like on a drawing: how bad each box is, what the pointer is told, what the legend says."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from errorflow.arrays import Ints, Ragged
from errorflow.compare import Comparison
from errorflow.compare.placed import Measured, Placed
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.metrics import METRICS
from errorflow.metrics.metric import Metric
from errorflow.report.fold import BoxErrors, box_errors

# What is painted unless one asks for another: the relative error sees what cosine does not, a change of size and a
# fault in a few of many values.
PAINTED = next(metric for metric in METRICS if metric.key == "relative_l2")
# Of a box that nothing was measured of, so many nodes are asked why.
_MOST_NODES = 8


def no_note(box: int) -> str:  # noqa: ARG001 - the signature of `Paint.note`
    return ""


@dataclass(frozen=True, eq=False)
class Paint:
    """How bad each box is; the measure, and its good and bad end."""

    errors: BoxErrors
    measure: str
    formula: str
    good: str
    bad: str
    # What the pointer is told about a box.
    note: Callable[[int], str] = no_note


def error_paint(graph: Graph, drawing: Drawing, comparison: Comparison, metric: Metric = PAINTED) -> Paint:
    """Fills every box by the worst tensor that is made in it (an input or output: by its own)."""
    return paint_of(graph, drawing, Placed.of(graph, comparison).by(metric))


def paint_of(graph: Graph, drawing: Drawing, measured: Measured, boxes: Ints | None = None) -> Paint:
    """The same of what was measured. `boxes`: see `box_errors`."""
    boxes = drawing.node_boxes if boxes is None else boxes
    errors, metric = box_errors(graph, drawing, measured, boxes), measured.metric
    measure = f"{measured.measure} · {metric.label}"
    notes = _Notes(graph, drawing, boxes, measured, errors, measure)
    return Paint(errors, measure, metric.formula, metric.limit(metric.good), metric.limit(metric.bad), notes.of)


@dataclass(frozen=True, eq=False)
class _Notes:
    """Words are made for the box that is asked for."""

    graph: Graph
    drawing: Drawing
    boxes: Ints  # of the nodes of the graph
    measured: Measured
    errors: BoxErrors
    measure: str

    def of(self, box: int) -> str:
        tensor, metric = int(self.errors.tensors[box]), self.measured.metric
        if tensor < 0:
            return self._why_not(box)
        value = metric.text(float(self.measured.values[tensor]))
        worst = f"{self.measure} {value} – {self.graph.tensor_names[tensor]}"
        row = np.flatnonzero(self.errors.folds == box)
        return f"{worst}\n{self._spread(int(row[0]))}" if len(row) else worst

    def _spread(self, row: int) -> str:
        """How many of a fold's nodes were measured, and how many of these lie beyond each limit."""
        bands, limits = self.errors.bands[row].tolist(), self.errors.limits[row].tolist()
        metric, total = self.measured.metric, sum(bands)
        known = total - bands[-1]
        measured = f"{known:,} of {total:,} nodes measured" if known < total else f"all {total:,} nodes measured"
        good, bad = metric.limit(metric.good), metric.limit(metric.bad)
        if not limits[0]:
            return f"{measured}, none beyond {good}"
        if limits[0] == limits[1]:
            return f"{measured}: {limits[1]:,} beyond {bad}"
        rest = f", {limits[1]:,} of them beyond {bad}" if limits[1] else ""
        return f"{measured}: {limits[0]:,} beyond {good}{rest}"

    @cached_property
    def _nodes(self) -> Ragged:
        """For each box those of the graph that it shows: a file asks for all boxes."""
        shown = np.flatnonzero(self.boxes >= 0).astype(np.int32)
        return Ragged.grouped(self.boxes[shown], shown, len(self.drawing))

    def _why_not(self, box: int) -> str:
        tensor = int(self.drawing.tensors[box])
        nodes = self._nodes[box][:_MOST_NODES].tolist()
        made = [tensor] if tensor >= 0 else [t for node in nodes for t in self.graph.node_outputs[node].tolist()]
        note = next((self.measured.notes[each] for each in made if each in self.measured.notes), "")
        return f"not measured: {note}" if note else "not measured"
