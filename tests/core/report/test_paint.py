import math

import pytest

from errorflow.compare import Comparison, Row
from errorflow.compare.metrics import METRICS
from errorflow.graph.build import GraphBuilder
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph
from errorflow.layout.engine import layout
from errorflow.layout.prepare import prepare
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
    assert paint.errors.badness[box] == 1.0
    assert paint.note(box) == "accumulated · Cosine similarity 0.500000 – b"


def test_what_nobody_measured_stays_open(graph: Graph) -> None:
    drawing = layout(graph)

    paint = error_paint(graph, drawing, Comparison((_row("a", 1.0),)), COSINE)

    box = drawing.box_of_node(1)
    assert box is not None
    assert math.isnan(paint.errors.badness[box])
    assert paint.note(box) == "not measured"


def test_nan_is_as_bad_as_it_gets(graph: Graph) -> None:
    drawing = layout(graph)

    paint = error_paint(graph, drawing, Comparison((_row("y", math.nan),)), COSINE)

    box = drawing.box_of_node(1)
    assert box is not None
    assert paint.errors.badness[box] == 1.0


def test_the_legend_names_measure_and_metric(graph: Graph) -> None:
    paint = error_paint(graph, layout(graph), Comparison(()), COSINE)

    assert (paint.measure, paint.formula) == ("accumulated · Cosine similarity", COSINE.formula)
    assert (paint.good, paint.bad) == ("0.999", "0.9")


def test_why_something_was_not_measured_is_told(graph: Graph) -> None:
    drawing = layout(graph)
    info = TensorInfo("y", "float32", (1,), 4)
    row = Row("y", info, info, note="shapes differ: (1,) and (2,)")

    paint = error_paint(graph, drawing, Comparison((row,)), COSINE)

    box = drawing.box_of_node(1)
    assert box is not None
    assert paint.note(box) == "not measured: shapes differ: (1,) and (2,)"


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"a": 1.0, "b": 1.0, "c": 1.0, "y": 1.0}, "all 4 nodes measured, none beyond 0.999"),
        ({"a": 1.0, "b": 0.99}, "2 of 4 nodes measured: 1 beyond 0.999"),
        ({"a": 0.5, "b": 0.99}, "2 of 4 nodes measured: 2 beyond 0.999, 1 of them beyond 0.9"),
        ({"a": 0.5, "b": 0.4, "c": 1.0}, "3 of 4 nodes measured: 2 beyond 0.9"),
    ],
)
def test_a_fold_tells_its_worst_tensor_and_how_many_are_beyond_the_limits(values: dict[str, float], told: str) -> None:
    builder = GraphBuilder("g")
    builder.input("x")
    for maker, made in (("x", "a"), ("a", "b"), ("b", "c")):
        builder.node("Relu", [maker], [made], name=f"layer/{made}")
    builder.node("Neg", ["c"], ["y"], name="end")
    builder.output("y")
    graph = builder.build()
    drawing = prepare(graph).draw(frozenset(), "down", 1.0)
    box = int((drawing.folds >= 0).argmax())

    paint = error_paint(graph, drawing, Comparison(tuple(_row(*pair) for pair in values.items())), COSINE)

    worst = min(values, key=lambda tensor: values[tensor])
    text = COSINE.text(values[worst])
    assert paint.note(box) == f"worst inside: accumulated · Cosine similarity {text} – {worst}\n{told}"
