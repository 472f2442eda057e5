"""Change from one layout to another: the user's converter, else msaccucmp's conversion, else one of ours."""

from math import prod

import numpy as np
from numpy.typing import NDArray

from errorflow.formats.convert.additions import BLOCKED, add_convert, addition_converts
from errorflow.formats.convert.custom import Converters
from errorflow.formats.convert.cut import cut
from errorflow.formats.convert.layouts import STRICT_4D, ConvertError, Shape, known
from errorflow.formats.convert.tool import TOOL_PAIRS, LayoutChange, tool_converts

Array = NDArray[np.generic]


def convert(
    array: Array,
    source: str,
    target: str,
    *,
    shape: tuple[int, ...] | None = None,
    groups: int = 1,
    custom: Converters | None = None,
) -> Array:
    """The tensor in the layout `target`; it comes in the shape in which it is stored.

    `shape` is the one that it should have afterwards: padding is cut off, and weights in fractals cannot be read
    without it. `groups` are those of a grouped convolution.
    """
    real = real_layout(known(source), array.shape)
    if real == known(target):
        return array
    made = change_layout(array, real, target, shape, groups, custom)
    if shape is None or target in BLOCKED:
        return made
    if real == "FRACTAL_NZ" and made.size == prod(shape):
        return made.reshape(shape)  # the tool merges the axes before the last two
    return cut(made, shape)


def change_layout(
    array: Array, source: str, target: str, shape: Shape | None, groups: int = 1, custom: Converters | None = None
) -> Array:
    """Changes the layout without cutting what msaccucmp does not cut here; a `ConvertError` where no way is known."""
    if custom is not None and custom.has(source, target):
        return custom.run(array, source, target, shape if shape is not None else (), groups)
    if goes_the_tool_way(source, target, groups):
        return tool_change(array, source, target, shape, groups)
    if addition_converts(source, target):
        return added(array, source, target, shape, groups)
    raise ConvertError(
        f"Nobody has written down how {source} becomes {target}.",
        f"Put a convert_{source}_to_{target}.py of your own into a folder format_convert and name its parent with -c.",
    )


def goes_the_tool_way(source: str, target: str, groups: int) -> bool:
    """Whether the tool's conversion is right, also where the tool refuses it because of groups that do not matter."""
    return tool_converts(source, target, groups if source == "FRACTAL_Z" else 1)


def tool_change(array: Array, source: str, target: str, shape: Shape | None, groups: int) -> Array:
    """Changes the layout as msaccucmp does."""
    try:
        return TOOL_PAIRS[source, target](LayoutChange(array, shape if shape is not None else (), groups))
    except (IndexError, ValueError, ZeroDivisionError, MemoryError) as error:
        raise misfit(array, source, target) from error


def added(array: Array, source: str, target: str, shape: Shape | None, groups: int) -> Array:
    """Changes the layout by our own conversion."""
    try:
        return add_convert(array, source, target, shape, groups)
    except (IndexError, ValueError, ZeroDivisionError, MemoryError) as error:
        raise misfit(array, source, target) from error


def misfit(array: Array, source: str, target: str) -> ConvertError:
    return ConvertError(
        f"A tensor of the shape {array.shape} in {source} does not become {target} of the shape that it should have.",
        "The dump and the model do not belong together, or the shape was given wrongly.",
    )


def real_layout(layout: str, shape: Shape) -> str:
    """ND for what is called NCHW, NHWC or HWCN and has not four axes."""
    return "ND" if layout in STRICT_4D and len(shape) != 4 else layout
