"""Layouts that keep axes in blocks: in and out, by plain reshapes and one transpose each.

`unpack` functions give what is in the blocks, the padding included; `pack` functions fill the last ones up with zeros.
Channels come in blocks of C0 (8, 16 or 32), and matrices in fractals of 16 × C0.
"""

import math

import numpy as np
from numpy.typing import NDArray

from errorflow.formats.convert.layouts import Shape

Array = NDArray[np.generic]
# The rows of a fractal.
N0 = 16
# Channels of the layouts for images of at most four channels.
C04 = 4


def blocks(size: int, block: int) -> int:
    return -(-size // block)


def padded(array: Array, shape: Shape) -> Array:
    """The array in the front corner of zeros."""
    if array.shape == shape:
        return array
    made = np.zeros(shape, array.dtype)
    made[tuple(slice(size) for size in array.shape)] = array
    return made


# ------------------------------------------------------------------------------------------ feature maps


def unpack_channels(array: Array) -> Array:
    """NC1HWC0 as NCHW, NDC1HWC0 as NCDHW."""
    if array.ndim == 5:
        n, c1, h, w, c0 = array.shape
        return array.transpose(0, 1, 4, 2, 3).reshape(n, c1 * c0, h, w)
    n, d, c1, h, w, c0 = array.shape
    return array.transpose(0, 2, 5, 1, 3, 4).reshape(n, c1 * c0, d, h, w)


def pack_channels(array: Array, c0: int) -> Array:
    """NCHW as NC1HWC0, NCDHW as NDC1HWC0."""
    n, c, *rest = array.shape
    c1 = blocks(c, c0)
    full = padded(array, (n, c1 * c0, *rest)).reshape(n, c1, c0, *rest)
    return np.ascontiguousarray(full.transpose(0, 1, 3, 4, 2) if len(rest) == 2 else full.transpose(0, 3, 1, 4, 5, 2))


# ------------------------------------------------------------------------------------------ matrices


def unpack_matrix(array: Array, lead: int) -> Array:
    """FRACTAL_NZ [..., K1, M1, M0, K0] as [lead, M, K]."""
    k1, m1, m0, k0 = array.shape[-4:]
    return array.reshape(lead, k1, m1, m0, k0).transpose(0, 2, 3, 1, 4).reshape(lead, m1 * m0, k1 * k0)


def pack_matrix(array: Array, c0: int) -> Array:
    """[..., M, K] as FRACTAL_NZ."""
    *lead, m, k = array.shape
    m1, k1 = blocks(m, N0), blocks(k, c0)
    full = padded(array, (*lead, m1 * N0, k1 * c0)).reshape(*lead, m1, N0, k1, c0)
    rank = len(lead)
    order = (*range(rank), rank + 2, rank, rank + 1, rank + 3)
    return np.ascontiguousarray(full.transpose(order))


# ------------------------------------------------------------------------------------------ weights


def merged_groups(c: int, n: int, groups: int, c0: int) -> int:
    """Counts the groups of a grouped convolution that share their blocks, so that little is padded."""
    return min(math.lcm(math.lcm(c, c0) // c, math.lcm(n, N0) // n), groups)


def pack_weights(array: Array, groups: int, c0: int) -> Array:
    """NCHW weights as FRACTAL_Z [G·C1·H·W, N1, N0, C0]; N counts the filters of all groups."""
    total, c, h, w = array.shape
    n = total // groups
    merged = merged_groups(c, n, groups, c0)
    rows, c1, n1 = blocks(groups, merged), blocks(merged * c, c0), blocks(merged * n, N0)
    full = np.zeros((rows, n1 * N0, c1 * c0, h, w), array.dtype)
    for group in range(groups):
        row, at = divmod(group, merged)
        full[row, at * n : (at + 1) * n, at * c : (at + 1) * c] = array[group * n : (group + 1) * n]
    whole = full.reshape(rows, n1, N0, c1, c0, h, w).transpose(0, 3, 5, 6, 1, 2, 4)
    return np.ascontiguousarray(whole).reshape(rows * c1 * h * w, n1, N0, c0)


def unpack_weights(array: Array, h: int, w: int) -> Array:
    """FRACTAL_Z without groups as NCHW."""
    rows, n1, n0, c0 = array.shape
    c1 = rows // (h * w)
    return array.reshape(c1, h, w, n1, n0, c0).transpose(3, 4, 0, 5, 1, 2).reshape(n1 * n0, c1 * c0, h, w)


def unpack_grouped(array: Array, shape: Shape, groups: int) -> Array:
    """FRACTAL_Z of a grouped convolution as NCHW of that shape."""
    total, c, h, w = shape
    n, c0 = total // groups, array.shape[-1]
    merged = merged_groups(c, n, groups, c0)
    c1, n1 = blocks(merged * c, c0), blocks(merged * n, N0)
    rows = blocks(groups, merged)
    whole = array.reshape(rows, c1, h, w, n1, N0, c0).transpose(0, 4, 5, 1, 6, 2, 3)
    full = whole.reshape(rows, n1 * N0, c1 * c0, h, w)
    made = np.empty(shape, array.dtype)
    for group in range(groups):
        row, at = divmod(group, merged)
        made[group * n : (group + 1) * n] = full[row, at * n : (at + 1) * n, at * c : (at + 1) * c]
    return made


def pack_weights_3d(array: Array, c0: int) -> Array:
    """NCDHW weights as FRACTAL_Z_3D [D·C1·H·W, N1, N0, C0]."""
    n, c, d, h, w = array.shape
    n1, c1 = blocks(n, N0), blocks(c, c0)
    full = padded(array, (n1 * N0, c1 * c0, d, h, w)).reshape(n1, N0, c1, c0, d, h, w)
    return np.ascontiguousarray(full.transpose(4, 2, 5, 6, 0, 1, 3)).reshape(d * c1 * h * w, n1, N0, c0)


def unpack_weights_3d(array: Array, d: int, h: int, w: int) -> Array:
    """FRACTAL_Z_3D as NCDHW."""
    rows, n1, n0, c0 = array.shape
    c1 = rows // (d * h * w)
    whole = array.reshape(d, c1, h, w, n1, n0, c0).transpose(4, 5, 1, 6, 0, 2, 3)
    return whole.reshape(n1 * n0, c1 * c0, d, h, w)


def pack_weights_c04(array: Array, c0: int) -> Array:
    """NCHW weights of at most four channels as FRACTAL_Z_C04 [H·W·4/C0, N1, N0, C0]."""
    n, _, h, w = array.shape
    n1, k1 = blocks(n, N0), blocks(h * w * C04, c0)
    matrix = padded(array, (n, C04, h, w)).transpose(0, 2, 3, 1).reshape(n, h * w * C04)
    full = padded(matrix, (n1 * N0, k1 * c0)).reshape(n1, N0, k1, c0)
    return np.ascontiguousarray(full.transpose(2, 0, 1, 3))


def unpack_weights_c04(array: Array, h: int, w: int) -> Array:
    """FRACTAL_Z_C04 as NCHW."""
    k1, n1, n0, c0 = array.shape
    matrix = array.transpose(1, 2, 0, 3).reshape(n1 * n0, k1 * c0)[:, : h * w * C04]
    return matrix.reshape(n1 * n0, h, w, C04).transpose(0, 3, 1, 2)


def pack_depthwise(array: Array, c0: int) -> Array:
    """NCHW weights as C1HWNCoC0: each channel on the diagonal of its block."""
    n, c, h, w = array.shape
    c1 = blocks(c, c0)
    full = padded(array, (n, c1 * c0, h, w)).reshape(n, c1, c0, h, w).transpose(1, 3, 4, 0, 2)
    made = np.zeros((c1, h, w, n, c0, c0), array.dtype)
    at = np.arange(c0)
    made[..., at, at] = full
    return made


def unpack_depthwise(array: Array) -> Array:
    """C1HWNCoC0 as NCHW."""
    c1, h, w, n, _, c0 = array.shape
    return array.diagonal(axis1=4, axis2=5).transpose(3, 0, 4, 1, 2).reshape(n, c1 * c0, h, w)
