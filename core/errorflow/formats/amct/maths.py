"""How AMCT computes with what stands in a record: in float32, to the nearest whole number, halves to the even one."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from errorflow.errors import UsageError
from errorflow.formats.amct.record import LayerRecord
from errorflow.qparams import QParams

Floats = NDArray[np.float32]
_SCALE_BITS = 32
_LOW = (1 << _SCALE_BITS) - 1


def codes(values: Floats, qparams: QParams) -> NDArray[np.int32]:
    """The numbers that the hardware computes with."""
    scale, offset = _spread(qparams, values.ndim)
    whole = np.rint(values / scale) + offset
    found: NDArray[np.int32] = np.clip(whole, qparams.low, qparams.high).astype(np.int32)
    return found


def fake_quantized(values: Floats, qparams: QParams) -> Floats:
    """The values that are left of `values` when they are quantized and brought back."""
    scale, offset = _spread(qparams, values.ndim)
    found: Floats = ((codes(values, qparams) - offset) * scale).astype(np.float32)
    return found


def dequant_scales(layer: LayerRecord) -> Floats:
    """By what the sums of a layer are multiplied: its data's scale times that of each channel of its weights."""
    if layer.activation is None or layer.weights is None:
        raise UsageError(f"{layer.key} has no scales of data and weights.", "Only layers with weights have them.")
    data = np.float32(layer.activation.scales[0])
    found: Floats = data * np.array(layer.weights.scales, np.float32)
    return found


def dequant_parameters(layer: LayerRecord) -> NDArray[np.uint64]:
    """The parameter of AscendDequant, one per channel: the scale's bits, and above them the weights' offset."""
    scales = dequant_scales(layer)
    offsets = () if layer.weights is None else layer.weights.zero_points
    high = np.broadcast_to(np.array(offsets, np.int64).astype(np.uint64), scales.shape)
    found: NDArray[np.uint64] = scales.view(np.uint32).astype(np.uint64) | high << np.uint64(_SCALE_BITS)
    return found


def from_dequant_parameters(parameters: Sequence[int]) -> tuple[Floats, tuple[int, ...]]:
    """Scales and offsets again."""
    bits = np.array([parameter & _LOW for parameter in parameters], np.uint32)
    return bits.view(np.float32), tuple(parameter >> _SCALE_BITS for parameter in parameters)


def _spread(qparams: QParams, rank: int) -> tuple[Floats, NDArray[np.int32]]:
    """Scale and offset in a shape that goes with values of that rank."""
    shape = [1] * rank
    if qparams.axis is not None:
        shape[qparams.axis] = len(qparams.scales)
    scale = np.array(qparams.scales, np.float32)
    offset = np.broadcast_to(np.array(qparams.zero_points, np.int32), scale.shape)
    return scale.reshape(shape), offset.reshape(shape)
