"""Cutting off padding, and the sentences about shapes that do not go together."""

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from errorflow.formats.convert.layouts import ConvertError, Shape, shape_text

Array = NDArray[np.generic]
# Shapes are filled up with ones to that rank before they are compared; of other ranks than these two nothing is cut.
_LEAST_RANK, _MOST_RANK = 4, 5
# By how much a matrix in fractals may be larger than what is in it.
_FRACTAL = 16

_MISFIT_HINT = "Both runs need the same batch and input; an optimisation may have changed the shape."


def different(operator: str, mine: Sequence[int], golden: Sequence[int]) -> ConvertError:
    """The tool's sentence about two shapes that cannot be compared."""
    prefix = f"[{operator}] " if operator else ""
    text = (
        f"{prefix}Due to the different shapes on the left and right,the left dump data{shape_text(mine)} can not be "
        f"compared to the right dump data{shape_text(golden)}. Please check the batch of the dump data or the shape "
        "may be changed due to optimization."
    )
    return ConvertError(f"The shapes differ: {shape_text(mine)} and {shape_text(golden)}.", _MISFIT_HINT, text)


def check_same(operator: str, mine: Sequence[int], golden: Sequence[int]) -> None:
    if tuple(mine) != tuple(golden):
        raise different(operator, mine, golden)


def cut(array: Array, shape: Shape, operator: str = "") -> Array:
    """The front corner of that shape, as msaccucmp takes it.

    Ranks are filled up with ones to at least four; the first axis that is too long decides that there is something to
    cut, and an axis before it that is too short, that nothing fits.
    """
    if array.ndim < len(shape):
        mine, golden = _without_ones(array.shape), _without_ones(shape)
        if mine or golden:
            check_same(operator, mine or array.shape, golden or shape)
        return array
    full = _filled(array.shape, _LEAST_RANK)
    want = _filled(shape, len(full))
    if prod(shape) == array.size and full.count(1) - (len(full) - array.ndim) >= array.ndim - 1:
        return array
    if not _is_longer(full, want, operator):
        return array
    array = array.reshape(full)
    if len(full) > _MOST_RANK:
        return array
    return array[tuple(slice(size) for size in want)]


def _is_longer(full: Shape, want: Shape, operator: str) -> bool:
    for have, wanted in zip(full, want, strict=True):
        if have < wanted:
            raise different(operator, full, want)
        if have > wanted:
            return True
    return False


def _filled(shape: Shape, rank: int) -> Shape:
    return (*shape, *(1,) * (rank - len(shape)))


def _without_ones(shape: Shape) -> Shape:
    return tuple(size for size in shape if size != 1)


def check_matrix(shape: Shape, stored: Shape) -> None:
    """Whether a matrix of that shape can be in those fractals; the tool's sentence if not."""
    if not shape:
        raise _refused("The format before transfer is FRACTAL_NZ. Please enter a valid shape.")
    if len(stored) < 4:
        raise ConvertError(
            f"FRACTAL_NZ does not have {len(stored)} axes.", "The dump contradicts itself; make it again."
        )
    k1, m1, m0, k0 = stored[-4:]
    whole = (*stored[:-4], m1 * m0, k1 * k0)
    fits = len(shape) == len(whole) and all(
        have - _FRACTAL < wanted <= have for wanted, have in zip(shape[-2:], whole[-2:], strict=True)
    )
    if not fits:
        raise _refused(
            f"The target shape {shape_text(shape)} is invalid. The recommended shape is {shape_text(whole)}."
        )
    if shape[:-2] != whole[:-2]:
        raise _refused(
            f"The target shape {shape_text(shape)} is invalid, the recommended shape is {shape_text(whole)}."
        )


def _refused(reason: str) -> ConvertError:
    return ConvertError(reason, "Give the shape that the tensor has in the original model.", reason)
