"""What quantization makes of values, against the kernels of ONNX Runtime."""

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from onnx import helper

from errorflow.graph.qparams import CODE_TYPES, QParams
from errorflow.quant.fake import codes_of, fake_quantize
from errorflow.quant.precision import CHOICES, Precision
from errorflow.quant.scales import qparams_of

ANY = st.floats(width=32)
TYPES = {dtype: getattr(onnx.TensorProto, dtype.upper()) for dtype in CODE_TYPES}
SESSIONS: dict[tuple[str, int | None], Any] = {}


def by_onnx_runtime(values: NDArray[np.float32], qparams: QParams, dtype: str) -> NDArray[np.float32]:
    """Quantized and back by its own kernels."""
    key = dtype, qparams.axis
    if key not in SESSIONS:
        SESSIONS[key] = session(dtype, qparams.axis)
    per_tensor = qparams.axis is None
    scales = np.array(qparams.scales[0] if per_tensor else qparams.scales, np.float32)
    zeros = np.array(qparams.zero_points[0] if per_tensor else qparams.zero_points, np.int32)
    found: NDArray[np.float32] = SESSIONS[key].run(None, {"x": values, "scale": scales, "zero": zeros})[0]
    return found


def session(dtype: str, axis: int | None) -> Any:
    """The zero point comes as int32, since numpy has no 4 bits."""
    along: dict[str, Any] = {} if axis is None else {"axis": axis}
    wide = onnx.TensorProto.INT8 if CODE_TYPES[dtype][1] else onnx.TensorProto.UINT8
    nodes = [helper.make_node("Cast", ["zero"], ["z"], to=TYPES[dtype])]
    if CODE_TYPES[dtype][0] == 4:
        nodes = [
            helper.make_node("Cast", ["zero"], ["w"], to=wide),
            helper.make_node("Cast", ["w"], ["z"], to=TYPES[dtype]),
        ]
    nodes += [
        helper.make_node("QuantizeLinear", ["x", "scale", "z"], ["q"], **along),
        helper.make_node("DequantizeLinear", ["q", "scale", "z"], ["y"], **along),
    ]
    inputs = [
        helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, None),
        helper.make_tensor_value_info("scale", onnx.TensorProto.FLOAT, None),
        helper.make_tensor_value_info("zero", onnx.TensorProto.INT32, None),
    ]
    graph = helper.make_graph(nodes, "qdq", inputs, [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("dtype", CHOICES)
@settings(max_examples=60)
@given(
    values=arrays(np.float32, st.integers(1, 40), elements=ANY), top=st.floats(2**-20, 2**20), symmetric=st.booleans()
)
def test_values_are_those_of_onnx_runtime(dtype: str, values: NDArray[np.float32], top: float, symmetric: bool) -> None:
    precision = Precision(dtype, symmetric)
    qparams = qparams_of(-top / 3, top, precision)
    if precision.bits == 4:
        # Its kernels of 4 bits wrap around from 2³¹ steps on; ONNX says that ends are clipped, and so do we.
        with np.errstate(over="ignore", invalid="ignore"):
            values = values[np.abs(values / np.float32(qparams.scales[0])) < 2**30]
    assert fake_quantize(values, qparams).tobytes() == by_onnx_runtime(values, qparams, dtype).tobytes()


def test_infinite_values_get_the_highest_code_of_4_bits_too() -> None:
    assert codes_of(np.array([np.inf, 1e30], np.float32), QParams((1.0,), (0,), 4, True)).tolist() == [7, 7]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@settings(max_examples=40)
@given(values=arrays(np.float32, (3, 4, 2), elements=st.floats(-100, 100, width=32)), axis=st.integers(0, 2))
def test_each_channel_has_a_scale_of_its_own(dtype: str, values: NDArray[np.float32], axis: int) -> None:
    tops = np.arange(1, values.shape[axis] + 1, dtype=np.float32) * 10
    qparams = qparams_of(-tops, tops, Precision(dtype), axis)
    assert fake_quantize(values, qparams).tobytes() == by_onnx_runtime(values, qparams, dtype).tobytes()


@pytest.mark.parametrize(("value", "code"), [(0.5, 0), (1.5, 2), (2.5, 2), (-2.5, -2), (1e9, 127), (-np.inf, -128)])
def test_halves_go_to_the_even_code_and_ends_are_clipped(value: float, code: int) -> None:
    assert codes_of(np.array([value], np.float32), QParams((1.0,))).tolist() == [code]


def test_what_is_no_number_gets_the_lowest_code() -> None:
    assert codes_of(np.array([np.nan], np.float32), QParams((1.0,))).tolist() == [-128]


@given(values=arrays(np.float32, st.integers(1, 40), elements=st.floats(-1e6, 1e6, width=32)), scale=st.floats(1e-9, 1))
def test_codes_of_a_bias_hold_what_fits_into_32_bits(values: NDArray[np.float32], scale: float) -> None:
    qparams = QParams((float(np.float32(scale)),), (0,), 32, True)
    codes = codes_of(values, qparams).astype(np.float64)
    exact = values.astype(np.float64) / np.float32(scale)
    inside = np.abs(exact) < 2**31 - 1
    assert np.all(np.abs(codes - exact)[inside] <= 0.5 + np.abs(exact[inside]) * 2**-23)
    assert np.all(np.abs(codes) <= 2.0**31)
