"""Looking things up in a graph: neighbours, names, subgraphs, the networkx view."""

from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import NO_WEIGHTS, Function, Graph, Model, Subgraph, no_attributes

NAMES = st.sampled_from(["", "a", "b", "c", "d", "e"])
NODES = st.lists(st.tuples(st.lists(NAMES, max_size=3), st.lists(NAMES, max_size=2)), max_size=10)


def graph_of(nodes: list[tuple[list[str], list[str]]], name: str = "") -> Graph:
    builder = GraphBuilder(name)
    for number, (reads, makes) in enumerate(nodes):
        builder.node(f"Op{number % 3}", reads, makes, name=f"n{number}")
    return builder.build()


def links(graph: Graph) -> list[tuple[int, int, str]]:
    """Every data edge, worked out from the nodes alone."""
    maker: dict[str, int] = {}
    for node in graph.nodes():
        for name in node.outputs:
            maker.setdefault(name, node.index)
    return [(maker[name], node.index, name) for node in graph.nodes() for name in node.inputs if name and name in maker]


@given(NODES)
def test_edges_lead_from_the_producer_to_each_reader(nodes: list[tuple[list[str], list[str]]]) -> None:
    graph = graph_of(nodes)
    start, end, tensor = (column.tolist() for column in graph.edges)
    assert list(zip(start, end, [graph.tensor_names[i] for i in tensor], strict=True)) == links(graph)


@given(NODES)
def test_consumers_are_the_readers_in_file_order(nodes: list[tuple[list[str], list[str]]]) -> None:
    graph = graph_of(nodes)
    for index, name in enumerate(graph.tensor_names):
        wanted = [number for number, (reads, _) in enumerate(nodes) for read in reads if read == name]
        assert graph.consumers[index].tolist() == wanted


@given(NODES)
def test_networkx_sees_the_same_edges(nodes: list[tuple[list[str], list[str]]]) -> None:
    graph = graph_of(nodes)
    view = graph.networkx()
    assert list(view.nodes) == list(range(len(graph)))
    assert sorted(view.edges(data="tensor")) == sorted(links(graph))
    assert nx.get_node_attributes(view, "op_type") == dict(enumerate(graph.op_types))


@given(NODES)
def test_tensors_are_found_by_name(nodes: list[tuple[list[str], list[str]]]) -> None:
    graph = graph_of(nodes)
    for name in "abcdef":
        index = graph.tensor_index(name)
        used = any(name in reads or name in makes for reads, makes in nodes)
        assert (index is not None) == used
        assert index is None or graph.tensor(index).name == name


def test_an_unknown_name_is_none() -> None:
    graph = graph_of([(["a"], ["b"])])
    assert (graph.tensor_index("z"), graph.node_index("z")) == (None, None)


@pytest.mark.parametrize(
    ("name", "outputs", "title"),
    [("conv", ["y"], "conv"), ("", ["y", "z"], "Op → y"), ("", [], "Op → ?"), ("", [""], "Op → ?")],
)
def test_every_node_has_a_title(name: str, outputs: list[str], title: str) -> None:
    builder = GraphBuilder()
    builder.node("Op", [], outputs, name=name)
    assert builder.build().node(0).title == title


def nested() -> Graph:
    """top ─┬─ then ── inner
    └─ else"""
    inner = GraphBuilder("inner").build()
    then = GraphBuilder("then", subgraphs=[Subgraph(0, "body", inner)])
    then.node("Loop", [], [])
    top = GraphBuilder("top", subgraphs=[Subgraph(1, "then", then.build()), Subgraph(1, "else", graph_of([], "else"))])
    top.node("Op", [], [])
    top.node("If", [], [])
    return top.build()


def test_walk_visits_each_graph_with_the_way_to_it() -> None:
    assert [(path, graph.name) for path, graph in nested().walk()] == [
        ((), "top"),
        ((0,), "then"),
        ((0, 0), "inner"),
        ((1,), "else"),
    ]


def test_at_finds_what_walk_found() -> None:
    top = nested()
    assert all(top.at(path) is graph for path, graph in top.walk())


def test_a_node_knows_its_bodies() -> None:
    assert [node.subgraphs for node in nested().nodes()] == [(), (0, 1)]


def test_a_model_lists_the_problems_of_all_its_graphs() -> None:
    body = graph_of([(["gone"], [])], "body")
    top = GraphBuilder("top", subgraphs=[Subgraph(0, "body", body)])
    top.node("Loop", ["missing"], [])
    function = Function("custom", "Twice", graph_of([(["lost"], [])], "Twice"))
    model = Model(Path("m.onnx"), "onnx", top.build(), functions=(function,))
    assert [problem.where for problem in model.problems] == ["top", "body", "Twice"]


def test_a_graph_without_weights_says_so() -> None:
    graph = graph_of([])
    assert graph.weights is NO_WEIGHTS
    assert graph.weights.names() == ()
    with pytest.raises(KeyError):
        graph.weights.info("w")
    with pytest.raises(KeyError):
        graph.weights.read("w")


def test_attributes_are_asked_for_one_node_at_a_time() -> None:
    builder = GraphBuilder(attributes=lambda node: {"number": node})
    builder.node("Op", [], [])
    builder.node("Op", [], [])
    assert [dict(node.attributes) for node in builder.build().nodes()] == [{"number": 0}, {"number": 1}]
    assert no_attributes(0) == {}


def test_a_graph_cannot_be_changed() -> None:
    graph = graph_of([(["a"], ["b"])])
    with pytest.raises(AttributeError):
        graph.name = "other"  # type: ignore[misc]  # that it is refused is the point
    for column in (graph.producers, graph.node_inputs.values, graph.op_types.codes):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 7


def test_no_name_is_the_name_of_no_node() -> None:
    builder = GraphBuilder()
    builder.node("Relu", ["x"], ["y"])
    assert builder.build().node_index("") is None


@given(NODES)
def test_a_title_is_that_of_the_node(nodes: list[tuple[list[str], list[str]]]) -> None:
    builder = GraphBuilder()
    for number, (reads, makes) in enumerate(nodes):
        builder.node("Op", reads, makes, name=f"n{number}" if number % 2 else "")
    graph = builder.build()
    assert [graph.title(node.index) for node in graph.nodes()] == [node.title for node in graph.nodes()]
