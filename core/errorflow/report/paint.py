"""What error looks like on a drawing: which box gets which badness, and what the pointer is told."""

from collections.abc import Iterator

from errorflow.compare import Comparison, Row
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.metrics.metric import Metric, badness
from errorflow.report.svg import Paint


def error_paint(title: str, graph: Graph, drawing: Drawing, comparison: Comparison, metric: Metric) -> Paint:
    """Fills every box by the worst tensor that it makes (an input or output: by its own)."""
    rows = {row.tensor: row for row in comparison.rows}
    worst = [_worst(_rows(graph, drawing, box, rows), metric) for box in range(len(drawing))]
    return Paint(
        title=title,
        badness=tuple(None if row is None else badness(metric, row.values[metric.key]) for row in worst),
        notes=tuple(_note(drawing.labels[box], row, metric) for box, row in enumerate(worst)),
        legend=(f"accumulated · {metric.label} ({metric.formula})", metric.text(metric.good), metric.text(metric.bad)),
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


def _note(label: str, row: Row | None, metric: Metric) -> str:
    if row is None:
        return f"{label}: not measured"
    return f"{label} · {row.tensor} · {metric.label} {metric.text(row.values[metric.key])}"
