"""What error looks like on a drawing: which box gets which badness, and what the pointer is told."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from errorflow.compare import Comparison, Row
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.metrics.metric import Metric, badness
from errorflow.report.scale import LIGHT, Scale


@dataclass(frozen=True, slots=True)
class Paint:
    """Per box a badness (None: not measured) and a text for the pointer; the measure, and its good and bad end."""

    badness: Sequence[float | None]
    notes: Sequence[str]
    measure: str
    good: str
    bad: str
    scale: Scale = LIGHT


def error_paint(graph: Graph, drawing: Drawing, comparison: Comparison, metric: Metric, scale: Scale = LIGHT) -> Paint:
    """Fills every box by the worst tensor that it makes (an input or output: by its own)."""
    rows = {row.tensor: row for row in comparison.rows}
    worst = [_worst(_rows(graph, drawing, box, rows), metric) for box in range(len(drawing))]
    return Paint(
        badness=tuple(None if row is None else badness(metric, row.values[metric.key]) for row in worst),
        notes=tuple(_note(row, metric) for row in worst),
        measure=f"accumulated · {metric.label} ({metric.formula})",
        good=metric.text(metric.good),
        bad=metric.text(metric.bad),
        scale=scale,
    )


def _rows(graph: Graph, drawing: Drawing, box: int, rows: dict[str, Row]) -> Iterator[Row]:
    tensor = int(drawing.tensors[box])
    made = (
        [tensor]
        if tensor >= 0
        else [t for n in drawing.nodes_of_box(box).tolist() for t in graph.node_outputs[n].tolist()]
    )
    for index in made:
        row = rows.get(graph.tensor_names[index]) if index >= 0 else None
        if row is not None:
            yield row


def _worst(rows: Iterator[Row], metric: Metric) -> Row | None:
    measured = [row for row in rows if metric.key in row.values]
    return max(measured, key=lambda row: badness(metric, row.values[metric.key]), default=None)


def _note(row: Row | None, metric: Metric) -> str:
    if row is None:
        return "not measured"
    return f"{row.tensor}: {metric.label} {metric.text(row.values[metric.key])}"
