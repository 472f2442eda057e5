"""What the sums of a layer are multiplied by, as AMCT computes it from a record: in float32."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from errorflow.base.errors import UsageError
from errorflow.formats.amct.record import LayerRecord

Floats = NDArray[np.float32]
_SCALE_BITS = 32
_LOW = (1 << _SCALE_BITS) - 1


def dequant_scales(layer: LayerRecord) -> Floats:
    """By what the sums of a layer are multiplied: its data's scale times that of each channel of its weights."""
    if layer.activation is None or layer.weights is None:
        raise UsageError(f"{layer.key} has no scales of data and weights.", "Only layers with weights have them.")
    data = np.float32(layer.activation.scales[0])
    found: Floats = data * np.array(layer.weights.scales, np.float32)
    return found


def from_dequant_parameters(parameters: Sequence[int]) -> tuple[Floats, tuple[int, ...]]:
    """Scales and offsets again."""
    bits = np.array([parameter & _LOW for parameter in parameters], np.uint32)
    return bits.view(np.float32), tuple(parameter >> _SCALE_BITS for parameter in parameters)
