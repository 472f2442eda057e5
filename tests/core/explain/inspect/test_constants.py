"""The constant that a node reads, brought back from codes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from errorflow.explain.inspect.constants import channels_of, constant_at, place_in_float, rounded
from errorflow.explain.inspect.tensors import weight
from errorflow.formats import read_model
from errorflow.graph.model import Graph
from errorflow.graph.qparams import QParams
from onnx_models import graph, model, value

CODES = np.arange(-12, 12, dtype=np.int8).reshape(4, 6)
ROW, COLUMN = np.array([0.5, 0.25, 2.0, 1.0], np.float32), np.arange(1, 7, dtype=np.float32)


def opened(folder: Path, nodes: Sequence[onnx.NodeProto], **constants: NDArray[np.generic] | np.generic) -> Graph:
    held = [numpy_helper.from_array(np.asarray(values), name) for name, values in constants.items()]
    made = model(graph(*nodes, inputs=[value("x")], outputs=[value("y")], weights=held), {"": 21})
    onnx.save(made, folder / "m.onnx")
    return read_model(folder / "m.onnx").graph


def product(reads: str) -> onnx.NodeProto:
    return helper.make_node("MatMul", ["x", reads], ["y"], name="product")


def real(found: Graph, place: int = 1) -> NDArray[np.generic] | None:
    """As the node `product` gets it."""
    node = found.node_index("product")
    assert node is not None
    constant = constant_at(found, node, place)
    if constant is None:
        return None
    seen = weight("w", constant.read(), constant.qparams)
    return seen.reference if seen.candidate is None else seen.candidate


def test_a_float_constant_is_as_it_is(tmp_path: Path) -> None:
    found = opened(tmp_path, [product("w")], w=np.array([[1, 2], [3, 4]], np.float32))
    assert np.array_equal(np.asarray(real(found)), [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("scale", "zero", "axis", "expected"),
    [
        (np.float32(0.5), np.int8(3), 1, (CODES.astype(np.float32) - 3) * np.float32(0.5)),
        (ROW, np.zeros(4, np.int8), 0, CODES.astype(np.float32) * ROW[:, None]),
        (ROW, np.zeros(4, np.int8), -2, CODES.astype(np.float32) * ROW[:, None]),
        (
            np.array([1, 2, 3, 4, 5, 6], np.float32),
            None,
            1,
            CODES.astype(np.float32) * np.array([1, 2, 3, 4, 5, 6], np.float32),
        ),
    ],
    ids=["one scale", "per row", "counted from the end", "without zero points"],
)
def test_codes_become_real_by_what_dequantizes_them(
    scale: NDArray[np.float32], zero: NDArray[np.int8] | None, axis: int, expected: NDArray[np.float32], tmp_path: Path
) -> None:
    known: dict[str, NDArray[np.generic]] = {"w": CODES, "scale": scale}
    if zero is not None:
        known["zero"] = np.asarray(zero)
    dequantize = helper.make_node("DequantizeLinear", list(known), ["real"], axis=axis)
    found = opened(tmp_path, [dequantize, product("real")], **known)
    assert np.array_equal(np.asarray(real(found)), expected)


def test_a_float_constant_that_is_rounded_on_the_way_is_rounded(tmp_path: Path) -> None:
    """As models are exported that were trained with rounding."""
    values = np.array([[-300.0, -0.75, 0.26], [0.74, 0.75, 300.0]], np.float32)
    nodes = [
        helper.make_node("QuantizeLinear", ["w", "scale", "zero"], ["codes"]),
        helper.make_node("DequantizeLinear", ["codes", "scale", "zero"], ["real"]),
        product("real"),
    ]
    found = opened(tmp_path, nodes, w=values, scale=np.float32(0.5), zero=np.int8(0))
    assert np.array_equal(np.asarray(real(found)), [[-64.0, -1.0, 0.5], [0.5, 1.0, 63.5]])


def test_a_quantized_operator_has_the_scale_beside_its_codes(tmp_path: Path) -> None:
    reads = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "bias"]
    node = helper.make_node("QLinearConv", reads, ["y"], name="product")
    scales, one = ROW, np.float32(0.125)
    codes = CODES.reshape(4, 6, 1, 1)
    found = opened(
        tmp_path,
        [node],
        xs=one,
        xz=np.int8(0),
        w=codes,
        ws=scales,
        wz=np.zeros(4, np.int8),
        ys=one,
        yz=np.int8(0),
        bias=np.array([8, 8, 8, 8], np.int32),
    )
    assert np.array_equal(np.asarray(real(found)), codes.astype(np.float32) * scales.reshape(4, 1, 1, 1))
    assert np.array_equal(np.asarray(real(found, 2)), scales)  # 8 steps of 1/8 of each
    assert [place_in_float(found, 0, at) for at in range(9)] == [0, None, None, 1, None, None, None, None, 2]


def test_what_is_worked_out_while_the_model_runs_is_no_constant(tmp_path: Path) -> None:
    nodes = [helper.make_node("Transpose", ["w"], ["turned"]), product("turned")]
    assert real(opened(tmp_path, nodes, w=CODES)) is None


def test_a_scale_for_each_block_is_not_guessed_at(tmp_path: Path) -> None:
    dequantize = helper.make_node("DequantizeLinear", ["w", "scale"], ["real"], axis=1, block_size=3)
    found = opened(tmp_path, [dequantize, product("real")], w=CODES, scale=np.ones((4, 2), np.float32))
    assert real(found) is None


@pytest.mark.parametrize(
    ("op_type", "attributes", "axis"),
    [
        ("Conv", {}, 0),
        ("ConvTranspose", {}, 1),
        ("Gemm", {}, 1),
        ("Gemm", {"transB": 1}, 0),
        ("MatMul", {}, 1),
        ("Add", {}, None),
    ],
)
def test_channels_are_those_that_the_operator_makes(
    op_type: str, attributes: dict[str, int], axis: int | None, tmp_path: Path
) -> None:
    node = helper.make_node(op_type, ["x", "w"], ["y"])
    node.attribute.extend(helper.make_attribute(key, number) for key, number in attributes.items())
    assert channels_of(opened(tmp_path, [node], w=CODES), 0, 1) == axis


@given(arrays.arrays(np.float32, 33, elements=st.floats(-8, 8, width=32)), st.floats(0.015625, 1, width=32))
def test_rounding_is_to_the_nearest_step(values: NDArray[np.float32], scale: float) -> None:
    qparams = QParams((scale,), (0,), 16, True)
    codes = rounded(values, qparams).astype(np.float64)
    away = np.abs(codes * np.float64(np.float32(scale)) - values)
    assert np.all((away <= scale * 0.5001) | (np.abs(codes) >= qparams.high))


def held(name: str, scale: NDArray[np.generic] | float, zero: NDArray[np.generic] | int = 0) -> dict[str, Any]:
    return {name: np.asarray(scale, np.float32), f"{name}z": np.asarray(zero, np.int8)}


QDQ = (
    helper.make_node("QuantizeLinear", ["w", "s", "sz"], ["codes"], axis=0),
    helper.make_node("DequantizeLinear", ["codes", "t", "tz"], ["real"]),
    product("real"),
)


@pytest.mark.parametrize(
    ("shape", "scale", "zero"),
    [
        ((4, 6), np.ones(3), np.zeros(3)),
        ((4, 6), np.ones(4), np.zeros(3)),
        ((4, 6), np.ones((2, 2)), np.zeros((2, 2))),
        ((4, 6), np.zeros(0), np.zeros(0)),
        ((), np.ones(4), np.zeros(4)),
        ((4, 6), 0, 0),
        ((4, 6), np.nan, 0),
        ((4, 6), np.inf, 0),
    ],
)
def test_scales_that_do_not_go_with_a_constant_round_none(
    shape: tuple[int, ...], scale: NDArray[np.generic] | float, zero: NDArray[np.generic] | int, tmp_path: Path
) -> None:
    weights = {"w": np.ones(shape, np.float32), **held("s", scale, zero), **held("t", 1)}
    assert real(opened(tmp_path, QDQ, **weights)) is None


def test_real_numbers_are_no_codes(tmp_path: Path) -> None:
    dequantize = helper.make_node("DequantizeLinear", ["w", "s", "sz"], ["real"])
    found = opened(tmp_path, [dequantize, product("real")], w=CODES.astype(np.float32), **held("s", 1))
    assert real(found) is None


@pytest.mark.parametrize(("weight_value", "code"), [(np.nan, 2), (np.inf, 127), (-np.inf, -128), (3e38, 127)])
def test_what_is_no_number_or_too_large_still_has_a_code(weight_value: float, code: int, tmp_path: Path) -> None:
    values = np.full((4, 6), weight_value, np.float32)
    found = opened(tmp_path, QDQ, w=values, **held("s", np.full(4, 0.01), np.full(4, 2)), **held("t", 1))
    assert np.array_equal(np.asarray(real(found)), np.full((4, 6), code))


@pytest.mark.parametrize(
    ("place", "odd"),
    [
        (1, {"ws": np.zeros(0, np.float32)}),
        (1, {"ws": np.array(["a"], object)}),
        (1, {"wz": np.float32(np.nan)}),
        (2, {"xs": np.ones(2, np.float32), "ws": np.ones(3, np.float32)}),
        (2, {"xs": np.array("a", object)}),
    ],
    ids=["no scale", "a text", "no zero point", "several scales", "a text as the scale of the input"],
)
def test_an_odd_scale_beside_codes_is_nobodys_scale(place: int, odd: dict[str, Any], tmp_path: Path) -> None:
    reads = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "bias"]
    one, zero = np.float32(1), np.int8(0)
    known = {"xs": one, "xz": zero, "w": CODES, "ws": one, "wz": zero, "ys": one, "yz": zero}
    node = helper.make_node("QLinearConv", reads, ["y"], name="product")
    found = opened(tmp_path, [node], **{**known, "bias": np.array([8, 8, 8, 8], np.int32), **odd})
    assert constant_at(found, 0, place) is None


def test_a_quantizer_without_a_zero_point_may_be_asked_for_a_type(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("QuantizeLinear", ["w", "s"], ["codes"], output_dtype=onnx.TensorProto.INT8),
        helper.make_node("DequantizeLinear", ["codes", "s"], ["real"]),
        product("real"),
    ]
    found = opened(tmp_path, nodes, w=np.array([[-3.4, 200]], np.float32), s=np.float32(1))
    assert np.array_equal(np.asarray(real(found)), [[-3, 127]])


@pytest.mark.parametrize("op_type", ["Gemm", "MatMul"])
def test_what_is_multiplied_by_the_weights_has_no_channels(op_type: str, tmp_path: Path) -> None:
    node = helper.make_node(op_type, ["w", "x"], ["y"])
    assert channels_of(opened(tmp_path, [node], w=CODES), 0, 0) is None
