"""The constant that a node reads, as it lies in the model file: in codes with their scale where it is quantized."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base import ErrorflowError, dataclass
from errorflow.compare.match.quantized.ops import DEQUANTIZE, PASSING, QUANTIZE, quantized
from errorflow.compare.together import dequantized, grid
from errorflow.explain.inspect.grid import said_by
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph
from errorflow.graph.qparams import CODE_TYPES, QParams

Array = NDArray[np.generic]
# Nodes between a constant and who reads it: more than these only pass it on in no model.
DEEPEST = 16
# Where quantized operators read their bias, whose scale is that of what they multiply.
_BIAS = {"QLinearConv": 8, "QGemm": 6}
_BIAS_TYPE = "int32"
# Of codes that are made by a QuantizeLinear without a zero point.
_DEFAULT = "uint8"
# Of what is made real again.
_REAL = "float32"
_MATRIX = 2
# Where operators read their weights, counted as in float.
SECOND = 1


@dataclass(frozen=True, slots=True)
class InspectedConstant:
    """A constant that `read` gives as codes where `info.qparams` says what they mean, else as real values."""

    graph: Graph
    # The tensor that is in the file.
    name: str
    # The nodes that the value passes before codes become real for the last time, in their order.
    passes: tuple[int, ...]
    qparams: QParams | None

    @property
    def info(self) -> TensorInfo:
        weight = self.graph.weights.info(self.name)
        dtype = weight.dtype
        if self.qparams is not None and dtype not in CODE_TYPES:
            dtype = _code_type(self.qparams)
        return TensorInfo(self.name, dtype, weight.shape, weight.nbytes, qparams=self.qparams)

    @property
    def path(self) -> str:
        return self.graph.weights.info(self.name).location

    def read(self) -> Array:
        values = self.graph.weights.read(self.name)
        dtype = self.graph.weights.info(self.name).dtype
        for node in self.passes:
            values, dtype = _passed(self.graph, node, values, dtype)
        return values


def constant_at(graph: Graph, node: int, place: int) -> InspectedConstant | None:
    """The constant that a node reads at a place, counted as in float; None: it reads none there, or a computed one."""
    inputs = graph.node_inputs[node].tolist()
    op_type = graph.op_types[node]
    row = quantized(op_type, len(inputs))
    if row is None:
        return constant_of(graph, inputs[place]) if place < len(inputs) and inputs[place] >= 0 else None
    if place < len(row.reads):
        return _at(graph, node, row.reads[place])
    return _bias(graph, node, _BIAS[op_type], row.reads) if op_type in _BIAS and place == len(row.reads) else None


def place_in_float(graph: Graph, node: int, at: int) -> int | None:
    """Finds as which input the operator would read in float what it reads as input `at`; None: it would not."""
    op_type, inputs = graph.op_types[node], graph.node_inputs[node]
    row = quantized(op_type, len(inputs))
    if row is None:
        return at
    places = (*row.reads, _BIAS[op_type]) if op_type in _BIAS else row.reads
    return places.index(at) if at in places else None


def constant_of(graph: Graph, tensor: int) -> InspectedConstant | None:
    """The constant behind a tensor that is only made real, rounded or passed on."""
    way: list[int] = []
    while (maker := int(graph.producers[tensor])) >= 0 and graph.op_types[maker] in PASSING and len(way) < DEEPEST:
        first = next(iter(graph.node_inputs[maker].tolist()), -1)
        if first < 0:
            return None
        way.append(maker)
        tensor = first
    name = graph.tensor_names[tensor]
    dtype = _dtype(graph, name)
    if not dtype:
        return None
    return _quantized(graph, name, dtype, way[::-1])


def _quantized(graph: Graph, name: str, dtype: str, way: list[int]) -> InspectedConstant | None:
    """Codes are left as they are before the last DequantizeLinear, which says their scale."""
    steps = tuple(node for node in way if graph.op_types[node] in (QUANTIZE, DEQUANTIZE))
    if not steps:
        return InspectedConstant(graph, name, (), None)
    passes = steps[:-1] if graph.op_types[steps[-1]] == DEQUANTIZE else steps
    shape = graph.weights.info(name).shape
    qparams = None
    for node in steps:
        back = graph.op_types[node] == DEQUANTIZE
        if not (dtype in CODE_TYPES if back else "float" in dtype):
            return None
        qparams = said_by(graph, node, dtype if back else _DEFAULT)
        if qparams is None or (node in passes and grid(qparams, None, shape, "") is None):
            return None
        dtype = _REAL if back else _code_type(qparams)
    return InspectedConstant(graph, name, passes, qparams)


def _at(graph: Graph, node: int, at: int) -> InspectedConstant | None:
    """Finds a constant of a quantized operator: codes, with their scale and zero point behind them."""
    inputs = graph.node_inputs[node].tolist()
    name = graph.tensor_names[inputs[at]] if at < len(inputs) and inputs[at] >= 0 else ""
    dtype = _dtype(graph, name)
    scales, zeros = _scales(graph, inputs, at + 1), _read(graph, inputs, at + 2)
    if dtype not in CODE_TYPES or scales is None or (zeros is not None and zeros.dtype.kind not in "iu"):
        return None
    points = (0,) if zeros is None else tuple(int(zero) for zero in zeros.ravel().tolist())
    axis = channels_of(graph, node, at) if scales.size > 1 else None
    bits, signed = CODE_TYPES[dtype]
    many = tuple(float(scale) for scale in scales.ravel().tolist())
    return InspectedConstant(graph, name, (), QParams(many, points, bits, signed, axis))


def _bias(graph: Graph, node: int, at: int, reads: tuple[int, ...]) -> InspectedConstant | None:
    """Whole numbers in steps of the product of both scales."""
    inputs = graph.node_inputs[node].tolist()
    name = graph.tensor_names[inputs[at]] if at < len(inputs) and inputs[at] >= 0 else ""
    first, second = (_scales(graph, inputs, place + 1) for place in reads[:2])
    if _dtype(graph, name) != _BIAS_TYPE or first is None or second is None or first.size != 1:
        return None
    with np.errstate(over="ignore"):  # no scale is infinite, which whoever uses it sees
        scales = first.astype(np.float32).ravel() * second.astype(np.float32).ravel()
    many = tuple(float(scale) for scale in scales.tolist())
    return InspectedConstant(
        graph, name, (), QParams(many, (0,), *CODE_TYPES[_BIAS_TYPE], 0 if len(many) > 1 else None)
    )


def channels_of(graph: Graph, node: int, place: int) -> int | None:
    """The axis of a weight along which the channels lie that the operator makes; None: it has none, or is unknown."""
    op_type, rank = graph.op_types[node], len(_shape(graph, node, place))
    if rank < _MATRIX or place_in_float(graph, node, place) != SECOND:
        return None
    if "ConvTranspose" in op_type:
        return 1
    if "Conv" in op_type:
        return 0
    if "Gemm" in op_type:
        return 0 if graph.attributes(node).get("transB", 0) else 1
    return rank - 1 if "MatMul" in op_type else None


def is_turned(graph: Graph, node: int) -> bool:
    """Whether it reads its second matrix with both axes changed for each other."""
    return "Gemm" in graph.op_types[node] and bool(graph.attributes(node).get("transB", 0))


def _shape(graph: Graph, node: int, place: int) -> tuple[int, ...]:
    inputs = graph.node_inputs[node].tolist()
    found = constant_of(graph, inputs[place]) if place < len(inputs) and inputs[place] >= 0 else None
    return () if found is None else graph.weights.info(found.name).shape


def _scales(graph: Graph, inputs: list[int], place: int) -> NDArray[Any] | None:
    """Finds scales; None: they are unknown, or there are none."""
    found = _read(graph, inputs, place)
    return found if found is not None and found.size and found.dtype.kind == "f" else None


def _read(graph: Graph, inputs: list[int], place: int) -> NDArray[Any] | None:
    if place >= len(inputs) or inputs[place] < 0:
        return None
    try:
        return graph.weights.read(graph.tensor_names[inputs[place]])
    except (KeyError, ErrorflowError):  # it is worked out while the model runs, or its file is gone
        return None


def _dtype(graph: Graph, name: str) -> str:
    """Finds the type of a constant; "": it is none, or the file does not hold it."""
    try:
        return graph.weights.info(name).dtype if name else ""
    except (KeyError, ErrorflowError):
        return ""


def _code_type(qparams: QParams) -> str:
    return next(name for name, known in CODE_TYPES.items() if known == (qparams.bits, qparams.signed))


def _passed(graph: Graph, node: int, values: Array, dtype: str) -> tuple[Array, str]:
    """Passes values through one node, with the type of the codes that come out."""
    back = graph.op_types[node] == DEQUANTIZE
    qparams = said_by(graph, node, dtype if back else _DEFAULT)
    assert qparams is not None, "asked beforehand"
    return (dequantized(values, qparams), "") if back else (rounded(values, qparams), _code_type(qparams))


def rounded(values: Array, qparams: QParams) -> Array:
    """Codes: the nearest whole number of steps, even where two are as near, within the ends."""
    scales, zeros = np.array(qparams.scales, np.float32), np.array(qparams.zero_points, np.float64)
    if qparams.axis is not None:
        rest = [1] * values.ndim
        rest[qparams.axis] = -1
        scales, zeros = scales.reshape(rest), zeros.reshape(rest)
    with np.errstate(over="ignore"):  # what is beyond float32 is beyond the ends
        steps = np.rint(values.astype(np.float32) / scales) + zeros
    steps = np.where(np.isnan(steps), zeros, steps)  # no code says NaN
    codes: Array = np.clip(steps, qparams.low, qparams.high).astype(np.int32)
    return codes
