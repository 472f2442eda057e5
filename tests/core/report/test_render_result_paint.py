"""A model painted by a table of another tool."""

import math
from pathlib import Path

import numpy as np
import pytest

from errorflow.base.errors import UsageError
from errorflow.case.scenarios.imported import import_table
from errorflow.case.session.model import Painting
from errorflow.compare.results import Column, ResultRow, ResultTable, read_results
from errorflow.explain.findings.model import Findings
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.layout.engine import layout
from errorflow.report.paint import Paint
from errorflow.report.render import choose, placed_text, result_paint

DATA = Path(__file__).parents[2] / "data" / "results"
COSINE, DISTANCE = Column.of("rknn.single.cos"), Column.of("rknn.single.euc")
SENSITIVITY, LOSS = Column.of("amct.sensitivity"), Column.of("tpu-mlir.loss")


@pytest.fixture
def graph() -> Graph:
    builder = GraphBuilder("g")
    builder.input("x")
    builder.node("Conv", ["x"], ["a"], name="first")
    builder.node("Relu", ["a"], ["b"], name="second")
    builder.node("Add", ["b", "x"], ["y"], name="third")
    builder.output("y")
    return builder.build()


def table(*rows: ResultRow, columns: tuple[Column, ...] = (DISTANCE, COSINE)) -> ResultTable:
    return ResultTable("analysis", "RKNN", "tensor", columns, rows)


def row(name: str, value: float, column: Column = COSINE, **more: str) -> ResultRow:
    return ResultRow(name, values={column.key: value}, **more)  # type: ignore[arg-type] # only states are given


def painted(graph: Graph, *rows: ResultRow, column: Column = COSINE) -> tuple[Paint, list[float]]:
    """The paint, and how bad the boxes of the three nodes are."""
    drawing = layout(graph)
    paint = result_paint(graph, drawing, choose([table(*rows, columns=(column,))]))
    boxes = [drawing.box_of_node(node) for node in range(3)]
    return paint, [float(paint.errors.badness[box]) for box in boxes if box is not None]


def test_boxes_have_the_badness_of_our_own_measure(graph: Graph) -> None:
    paint, bad = painted(graph, row("a", 1.0), row("b", 0.99), row("y", 0.5))

    assert bad == pytest.approx([0.0, 0.5, 1.0])
    assert paint.measure == "RKNN cos · node · Cosine similarity"
    assert (paint.good, paint.bad) == ("0.999", "0.9")


def test_numbers_are_turned_into_ours_first(graph: Graph) -> None:
    """0.95 of AMCT is a cosine of 0.9; a loss of 0.1 is one, too."""
    _, folded = painted(graph, row("first", 0.95, SENSITIVITY), column=SENSITIVITY)
    _, lost = painted(graph, row("first", 0.1, LOSS), column=LOSS)

    assert folded[0] == pytest.approx(1.0)
    assert lost[0] == pytest.approx(1.0)


def test_what_has_no_number_stays_open_and_says_why(graph: Graph) -> None:
    drawing = layout(graph)
    rows = (row("a", 1.0), ResultRow("b", notes=("It was fused.",)))
    paint = result_paint(graph, drawing, choose([table(*rows)]))

    box = drawing.box_of_node(1)
    assert box is not None
    assert np.isnan(paint.errors.badness[box])
    assert paint.note(box) == "not measured: It was fused."


def test_a_broken_tensor_is_as_bad_as_it_gets(graph: Graph) -> None:
    broken = ResultRow("b", values={COSINE.key: math.nan}, states={COSINE.key: "q_zero"})

    assert painted(graph, broken)[1][1] == 1.0


def test_of_several_rows_the_surest_counts(graph: Graph) -> None:
    assert painted(graph, row("second", 0.5), row("b", 1.0))[1][1] == 0.0


def test_of_equally_sure_rows_the_worst_counts(graph: Graph) -> None:
    assert painted(graph, row("b", 1.0), row("b", 0.5), row("b", 0.99))[1][1] == 1.0


def test_the_first_column_that_is_a_measure_of_ours_is_chosen() -> None:
    assert choose([table(columns=(DISTANCE,)), table()]).column is COSINE


@pytest.mark.parametrize("key", [LOSS.key, LOSS.name])
def test_a_column_is_chosen_by_key_or_name(key: str) -> None:
    assert choose([table(columns=(COSINE, LOSS))], key).column is LOSS


@pytest.mark.parametrize(
    ("columns", "key", "message"),
    [
        ((DISTANCE,), None, "No column"),
        ((DISTANCE, COSINE), DISTANCE.key, "cannot be painted. These can: rknn.single.cos."),
        ((COSINE,), "nothing", "The column nothing cannot be painted."),
    ],
)
def test_what_cannot_be_painted_is_refused(columns: tuple[Column, ...], key: str | None, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        choose([table(columns=columns)], key)
    assert message in str(caught.value)


def test_a_table_of_another_model_is_refused(graph: Graph) -> None:
    with pytest.raises(UsageError, match="No row of this table"):
        painted(graph, row("elsewhere", 1.0))


def test_it_is_said_how_many_rows_were_found(graph: Graph) -> None:
    chosen = choose([table(row("a", 1.0), row("elsewhere", 1.0))])

    assert placed_text(chosen, graph) == "analysis: 1 of 2 rows found in the model"


ENTIRE = Column.of("rknn.entire.cos")


def both(graph: Graph, painting: Painting) -> Paint:
    """What has come together and what each node adds, in one table."""
    rows = [
        ResultRow(name, values={ENTIRE.key: entire, COSINE.key: single})
        for name, entire, single in (("a", 1.0, 1.0), ("b", 0.5, 0.5), ("y", 0.5, 1.0))
    ]
    return result_paint(graph, layout(graph), choose([table(*rows, columns=(ENTIRE, COSINE))]), painting)


def of_nodes(graph: Graph, values: "np.typing.NDArray[np.float64]") -> list[float]:
    return [float(value) for value in values[layout(graph).node_boxes]]


def test_what_each_node_adds_is_the_bar_where_the_table_says_it(graph: Graph) -> None:
    paint = both(graph, Painting())

    assert paint.signs is not None
    assert of_nodes(graph, paint.errors.badness) == [0.0, 1.0, 1.0]
    assert of_nodes(graph, paint.signs.bars) == [0.0, 1.0, 0.0]
    assert paint.measure.endswith("accumulated · Cosine similarity")
    assert paint.bar.endswith("node · Cosine similarity")
    assert paint.tints is not None and paint.tints[graph.tensor_names.index("b")] == 1.0


def test_the_marks_of_a_table_are_swapped(graph: Graph) -> None:
    plain, swapped = both(graph, Painting()), both(graph, Painting(swapped=True))

    assert swapped.signs is not None and swapped.tints is None
    assert of_nodes(graph, swapped.errors.badness) == [0.0, 1.0, 0.0]
    assert of_nodes(graph, swapped.signs.bars) == [0.0, 1.0, 1.0]
    assert (swapped.measure, swapped.bar) == (plain.bar, plain.measure)


def test_a_table_with_one_measure_has_one_mark(graph: Graph) -> None:
    paint, _ = painted(graph, row("a", 1.0))

    assert paint.signs is None and paint.bar == ""


@pytest.mark.parametrize("name", ["msaccucmp.csv", "amct-ranking.json", "horizon-build.log", "ppq.txt", "pulsar2.txt"])
def test_without_a_column_it_is_painted_by_what_the_window_paints_by(name: str) -> None:
    path = DATA / name
    tables = read_results(path)
    builder = GraphBuilder("g")
    for number, each in enumerate(dict.fromkeys(each.name for found in tables for each in found.rows)):
        builder.node("Relu", [f"in{number}"], [f"{each}:0"], name=each)
    graph = builder.build()
    shown = Findings.of(graph, import_table(path, graph)).scale(Painting().metric, {})

    assert shown is not None and choose(tables).scale.key == shown.key
    assert choose(tables).column.definition.measure == import_table(path, graph).measure


def test_without_a_column_the_metric_chooses_it() -> None:
    tables = read_results(DATA / "msaccucmp.csv")
    assert [choose(tables, metric=key).scale.key for key in ("relative_l2", "cosine")] == ["relative_l2", "cosine"]
