"""Fake quantization of values, bit for bit as QuantizeLinear and DequantizeLinear of ONNX Runtime do it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.graph.qparams import QParams

Singles = NDArray[np.float32]
Codes = NDArray[np.int32]


def codes_of(values: NDArray[Any], qparams: QParams) -> Codes:
    """The code of each value: rounded half to even, ends clipped. NaN has none: the lowest code, as in ONNX Runtime."""
    scale, zero = _along(qparams, values.ndim)
    with np.errstate(over="ignore", invalid="ignore"):
        steps = np.asarray(values, np.float32) / scale
    if qparams.bits > _EXACT_BITS:
        return _wide_codes(steps, qparams)
    low, high = (np.float32(end) - zero for end in (qparams.low, qparams.high))
    codes: Codes = (np.fmin(np.fmax(np.rint(steps), low), high) + zero).astype(np.int32)
    return codes


def values_of(codes: Codes, qparams: QParams) -> Singles:
    """Converts codes to the values that they stand for."""
    scale, zero = _along(qparams, codes.ndim)
    steps = codes.astype(np.float32) if qparams.bits > _EXACT_BITS else codes.astype(np.float32) - zero
    found: Singles = steps * scale
    return found


def fake_quantize(values: NDArray[Any], qparams: QParams) -> Singles:
    """The nearest values that have codes."""
    return values_of(codes_of(values, qparams), qparams)


# Up to here every code is a float32.
_EXACT_BITS = 16


def _along(qparams: QParams, rank: int) -> tuple[Singles, Singles]:
    """Scale and zero point, shaped to meet the values."""
    count = len(qparams.scales)
    scale = np.asarray(qparams.scales, np.float32)
    zero = np.broadcast_to(np.asarray(qparams.zero_points, np.float32), count)
    if qparams.axis is None:
        return scale.reshape(()), zero.reshape(())
    shape = [1] * rank
    shape[qparams.axis % max(rank, 1)] = count
    return scale.reshape(shape), zero.reshape(shape)


def _wide_codes(steps: Singles, qparams: QParams) -> Codes:
    """Codes a bias: its steps may be more than an int32 can hold, and a float32 that is near its end rounds beyond
    it.
    """
    return np.clip(np.rint(steps.astype(np.float64)), qparams.low, qparams.high).astype(np.int32)
