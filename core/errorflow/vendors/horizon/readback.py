"""HzCalibration nodes, each of which makes what its readers get as codes would have it while it is switched on."""

from typing import TYPE_CHECKING, Any

import numpy as np

from errorflow.graph.qparams import CODE_TYPES, QParams
from errorflow.quant.readback.kind import ReadbackKind
from errorflow.quant.readback.params import qparams_from

if TYPE_CHECKING:
    import onnx

    from errorflow.quant.readback.rewrite import Rewrite

CALIBRATION, FILTER = "HzCalibration", "HzFilter"
# Scales are those of 8 bits, whatever the type: a threshold over the largest code.
_LARGEST = 127.0
# Types without codes: the tensor is left as it is.
_FLOATS = frozenset(("float32", "float16", "bfloat16", "int32"))
FLOATING = "{} cannot be part of a plan: it is left in float"
UNKNOWN = "its scale or the type of its codes is not known: it is left in float"


def params(_: "Rewrite", node: "onnx.NodeProto") -> QParams | None:
    """Reads the parameters; None while it is switched off too."""
    said = _said(node)
    kind = _kind(said)
    if str(said.get("switch", "ON")).upper() != "ON" or kind not in CODE_TYPES or kind == "int32":
        return None
    bits, signed = CODE_TYPES[kind]
    largest = (1 << (bits - 1)) - 1
    steps = np.asarray(said.get("scales", ()), np.float64)
    if not steps.size:
        steps = np.asarray(said.get("thresholds", ()), np.float64) / _LARGEST
    zero = np.asarray(said.get("zero_point", ()), np.int64).reshape(-1)
    if not zero.any():
        zero = np.full(1, 0 if signed else largest + 1)
    scale = (steps * (_LARGEST / largest)).astype(np.float32)
    return qparams_from(scale, zero.astype(kind), int(said.get("axis", 0)), kind)


def calibrated(work: "Rewrite", node: "onnx.NodeProto") -> str | None:
    """Removes the node, on or off: what it read is the float reference."""
    found, (source, target) = params(work, node), (node.input[0], node.output[0])
    value = work.resolved(source) if found is None else work.code(source, found, target)
    if value != target:
        work.names[target] = value
    said = _said(node)
    if found is None and str(said.get("switch", "ON")).upper() == "ON":
        kind = _kind(said)
        work.notes[node.name if node.name else target] = FLOATING.format(kind) if kind in _FLOATS else UNKNOWN
    return None


def passed(work: "Rewrite", node: "onnx.NodeProto") -> str | None:
    """Passes on what it reads."""
    if len(node.input) < len(node.output):
        return "it gives more than it reads"
    for source, target in zip(node.input, node.output, strict=False):
        work.names[target] = work.resolved(source)
    return None


def _kind(said: dict[str, Any]) -> str:
    """Older models say how many bits, newer ones the name of the type."""
    found = said.get("qtype", f"int{said['bits']}" if "bits" in said else "int8")
    return str(found)


def _said(node: "onnx.NodeProto") -> dict[str, Any]:
    from onnx import helper

    found = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    return {
        name: value.decode("utf-8", "replace") if isinstance(value, bytes) else value for name, value in found.items()
    }


HORIZON = ReadbackKind(
    "horizon",
    "HzCalibration nodes",
    frozenset((CALIBRATION,)),
    {CALIBRATION: calibrated, FILTER: passed},
    {CALIBRATION: params},
    runs=False,
)
ROWS = (HORIZON,)
