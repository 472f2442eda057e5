"""Painting of error on a drawing: how bad each box is, what the tooltips say, what the legend says."""

from collections.abc import Callable, Mapping

from errorflow.base.arrays import Ints
from errorflow.base.values import dataclass, field
from errorflow.case.session.model import Palette
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Metric, Scale
from errorflow.compare.model import Comparison
from errorflow.compare.placed import Floats, Measured, Placed
from errorflow.explain.findings.change import Turn
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.report.box_signs import BoxSigns
from errorflow.report.error_notes import Notes
from errorflow.report.fold import BoxErrors, box_errors

# What is painted unless one asks for another: the relative error sees what cosine does not, a change of size and a
# fault in a few of many values.
PAINTED = next(metric for metric in METRICS if metric.key == "relative_l2")


def no_note(box: int) -> str:  # noqa: ARG001 - the signature of `Paint.note`
    return ""


@dataclass(frozen=True, eq=False)
class Paint:
    """Badness of each box; the measure, and its good and bad end."""

    errors: BoxErrors
    measure: str
    formula: str
    good: str
    bad: str
    # What the pointer is told about a box.
    note: Callable[[int], str] = no_note
    # What fills, on its limits, where these may be moved.
    metric: Scale | None = None
    # What is told beside the fills; None: nothing but numbers is known.
    signs: BoxSigns | None = None
    # What the bars at the left edges stand for; "": there are none.
    bar: str = ""
    # Per tensor the badness of what flows, NaN where it is not known; None: edges are calm.
    tints: Floats | None = None
    palette: Palette = "ember"
    # Where another run is compared with, the change from which on something is better or worse: the middle of the scale
    # is what is the same then. "": there is none.
    told_from: str = ""
    # It is about another plan than the one on view; `measure` says so.
    older: bool = False
    # What finds those that are better or worse.
    queries: Mapping[Turn, str] = field(default_factory=dict)

    @property
    def diverging(self) -> bool:
        return bool(self.told_from)


def error_paint(graph: Graph, drawing: Drawing, comparison: Comparison, metric: Metric = PAINTED) -> Paint:
    """Fills every box by the worst tensor that is made in it (an input or output: by its own)."""
    return paint_of(graph, drawing, Placed.of(graph, comparison).by(metric))


def paint_of(graph: Graph, drawing: Drawing, measured: Measured, boxes: Ints | None = None) -> Paint:
    """The same of what was measured. `boxes`: see `box_errors`."""
    boxes = drawing.node_boxes if boxes is None else boxes
    errors, metric = box_errors(graph, drawing, measured, boxes), measured.metric
    measure = measure_text(measured)
    notes = Notes(graph, drawing, boxes, measured, errors, measure)
    good, bad = metric.limit(metric.good), metric.limit(metric.bad)
    return Paint(errors, measure, metric.formula, good, bad, notes.of, metric)


def measure_text(measured: Measured) -> str:
    return f"{measured.measure} · {measured.metric.label}"
