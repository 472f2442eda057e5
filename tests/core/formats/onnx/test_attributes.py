"""What a node's attributes are decoded to, and that nothing in them can stop a node from being shown."""

from collections.abc import Callable

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import AttributeProto, TensorProto, helper

from errorflow.formats.onnx.attributes import BrokenValue, GraphValue, OnnxNodeAttributes, TensorValue, TypeValue
from errorflow.formats.wire import encode_bytes
from errorflow.graph.describe import value_text
from errorflow.graph.model import Model
from onnx_models import graph, model, relu, value, weight

Reads = Callable[..., Model]
TYPE = helper.make_tensor_type_proto(TensorProto.FLOAT, ["N", 3])
SPARSE = helper.make_sparse_tensor(weight("", np.array([1.0])), weight("", np.array([0])), [4])
BODY = graph(relu(), relu("y", "z"), name="body")


def of(reads: Reads, *attributes: AttributeProto) -> dict[str, object]:
    """What the attributes of a node are read as."""
    node = helper.make_node("Mine", ["x"], ["y"], domain="mine")
    node.attribute.extend(attributes)
    return dict(reads(model(graph(node, inputs=[value("x")]), {"": 17, "mine": 1})).graph.attributes(0))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (3, 3),
        (-3, -3),
        (2**62, 2**62),
        (0.5, 0.5),
        (0.1, 0.1),
        (1e-20, 1e-20),
        (float("inf"), float("inf")),
        ("text", "text"),
        ("", ""),
        ("café", "café"),
        (b"\xff\xfe", b"\xff\xfe"),
        ([1, -2, 3], (1, -2, 3)),
        ([0.1, 0.25], (0.1, 0.25)),
        (["a", b"\xff"], ("a", b"\xff")),
        (weight("", np.array([[1, 2], [3, 4]])), TensorValue("int64", (2, 2), (1, 2, 3, 4))),
        (weight("", np.array(0.1, np.float32)), TensorValue("float32", (), (0.1,))),
        (weight("", np.array(["a", "b"], object)), TensorValue("string", (2,), ("a", "b"))),
        (weight("", np.zeros((20, 20))), TensorValue("float64", (20, 20))),
        (weight("", np.zeros((100, 100))), TensorValue("float64", (100, 100))),
        ([weight("", np.array([True]))], (TensorValue("bool", (1,), (True,)),)),
        (SPARSE, TensorValue("sparse(float64)", (4,))),
        ([SPARSE], (TensorValue("sparse(float64)", (4,)),)),
        (BODY, GraphValue("body", 2)),
        ([BODY, BODY], (GraphValue("body", 2), GraphValue("body", 2))),
        (TYPE, TypeValue("float32", ("N", 3))),
        ([TYPE], (TypeValue("float32", ("N", 3)),)),
    ],
    ids=lambda case: str(case)[:30].replace("\n", " "),
)
def test_every_kind_of_value(written: object, expected: object, reads: Reads) -> None:
    assert of(reads, helper.make_attribute("a", written)) == {"a": expected}


@pytest.mark.parametrize("kind", [kind for kind in AttributeProto.AttributeType.values() if kind])
def test_a_type_without_a_value_is_shown_as_empty(kind: int, reads: Reads) -> None:
    found = of(reads, AttributeProto(name="a", type=kind))  # type: ignore[arg-type]  # onnx says enum, protobuf int

    assert found["a"] in (0, 0.0, "", (), None, TensorValue("", None))


@pytest.mark.parametrize("number", [1.5, 3, "text", [1.5], [3], ["text"], weight("", np.array([1.0])), BODY])
def test_the_first_version_of_onnx_had_no_types(number: object, reads: Reads) -> None:
    typed = helper.make_attribute("a", number)
    untyped = AttributeProto.FromString(typed.SerializeToString())
    untyped.ClearField("type")

    assert of(reads, untyped) == of(reads, typed)


def test_infinite_and_undefined_floats(reads: Reads) -> None:
    found = of(reads, helper.make_attribute("a", [float("nan"), float("-inf")]))["a"]

    assert str(found) == "(nan, -inf)"


def test_lists_may_be_packed(reads: Reads) -> None:
    floats = encode_bytes(1, b"f") + b"\xa0\x01\x06" + encode_bytes(7, np.array([0.5, 1.5], "<f4").tobytes())
    ints = encode_bytes(1, b"i") + b"\xa0\x01\x07" + encode_bytes(8, b"\x01\x02\x03")

    found = of(reads, AttributeProto.FromString(floats), AttributeProto.FromString(ints))
    data = encode_bytes(5, floats) + encode_bytes(5, ints)
    packed = OnnxNodeAttributes(data, np.array([0]), np.array([len(data)]), {})(0)
    assert found == packed == {"f": (0.5, 1.5), "i": (1, 2, 3)}


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([0.5] * 20_000, "tensor float32 20000"),
        ([7] * 20_000, "tensor int64 20000"),
        (["a"] * 20_000, "tensor string 20000"),
        ([0.5] * 200_000, "tensor float32 ?"),
        ([7] * 200_000, "tensor int64 ?"),
        (["a"] * 200_000, "tensor string ?"),
    ],
    ids=["floats", "ints", "texts", "many floats", "many ints", "many texts"],
)
def test_long_lists_are_described(values: list[object], shown: str, reads: Reads) -> None:
    assert str(of(reads, helper.make_attribute("a", values))["a"]) == shown


def test_values_are_text_for_people(reads: Reads) -> None:
    found = of(
        reads,
        helper.make_attribute("tensor", weight("", np.array([1.5, 2.5], np.float32))),
        helper.make_attribute("scalar", weight("", np.array(3))),
        helper.make_attribute("graph", BODY),
        helper.make_attribute("type", TYPE),
    )

    assert {name: value_text(item) for name, item in found.items()} == {
        "tensor": "tensor float32 2: 1.5, 2.5",
        "scalar": "tensor int64 scalar: 3",
        "graph": "graph body of 2 nodes",
        "type": "float32[N, 3]",
    }


class TestBesideTheAttributes:
    def test_metadata_is_told_apart_by_its_prefix(self, reads: Reads) -> None:
        node = relu()
        node.metadata_props.add(key="pkg.torch.onnx.name_scopes", value="['', 'fc', 'relu']")
        node.doc_string, node.overload = "Where it comes from.", "fast"

        assert reads(model(graph(node, inputs=[value("x")]))).graph.node(0).attributes == {
            "node.doc_string": "Where it comes from.",
            "node.overload": "fast",
            "metadata.pkg.torch.onnx.name_scopes": "['', 'fc', 'relu']",
        }

    def test_one_entry_of_all_nodes_at_once(self, reads: Reads) -> None:
        nodes = [relu(f"t{i}", f"t{i + 1}") for i in range(4)]
        nodes[1].metadata_props.add(key="scope", value="a")
        nodes[3].metadata_props.add(key="other", value="scope")
        nodes[3].metadata_props.add(key="scope", value="b")
        found = reads(model(graph(*nodes, inputs=[value("t0")]))).graph.attributes

        assert isinstance(found, OnnxNodeAttributes)
        assert found.metadata("scope") == {1: "a", 3: "b"}
        assert found.metadata("nothing") == {}


class TestBroken:
    @pytest.mark.parametrize(
        ("stored", "reason"),
        [
            (encode_bytes(1, b"a") + b"\xa0\x01\x04" + encode_bytes(5, b"\x09"), "beyond"),
            (
                encode_bytes(1, b"a") + b"\xa0\x01\x04" + encode_bytes(5, b"\x08\x03\x10\x01\x4a\x01x"),
                "12 bytes, and 1 are",
            ),
            (encode_bytes(1, b"a") + b"\xa0\x01\x05" + encode_bytes(6, b"\x0a\x7f"), "beyond"),
            (encode_bytes(1, b"a") + b"\xa0\x01\x06" + encode_bytes(7, b"abc"), "cut off"),
        ],
        ids=["tensor", "values", "graph", "floats"],
    )
    def test_one_attribute_does_not_hide_the_others(self, stored: bytes, reason: str) -> None:
        data = encode_bytes(5, stored) + encode_bytes(5, helper.make_attribute("b", 3).SerializeToString())
        found = OnnxNodeAttributes(data, np.array([0]), np.array([len(data)]), {})(0)

        assert isinstance(found["a"], BrokenValue)
        assert reason in str(found["a"])
        assert found["b"] == 3

    def test_a_node_that_breaks_off_keeps_what_came_before(self) -> None:
        data = encode_bytes(5, helper.make_attribute("b", 3).SerializeToString()) + b"\x2a\x7f"
        attributes = OnnxNodeAttributes(data, np.array([0]), np.array([len(data)]), {})

        assert attributes(0)["b"] == 3
        assert isinstance(attributes(0)["node.rest"], BrokenValue)

    def test_metadata_of_a_broken_node_is_left_out(self) -> None:
        data = encode_bytes(9, encode_bytes(1, b"scope")) + b"\x4a\x7f"

        assert OnnxNodeAttributes(data, np.array([0]), np.array([len(data)]), {}).metadata("scope") == {}


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=120), st.sampled_from(sorted(AttributeProto.AttributeType.values())))
def test_any_bytes_can_be_shown(noise: bytes, kind: int) -> None:
    start = AttributeProto(name="a", type=kind).SerializeToString()  # type: ignore[arg-type]  # onnx says enum, protobuf int
    data = encode_bytes(5, start + noise)

    assert all(
        isinstance(str(item), str)
        for item in OnnxNodeAttributes(data, np.array([0]), np.array([len(data)]), {})(0).values()
    )


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 400))
def test_spoiled_attributes_can_be_shown(noise: bytes, at: int) -> None:
    node = onnx.NodeProto(
        attribute=[helper.make_attribute(str(i), item) for i, item in enumerate((1, [2.5], ["a"], BODY, TYPE, SPARSE))]
    )
    written = node.SerializeToString()
    data = written[:at] + noise + written[at + len(noise) :]

    assert all(
        isinstance(str(item), str)
        for item in OnnxNodeAttributes(data, np.array([0]), np.array([len(data)]), {})(0).values()
    )
