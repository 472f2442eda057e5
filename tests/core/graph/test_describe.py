from pathlib import Path

import pytest

from errorflow.graph.build import GraphBuilder
from errorflow.graph.describe import (
    Fact,
    facts,
    shape_text,
    size_text,
    summary,
    tensor_text,
    value_text,
    without_made_up,
)
from errorflow.graph.model import Model, Shape, Tensor


@pytest.fixture
def model() -> Model:
    builder = GraphBuilder("net")
    builder.tensor("x", dtype="float32", shape=(1, "N", None))
    builder.input("x")
    builder.node("Relu", ["x"], ["y"], name="act")
    builder.node("Relu", ["y"], ["z"], name="act2")
    builder.node("Add", ["z", "ghost"], ["out"])
    builder.output("out")
    return Model(Path("folder/net.onnx"), "ONNX model", builder.build(), facts=(("Producer", "hand"),))


@pytest.mark.parametrize(
    ("shape", "text"), [(None, "?"), ((), "scalar"), ((1, 3, 224), "1×3×224"), ((1, "N", None), "1×N×?")]
)
def test_a_shape_reads_as_people_write_it(shape: Shape, text: str) -> None:
    assert shape_text(shape) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (1_200_000_000, "1.2 GB"), (10**16, "1e+04 TB")],
)
def test_a_size_has_a_unit(count: int, text: str) -> None:
    assert size_text(count) == text


@pytest.mark.parametrize(
    ("tensor", "text"),
    [
        (Tensor("t", "float16", (1, 2)), "float16 1×2"),
        (Tensor("t", "float16"), "float16"),
        (Tensor("t", shape=(2,)), "2"),
        (Tensor("t"), "?"),
    ],
)
def test_a_tensor_says_what_is_known(tensor: Tensor, text: str) -> None:
    assert tensor_text(tensor) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (3, "3"),
        (0.1, "0.1"),
        ("same", "same"),
        ((1, 2), "[1, 2]"),
        ({"a": (1,)}, "{a: [1]}"),
        (b"\x01\xff", "2 bytes: 01 ff"),
    ],
)
def test_an_attribute_is_readable(value: object, text: str) -> None:
    assert value_text(value) == text


def test_a_long_attribute_is_cut() -> None:
    assert len(value_text(tuple(range(100_000)), limit=200)) <= 201


def test_facts_name_nodes_operators_and_problems(model: Model) -> None:
    rows = facts(model)

    assert Fact("Graph", "Nodes", "3") in rows
    assert Fact("Operators", "Relu", "2") in rows
    assert Fact("Inputs", "x", "float32 1×N×?") in rows
    assert Fact("Model", "Producer", "hand") in rows
    assert any(row.section == "Problems" and "ghost" in row.value for row in rows)


def test_the_summary_holds_plain_values(model: Model) -> None:
    import json

    data = json.loads(json.dumps(summary(model)))

    assert data["graph"]["operators"] == {"Relu": 2, "Add": 1}
    assert data["graph"]["inputs"] == [{"name": "x", "dtype": "float32", "shape": [1, "N", None]}]
    assert data["problems"][0]["text"].startswith("1 tensor is read but made nowhere")


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (None, None),
        ((), ()),
        ((1, 3), (1, 3)),
        (("unk__0", 3, "unk_7", "unknown_12", "unk3"), (None, 3, None, None, None)),
        (("batch", "N", "unk", "unk__0_width", "s0"), ("batch", "N", "unk", "unk__0_width", "s0")),
        (("DynamicDimension.0", "floor(unk__0/2)", "floor(H/2)"), (None, None, "floor(H/2)")),
        (("past_sequence_length + 1", "floor(floor(H/2 - 1/2)/2 + 1/2) + 1"), ("past_sequence_length + 1", None)),
    ],
)
def test_sizes_that_a_program_numbered_are_not_known(shape: Shape, expected: Shape) -> None:
    assert without_made_up(shape) == expected
