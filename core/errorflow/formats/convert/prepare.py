"""Preparation between two tensors as they are read and the numbers about them, exactly as msaccucmp does it.

What the tool refuses raises a `ConvertError` whose `reason` is the cell that the tool writes. What it refuses only
because it lacks the conversion is prepared in our way, with `refused` set.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.formats.convert.change import change_layout, misfit, real_layout, tool_change
from errorflow.formats.convert.custom import Converters
from errorflow.formats.convert.cut import check_matrix, check_same, cut, different
from errorflow.formats.convert.layouts import LAYOUTS, STRICT_4D, WITH_DEPTH, ConvertError, Shape, known, shape_text
from errorflow.formats.convert.tool import tool_converts
from errorflow.graph.dump import TensorInfo

Array = NDArray[np.generic]
ND = "ND"
# What the tool prints where a dump names none.
NO_LAYOUT = "RESERVED"
# To ND, only these are converted.
_TO_ND = ("FRACTAL_NZ", "NDC1HWC0")
# Types whose values the tool holds as float64.
_WIDE = frozenset({"hifloat8", "float8e5m2", "float8e4m3fn"})
# The numbers of layouts for which the tool has no name.
_NAMELESS = {"FRACTAL_ZZ": 28, "NC": 35, "NCL": 47, "FRACTAL_Z_WINO": 48, "C1HWC0": 49}


@dataclass(frozen=True, slots=True)
class PreparedPair:
    """Two tensors, flat and of the same length, ready to be measured.

    `shape` is that of the first before it was made flat: the tool's cell Shape; it decides whether this is a scalar.
    """

    mine: Array
    golden: Array
    shape: Shape
    # What was done, for the reader.
    done: tuple[str, ...] = ()
    # None: the tool measures it too. Else the reason of its row of NaN, often ""; its Shape is the stored one then.
    refused: str | None = None
    # The shape in which the values lie, where that is another one, and the order of its axes.
    inner: Shape | None = None
    layout: str = ""


def is_tensor(shape: Sequence[int]) -> bool:
    """Whether msaccucmp takes a shape for more than a scalar: not all sizes are 1."""
    return sum(shape) != len(shape)


def prepare(
    candidate: Array,
    info: TensorInfo,
    golden: Array,
    *,
    operator: str = "",
    origin_layout: str = "",
    declared_shape: tuple[int, ...] | None = None,
    custom: Converters | None = None,
    single: bool = False,
) -> PreparedPair:
    """Prepares both tensors as msaccucmp compares them.

    `info` describes the candidate as it is stored. `origin_layout` is the layout that the model file gives for the
    golden tensor ("" where it gives none), for a golden NPU dump that of the dump. `declared_shape` is the shape that
    the model file gives; the dump's own original shape goes before it. `operator` stands in sentences. `single`: for
    the comparison of one operator, which brings both to NCHW and trusts the model file's shape only.
    """
    stored = info.layout if info.layout else NO_LAYOUT
    layout = known(origin_layout) if origin_layout else stored
    declared = tuple(declared_shape) if declared_shape is not None else ()
    if info.original_shape and not single:
        declared = tuple(info.original_shape)
    if layout in ("NHWC", "NCHW"):
        layout = _by_shape(layout, declared, golden.shape)
    _check_named(stored)
    wide = candidate.astype(np.float64) if info.dtype in _WIDE else candidate
    mine = _Side(_as_the_tool_reads(wide, info.shape), stored, info.shape, declared, info.groups)
    other = _Side(_as_the_tool_reads(golden, golden.shape), layout, golden.shape, golden.shape, info.groups)
    targets = _targets(stored, layout) if single else (layout, layout)
    return _compared(mine, other, targets, operator, custom)


def prepare_arrays(mine: Array, golden: Array, *, operator: str = "") -> PreparedPair:
    """Two plain arrays of npy runs: nothing is converted, the shapes must be the same."""
    check_same(operator, mine.shape, golden.shape)
    return PreparedPair(mine.reshape(-1), golden.reshape(-1), mine.shape)


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two: its values as the tool holds them, and what it is converted from and to."""

    values: Array
    layout: str
    stored: Shape
    wanted: Shape
    groups: int


def _compared(
    mine: _Side, golden: _Side, targets: tuple[str, str], operator: str, custom: Converters | None
) -> PreparedPair:
    done: list[str] = []
    refused = False
    layout = mine.layout
    values = [mine.values, golden.values]
    try:
        if (targets[0] != ND or mine.layout in _TO_ND) and is_tensor(mine.stored):
            layout = targets[0]
            for at, (side, target) in enumerate(zip((mine, golden), targets, strict=True)):
                array = _shaped(side, target)
                _check_matrix(side, target, operator)
                refused = refused or not _tool_can(side, target, custom)
                values[at] = _changed(side, array, target, custom)
            done += [] if mine.layout == targets[0] else [f"{mine.layout} → {targets[0]}"]
        left = _cut(mine, values[0], values[1], operator, done)
    except ConvertError as error:
        raise ConvertError(error.message, error.hint, "" if refused else error.reason) from error
    flat = values[1].reshape(-1)
    return PreparedPair(left.reshape(-1), flat, left.shape, tuple(done), "" if refused else None, layout=layout)


def _cut(mine: _Side, left: Array, right: Array, operator: str, done: list[str]) -> Array:
    """The left values as many as the right ones."""
    whole = left.shape
    if mine.layout != ND or (is_tensor(mine.stored) and left.size != right.size):
        left = cut(left, right.shape, operator)
        done += [] if left.shape == whole else [f"{shape_text(whole)} cut to {shape_text(left.shape)}"]
    if left.size != right.size:
        raise different(operator, (left.size,), (right.size,))
    return left


def _tool_can(side: _Side, target: str, custom: Converters | None) -> bool:
    """Whether the tool comes to a conversion that it has, or to none at all."""
    if _stays(side, target) or tool_converts(side.layout, target, side.groups):
        return True
    return custom is not None and custom.has(side.layout, target)


def _stays(side: _Side, target: str) -> bool:
    """Whether only the shape is restored."""
    source = side.layout
    if source in (ND, target) or (source in STRICT_4D and len(side.stored) != 4):
        return True
    is_matrix = (source, target) == ("FRACTAL_NZ", ND) and len(side.wanted) > 2
    return is_matrix and len(side.values) != _fractal_size(side.wanted, side.stored)


def _changed(side: _Side, array: Array, target: str, custom: Converters | None) -> Array:
    """Changes one side to its target layout."""
    if _stays(side, target):
        return array
    shape = side.wanted if side.wanted or tool_converts(side.layout, target, side.groups) else None
    return change_layout(array, side.layout, target, shape, side.groups, custom)


def _check_matrix(side: _Side, target: str, operator: str) -> None:
    if side.layout != "FRACTAL_NZ" or _stays(side, target):
        return
    try:
        check_matrix(side.wanted, side.stored)
    except ConvertError as error:
        reason = f"[{operator}] {error.reason}" if error.reason else ""
        raise ConvertError(error.message, error.hint, reason) from error


def _fractal_size(wanted: Shape, stored: Shape) -> int:
    if len(stored) < 4:
        return -1
    return int(np.prod(wanted[:-2], dtype=np.int64)) * int(np.prod(stored[-4:], dtype=np.int64))


def _shaped(side: _Side, target: str) -> Array:
    try:
        return side.values.reshape(side.stored)
    except ValueError as error:
        raise misfit(side.values, side.layout, target) from error


def _as_the_tool_reads(array: Array, shape: Shape) -> Array:
    """Flat; an empty tensor keeps its shape and is of float64."""
    return np.empty(shape, np.float64) if 0 in shape else array.reshape(-1)


def _by_shape(layout: str, declared: Shape, golden: Shape) -> str:
    """NCHW for NHWC and the other way round, where the golden tensor shows that the model file is mistaken."""
    if len(declared) != 4 or len(golden) != 4 or declared == tuple(golden):
        return layout
    a, b, c, d = golden
    if layout == "NHWC" and declared == (a, c, d, b):
        return "NCHW"
    if layout == "NCHW" and declared == (a, d, b, c):
        return "NHWC"
    return layout


def _targets(mine: str, golden: str) -> tuple[str, str]:
    """Chooses the layouts that one operator's tensors are brought to."""
    if mine in WITH_DEPTH:
        return "NCDHW", "NCDHW"
    return (golden, golden) if mine == "FRACTAL_Z" else ("NCHW", "NCHW")


def _check_named(layout: str) -> None:
    if layout not in LAYOUTS:
        number = _NAMELESS.get(layout, "".join(filter(str.isdigit, layout)))
        raise ConvertError(
            f"The layout {layout} is not public.",
            "Put a converter of your own into a folder format_convert and name its parent with -c.",
            f"The format({number}) does not support.",
        )


# ------------------------------------------------------------------------------------------ NPU against NPU


def strip_padding(array: Array, info: TensorInfo) -> Array:
    """A tensor of an NPU in the shape that it had in the model, if the dump says it; else, or if that fails, as it is.

    This is how two dumps of NPUs are compared without a model file.
    """
    source = real_layout(info.layout, info.shape)
    shape = tuple(info.original_shape) if info.original_shape else ()
    target = {4: "NCHW", 3: ND, 2: ND}.get(len(shape), source)
    try:
        whole = array.reshape(info.shape)
        if source == target or not tool_converts(source, target, info.groups):
            return whole
        return _cut_if_possible(tool_change(whole, source, target, shape, info.groups), shape)
    except (ConvertError, ValueError):
        return array


def _singles(array: Array) -> Array:
    """Flat; of complex numbers the real parts."""
    return array.real.astype(np.float32).reshape(-1)


def _cut_if_possible(array: Array, shape: Shape) -> Array:
    try:
        return cut(array, shape) if shape else array
    except ConvertError:
        return array


def prepare_npu(
    mine: Array, info: TensorInfo, golden: Array, golden_info: TensorInfo, *, operator: str = ""
) -> PreparedPair:
    """Two dumps of NPUs without a model file: padding is stripped from both, all becomes float32.

    The caller has checked that both are stored in the same shape, which is the Shape of the row.
    """
    whole = strip_padding(mine, info)
    left = _singles(whole)
    right = _singles(strip_padding(golden, golden_info))
    if left.shape != right.shape:
        text = f"[{operator}_TENSOR] Shape mismatch after restore: {left.shape} vs {right.shape}"
        raise ConvertError(f"Without padding, {left.size} values stand against {right.size}.", "", text)
    converted = info.original_shape is not None and len(info.original_shape) == len("NCHW") == whole.ndim
    return PreparedPair(left, right, tuple(info.shape), inner=whole.shape, layout="NCHW" if converted else info.layout)
