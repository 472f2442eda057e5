"""The conversions that msaccucmp has, with its results: also where a shape does not fit, or nothing is cut."""

from collections.abc import Callable, Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.formats.convert.blocks import pack_weights, unpack_channels, unpack_matrix
from errorflow.formats.convert.layouts import Shape, axes

Array = NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class LayoutChange:
    """A tensor in the shape in which it is stored, the shape that it should have afterwards, and its groups."""

    array: Array
    shape: Shape
    groups: int


ToolConversion = Callable[[LayoutChange], Array]

# C0 of the tool's FRACTAL_Z, whatever the type.
_TOOL_C0 = 16


def _plain(source: str, target: str) -> ToolConversion:
    order = axes(source, target)

    def turn(change: LayoutChange) -> Array:
        return change.array.transpose(order)

    return turn


def _channels(target: str) -> ToolConversion:
    """Converts in one transpose: the strides of the result, which end up in npy files, are the tool's too."""
    order = {"NCHW": (0, 1, 4, 2, 3), "NHWC": (0, 2, 3, 1, 4), "HWCN": (2, 3, 1, 4, 0)}[target]

    def unpack(change: LayoutChange) -> Array:
        n, c1, h, w, c0 = change.array.shape[:5]
        sizes = {"N": n, "C": c1 * c0, "H": h, "W": w}
        whole = change.array.reshape(n, c1, h, w, c0).transpose(order)
        return whole.reshape([sizes[axis] for axis in target])

    return unpack


def _depth(needs_channels: bool) -> ToolConversion:
    def unpack(change: LayoutChange) -> Array:
        if change.array.ndim != 6:
            raise ValueError("NDC1HWC0 has six axes")
        full = unpack_channels(change.array)
        if needs_channels or len(change.shape) == 5:
            return full[:, : _end(full.shape[1], change.shape[1])]
        return full

    return unpack


def _matrix(change: LayoutChange) -> Array:
    shape = change.shape
    rows, columns = (1, *shape)[-2:] if len(shape) < 3 else shape[-2:]
    full = unpack_matrix(change.array, 1 if len(shape) < 3 else prod(shape[:-2]))
    cut = full[:, : _end(full.shape[1], rows), : _end(full.shape[2], columns)]
    return cut.reshape(cut.shape[1:]) if len(shape) < 3 else cut


def _weights(target: str) -> ToolConversion:
    order = {"NCHW": (3, 4, 0, 5, 1, 2), "HWCN": (1, 2, 0, 5, 3, 4)}[target]

    def unpack(change: LayoutChange) -> Array:
        n, c, h, w = (change.shape[target.index(axis)] for axis in "NCHW")
        rows, n1, n0, c0 = change.array.shape
        c1 = rows // (h * w)
        sizes = {"N": n1 * n0, "C": c1 * c0, "H": h, "W": w}
        whole = change.array.reshape(c1, h, w, n1, n0, c0).transpose(order).reshape([sizes[axis] for axis in target])
        ends = {"N": _end(n1 * n0, n), "C": _end(c1 * c0, c)}
        return whole[tuple(slice(ends.get(axis)) for axis in target)]

    return unpack


def _to_weights(source: str) -> ToolConversion:
    order = axes(source, "NCHW")

    def pack(change: LayoutChange) -> Array:
        return pack_weights(change.array.transpose(order), max(change.groups, 1), _TOOL_C0)

    return pack


def _end(have: int, want: int) -> int | None:
    """The end of a slice: the tool counts from the back, so that a larger `want` gives what is too much."""
    return None if have == want else want - have


TOOL_PAIRS: Mapping[tuple[str, str], ToolConversion] = {
    **{
        (source, target): _plain(source, target)
        for source, target in (("NCHW", "NHWC"), ("HWCN", "NCHW"), ("NHWC", "NCHW"), ("HWCN", "NHWC"), ("NHWC", "HWCN"))
    },
    **{("NC1HWC0", target): _channels(target) for target in ("NCHW", "NHWC", "HWCN")},
    **{("FRACTAL_Z", target): _weights(target) for target in ("NCHW", "HWCN")},
    **{("FRACTAL_NZ", target): _matrix for target in ("ND", "NCHW", "NHWC")},
    **{(source, "FRACTAL_Z"): _to_weights(source) for source in ("NCHW", "NHWC", "HWCN")},
    ("NDC1HWC0", "NCDHW"): _depth(needs_channels=True),
    ("NDC1HWC0", "ND"): _depth(needs_channels=False),
}


def tool_converts(source: str, target: str, groups: int = 1) -> bool:
    """Whether msaccucmp has that conversion: of grouped weights, it only has those into FRACTAL_Z."""
    return (source, target) in TOOL_PAIRS and (groups < 2 or target == "FRACTAL_Z")
