"""The conversions that msaccucmp has, with its results: also where a shape does not fit, or nothing is cut."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from errorflow.convert.blocks import pack_weights, unpack_channels, unpack_matrix, unpack_weights
from errorflow.convert.layouts import Shape, axes

Array = NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class Change:
    """A tensor in the shape in which it is stored, the shape that it should have afterwards, and its groups."""

    array: Array
    shape: Shape
    groups: int


ToolConversion = Callable[[Change], Array]

# C0 of the tool's FRACTAL_Z, whatever the type.
_TOOL_C0 = 16


def _plain(source: str, target: str) -> ToolConversion:
    order = axes(source, target)

    def turn(change: Change) -> Array:
        return change.array.transpose(order)

    return turn


def _channels(target: str) -> ToolConversion:
    order = axes("NCHW", target)

    def unpack(change: Change) -> Array:
        n, c1, h, w, c0 = change.array.shape[:5]
        return unpack_channels(change.array.reshape(n, c1, h, w, c0)).transpose(order)

    return unpack


def _depth(needs_channels: bool) -> ToolConversion:
    def unpack(change: Change) -> Array:
        if change.array.ndim != 6:
            raise ValueError("NDC1HWC0 has six axes")
        full = unpack_channels(change.array)
        if needs_channels or len(change.shape) == 5:
            return full[:, : _end(full.shape[1], change.shape[1])]
        return full

    return unpack


def _matrix(change: Change) -> Array:
    shape = change.shape
    rows, columns = (1, *shape)[-2:] if len(shape) < 3 else shape[-2:]
    full = unpack_matrix(change.array, 1 if len(shape) < 3 else prod(shape[:-2]))
    cut = full[:, : _end(full.shape[1], rows), : _end(full.shape[2], columns)]
    return cut.reshape(cut.shape[1:]) if len(shape) < 3 else cut


def _weights(target: str) -> ToolConversion:
    order = axes("NCHW", target)

    def unpack(change: Change) -> Array:
        n, c, h, w = (change.shape[target.index(axis)] for axis in "NCHW")
        full = unpack_weights(change.array, h, w)
        return full[: _end(full.shape[0], n), : _end(full.shape[1], c)].transpose(order)

    return unpack


def _to_weights(source: str) -> ToolConversion:
    order = axes(source, "NCHW")

    def pack(change: Change) -> Array:
        return pack_weights(change.array.transpose(order), max(change.groups, 1), _TOOL_C0)

    return pack


def _end(have: int, want: int) -> int | None:
    """The end of a slice: the tool counts from the back, so that a larger `want` gives what is too much."""
    return None if have == want else want - have


TOOL_PAIRS: Mapping[tuple[str, str], ToolConversion] = {
    **{
        (source, target): _plain(source, target)
        for source, target in (
            ("NCHW", "NHWC"),
            ("HWCN", "NCHW"),
            ("NHWC", "NCHW"),
            ("HWCN", "NHWC"),
            ("NHWC", "HWCN"),
        )
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
