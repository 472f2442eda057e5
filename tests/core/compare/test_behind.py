"""What was not measured is found behind nodes that only convert."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.compare.placed import behind
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph, Subgraph
from errorflow.graph.quiet import CONVERSIONS

# Type, what it reads, what it makes; w… are constants.
Step = tuple[str, str, str]
QDQ: tuple[Step, ...] = (
    ("Conv", "x w", "conv"),
    ("QuantizeLinear", "conv w", "codes"),
    ("DequantizeLinear", "codes w", "y"),
    ("Relu", "y", "z"),
)


def graph_of(*steps: Step, outputs: str = "z", types: dict[str, str] | None = None) -> Graph:
    builder = GraphBuilder()
    builder.input("x")
    for name, dtype in ({} if types is None else types).items():
        builder.tensor(name, dtype=dtype)
    for name in sorted({name for _, read, _ in steps for name in read.split() if name.startswith("w")}):
        builder.constant(name)
    for number, (op_type, read, made) in enumerate(steps):
        builder.node(op_type, read.split(), made.split(), name=f"n{number}")
    for name in outputs.split():
        builder.output(name)
    return builder.build()


def named(graph: Graph, *measured: str) -> dict[str, str]:
    known = [graph.tensor_names.index(name) for name in measured]
    return {graph.tensor_names[here]: graph.tensor_names[there] for here, there in behind(graph, known).items()}


def test_what_is_rounded_to_codes_and_back_is_found_behind_both() -> None:
    assert named(graph_of(*QDQ), "y") == {"conv": "y", "codes": "y"}


@pytest.mark.parametrize("op_type", sorted(CONVERSIONS))
def test_each_conversion_is_passed(op_type: str) -> None:
    graph = graph_of(("Conv", "x", "a"), (op_type, "a", "b"), ("Relu", "b", "z"))
    assert named(graph, "b") == {"a": "b"}


@pytest.mark.parametrize("op_type", ["Relu", "Reshape", "MaxPool", "QLinearConv"])
def test_what_computes_or_moves_values_is_not(op_type: str) -> None:
    graph = graph_of(("Conv", "x", "a"), (op_type, "a", "b"), ("Relu", "b", "z"))
    assert named(graph, "b") == {}


def test_what_was_measured_itself_stays_so_and_the_first_one_behind_counts() -> None:
    assert named(graph_of(*QDQ), "codes", "y") == {"conv": "codes"}
    assert named(graph_of(*QDQ), "conv", "y") == {"codes": "y"}


def test_a_value_that_somebody_computes_on_unrounded_is_not_what_is_behind() -> None:
    assert named(graph_of(*QDQ, ("Sigmoid", "conv", "s")), "y") == {"codes": "y"}


def test_an_output_of_the_model_is_not_what_is_behind() -> None:
    assert named(graph_of(*QDQ, outputs="z conv"), "y") == {"codes": "y"}


def test_constants_are_not_what_is_behind() -> None:
    graph = graph_of(("DequantizeLinear", "w w2", "v"), ("Conv", "x v", "z"))
    assert named(graph, "v") == {}


def test_a_scale_is_not_the_value() -> None:
    graph = graph_of(("Conv", "x", "a"), ("DynamicScale", "a", "s"), ("QuantizeLinear", "x s", "b"), ("Relu", "b", "z"))
    assert named(graph, "b") == {}


def test_of_several_readers_each_with_its_own_pair_the_first_that_was_measured_counts() -> None:
    steps = (*QDQ[:2], *(("DequantizeLinear", "codes w", made) for made in ("d0", "d1", "d2")))
    graph = graph_of(*steps, ("Concat", "d0 d1 d2", "z"))
    assert named(graph, "d1", "d2") == {"conv": "d1", "codes": "d1"}


@pytest.mark.parametrize(
    ("types", "found"),
    [({}, True), ({"b": "float16"}, True), ({"b": "bfloat16"}, True), ({"b": "int64"}, False), ({"b": "bool"}, False)],
)
def test_a_cast_keeps_the_value_only_where_it_makes_real_numbers(types: dict[str, str], found: bool) -> None:
    graph = graph_of(("Conv", "x", "a"), ("Cast", "a", "b"), ("Relu", "b", "z"), types=types)
    assert bool(named(graph, "b")) is found


@pytest.mark.parametrize(("to", "found"), [(1, True), (10, True), (16, True), (7, False), (9, False), (3, False)])
def test_where_the_file_says_no_type_a_cast_says_it_itself(to: int, found: bool) -> None:
    graph = graph_of(("Conv", "x", "a"), ("Cast", "a", "b"), ("Relu", "b", "z"))
    asked = replace(graph, attributes=lambda node: {"to": to} if node == 1 else {})
    assert bool(named(asked, "b")) is found


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_what_a_body_reads_is_computed_on(depth: int) -> None:
    inner = GraphBuilder()
    inner.node("Neg", ["conv"], ["negative"])
    inner.output("negative")
    body = inner.build()
    for _ in range(depth - 1):
        around = GraphBuilder()
        around.subgraphs.append(Subgraph(around.node("If", [], ["negative"]), "body", body))
        body = around.build()
    builder, owner = GraphBuilder(), -1
    builder.input("x")
    for op_type, read, made in (("Conv", "x", "conv"), ("QuantizeLinear", "conv", "q"), ("Relu", "q", "z")):
        owner = builder.node(op_type, [read], [made], name=made)
    builder.subgraphs.append(Subgraph(owner, "body", body))
    builder.output("z")
    assert named(builder.build(), "q") == {}


@given(st.lists(st.sampled_from(("Cast", "QuantizeLinear", "Relu")), min_size=1, max_size=12), st.data())
def test_in_a_chain_everything_up_to_the_last_computation_is_found(kinds: list[str], data: st.DataObject) -> None:
    steps = [(kind, f"t{at}" if at else "x", f"t{at + 1}") for at, kind in enumerate(kinds)]
    last = len(kinds)
    measured = data.draw(st.integers(1, last))
    graph = graph_of(*steps, ("Relu", f"t{last}", "z"))
    expected = {}
    for at in range(measured - 1, -1, -1):
        if kinds[at] == "Relu":
            break
        expected[f"t{at}" if at else "x"] = f"t{measured}"
    assert named(graph, f"t{measured}") == expected
