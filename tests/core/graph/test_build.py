"""What the builder makes of nodes and tensors, and what it notes about odd ones."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.errors import FormatError
from errorflow.graph import build
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph, Origin, Tensor

NAMES = st.sampled_from(["", "a", "b", "c", "d", "e", "f", "g"])
Links = tuple[list[str], list[str]]
NODES = st.lists(st.tuples(st.lists(NAMES, max_size=3), st.lists(NAMES, max_size=2)), max_size=12)


def graph_of(*nodes: Links, inputs: str = "", outputs: str = "", constants: str = "") -> Graph:
    """A graph of nodes n0, n1, …; the names of its inputs, outputs and constants are separated by spaces."""
    builder = GraphBuilder("test")
    for number, (reads, makes) in enumerate(nodes):
        builder.node("Op", reads, makes, name=f"n{number}")
    for names, add in ((inputs, builder.input), (outputs, builder.output), (constants, builder.constant)):
        for name in names.split():
            add(name)
    return builder.build()


def problems(graph: Graph) -> list[str]:
    return [problem.text for problem in graph.problems]


@given(NODES)
def test_nodes_come_back_as_they_were_given(nodes: list[Links]) -> None:
    graph = graph_of(*nodes)
    assert [(list(node.inputs), list(node.outputs)) for node in graph.nodes()] == nodes


@given(NODES)
def test_the_first_maker_of_a_tensor_is_its_producer(nodes: list[Links]) -> None:
    graph = graph_of(*nodes)
    for index, name in enumerate(graph.tensor_names):
        makers = [number for number, (_, makes) in enumerate(nodes) if name in makes]
        assert graph.producers[index] == (makers[0] if makers else -1)


@given(NODES)
def test_tensors_made_twice_are_noted(nodes: list[Links]) -> None:
    made = [name for _, makes in nodes for name in makes if name]
    twice = {name for name in made if made.count(name) > 1}
    noted = [text for text in problems(graph_of(*nodes)) if "made by more than one node" in text]
    assert bool(noted) == bool(twice)
    assert all(text.startswith(f"{len(twice)} ") for text in noted)


@given(NODES, st.sets(NAMES.filter(bool)), st.sets(NAMES.filter(bool)))
def test_tensors_that_nothing_makes_are_noted(nodes: list[Links], inputs: set[str], outputs: set[str]) -> None:
    made = {name for _, makes in nodes for name in makes} | inputs
    read = {name for reads, _ in nodes for name in reads if name} | outputs
    graph = graph_of(*nodes, inputs=" ".join(inputs), outputs=" ".join(outputs))
    noted = [text for text in problems(graph) if "made nowhere" in text]
    assert bool(noted) == bool(read - made)
    assert all(text.startswith(f"{len(read - made)} ") for text in noted)


def test_a_whole_graph_has_no_problems() -> None:
    graph = graph_of((["x", "w"], ["a"]), (["a", ""], ["y", ""]), inputs="x", constants="w", outputs="y")
    assert problems(graph) == []
    assert [graph.tensor_names[i] for i in graph.inputs] == ["x"]
    assert [graph.tensor_names[i] for i in graph.outputs] == ["y"]
    assert [graph.tensor_names[i] for i in graph.constants] == ["w"]


def test_an_empty_graph_can_be_built() -> None:
    graph = GraphBuilder().build()
    assert (len(graph), graph.tensor_names, graph.problems) == (0, (), ())
    assert [len(column) for column in graph.edges] == [0, 0, 0]


def test_names_given_twice_are_noted_and_the_first_is_found() -> None:
    builder = GraphBuilder()
    for name in ["same", "same", "", "", "other"]:
        builder.node("Op", [], [], name=name)
    graph = builder.build()
    assert problems(graph) == ["1 node name is given more than once: same."]
    assert graph.node_index("same") == 0


def test_a_cycle_is_noted_with_examples() -> None:
    graph = graph_of((["b"], ["a"]), (["a"], ["b"]), (["b"], ["c"]))
    assert problems(graph) == ["2 nodes wait for each other in a cycle: n0, n1."]


def test_a_subgraph_may_read_what_is_outside() -> None:
    builder = GraphBuilder()
    builder.node("Op", ["outer", "gone"], ["a"])
    builder.seen_from_outside(["outer"])
    assert problems(builder.build()) == ["1 tensor is read but made nowhere: gone."]


def test_a_control_edge_to_an_unknown_node_is_noted() -> None:
    builder = GraphBuilder()
    builder.node("Op", [], [], name="first")
    builder.node("Op", [], [], name="second", waits_for=("first", "gone"))
    graph = builder.build()
    assert graph.node(1).waits_for == ("first",)
    assert graph.node(0).waits_for == ()
    assert problems(graph) == ["1 control edge starts at a node that does not exist: gone."]


def test_at_most_three_examples_are_named() -> None:
    graph = graph_of((["a", "b", "c", "d", "e"], []))
    assert problems(graph) == ["5 tensors are read but made nowhere: a, b, c, …"]


def test_a_problem_says_in_which_graph_it_is() -> None:
    assert [problem.where for problem in graph_of((["gone"], [])).problems] == ["test"]


@dataclass(frozen=True)
class Facts:
    """What a reader may know about a tensor."""

    dtype: str
    shape: tuple[int, ...] | None
    layout: str


@given(st.lists(st.builds(Facts, st.sampled_from(["", "f", "i"]), st.sampled_from([None, (), (1, 2)]), st.just("NC"))))
def test_what_is_known_of_a_tensor_only_grows(said: list[Facts]) -> None:
    builder = GraphBuilder()
    builder.tensor("t")
    for facts in said:
        builder.tensor("t", facts.dtype, facts.shape, facts.layout)
    tensor = builder.build().tensor(0)
    assert tensor.dtype == next((facts.dtype for facts in reversed(said) if facts.dtype), "")
    assert tensor.shape == next((facts.shape for facts in reversed(said) if facts.shape is not None), None)


def test_all_that_a_compiler_recorded_is_kept() -> None:
    builder = GraphBuilder()
    wanted = Tensor("t", "float16", (1, 2, 16, 16), "NC1HWC0", "NCHW", (1, 20, 16, 16), Origin("conv", 1, "NCHW", "f"))
    builder.tensor(
        wanted.name,
        wanted.dtype,
        wanted.shape,
        wanted.layout,
        wanted.original_layout,
        wanted.original_shape,
        wanted.origin,
    )
    builder.node("Conv", [], ["t"], origins=("conv", "relu"))
    builder.node("TransData", [], [], origins=())
    graph = builder.build()
    assert graph.tensor(0) == wanted
    assert [node.origins for node in graph.nodes()] == [("conv", "relu"), ()]


def test_more_nodes_than_any_model_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "MAX_NODES", 5)
    builder = GraphBuilder()
    with pytest.raises(FormatError, match="more than 5 nodes"):
        for _ in range(6):
            builder.node("Op", [], [])


def test_more_links_than_any_model_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "MAX_LINKS", 5)
    with pytest.raises(FormatError, match="5 links"):
        GraphBuilder().node("Op", ["a"] * 4, ["b"] * 2)
