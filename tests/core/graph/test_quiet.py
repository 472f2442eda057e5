"""The graph without nodes that only convert a value."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph, Subgraph
from errorflow.graph.quiet import NOISE, Quiet, quiet


def quantized() -> Graph:
    """x → Q → DQ → Conv (weights through a DQ) → Q → DQ → y."""
    builder = GraphBuilder()
    builder.input("x")
    for name in ("scale", "w"):
        builder.constant(name)
    builder.node("QuantizeLinear", ["x", "scale"], ["xq"], name="q")
    builder.node("DequantizeLinear", ["xq", "scale"], ["xd"], name="dq")
    builder.node("DequantizeLinear", ["w", "scale"], ["wd"], name="dq_w")
    builder.node("Conv", ["xd", "wd"], ["c"], name="conv")
    builder.node("QuantizeLinear", ["c", "scale"], ["cq"], name="q2")
    builder.node("DequantizeLinear", ["cq", "scale"], ["y"], name="dq2")
    builder.output("y")
    return builder.build()


def stand_in(found: Quiet, graph: Graph, name: str) -> str:
    node = graph.node_index(name)
    assert node is not None
    return found.graph.node_names[int(found.stand_ins[node])]


def test_only_what_computes_is_left() -> None:
    found = quiet(quantized()).graph
    assert found.node_names == ("conv",)
    assert found.node(0).inputs == ("x", "w")


def test_an_output_of_the_graph_keeps_its_name() -> None:
    found = quiet(quantized()).graph
    assert found.node(0).outputs == ("y",)
    assert found.producers[found.outputs[0]] == 0


def test_tensors_keep_their_numbers() -> None:
    graph = quantized()
    assert quiet(graph).graph.tensor_names == graph.tensor_names


def test_a_node_that_is_gone_is_represented_by_where_its_value_comes_from_or_goes_to() -> None:
    graph = quantized()
    found = quiet(graph)
    assert [stand_in(found, graph, name) for name in ("conv", "q2", "dq2", "q", "dq", "dq_w")] == ["conv"] * 6
    assert found.nodes.tolist() == [graph.node_index("conv")]


def test_two_outputs_of_one_value_stay_two() -> None:
    builder = GraphBuilder()
    builder.input("x")
    builder.node("Relu", ["x"], ["a"], name="relu")
    builder.node("Cast", ["a"], ["b"], name="cast")
    for name in ("a", "b"):
        builder.output(name)
    assert quiet(builder.build()).graph.node_names == ("relu", "cast")


def test_an_input_that_is_only_converted_stays_apart_from_the_output() -> None:
    builder = GraphBuilder()
    builder.input("x")
    builder.node("Cast", ["x"], ["y"], name="cast")
    builder.output("y")
    assert quiet(builder.build()).graph.node_names == ("cast",)


def test_a_conversion_that_depends_on_another_value_stays() -> None:
    builder = GraphBuilder()
    builder.input("x")
    builder.node("Shape", ["x"], ["s"], name="shape")
    builder.node("Reshape", ["x", "s"], ["r"], name="reshape")
    builder.node("Relu", ["r"], ["y"], name="relu")
    builder.output("y")
    assert quiet(builder.build()).graph.node_names == ("shape", "reshape", "relu")


def test_a_circle_of_conversions_stays() -> None:
    builder = GraphBuilder()
    builder.node("Cast", ["b"], ["a"], name="one")
    builder.node("Cast", ["a"], ["b"], name="two")
    builder.node("Relu", ["a"], ["y"], name="relu")
    assert set(quiet(builder.build()).graph.node_names) == {"one", "two", "relu"}


def test_what_waits_for_a_node_and_what_it_runs_inside_stay_with_it() -> None:
    builder = GraphBuilder()
    builder.input("x")
    builder.node("Cast", ["x"], ["a"], name="cast")
    builder.node("Relu", ["a"], ["b"], name="relu")
    owner = builder.node("If", ["b"], ["c"], name="if", waits_for=("relu", "cast"))
    builder.subgraphs.append(Subgraph(owner, "then_branch", GraphBuilder("then").build()))
    builder.output("c")
    found = quiet(builder.build()).graph
    assert found.node(1).waits_for == ("relu",)
    assert found.node(1).subgraphs == (0,)


def test_attributes_are_those_of_the_node() -> None:
    builder = GraphBuilder(attributes=lambda node: {"number": node})
    builder.input("x")
    builder.node("Cast", ["x"], ["a"])
    builder.node("Relu", ["a"], ["b"])
    assert quiet(builder.build()).graph.node(0).attributes == {"number": 1}


def test_an_empty_graph_stays_empty() -> None:
    assert len(quiet(GraphBuilder().build()).graph) == 0


@given(
    st.lists(
        st.tuples(
            st.sampled_from([*sorted(NOISE)[:3], "Relu", "Add"]),
            st.lists(st.integers(0, 14), max_size=2),
            st.integers(0, 14),
        ),
        max_size=14,
    ),
    st.lists(st.integers(0, 14), max_size=3),
)
@example([("Cast", [], 0), ("Cast", [1], 0)], [0, 1])  # made twice
def test_any_graph_becomes_a_whole_one(nodes: "list[tuple[str, list[int], int]]", outputs: list[int]) -> None:
    builder = GraphBuilder()
    builder.input("t0")
    for op_type, inputs, output in nodes:
        builder.node(op_type, [f"t{i}" for i in inputs], [f"t{output}"])
    for output in outputs:
        builder.output(f"t{output}")
    graph = builder.build()
    found = quiet(graph)
    small = found.graph
    assert [graph.node_names[node] for node in found.nodes.tolist()] == list(small.node_names)
    assert all(-1 <= other < len(small) for other in found.stand_ins.tolist())
    assert all(found.stand_ins[node] == i for i, node in enumerate(found.nodes.tolist()))
    read = small.node_inputs.values[small.node_inputs.values >= 0]
    made_before = set(graph.node_outputs.values.tolist())
    made_now = set(small.node_outputs.values.tolist())
    assert all(tensor in made_now or tensor not in made_before for tensor in [*read.tolist(), *small.outputs.tolist()])


@pytest.mark.parametrize("op_type", ["Relu", "Conv", "Transpose"])
def test_what_computes_is_no_noise(op_type: str) -> None:
    assert op_type not in NOISE
