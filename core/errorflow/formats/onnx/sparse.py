"""Sparse tensors: values and where they stand, given out as a full array."""

from math import prod

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import is_possible
from errorflow.base.errors import FormatError
from errorflow.formats.onnx.tensors import EXPORT_AGAIN, MAX_TENSOR_BYTES

Array = NDArray[np.generic]


def dense(name: str, dims: list[int], values: Array, indices: Array) -> Array:
    """The full array, read-only: zeros but where `indices` says."""
    itemsize = values.dtype.itemsize
    if not is_possible(dims, itemsize) or prod(dims) * itemsize > MAX_TENSOR_BYTES:
        raise FormatError(f"The sparse tensor {name} is too large to be filled with zeros.", EXPORT_AGAIN)
    flat = np.zeros(prod(dims), values.dtype)
    places = _places(name, dims, indices)
    if len(places) != values.size or (len(places) and not 0 <= places.min() <= places.max() < flat.size):
        raise FormatError(f"The sparse tensor {name} has indices that do not fit its values.", EXPORT_AGAIN)
    flat[places] = values.ravel()
    full = flat.reshape(dims)
    full.flags.writeable = False
    return full


def _places(name: str, dims: list[int], indices: Array) -> NDArray[np.int64]:
    """Positions in row order, from positions or from coordinates."""
    if indices.dtype.kind not in "iu":
        raise FormatError(f"The sparse tensor {name} has indices that are no whole numbers.", EXPORT_AGAIN)
    table = indices.astype(np.int64)
    if table.ndim < 2:
        return table.ravel()
    if table.ndim > 2 or table.shape[1] != len(dims) or bool((table < 0).any() or (table >= dims).any()):
        raise FormatError(f"The sparse tensor {name} has indices outside of its shape.", EXPORT_AGAIN)
    strides = np.array([prod(dims[axis + 1 :]) for axis in range(len(dims))], np.int64)
    return table @ strides
