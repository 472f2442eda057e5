"""Scales and zero points, as constants of a model hold them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.graph.qparams import CODE_TYPES, QParams

Array = NDArray[Any]


def qparams_from(scale: Array | None, zero: Array | None, axis: int, dtype: str = "uint8") -> QParams | None:
    """Makes parameters; None where they are not known beforehand, or no numbers by which codes could be made.

    `dtype`: of the codes, where no zero point says it. One number is for the whole tensor, whatever its shape.
    """
    if scale is None or scale.dtype != np.float32 or scale.ndim > 1 or not scale.size:
        return None
    kind = CODE_TYPES.get(dtype if zero is None else zero.dtype.name)
    if kind is None or not (np.isfinite(scale) & (scale > 0)).all():
        return None
    zeros = np.zeros(1, np.int64) if zero is None else zero.astype(np.int64).reshape(-1)
    if zeros.size not in (1, scale.size):
        return None
    alike = zeros[:1] if (zeros == zeros[0]).all() else zeros
    scales = tuple(scale.reshape(-1).tolist())
    return QParams(scales, tuple(alike.tolist()), *kind, axis if len(scales) > 1 else None)
