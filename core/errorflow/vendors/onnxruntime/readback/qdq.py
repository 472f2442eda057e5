"""QuantizeLinear and DequantizeLinear in pairs, as ONNX Runtime's tool, TensorRT's and others write them."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorflow.graph.qparams import CODE_TYPES, QParams
from errorflow.quant.operators import MOVING
from errorflow.quant.readback.kind import Handler, Params, ReadbackKind
from errorflow.quant.readback.params import qparams_from

if TYPE_CHECKING:
    import onnx

    from errorflow.quant.readback.rewrite import Rewrite

QUANTIZE, DEQUANTIZE = "QuantizeLinear", "DequantizeLinear"
UNKNOWN = "its scale or the type of its codes cannot be part of a plan"
STRANGE = "what it makes values of is neither a constant nor was it made from values with this scale"
_FLOAT = 1


def params(work: "Rewrite", node: "onnx.NodeProto") -> QParams | None:
    """Reads the parameters of either of the two."""
    said = _said(node)
    if (
        len(node.input) < 2
        or said.get("block_size", 0)
        or (node.op_type == DEQUANTIZE and said.get("output_dtype", 0) not in (0, _FLOAT))
    ):
        return None
    zero = node.input[2] if len(node.input) > 2 else ""
    if zero and work.constant(zero) is None:
        return None
    dtype = "uint8" if node.op_type == QUANTIZE else _type_of(work, node.input[0])
    if node.op_type == QUANTIZE and said.get("output_dtype", 0):
        dtype = _type_name(said["output_dtype"])
    return qparams_from(work.constant(node.input[1]), work.constant(zero), said.get("axis", 1), dtype)


def _type_of(work: "Rewrite", codes: str) -> str:
    """Finds the type of the codes that are read."""
    known = work.codes.get(codes)
    if known is not None:
        kinds = {kind: name for name, kind in CODE_TYPES.items()}
        return kinds[known.qparams.bits, known.qparams.signed]
    values = work.constant(codes)
    return "uint8" if values is None else values.dtype.name


def _type_name(number: int) -> str:
    import onnx

    return onnx.TensorProto.DataType.Name(number).lower() if number in onnx.TensorProto.DataType.values() else ""


def _said(node: "onnx.NodeProto") -> dict[str, int]:
    return {attribute.name: attribute.i for attribute in node.attribute}


def quantized(work: "Rewrite", node: "onnx.NodeProto") -> str | None:
    found = params(work, node)
    if found is None:
        return UNKNOWN
    codes = node.output[0]
    value = work.code(node.input[0], found, codes=codes)
    zero = node.input[2] if len(node.input) > 2 else ""
    work.note_codes(codes, value, found, node.input[1], zero)
    return None


def dequantized(work: "Rewrite", node: "onnx.NodeProto") -> str | None:
    if _said(node).get("block_size", 0):
        return _blocks(work, node)
    found = params(work, node)
    if found is None:
        return UNKNOWN
    value = work.value_of(node.input[0], found)
    if value is None:
        return STRANGE
    if value != node.output[0]:
        work.names[node.output[0]] = value
    return None


def _blocks(work: "Rewrite", node: "onnx.NodeProto") -> str | None:
    """Weights with a scale for each few values: they become what they stand for, and stay that."""
    said = _said(node)
    codes, scale = (work.constant(name) for name in (*node.input[:2], "")[:2])
    zero = work.constant(node.input[2]) if len(node.input) > 2 else None
    if codes is None or scale is None or scale.dtype != np.float32 or not codes.ndim:
        return UNKNOWN
    axis, size = said.get("axis", 1) % codes.ndim, said["block_size"]
    blocks = tuple(-(-length // size) if place == axis else length for place, length in enumerate(codes.shape))
    if size < 0 or scale.shape != blocks or (zero is not None and zero.shape != blocks):
        return UNKNOWN
    steps = codes.astype(np.float32)
    if zero is not None:
        steps -= _spread(zero.astype(np.float32), size, axis, codes.shape[axis])
    values = steps * _spread(scale, size, axis, codes.shape[axis])
    target = work.value_name(node.input[0], None)
    work.names[node.output[0]] = work.add_constant(target, values)
    return None


def _spread(small: NDArray[Any], size: int, axis: int, length: int) -> NDArray[Any]:
    """Spreads the numbers, one for each value."""
    return np.take(np.repeat(small, size, axis), np.arange(length), axis)


def named_again(work: "Rewrite", node: "onnx.NodeProto") -> str | None:
    """Codes and constants that go by another name."""
    source, target = node.input[0], node.output[0]
    known = work.codes.get(source)
    if known is not None:
        work.codes[target] = known
    elif work.constant(source) is not None:
        work.names[target] = work.resolved(source)
    else:
        return ""
    return None


def alone(work: "Rewrite", node: "onnx.NodeProto") -> str | None:
    """A Sum of one summand, which keeps ONNX Runtime from making codes of weights in float: it is that summand."""
    if len(node.input) > 1:
        return ""
    work.names[node.output[0]] = work.resolved(node.input[0])
    return None


def widened(work: "Rewrite", node: "onnx.NodeProto") -> str | None:
    """Codes in a type that holds more than theirs, on the way to their values."""
    known = work.codes.get(node.input[0])
    kind = CODE_TYPES.get(_type_name(_said(node).get("to", 0)))
    if known is None or kind is None or work.read_by(node.output[0]) != {DEQUANTIZE}:
        return ""
    wide = replace(known.qparams, bits=kind[0], signed=kind[1])
    if wide.low > known.qparams.low or wide.high < known.qparams.high:
        return ""
    work.codes[node.output[0]] = replace(known, qparams=wide)
    return None


def moved(work: "Rewrite", node: "onnx.NodeProto") -> str | None:
    """Codes that change places only: so do their values."""
    known = work.codes.get(node.input[0])
    if known is None:
        return ""
    targets = [work.make_codes(name, known.qparams, known.scale, known.zero) if name else "" for name in node.output]
    work.emit(node, [known.value, *node.input[1:]], targets)
    return None


_MOVED: dict[str, Handler] = dict.fromkeys(MOVING, moved)
_PARAMS: dict[str, Params] = {QUANTIZE: params, DEQUANTIZE: params}
QDQ = ReadbackKind(
    "qdq",
    "QuantizeLinear and DequantizeLinear",
    frozenset(_PARAMS),
    {**_MOVED, QUANTIZE: quantized, DEQUANTIZE: dequantized, "Identity": named_again, "Cast": widened, "Sum": alone},
    _PARAMS,
    rank=3,
)
