"""Operators on codes, such as QLinearConv: the same operators on the values of the codes.

Kernels of integers round once where codes are values and a float operator, so that both may differ by a step.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from errorflow.base.values import dataclass
from errorflow.graph.qparams import QParams
from errorflow.quant.fake import values_of
from errorflow.quant.readback.kind import Handler, ReadbackKind
from errorflow.quant.readback.params import qparams_from

if TYPE_CHECKING:
    import onnx

    from errorflow.quant.readback.rewrite import Rewrite

UNKNOWN = "a scale of it is not known, or the type of its codes cannot be part of a plan"
OTHER_LAYOUT = "its channels are last"


@dataclass(frozen=True, slots=True)
class OperatorForm:
    """Inputs of an operator on codes by their places: codes, with scale and zero point behind each."""

    kind: str
    codes: tuple[int, ...]
    # Where the scale of the output is, with its zero point behind it.
    output: int
    # Inputs that are no codes, before and behind them.
    before: tuple[int, ...] = ()
    bias: int | None = None
    # The axis of several scales of the second input.
    axis: int = 0


FORMS: Mapping[str, OperatorForm] = {
    "QLinearConv": OperatorForm("Conv", (0, 3), 6, bias=8),
    "QLinearMatMul": OperatorForm("MatMul", (0, 3), 6, axis=-1),
    "QGemm": OperatorForm("Gemm", (0, 3), 7, bias=6, axis=1),
    "QLinearAdd": OperatorForm("Add", (0, 3), 6),
    "QLinearMul": OperatorForm("Mul", (0, 3), 6),
    "QLinearSigmoid": OperatorForm("Sigmoid", (0,), 3),
    "QLinearLeakyRelu": OperatorForm("LeakyRelu", (0,), 3),
    "QLinearSoftmax": OperatorForm("Softmax", (0,), 3),
    "QLinearGlobalAveragePool": OperatorForm("GlobalAveragePool", (0,), 3),
    "QLinearAveragePool": OperatorForm("AveragePool", (0,), 3),
    "QLinearWhere": OperatorForm("Where", (1, 4), 7, before=(0,)),
}
_CONCAT = "QLinearConcat"
# What only operators on codes have among their attributes.
_OWN = frozenset(("channels_last", "opset"))


def calculated(work: "Rewrite", node: "onnx.NodeProto") -> str | None:
    """Makes one node of floats in place of one of codes."""
    form = FORMS[node.op_type]
    said = {attribute.name: attribute for attribute in node.attribute}
    if "channels_last" in said and said["channels_last"].i:
        return OTHER_LAYOUT
    read = _read(work, node, form)
    if read is None:
        return UNKNOWN
    values, scales = read
    inputs = [*(node.input[place] for place in form.before), *values]
    if form.bias is not None and _input(node, form.bias):
        factor = said["alpha"].f if "alpha" in said else 1.0
        bias = _bias(work, node.input[form.bias], scales, factor)
        if bias is None:
            return UNKNOWN
        inputs.append(bias)
    return _made(work, node, inputs, form.output, form.kind)


def joined(work: "Rewrite", node: "onnx.NodeProto") -> str | None:
    """Any number of inputs; the output's scale comes first."""
    found = [work.value_of(node.input[place], _params(work, node, place, 0)) for place in range(2, len(node.input), 3)]
    values = [value for value in found if value is not None]
    if not values or len(values) < len(found):
        return UNKNOWN
    return _made(work, node, values, 0, "Concat")


def padded(work: "Rewrite", node: "onnx.NodeProto") -> str | None:
    """Pads with a code, as around codes."""
    known = work.codes.get(node.input[0])
    if known is None:
        return ""
    inputs = [known.value, *node.input[1:]]
    around = work.constant(node.input[2]) if _input(node, 2) else np.zeros((), np.int64)
    if around is None:
        return "what it puts around is not known"
    while len(inputs) < 3:
        inputs.append("")
    inputs[2] = work.add_constant(
        work.free(f"{node.output[0]}_around"), values_of(around.astype(np.int32), known.qparams)
    )
    work.emit(node, inputs, [work.make_codes(node.output[0], known.qparams, known.scale, known.zero)])
    return None


def resized(work: "Rewrite", node: "onnx.NodeProto") -> str | None:
    """Keeps the scale."""
    known = work.codes.get(node.input[0])
    if known is None:
        return ""
    target = work.make_codes(node.output[0], known.qparams, known.scale, known.zero)
    work.emit(node, [known.value, *node.input[1:]], [target])
    return None


def _read(work: "Rewrite", node: "onnx.NodeProto", form: OperatorForm) -> tuple[list[str], list[QParams]] | None:
    """The floats that the codes stand for, and their scales."""
    axis = form.axis
    if form.kind == "Gemm" and any(each.name == "transB" and each.i for each in node.attribute):
        axis = 0
    if len(node.input) < form.output:
        return None
    values, scales = [], []
    for place in form.codes:
        found = _params(work, node, place, axis)
        value = work.value_of(node.input[place], found)
        if found is None or value is None:
            return None
        values.append(value)
        scales.append(found)
    return values, scales


def _params(work: "Rewrite", node: "onnx.NodeProto", place: int, axis: int) -> QParams | None:
    codes = node.input[place]
    known = work.codes.get(codes)
    values = work.constant(codes)
    if axis < 0 and values is not None:
        axis %= max(values.ndim, 1)
    dtype = "uint8" if values is None else values.dtype.name
    if known is not None:
        dtype = f"{'' if known.qparams.signed else 'u'}int{known.qparams.bits}"
    return _scale_at(work, node, place + 1, axis, dtype)


def _scale_at(work: "Rewrite", node: "onnx.NodeProto", place: int, axis: int, dtype: str) -> QParams | None:
    zero = _input(node, place + 1)
    found = work.constant(zero) if zero else None
    if zero and found is None:
        return None
    scale = work.constant(_input(node, place))
    # Some write the scales of columns as a matrix of one line.
    return qparams_from(None if scale is None else scale.reshape(-1), found, axis, dtype)


def _bias(work: "Rewrite", name: str, scales: Sequence[QParams], factor: float) -> str | None:
    """Reads the bias: its codes are steps of the product."""
    codes = work.constant(name)
    if codes is None:
        return None
    steps = np.float32(scales[0].scales[0]) * np.asarray(scales[1].scales, np.float32) * np.float32(factor)
    if len(steps) not in (1, codes.shape[-1] if codes.ndim else 0):
        return None
    values = codes.astype(np.float32) * (steps[0] if len(steps) == 1 else steps)
    return work.add_constant(work.free(name.removesuffix("_quantized")), values.astype(np.float32))


def _made(work: "Rewrite", node: "onnx.NodeProto", inputs: Sequence[str], place: int, kind: str) -> str | None:
    made = node.output[0]
    if _input(node, place):
        found = _scale_at(work, node, place, 0, "uint8")
        if found is None:
            return UNKNOWN
        made = work.make_codes(made, found, node.input[place], _input(node, place + 1))
    work.emit(node, inputs, [made], kind, _OWN)
    return None


def _input(node: "onnx.NodeProto", place: int) -> str:
    return node.input[place] if place < len(node.input) else ""


_HANDLERS: dict[str, Handler] = {**dict.fromkeys(FORMS, calculated), _CONCAT: joined, "Pad": padded, "Resize": resized}
QOPERATOR = ReadbackKind("qoperator", "operators on codes", frozenset((*FORMS, _CONCAT)), _HANDLERS, {}, rank=2)
