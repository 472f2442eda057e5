"""Two tensors of different layouts, shapes or number systems become two that can be measured."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass, replace
from errorflow.compare.match.model import BOTH_NPU, BY_ORIGIN, Pair
from errorflow.compare.model import Options
from errorflow.formats.convert.custom import Converters
from errorflow.formats.convert.cut import check_same
from errorflow.formats.convert.layouts import PLAIN
from errorflow.formats.convert.prepare import ND, prepare, prepare_npu
from errorflow.graph.dump import TensorInfo
from errorflow.graph.qparams import QParams

Array = NDArray[np.generic]
# A zero point from here on is none: nothing near it is a whole number of its own in float64.
LARGEST_ZERO = 1 << 53
MATRIX_RANK = 2


@dataclass(frozen=True, slots=True)
class Together:
    """Two tensors of the same shape. `refused` is the reason with which msaccucmp would print NaN, None if it would
    not.
    """

    mine: Array
    golden: Array
    shape: tuple[int, ...]
    done: tuple[str, ...] = ()
    refused: str | None = None
    # Along which the channels lie; None: nobody says.
    axis: int | None = None
    # In which the values lie, where that is not the shape that msaccucmp prints, and the order of its axes if known.
    inner: tuple[int, ...] | None = None
    layout: str = ""


def bring_together(pair: Pair, mine: Array, golden: Array, options: Options) -> Together:
    """Raises a `ConvertError` where that cannot be done."""
    assert pair.candidate is not None and pair.reference is not None
    info, other = pair.candidate.info, pair.reference.info
    if pair.way == BY_ORIGIN:
        custom = Converters.of(options.custom) if options.custom else None
        found = prepare(
            mine,
            info,
            golden,
            operator=pair.speaker if pair.speaker else pair.node,
            origin_layout=pair.layout,
            declared_shape=pair.shape,
            custom=custom,
        )
    elif pair.way == BOTH_NPU:
        found = prepare_npu(mine, info, golden, other, operator=pair.node)
    else:
        return _as_they_are(pair, mine, golden)
    inner = found.shape if found.inner is None else found.inner
    axis = _channels(found.layout, inner)
    return Together(found.mine, found.golden, found.shape, found.done, found.refused, axis, inner, found.layout)


def _as_they_are(pair: Pair, mine: Array, golden: Array) -> Together:
    check_same(pair.node, mine.shape, golden.shape)
    return Together(mine, golden, mine.shape, axis=_channels(pair.layout, mine.shape))


def _channels(layout: str, shape: tuple[int, ...]) -> int | None:
    """Finds the letter C in a layout that is written out, such as NHWC."""
    return layout.index("C") if len(layout) == len(shape) and "C" in layout else None


def real_values(
    pair: Pair, together: Together, options: Options
) -> tuple[Array, Array, QParams | None, tuple[str, ...]]:
    """Brings both into their shape, with the candidate's scale for that shape; codes become real values, and that is
    said.
    """
    assert pair.candidate is not None and pair.reference is not None
    sides, grids, done = [], [], []
    for name, array, info, told in (
        ("candidate", together.mine, pair.candidate.info, pair.qparams),
        ("reference", together.golden, pair.reference.info, None),
    ):
        shaped = _shaped(array, together.shape if together.inner is None else together.inner)
        known = info.qparams if told is None else by_channel(told, together, shaped.ndim)
        qparams = None if known is None else grid(known, info if told is None else None, shaped.shape, together.layout)
        if options.dequantize and known is not None and shaped.dtype.kind in "iu":
            if qparams is None:
                done.append(f"{name} left in codes: {_scale_text(known)} do not go with its shape")
            else:
                shaped = dequantized(shaped, qparams)
                done.append(f"{name} dequantized with {_scale_text(known)}")
        sides.append(shaped)
        grids.append(qparams)
    return sides[0], sides[1], grids[0], tuple(done)


def _shaped(array: Array, shape: tuple[int, ...]) -> Array:
    return array.reshape(shape) if array.size == np.prod(shape, dtype=np.int64) else array


def by_channel(qparams: QParams, together: Together, rank: int) -> QParams:
    """Several scales that belong to the channels, with the axis where these lie, if that is known.

    Without a layout that names them they are the last axis, as in a product of matrices.
    """
    axis = together.axis
    if axis is None and (together.layout == ND or rank <= MATRIX_RANK):
        axis = rank - 1
    return qparams if len(qparams.scales) == 1 else replace(qparams, axis=axis)


def grid(qparams: QParams, info: TensorInfo | None, shape: tuple[int, ...], layout: str) -> QParams | None:
    """The scale for the tensor in that shape and layout; None where it does not go with them.

    An axis is counted as the tensor is stored: it moves along when the layout changes. Without `info`, it is that of
    the shape.
    """
    scales, zeros = np.array(qparams.scales, np.float32), qparams.zero_points
    if not np.all(np.isfinite(scales) & (scales > 0)) or max(map(abs, zeros), default=LARGEST_ZERO) >= LARGEST_ZERO:
        return None
    if qparams.axis is None:
        return qparams if len(scales) == len(zeros) == 1 else None
    axis = qparams.axis if info is None else _moved(qparams.axis, info, shape, layout)
    if axis is None or not -len(shape) <= axis < len(shape):
        return None
    if len(scales) != shape[axis] or len(zeros) not in (1, shape[axis]):
        return None
    return replace(qparams, axis=axis)


def _moved(axis: int, info: TensorInfo, shape: tuple[int, ...], layout: str) -> int | None:
    rank = len(info.shape)
    if not -rank <= axis < rank:
        return None
    if info.layout in PLAIN and layout in PLAIN and len(info.layout) == len(layout) == len(shape) == rank:
        return layout.index(info.layout[axis])
    return axis % rank if shape == info.shape else None


def dequantized(codes: Array, qparams: QParams) -> Array:
    """(code − zero point) × scale in float32, as ONNX Runtime computes it; the difference is exact."""
    small = codes.dtype.itemsize <= 2 and max(map(abs, qparams.zero_points)) < 1 << 30
    exact: np.dtype[Any] = np.dtype(np.int32 if small else np.float64)
    scales, zeros = np.array(qparams.scales, np.float32), np.array(qparams.zero_points, exact)
    if qparams.axis is not None:
        rest = [1] * codes.ndim
        rest[qparams.axis] = -1
        scales, zeros = scales.reshape(rest), zeros.reshape(rest)
    with np.errstate(over="ignore"):  # beyond what float32 holds it is infinite there, too
        return np.asarray((codes.astype(exact) - zeros).astype(np.float32) * scales)


def _scale_text(qparams: QParams) -> str:
    scales, zeros = qparams.scales, qparams.zero_points
    if len(scales) != 1:
        return f"{len(scales):,} scales" + (f" along axis {qparams.axis}" if qparams.axis is not None else "")
    return f"scale {scales[0]:g} and zero point {zeros[0] if zeros else 'unknown'}"
