"""QuantizeLinear and DequantizeLinear as ONNX has them, in whichever domain and version holds the codes."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorflow.graph.qparams import QParams
from errorflow.quant.fake import codes_of

if TYPE_CHECKING:
    import onnx

# ONNX Runtime has the same operators in a domain of its own, with all types at any version of ONNX.
OWN = "com.microsoft"
_FIRST, _PER_CHANNEL, _ALL_TYPES = 10, 13, 21
_PLAIN_BITS = (8, 32)
_PACKED = 4


def domain_of(qparams: QParams, opset: int) -> str:
    """The domain of the operators that take such codes in a model of that opset."""
    if opset >= _ALL_TYPES:
        return ""
    plain = qparams.bits in _PLAIN_BITS and opset >= (_FIRST if qparams.axis is None else _PER_CHANNEL)
    return "" if plain else OWN


def code_type(qparams: QParams) -> int:
    """The number that ONNX has for the type of the codes."""
    import onnx

    return int(onnx.TensorProto.DataType.Value(f"{'' if qparams.signed else 'U'}INT{qparams.bits}"))


def scale_and_zero(qparams: QParams, scale: str, zero: str) -> "tuple[onnx.TensorProto, onnx.TensorProto]":
    """Makes both constants under these names."""
    from onnx import helper, numpy_helper

    values = np.asarray(qparams.scales, np.float32)
    shape = [] if qparams.axis is None else [len(values)]
    zeros = np.broadcast_to(np.asarray(qparams.zero_points), len(values)).tolist()
    zero_proto = helper.make_tensor(zero, code_type(qparams), shape, zeros)
    return numpy_helper.from_array(values.reshape(shape), scale), zero_proto


def coded(values: NDArray[Any], qparams: QParams, name: str) -> "onnx.TensorProto":
    """The codes of a constant."""
    import onnx

    codes = codes_of(values, qparams)
    proto = onnx.TensorProto(name=name, data_type=code_type(qparams), dims=values.shape)
    proto.raw_data = _packed(codes) if qparams.bits == _PACKED else _bytes(codes, qparams)
    return proto


def _bytes(codes: NDArray[np.int32], qparams: QParams) -> bytes:
    kind = f"<{'i' if qparams.signed else 'u'}{qparams.bits // 8}"
    return codes.astype(kind).tobytes()


def _packed(codes: NDArray[np.int32]) -> bytes:
    """Two codes to a byte, the first in its lower half."""
    halves = np.zeros(codes.size + codes.size % 2, np.uint8)
    halves[: codes.size] = codes.reshape(-1) & 0xF
    return (halves[0::2] | halves[1::2] << 4).tobytes()


def quantize(source: str, scale: str, zero: str, target: str, qparams: QParams, opset: int) -> "onnx.NodeProto":
    return _node("QuantizeLinear", (source, scale, zero), target, qparams, opset)


def dequantize(source: str, scale: str, zero: str, target: str, qparams: QParams, opset: int) -> "onnx.NodeProto":
    return _node("DequantizeLinear", (source, scale, zero), target, qparams, opset)


def _node(kind: str, inputs: tuple[str, ...], target: str, qparams: QParams, opset: int) -> "onnx.NodeProto":
    from onnx import helper

    node = helper.make_node(kind, inputs, [target], f"{target}_{kind}", domain=domain_of(qparams, opset))
    if qparams.axis is not None:
        node.attribute.append(helper.make_attribute("axis", qparams.axis))
    return node


def opset_of(model: "onnx.ModelProto") -> int:
    """Finds the version of ONNX's own operators."""
    return max((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), default=1)
