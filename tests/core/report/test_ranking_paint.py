"""Rankings on a drawing."""

import numpy as np
import pytest

from errorflow.case.session.model import Painting
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.layout.prepare import prepare
from errorflow.report.legend import UNKNOWN, entries
from errorflow.report.paint import Paint
from errorflow.report.ranking_paint import RankingPaint
from errorflow.study.rank.model import Kind, Part, Question, Ranking
from rankings import parts_of_nodes, ranking_of

IMPACT = Painting(ranked="impact")


def chain() -> Graph:
    builder = GraphBuilder("chain")
    builder.input("x")
    last = "x"
    for name in ("a", "b", "c", "d"):
        builder.node("Relu", [last], [f"{name}:0"], name=name)
        last = f"{name}:0"
    builder.output(last)
    return builder.build()


def drawn(graph: Graph) -> Drawing:
    return prepare(graph).draw(frozenset(), "down", 1.0)


def painted(graph: Graph, ranking: Ranking, painting: Painting = IMPACT) -> Paint | None:
    drawing = drawn(graph)
    return RankingPaint(drawing, graph, drawing.node_boxes, ranking).by(painting)


def some(graph: Graph, ranking: Ranking, painting: Painting = IMPACT) -> Paint:
    found = painted(graph, ranking, painting)
    assert found is not None
    return found


def box(graph: Graph, node: int) -> int:
    return int(drawn(graph).node_boxes[node])


def test_a_node_has_the_badness_of_its_impact_on_the_limits_of_the_metric() -> None:
    graph = chain()
    paint = some(graph, ranking_of(parts_of_nodes(graph), [0.05, 0.5, 5.0, None], samples=1))
    badness = paint.errors.badness[[box(graph, node) for node in range(4)]]
    assert badness[:3] == pytest.approx([0.0, 1.0, 1.0])
    assert np.isnan(badness[3])
    assert (paint.good, paint.bad) == ("0.05", "0.5")


def test_moved_limits_count() -> None:
    graph = chain()
    painting = Painting(ranked="impact", limits={"relative_l2": (0.5, 5.0)})
    paint = some(graph, ranking_of(parts_of_nodes(graph), [0.5, 5.0, None, None], samples=1), painting)
    assert paint.errors.badness[[box(graph, node) for node in (0, 1)]] == pytest.approx([0.0, 1.0])


def test_the_legend_names_measure_metric_and_output() -> None:
    graph = chain()
    ranking = ranking_of(parts_of_nodes(graph), [0.1] * 4, outputs=("logits",))
    paint = some(graph, ranking)
    assert paint.measure == "Impact · Relative error at logits"
    assert UNKNOWN in entries(paint)
    cosine = some(graph, ranking, Painting(metric="cosine", ranked="impact"))
    assert cosine.measure == "Impact · Cosine similarity at logits"


def test_a_metric_that_was_not_asked_for_gives_way_to_the_first() -> None:
    graph = chain()
    paint = some(graph, ranking_of(parts_of_nodes(graph), [0.1] * 4), Painting("max_absolute_error", ranked="impact"))
    assert paint.metric is not None and paint.metric.key == "relative_l2"


def one_part(kind: Kind) -> Ranking:
    part = Part("a", "Relu + Relu", ("a", "b"), ("a:0",))
    return ranking_of([part], [0.5], question=Question(kind=kind, samples=(0,)), samples=1)


def test_what_is_switched_as_one_is_painted_as_one() -> None:
    graph = chain()
    paint = some(graph, one_part("unit"))
    assert paint.errors.measured[[box(graph, node) for node in range(4)]].tolist() == [True, True, False, False]


def test_of_a_node_with_its_producers_only_the_node_is_painted() -> None:
    graph = chain()
    paint = some(graph, one_part("producer"))
    assert paint.errors.measured[[box(graph, node) for node in range(4)]].tolist() == [True, False, False, False]


def test_the_worst_of_several_parts_counts() -> None:
    graph = chain()
    parts = [Part(name, "Relu", ("a",), (name,)) for name in ("weight", "a:0")]
    paint = some(graph, ranking_of(parts, [0.05, 0.5], question=Question(kind="tensor", samples=(0,)), samples=1))
    assert paint.errors.badness[box(graph, 0)] == pytest.approx(1.0)


def test_an_input_is_painted_too() -> None:
    graph = chain()
    paint = some(graph, ranking_of([Part("x", "Input", (), ("x",))], [0.5]))
    assert paint.errors.measured.sum() == 1


def test_what_is_no_number_is_marked_as_broken() -> None:
    graph = chain()
    paint = some(graph, ranking_of(parts_of_nodes(graph), [float("nan"), 0.1, 0.1, 0.1]))
    assert paint.errors.broken[box(graph, 0)]


def test_the_pointer_is_told_the_value_and_the_rank() -> None:
    graph = chain()
    paint = some(
        graph, ranking_of(parts_of_nodes(graph), [0.1, 0.4, 0.2, None], samples=1, notes={"d": "it is left out"})
    )
    assert paint.note(box(graph, 2)).splitlines() == ["Impact · Relative error at y 0.2000 – c:0", "rank 2 of 4: c"]
    assert paint.note(box(graph, 3)) == "not measured: it is left out"


def test_a_measure_that_nobody_asked_for_paints_nothing() -> None:
    graph = chain()
    ranking = ranking_of(parts_of_nodes(graph), [0.1] * 4)
    assert painted(graph, ranking, Painting(ranked="recovery")) is None
    assert painted(graph, ranking, Painting()) is None
