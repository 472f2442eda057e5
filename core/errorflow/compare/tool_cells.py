"""The cells of msaccucmp's line that say what was compared: both types and the shape."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from errorflow.arrays import type_name
from errorflow.dump import TensorInfo
from errorflow.match.model import BOTH_NPU, GOLDEN_TYPE, MY_TYPE, SHAPE, Pair

# As it writes the types of two dumps of NPUs, where that is not our name; it has no name for others.
_STORED_TYPES = {
    "": "int8",
    "resource": "int64",
    "float8e5m2": "float8_e5m2",
    "float8e4m3fn": "float8_e4m3fn",
    **{
        name: name
        for name in (
            *("float32", "float16", "float64", "bfloat16", "hifloat8", "bool", "uint1", "complex64", "complex128"),
            *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        )
    },
}


def described(
    pair: Pair, mine: NDArray[np.generic], golden: NDArray[np.generic], shape: Sequence[int]
) -> dict[str, str]:
    """Of two dumps of NPUs the types in which they are stored, else those in which they were compared."""
    types = type_name(mine.dtype), type_name(golden.dtype)
    if pair.way == BOTH_NPU and pair.candidate is not None and pair.reference is not None:
        types = _stored(pair.candidate.info), _stored(pair.reference.info)
    return {MY_TYPE: types[0], GOLDEN_TYPE: types[1], SHAPE: f"[{','.join(map(str, shape))}]"}


def _stored(info: TensorInfo) -> str:
    return _STORED_TYPES.get(info.dtype, "NaN")
