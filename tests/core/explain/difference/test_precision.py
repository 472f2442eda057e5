"""What was requested and what was effective, only as far as files say so."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from errorflow.compare.model import Comparison, Row
from errorflow.explain.difference.link import link
from errorflow.explain.difference.precision import NodePrecision, NodePrecisions, RecordedPrecision, command_of
from errorflow.explain.findings.model import Findings
from errorflow.formats.amct.record import LayerRecord, ScaleRecord
from errorflow.graph.build import GraphBuilder
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph, Model, Origin
from errorflow.graph.qparams import QParams

Step = tuple[str, str, str]
QDQ: tuple[Step, ...] = (
    ("QuantizeLinear", "x", "xq"),
    ("DequantizeLinear", "xq", "xd"),
    ("Conv", "xd", "c"),
    ("Relu", "c", "r"),
    ("QuantizeLinear", "r", "rq"),
    ("DequantizeLinear", "rq", "y"),
    ("Softmax", "y", "z"),
)
COMPILED: tuple[Step, ...] = (
    ("Data", "", "x"),
    ("AscendQuant", "x", "xq"),
    ("Conv2D", "xq", "c"),
    ("AscendDequant", "c", "y"),
    ("SoftmaxV2", "y", "z"),
    ("NetOutput", "z", ""),
)
CODES: Mapping[str, str] = {"xq": "int8", "rq": "int8", "c": "int32", "x": "float32", "y": "float16", "z": "float16"}


def graph_of(steps: tuple[Step, ...], types: Mapping[str, str] | None = None, **origins: str) -> Graph:
    builder = GraphBuilder()
    if steps[0][0] != "Data":
        builder.input("x")
    for name, dtype in (types if types is not None else {}).items():
        origin = Origin(name, dtype=origins[name]) if name in origins else None
        builder.tensor(name, dtype=dtype, origin=origin)
    for op_type, read, made in steps:
        builder.node(op_type, read.split(), made.split(), name=f"{op_type}_{made}")
    return builder.build()


def told(graph: Graph, name: str, known: RecordedPrecision | None = None, **ran: str) -> NodePrecision:
    """Of the node that makes a tensor; `ran` are types of the candidate's run."""
    rows = (
        Row(tensor, TensorInfo(tensor, "float32", (1,), 4), TensorInfo(tensor, dtype, (1,), 4))
        for tensor, dtype in ran.items()
    )
    tensor = graph.tensor_index(name)
    assert tensor is not None
    known = RecordedPrecision("the.json") if known is None else known
    findings = Findings.of(graph, Comparison(tuple(rows)))
    return NodePrecisions(graph, known, findings).of(int(graph.producers[tensor]))


def texts(found: NodePrecision) -> tuple[tuple[str, str] | None, tuple[str, str] | None, bool]:
    sides = (None if said is None else (said.dtype, said.by) for said in (found.requested, found.effective))
    return (*sides, found.differs)  # type: ignore[return-value]  # two of them


PAIRS = "QuantizeLinear and DequantizeLinear in the.json"


def test_pairs_around_a_node_ask_for_codes() -> None:
    graph = graph_of(QDQ, {"xq": "uint8"})
    assert texts(told(graph, "c")) == (("uint8", PAIRS), None, False)
    assert told(graph, "r") == told(graph, "z") == NodePrecision()  # inside of the pairs, and without one behind it


@pytest.mark.parametrize(
    ("asked", "codes"), [({}, "uint8"), ({"output_dtype": 3}, "int8"), ({"output_dtype": 17}, "float8e4m3fn")]
)
def test_codes_without_a_zero_point_are_what_their_maker_says(asked: dict[str, int], codes: str) -> None:
    graph = replace(graph_of(QDQ), attributes=lambda node: asked if node == 0 else {})
    assert texts(told(graph, "c")) == ((codes, PAIRS), None, False)


def test_codes_of_which_nobody_says_the_type_are_not_guessed_at() -> None:
    steps = (("Split", "x", "xq"), *QDQ[1:])
    assert told(graph_of(steps), "c") == NodePrecision()


@pytest.mark.parametrize(
    ("types", "codes"),
    [({"a": "uint8"}, "uint8"), ({"az": "uint8"}, "uint8"), ({"y": "int8"}, None), ({}, None)],
    ids=["what it reads", "its zero point", "what it makes alone", "nothing"],
)
def test_a_quantized_operator_computes_in_the_codes_that_it_is_said_to_read(
    types: dict[str, str], codes: str | None
) -> None:
    graph = graph_of((("QLinearAdd", "a as az b bs bz ys yz", "y"),), types)
    assert texts(told(graph, "y"))[0] == (None if codes is None else (codes, "the.json"))


def test_a_simulation_in_float32_is_no_effect() -> None:
    assert told(graph_of(QDQ, {"xq": "int8"}), "c", c="float32").effective is None


def test_a_run_that_holds_float16_was_not_in_codes() -> None:
    found = told(graph_of(QDQ, {"xq": "int8"}), "c", c="float16")
    assert texts(found) == (("int8", PAIRS), ("float16", "the candidate's run"), True)


@pytest.mark.parametrize(
    ("reads", "effective", "differs"), [("xq", "int8", False), ("x", "float16", True)], ids=["folded", "left in float"]
)
def test_the_compiled_graph_says_whether_pairs_were_folded(reads: str, effective: str, differs: bool) -> None:
    mine = graph_of(QDQ, {"xq": "int8"})
    made = tuple(("Conv2D", reads, "c") if step[0] == "Conv2D" else step for step in COMPILED)
    compiled = graph_of(made, CODES if reads == "xq" else {**CODES, "c": "float16", "x": "float16"})
    links = link(mine, compiled)
    found = told(mine, "c", RecordedPrecision("the.json", links=links, other_name="compiled.json"))
    assert texts(found) == (("int8", PAIRS), (effective, "compiled.json"), differs)


def test_the_compiled_graph_is_asked_by_the_quantized_one_too() -> None:
    mine, quantized = graph_of(COMPILED, CODES), graph_of(QDQ, {"xq": "int8"})
    found = told(mine, "c", RecordedPrecision("the.json", links=link(quantized, mine), other_name="int8.onnx"))
    assert texts(found) == (("int8", "QuantizeLinear and DequantizeLinear in int8.onnx"), ("int8", "the.json"), False)


def test_codes_that_were_compiled_are_not_undone_by_what_the_run_holds_behind_them() -> None:
    mine, compiled = graph_of(QDQ, {"xq": "int8"}), graph_of(COMPILED, CODES)
    known = RecordedPrecision("the.json", links=link(mine, compiled), other_name="compiled.json")
    assert texts(told(mine, "c", known, c="float16")) == (("int8", PAIRS), ("int8", "compiled.json"), False)


def test_codes_with_a_sign_and_without_are_as_precise() -> None:
    mine, compiled = graph_of(QDQ, {"xq": "uint8"}), graph_of(COMPILED, CODES)
    found = told(mine, "c", RecordedPrecision("the.json", links=link(mine, compiled), other_name="compiled.json"))
    assert texts(found) == (("uint8", PAIRS), ("int8", "compiled.json"), False)


def test_of_a_compiled_graph_alone_the_run_says_what_was_done() -> None:
    graph = graph_of(COMPILED, CODES)
    assert texts(told(graph, "z")) == (("float16", "the.json"), None, False)
    assert texts(told(graph, "z", z="float32")) == (("float16", "the.json"), ("float32", "the candidate's run"), True)
    # What is made of codes is summed up in longer ones, which says nothing against them.
    assert texts(told(graph, "c", c="int32")) == (("int8", "the.json"), None, False)


@pytest.mark.parametrize(
    ("option", "asked"),
    [
        ("--precision_mode=must_keep_origin_dtype", "float32"),
        ("--precision_mode=force_fp16", "float16"),
        ("--precision_mode_v2=origin", "float32"),
        ("--precision_mode=allow_mix_precision", None),
        ("", None),
    ],
)
def test_the_command_of_the_compiler_asks_for_a_type(option: str, asked: str | None) -> None:
    graph = graph_of(COMPILED, CODES, z="float32")
    known = RecordedPrecision("the.json", command=f"atc --model=a.onnx {option} --output=a")
    found = told(graph, "z", known)
    if asked is None:
        assert texts(found) == (("float16", "the.json"), None, False)
        return
    said = f"{option}, with which the.json was compiled"
    assert texts(found) == ((asked, said), ("float16", "the.json"), asked != "float16")


def test_options_are_shown_as_they_are_written() -> None:
    command = "atc --precision_mode='allow_mix_precision' --keep_dtype=keep.cfg --output=a"
    found = NodePrecisions(graph_of(COMPILED), RecordedPrecision(command=command)).options
    assert found == (("precision_mode", "allow_mix_precision"), ("keep_dtype", "keep.cfg"))


def test_the_record_asks_for_the_codes_that_it_has_scales_for() -> None:
    graph = graph_of(COMPILED, {**CODES, "xq": "float16"})
    layer = LayerRecord("Conv2D_c", activation=QParams((0.1,)))
    known = RecordedPrecision("the.json", record=ScaleRecord({layer.key: layer}), record_name="record.txt")
    assert texts(told(graph, "c", known, c="float16")) == (
        ("int8", "record.txt"),
        ("float16", "the candidate's run"),
        True,
    )


@pytest.mark.parametrize("name", ["xq", "x", "y"])
def test_nothing_is_asked_of_what_converts_or_stands_for_a_border(name: str) -> None:
    assert told(graph_of(COMPILED, CODES), name, None, **{name: "int8"}) == NodePrecision()


def test_a_model_says_how_it_was_compiled() -> None:
    made = Model(Path("a.json"), "ATC JSON", graph_of(COMPILED), (("ATC command", "atc --x"),))
    assert (command_of(made), command_of(Model(Path("a.onnx"), "ONNX model", graph_of(QDQ)))) == ("atc --x", "")
