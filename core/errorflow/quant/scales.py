"""Scales: from the range of a tensor to scale and zero point, in the order of operations of ONNX Runtime's own tool."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorflow.graph.qparams import QParams
from errorflow.quant.precision import Precision

Singles = NDArray[np.float32]
_TINY = float(np.finfo(np.float32).tiny)
# A bias is a sum of products: codes of 32 bits, and the product of both scales.
BIAS_BITS = 32


def qparams_of(low: ArrayLike, high: ArrayLike, precision: Precision, axis: int | None = None) -> QParams:
    """Makes parameters for the range of a tensor; ranges along `axis` for one scale per channel.

    The range is widened to hold zero. Ranges must be finite: infinite values have no scale.
    """
    lows, highs = (np.atleast_1d(np.asarray(end, np.float32)) for end in (low, high))
    if not (np.isfinite(lows).all() and np.isfinite(highs).all()):
        raise ValueError("a range ends at NaN or infinity")
    lows, highs = np.minimum(lows, np.float32(0)), np.maximum(highs, np.float32(0))
    if precision.symmetric:
        highs = np.maximum(np.abs(lows), np.abs(highs))
        lows = -highs
    first, last = precision.span
    steps = (highs.astype(np.float64) - lows.astype(np.float64)) / (float(last) - float(first))
    flat = steps < _TINY
    steps[flat] = 1.0
    if precision.symmetric:
        zeros = np.full(len(steps), np.round((first + last) / 2.0))
    else:
        zeros = np.round(first - lows / steps)
    zeros[flat] = 0
    scales = steps.astype(np.float32)
    return _qparams(scales, zeros, precision.bits, precision.signed, axis)


def bias_qparams(source: QParams, weight: QParams) -> QParams:
    """Makes parameters of a bias that is added to products of codes: scale of the input times scale of the weight."""
    scales = np.float32(source.scales[0]) * np.asarray(weight.scales, np.float32)
    return _qparams(scales, np.zeros(len(scales)), BIAS_BITS, True, None if weight.axis is None else 0)


def weight_ranges(weight: NDArray[np.generic], axis: int | None) -> tuple[Singles, Singles]:
    """The lowest and the highest value, of all or of each slice along `axis`; of nothing it is zero."""
    if weight.size == 0:
        zeros = np.zeros(1 if axis is None else weight.shape[axis], np.float32)
        return zeros, zeros
    others: Sequence[int] | None = None
    if axis is not None:
        others = tuple(other for other in range(weight.ndim) if other != axis % weight.ndim)
    low, high = (np.atleast_1d(part(weight, axis=others)).astype(np.float32) for part in (np.min, np.max))
    return low, high


def _qparams(scales: Singles, zeros: NDArray[np.float64], bits: int, signed: bool, axis: int | None) -> QParams:
    return QParams(tuple(scales.tolist()), tuple(int(zero) for zero in zeros), bits, signed, axis)
