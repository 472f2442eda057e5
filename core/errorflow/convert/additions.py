"""Conversions that msaccucmp lacks: every layout with a public definition, into every other, by way of a plain one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from errorflow.convert import blocks
from errorflow.convert.error import ConvertError
from errorflow.convert.layouts import PLAIN_4D, PLAIN_5D, Shape, axes

Array = NDArray[np.generic]
_NCHW, _NCDHW, _ND = "NCHW", "NCDHW", "ND"


@dataclass(frozen=True, slots=True)
class _Job:
    """A tensor, its plain shape where that is known, and how it is kept in blocks."""

    array: Array
    shape: Shape | None = None
    groups: int = 1
    c0: int = 16


@dataclass(frozen=True, slots=True)
class _Blocked:
    """A layout in blocks: the plain one behind it, the rank of the stored shape (0: any), and how to get out and in."""

    home: str
    rank: int
    unpack: Callable[[_Job], Array]
    pack: Callable[[_Job], Array]


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

BLOCKED: Mapping[str, _Blocked] = {
    "NC1HWC0": _Blocked(_NCHW, 5, *_CHANNELS),
    "NDC1HWC0": _Blocked(_NCDHW, 6, *_CHANNELS),
    "NC1HWC0_C04": _Blocked(_NCHW, 5, _CHANNELS[0], lambda job: blocks.pack_channels(job.array, blocks.C04)),
    "FRACTAL_Z": _Blocked(_NCHW, 4, _weights, lambda job: blocks.pack_weights(job.array, max(job.groups, 1), job.c0)),
    "FRACTAL_Z_3D": _Blocked(
        _NCDHW,
        4,
        lambda job: blocks.unpack_weights_3d(job.array, *_needed(job, 5)[2:]),
        lambda job: blocks.pack_weights_3d(job.array, job.c0),
    ),
    "FRACTAL_Z_C04": _Blocked(
        _NCHW,
        4,
        lambda job: blocks.unpack_weights_c04(job.array, *_needed(job, 4)[2:]),
        lambda job: blocks.pack_weights_c04(job.array, job.c0),
    ),
    "C1HWNCoC0": _Blocked(
        _NCHW,
        6,
        lambda job: blocks.unpack_depthwise(job.array),
        lambda job: blocks.pack_depthwise(job.array, job.c0),
    ),
    "FRACTAL_NZ": _Blocked(_ND, 0, _matrix, lambda job: blocks.pack_matrix(job.array, job.c0)),
}


def addition_converts(source: str, target: str) -> bool:
    """Whether both layouts have a public definition and hold the same axes."""
    first, second = _home(source), _home(target)
    if source == target or not first or not second:
        return False
    return first == second or (_ND in (first, second) and "FRACTAL_NZ" in (source, target))


def add_convert(array: Array, source: str, target: str, shape: Shape | None, groups: int) -> Array:
    """The tensor in the new layout, cut to the shape where one is given; only for what `addition_converts`."""
    blocked = BLOCKED.get(target)
    if blocked is None:
        return _unpacked(array, source, target, shape, groups)
    plain = _home_of(source, target)
    c0 = shape[-1] if shape is not None else default_c0(array.dtype)
    if c0 < 1:
        raise ConvertError(f"Blocks of {c0} channels are none.", "Give the shape in blocks, its last axis 8, 16 or 32.")
    whole = _unpacked(array, source, plain, None, groups)
    _check_packs(whole.shape, target, groups)
    return blocked.pack(_Job(whole, groups=groups, c0=c0))


def default_c0(dtype: np.dtype[np.generic]) -> int:
    """How many channels of that type an NPU keeps together."""
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
