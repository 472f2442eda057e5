import math

import pytest

from errorflow.compare import Comparison, Row
from errorflow.dump import TensorInfo
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.layout.engine import layout
from errorflow.metrics import METRICS
from errorflow.report.paint import error_paint

COSINE = next(metric for metric in METRICS if metric.key == "cosine")


@pytest.fixture
def graph() -> Graph:
    builder = GraphBuilder("g")
    builder.input("x")
    builder.node("Split", ["x"], ["a", "b"], name="split")
    builder.node("Add", ["a", "b"], ["y"], name="add")
    builder.output("y")
    return builder.build()


def _row(tensor: str, cosine: float) -> Row:
    info = TensorInfo(tensor, "float32", (1,), 4)
    return Row(tensor, info, info, {"cosine": cosine})


def test_a_box_shows_the_worst_tensor_it_makes(graph: Graph) -> None:
    drawing = layout(graph)
    rows = (_row("a", 1.0), _row("b", 0.5))

    paint = error_paint(graph, drawing, Comparison(rows), COSINE)

    box = drawing.box_of_node(0)
    assert box is not None
    assert paint.badness[box] == 1.0
    assert "b: Cosine similarity 0.500000" in paint.notes[box]


def test_what_nobody_measured_stays_open(graph: Graph) -> None:
    drawing = layout(graph)

    paint = error_paint(graph, drawing, Comparison((_row("a", 1.0),)), COSINE)

    box = drawing.box_of_node(1)
    assert box is not None
    assert paint.badness[box] is None
    assert paint.notes[box] == "not measured"


def test_nan_is_as_bad_as_it_gets(graph: Graph) -> None:
    drawing = layout(graph)

    paint = error_paint(graph, drawing, Comparison((_row("y", math.nan),)), COSINE)

    box = drawing.box_of_node(1)
    assert box is not None
    assert paint.badness[box] == 1.0


def test_the_legend_names_measure_and_metric(graph: Graph) -> None:
    paint = error_paint(graph, layout(graph), Comparison(()), COSINE)

    assert paint.measure.startswith("accumulated · Cosine similarity")
