"""Conversions that msaccucmp lacks: every layout with a public definition, into every other, by way of a plain one."""

from collections.abc import Callable, Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.formats.convert import blocks
from errorflow.formats.convert.layouts import PLAIN_4D, PLAIN_5D, ConvertError, Shape, axes

Array = NDArray[np.generic]
# More than any chip keeps together.
_MOST_CHANNELS = 64
_NCHW, _NCDHW, _ND = "NCHW", "NCDHW", "ND"


@dataclass(frozen=True, slots=True)
class _Job:
    """A tensor, its plain shape where that is known, and how it is kept in blocks."""

    array: Array
    shape: Shape | None = None
    groups: int = 1
    c0: int = 16


@dataclass(frozen=True, slots=True)
class _Sizes:
    """A plain shape, and how it is to be kept in blocks."""

    shape: Shape
    groups: int
    c0: int


@dataclass(frozen=True, slots=True)
class _Blocked:
    """A layout in blocks: the plain one behind it, the rank of the stored shape (0: any), and how to get out and in."""

    home: str
    rank: int
    unpack: Callable[[_Job], Array]
    pack: Callable[[_Job], Array]
    stored: Callable[[_Sizes], Shape]


def _needed(job: _Job, rank: int) -> Shape:
    shape = job.shape
    if shape is None or len(shape) != rank:
        raise ConvertError(
            f"The blocks do not say the original shape, and none of {rank} axes is given.",
            "Give the shape that the tensor has in the original model.",
        )
    return shape


def _weights(job: _Job) -> Array:
    n, c, h, w = _needed(job, 4)
    if job.groups > 1:
        return blocks.unpack_grouped(job.array, (n, c, h, w), job.groups)
    return blocks.unpack_weights(job.array, h, w)


def _matrix(job: _Job) -> Array:
    lead = job.array.shape[:-4]
    full = blocks.unpack_matrix(job.array, prod(lead))
    return full.reshape(*lead, *full.shape[1:])


_CHANNELS: tuple[Callable[[_Job], Array], Callable[[_Job], Array]] = (
    lambda job: blocks.unpack_channels(job.array),
    lambda job: blocks.pack_channels(job.array, job.c0),
)


def _stored_weights(sizes: _Sizes) -> Shape:
    total, c, h, w = sizes.shape
    groups, c0 = sizes.groups, sizes.c0
    n = total // groups
    merged = blocks.merged_groups(c, n, groups, c0)
    rows = blocks.blocks(groups, merged) * blocks.blocks(merged * c, c0) * h * w
    return rows, blocks.blocks(merged * n, blocks.N0), blocks.N0, c0


def _stored_weights_3d(sizes: _Sizes) -> Shape:
    n, c, d, h, w = sizes.shape
    return _stored_weights(_Sizes((n, c, d * h, w), 1, sizes.c0))


def _stored_weights_c04(sizes: _Sizes) -> Shape:
    n, _, h, w = sizes.shape
    return _stored_weights(_Sizes((n, blocks.C04 * h * w, 1, 1), 1, sizes.c0))


def _stored_channels(sizes: _Sizes) -> Shape:
    n, c, *rest = sizes.shape
    c1 = blocks.blocks(c, sizes.c0)
    return (n, *rest[:-2], c1, *rest[-2:], sizes.c0)


def _stored_depthwise(sizes: _Sizes) -> Shape:
    n, c, h, w = sizes.shape
    return blocks.blocks(c, sizes.c0), h, w, n, sizes.c0, sizes.c0


def _stored_matrix(sizes: _Sizes) -> Shape:
    *lead, m, k = sizes.shape
    return *lead, blocks.blocks(k, sizes.c0), blocks.blocks(m, blocks.N0), blocks.N0, sizes.c0


BLOCKED: Mapping[str, _Blocked] = {
    "NC1HWC0": _Blocked(_NCHW, 5, *_CHANNELS, _stored_channels),
    "NDC1HWC0": _Blocked(_NCDHW, 6, *_CHANNELS, _stored_channels),
    "NC1HWC0_C04": _Blocked(
        _NCHW, 5, _CHANNELS[0], lambda job: blocks.pack_channels(job.array, blocks.C04), _stored_channels
    ),
    "FRACTAL_Z": _Blocked(
        _NCHW, 4, _weights, lambda job: blocks.pack_weights(job.array, max(job.groups, 1), job.c0), _stored_weights
    ),
    "FRACTAL_Z_3D": _Blocked(
        _NCDHW,
        4,
        lambda job: blocks.unpack_weights_3d(job.array, *_needed(job, 5)[2:]),
        lambda job: blocks.pack_weights_3d(job.array, job.c0),
        _stored_weights_3d,
    ),
    "FRACTAL_Z_C04": _Blocked(
        _NCHW,
        4,
        lambda job: blocks.unpack_weights_c04(job.array, *_needed(job, 4)[2:]),
        lambda job: blocks.pack_weights_c04(job.array, job.c0),
        _stored_weights_c04,
    ),
    "C1HWNCoC0": _Blocked(
        _NCHW,
        6,
        lambda job: blocks.unpack_depthwise(job.array),
        lambda job: blocks.pack_depthwise(job.array, job.c0),
        _stored_depthwise,
    ),
    "FRACTAL_NZ": _Blocked(_ND, 0, _matrix, lambda job: blocks.pack_matrix(job.array, job.c0), _stored_matrix),
}


def original_in(stored: Shape, source: str, target: str, original: Shape, groups: int) -> Shape | None:
    """Finds the shape that a tensor in blocks will have in `target`, from one whose layout was not recorded.

    It is taken for one in the order of NCHW or else of the target, if it fills just those blocks; None if neither does.
    """
    blocked = BLOCKED[source]
    orders = [axes(blocked.home, target), tuple(range(len(target)))]
    for order in orders if len(original) == len(target) else []:
        wanted = tuple(original[at] for at in order)
        home = tuple(wanted[target.index(axis)] for axis in blocked.home)
        if _fills(blocked, stored, _Sizes(home, max(groups, 1), stored[-1])):
            return wanted
    return None


def _fills(blocked: _Blocked, stored: Shape, sizes: _Sizes) -> bool:
    if 0 in sizes.shape or sizes.c0 < 1 or sizes.shape[0] % sizes.groups:
        return False
    return blocked.stored(sizes) == tuple(stored)


def addition_converts(source: str, target: str) -> bool:
    """Whether both layouts have a public definition and hold the same axes."""
    if "FRACTAL_NZ" in (source, target):
        return source != target and {source, target} <= {"FRACTAL_NZ", _ND, "NCHW", "NHWC"}
    first, second = _home(source), _home(target)
    return source != target and first == second and first not in ("", _ND)


def add_convert(array: Array, source: str, target: str, shape: Shape | None, groups: int) -> Array:
    """The tensor in the new layout, cut to the shape where one is given; only for what `addition_converts`."""
    blocked = BLOCKED.get(target)
    if blocked is None:
        return _unpacked(array, source, target, shape, groups)
    plain = _home_of(source, target)
    c0 = shape[-1] if shape is not None else default_c0(array.dtype)
    if not 1 <= c0 <= _MOST_CHANNELS:
        raise ConvertError(
            f"There are no blocks of {c0:,} channels.", "Give the shape in blocks, its last axis 8, 16 or 32."
        )
    whole = _unpacked(array, source, plain, None, groups)
    _check_packs(whole.shape, target, groups)
    return blocked.pack(_Job(whole, groups=groups, c0=c0))


def default_c0(dtype: np.dtype[np.generic]) -> int:
    """Counts the channels of that type that an NPU keeps together."""
    return 32 if dtype.itemsize == 1 else 16


def _home(layout: str) -> str:
    if layout == _ND:
        return _ND
    if layout in BLOCKED:
        return BLOCKED[layout].home
    return _NCHW if layout in PLAIN_4D else _NCDHW if layout in PLAIN_5D else ""


def _home_of(source: str, target: str) -> str:
    """The plain layout between two, where the target is in blocks."""
    return source if target == "FRACTAL_NZ" and source not in BLOCKED else _home(target)


def _unpacked(array: Array, source: str, target: str, shape: Shape | None, groups: int) -> Array:
    blocked = BLOCKED.get(source)
    if blocked is None:
        return array if source == target else array.transpose(_order(array, source, target))
    if (blocked.rank and array.ndim != blocked.rank) or array.ndim < 4:
        raise ConvertError(f"{source} does not have {array.ndim} axes.", "The dump contradicts itself; make it again.")
    if blocked.home == _ND:
        return _cut(blocked.unpack(_Job(array, shape, groups)), shape)
    home = None
    if shape is not None and len(shape) == len(target):
        home = tuple(shape[target.index(axis)] for axis in blocked.home)
    whole = _cut(blocked.unpack(_Job(array, home, groups)), home)
    return whole.transpose(axes(blocked.home, target))


def _order(array: Array, source: str, target: str) -> tuple[int, ...]:
    if array.ndim != len(source):
        raise ConvertError(f"{source} does not have {array.ndim} axes.", "Give the shape as the layout spells it.")
    return axes(source, target)


def _cut(array: Array, shape: Shape | None) -> Array:
    if shape is None or len(shape) != array.ndim:
        return array
    return array[tuple(slice(size) for size in shape)]


def _check_packs(shape: Shape, target: str, groups: int) -> None:
    if 0 in shape:
        raise ConvertError("An empty tensor has no blocks.", "Leave it as it is.")
    if target == "FRACTAL_Z" and shape[0] % max(groups, 1):
        raise ConvertError(f"{shape[0]} filters are not {groups} groups of the same size.", "Check the groups.")
    if target.endswith("_C04") and shape[1] > blocks.C04:
        raise ConvertError(
            f"{target} has at most four channels, the tensor {shape[1]}.", "Choose NC1HWC0 or FRACTAL_Z."
        )
