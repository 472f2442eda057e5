"""Two tensors of different layouts, shapes or number systems become two that can be measured."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorflow.compare.options import Options
from errorflow.convert.custom import Converters
from errorflow.convert.cut import check_same
from errorflow.convert.prepare import prepare, prepare_npu
from errorflow.dump import TensorInfo
from errorflow.match.model import BOTH_NPU, BY_ORIGIN, Pair
from errorflow.qparams import QParams

Array = NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class Together:
    """Both of the same shape. `refused` is the reason with which msaccucmp would print NaN, None if it would not."""

    mine: Array
    golden: Array
    shape: tuple[int, ...]
    done: tuple[str, ...] = ()
    refused: str | None = None
    # Along which the channels lie; None: nobody says.
    axis: int | None = None


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
    axis = _channels(pair.layout if pair.layout else info.layout, found.shape)
    return Together(found.mine, found.golden, found.shape, found.done, found.refused, axis)


def _as_they_are(pair: Pair, mine: Array, golden: Array) -> Together:
    check_same(pair.node, mine.shape, golden.shape)
    return Together(mine, golden, mine.shape, axis=_channels(pair.layout, mine.shape))


def _channels(layout: str, shape: tuple[int, ...]) -> int | None:
    """Where the letter C stands in a layout that is written out, such as NHWC."""
    return layout.index("C") if len(layout) == len(shape) and "C" in layout else None


def real_values(pair: Pair, together: Together, options: Options) -> tuple[Array, Array, tuple[str, ...]]:
    """Both in their shape; codes whose scale is known become real values, and that is said."""
    assert pair.candidate is not None and pair.reference is not None
    sides, done = [], []
    for name, array, info in (
        ("candidate", together.mine, pair.candidate.info),
        ("reference", together.golden, pair.reference.info),
    ):
        shaped = _shaped(array, together.shape)
        if options.dequantize and info.qparams is not None and shaped.dtype.kind in "iu":
            shaped = dequantized(shaped, info.qparams)
            done.append(f"{name} dequantized with {_scale_text(info)}")
        sides.append(shaped)
    return sides[0], sides[1], tuple(done)


def _shaped(array: Array, shape: tuple[int, ...]) -> Array:
    return array.reshape(shape) if array.size == np.prod(shape, dtype=np.int64) else array


def dequantized(codes: Array, qparams: QParams) -> Array:
    """(code − zero point) × scale in float32, as ONNX Runtime computes it."""
    scales = np.array(qparams.scales, np.float32)
    zeros = np.array(qparams.zero_points, np.int32)
    if qparams.axis is not None and codes.ndim:
        rest = [1] * codes.ndim
        rest[qparams.axis] = -1
        scales, zeros = scales.reshape(rest), zeros.reshape(rest)
    return np.asarray((codes.astype(np.int32) - zeros).astype(np.float32) * scales)


def _scale_text(info: TensorInfo) -> str:
    assert info.qparams is not None
    scales, zeros = info.qparams.scales, info.qparams.zero_points
    if len(scales) > 1:
        return f"{len(scales):,} scales along axis {info.qparams.axis}"
    return f"scale {scales[0]:g} and zero point {zeros[0]}"
