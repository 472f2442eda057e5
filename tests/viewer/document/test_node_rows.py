"""The node list over arrays: search, order, cells."""

import pytest

from errorflow.graph.build import GraphBuilder
from errorflow_viewer.document.node_rows import NAME, OUTPUT, TYPE, NodeRows, rows_of
from viewer.models import branching_graph, chain


def names(rows: NodeRows, query: str) -> list[str]:
    return [rows.graph.node_names[i] for i in rows.search(query)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["conv1", "relu1", "if1", "call1", "conv10", "conv2"]),
        ("relu", ["relu1"]),
        ("CONV1", ["conv1", "conv10"]),
        ("type:conv", ["conv1", "conv10", "conv2"]),
        ('type:"If"', ["if1"]),
        ('type:"I"', []),
        ("type:Conv name:10", ["conv10"]),
        ("name:conv type:relu", []),
        ("tensor:if_out", ["if1", "call1"]),
        ("tensor:w", ["conv1", "conv10", "conv2"]),
        ("if_out", ["if1"]),
        ("w", ["conv1", "conv10", "conv2"]),
        ("type:", ["conv1", "relu1", "if1", "call1", "conv10", "conv2"]),
        ('"', ["conv1", "relu1", "if1", "call1", "conv10", "conv2"]),
        ("no such thing", []),
    ],
)
def test_search(query: str, expected: list[str]) -> None:
    assert names(NodeRows(branching_graph()), query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("IF_", ["if_out"]),
        ("if out", ["if_out"]),
        ('tensor:"if_out"', ["if_out"]),
        ("name:if_out", ["if_out"]),
        ("type:If if_out", []),
        ("attr:if_out", []),
        ("", []),
        ("no such thing", []),
    ],
)
def test_tensors_are_found_by_their_names_alone(query: str, expected: list[str]) -> None:
    rows = NodeRows(branching_graph())
    assert [rows.graph.tensor_names[i] for i in rows.find_tensors(query).nonzero()[0]] == expected


def test_names_sort_by_their_numbers() -> None:
    rows = NodeRows(branching_graph())
    assert [rows.graph.node_names[i] for i in rows.order(NAME)][1:4] == ["conv1", "conv2", "conv10"]


def test_types_sort_by_name_and_then_by_place_in_the_file() -> None:
    rows = NodeRows(branching_graph())
    assert [rows.graph.node_names[i] for i in rows.order(TYPE)] == ["call1", "conv1", "conv10", "conv2", "if1", "relu1"]


def test_outputs_sort_by_size_with_the_unknown_first() -> None:
    rows = NodeRows(branching_graph())
    assert rows.order(OUTPUT)[-1] == 0


def test_cells_say_what_a_node_is() -> None:
    rows = NodeRows(branching_graph())
    assert [rows.cell(0, column) for column in (NAME, TYPE, OUTPUT)] == ["conv1", "Conv", "1×16×8×8"]


def test_a_nameless_node_goes_by_what_it_makes() -> None:
    builder = GraphBuilder()
    builder.node("Relu", ["a"], ["b"])
    builder.node("Sink", ["b"], [])
    rows = NodeRows(builder.build())
    assert [rows.title(0), rows.title(1)] == ["→ b", "(no name)"]
    assert rows.search("name:b").tolist() == [0]


def test_more_than_one_output_is_counted() -> None:
    builder = GraphBuilder()
    builder.tensor("b", shape=(4,))
    builder.node("Split", ["a"], ["b", "c", ""], name="split")
    assert NodeRows(builder.build()).cell(0, OUTPUT) == "4  +1"


def test_whoever_asks_for_the_rows_of_a_graph_gets_the_same() -> None:
    graph = chain(3)
    assert rows_of(graph) is rows_of(graph)


def test_an_empty_graph_has_no_rows() -> None:
    rows = NodeRows(GraphBuilder().build())
    assert rows.search("x").tolist() == [] and rows.order(NAME).tolist() == []
    assert rows.order(TYPE).tolist() == [] and rows.order(OUTPUT).tolist() == []


def test_attributes_are_found_once_they_are_read() -> None:
    rows = NodeRows(branching_graph())
    assert rows.lacks_attributes("attr:pads") and not rows.lacks_attributes("pads")
    assert names(rows, "attr:pads") == []
    rows.take_attributes(rows.read_attributes())
    assert names(rows, 'attr:"pads=[1, 1]"') == names(rows, "attr:PADS type:Conv") == ["conv1"]
    assert not rows.lacks_attributes("attr:pads")


def test_the_same_question_is_answered_without_searching() -> None:
    rows = NodeRows(branching_graph())
    assert rows.search("conv") is rows.search("conv")
    assert rows.search("conv", tensors=False) is not rows.search("conv")


def weighted() -> NodeRows:
    """A weight that a node makes, before the two nodes that compute; the file lists the last of them first."""
    builder = GraphBuilder()
    builder.input("x")
    builder.node("ConstantOfShape", [], ["w"], name="weight")
    builder.node("Relu", ["b"], ["c"], name="/block/act/Relu")
    builder.node("Conv", ["x", "w"], ["b"], name="/block/conv")
    builder.output("c")
    return NodeRows(builder.build())


def test_nodes_come_as_they_run_and_those_that_are_not_drawn_last() -> None:
    rows = weighted()
    assert rows.natural.tolist() == [2, 1, 0]
    assert rows.drawn.tolist() == [False, True, True]


def test_a_node_that_stands_for_an_input_is_drawn() -> None:
    builder = GraphBuilder()
    builder.input("x")
    builder.node("Data", [], ["x"], name="data")
    builder.node("Relu", ["x"], ["y"], name="relu")
    builder.output("y")
    assert NodeRows(builder.build()).drawn.tolist() == [True, True]
