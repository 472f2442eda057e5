"""How an NPU lays out a tensor: in blocks of channels, or of rows and columns, filled up with zeros."""

import numpy as np

from npu_writer import NpuArray
from tools.npu_case.source import Array, floats

BLOCKS, FRACTAL = "NC1HWC0", "FRACTAL_NZ"
# Rows of a block; columns and channels depend on how wide a value is.
ROWS = 16
_GE_TYPES = {"float16": "DT_FLOAT16", "float32": "DT_FLOAT", "float64": "DT_DOUBLE"}


def plain_layout(array: Array) -> str:
    return "NCHW" if array.ndim == 4 else "ND"


def ge_type(dtype: str) -> str:
    return _GE_TYPES.get(dtype, f"DT_{dtype.upper()}")


def stored_type(array: Array) -> str:
    """What the chip keeps it in: half precision where it is a float at all."""
    return "float16" if floats(array) else array.dtype.name


def laid_out(array: Array, layout: str, dtype: str) -> Array:
    """The values as they lie in memory."""
    with np.errstate(over="ignore"):
        array = array.astype(dtype)
    width = 32 if dtype in ("int8", "uint8") else 16
    if layout == BLOCKS:
        n, c, h, w = array.shape
        padded = np.pad(array, ((0, 0), (0, -c % width), (0, 0), (0, 0)))
        array = padded.reshape(n, -1, width, h, w).transpose(0, 1, 3, 4, 2)
    elif layout == FRACTAL:
        *outer, rows, columns = array.shape
        padded = np.pad(array, [(0, 0)] * len(outer) + [(0, -rows % ROWS), (0, -columns % width)])
        tiles = padded.reshape(*outer, -(-rows // ROWS), ROWS, -1, width)
        front = tuple(range(len(outer)))
        array = tiles.transpose(*front, *(len(outer) + at for at in (2, 0, 1, 3)))
    return np.ascontiguousarray(array)


def dumped(array: Array, layout: str, dtype: str) -> NpuArray:
    return NpuArray(laid_out(array, layout, dtype), layout, original_shape=array.shape)
