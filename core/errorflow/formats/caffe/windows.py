"""Shapes behind layers whose windows move over the last axes: convolutions and pooling; and behind resizing."""

from typing import NamedTuple

from errorflow.formats.caffe.parameters import Parameters
from errorflow.formats.caffe.sizes import Odd, Sizes, agreed, shown

_IMAGE_RANK = 4
# Names and numbers of Caffe's rounding; the first is the default.
_ROUNDINGS = {"CEIL": False, 0: False, "FLOOR": True, 1: True}


def convolution(about: Parameters, bottoms: list[Sizes], _tops: int) -> list[Sizes]:
    """Finds one top per bottom, all alike."""
    if _is_foreign(about):
        return []
    before, windows = _windows(about, bottoms)
    return [before + tuple(_moved(*window) for window in windows)] * len(bottoms)


def deconvolution(about: Parameters, bottoms: list[Sizes], _tops: int) -> list[Sizes]:
    if _is_foreign(about):
        return []
    before, windows = _windows(about, bottoms)
    return [before + tuple(_spread(*window) for window in windows)] * len(bottoms)


def pooling(about: Parameters, bottoms: list[Sizes], tops: int) -> list[Sizes]:
    """A second top holds where each maximum was found, and is as large."""
    if _is_foreign(about):
        return []
    before, space = _image(bottoms[0])
    if about.is_set("global_pooling"):
        return [(*before, 1, 1)] * tops
    kernels = _per_axis(about, _KERNEL, 2, None)
    pads = _per_axis(about, _PAD, 2, 0)
    strides = _per_axis(about, _STRIDE, 2, 1)
    if any(pad >= kernel for pad, kernel in zip(pads, kernels, strict=True)):
        raise Odd("its pad is not smaller than its window")
    down, clipped = _rounds_down(about), any(pads)
    windows = zip(space, kernels, pads, strides, strict=True)
    return [before + tuple(_pooled(*window, down, clipped) for window in windows)] * tops


def _rounds_down(about: Parameters) -> bool:
    down = _ROUNDINGS.get(about.word("round_mode", "CEIL"))
    if down is None:
        raise Odd("its round_mode is not known")
    return down or not about.is_set("ceil_mode", default=True)


def interp(about: Parameters, bottoms: list[Sizes], _tops: int) -> list[Sizes]:
    return _resized(about, bottoms, "height", "width")


def upsample(about: Parameters, bottoms: list[Sizes], _tops: int) -> list[Sizes]:
    return _resized(about, bottoms, "upsample_h", "upsample_w")


def _resized(about: Parameters, bottoms: list[Sizes], height: str, width: str) -> list[Sizes]:
    """Reads explicit sizes only: what factors mean, and whether they come first, differs from fork to fork."""
    if height not in about or width not in about or "zoom_factor" in about or "shrink_factor" in about:
        return []
    before, _ = _image(bottoms[0])
    return [(*before, about.number(height, 0), about.number(width, 0))]


def _image(sizes: Sizes) -> tuple[Sizes, Sizes]:
    if len(sizes) != _IMAGE_RANK:
        raise Odd(f"it reads images, not {shown(sizes)}")
    return sizes[:2], sizes[2:]


_Window = tuple[int | None, int, int, int]


def _windows(about: Parameters, bottoms: list[Sizes]) -> tuple[Sizes, list[_Window]]:
    """The axes up to the channels that come out, and for each axis behind: size, extent of the window, pad, stride."""
    sizes = agreed(bottoms)
    axis = about.axis("axis", 1, len(sizes))
    count = len(sizes) - axis - 1
    kernels = _per_axis(about, _KERNEL, count, None)
    pads = _per_axis(about, _PAD, count, 0)
    strides = _per_axis(about, _STRIDE, count, 1)
    dilations = _per_axis(about, _DILATION, count, 1)
    extents = [dilation * (kernel - 1) + 1 for kernel, dilation in zip(kernels, dilations, strict=True)]
    made = _channels(about, sizes[axis])
    return (*sizes[:axis], made), list(zip(sizes[axis + 1 :], extents, pads, strides, strict=True))


def _channels(about: Parameters, read: int | None) -> int:
    made, groups = about.number("num_output", 0), about.number("group", 1)
    if made < 1:
        raise Odd("it has no num_output")
    for channels in (read, made):
        if groups < 1 or (channels is not None and channels % groups):
            raise Odd(f"{channels} channels do not make {groups} groups")
    return made


class _Names(NamedTuple):
    """Names of a value for each axis: for all axes, and for height and width apart."""

    all: str
    height: str
    width: str
    least: int


_KERNEL = _Names("kernel_size", "kernel_h", "kernel_w", 1)
_PAD = _Names("pad", "pad_h", "pad_w", 0)
_STRIDE = _Names("stride", "stride_h", "stride_w", 1)
_DILATION = _Names("dilation", "dilation_h", "dilation_w", 1)
# What begins so says something about windows; what it says where it is none of the names above, only one fork knows.
_ABOUT_WINDOWS = ("kernel", "pad", "stride", "dilation", "hole")
_KNOWN = frozenset(name for names in (_KERNEL, _PAD, _STRIDE, _DILATION) for name in names[:3])


def _is_foreign(about: Parameters) -> bool:
    return any(name.startswith(_ABOUT_WINDOWS) and name not in _KNOWN for name in about.given)


def _per_axis(about: Parameters, names: _Names, count: int, default: int | None) -> list[int]:
    """A value for each axis, whether the file gives one for all, one by one, or height and width apart."""
    values = about.numbers(names.all)
    if names.height in about or names.width in about:
        values = _apart(about, names, count)
    elif not values and default is not None:
        return [default] * count
    elif len(values) == 1:
        values *= count
    if len(values) != count:
        raise Odd(
            f"it gives {len(values):,} values of {names.all} for {count} axes" if values else f"it has no {names.all}"
        )
    if count and min(values) < names.least:
        raise Odd(f"its {names.all} is {min(values)}")
    return values


def _apart(about: Parameters, names: _Names, count: int) -> list[int]:
    if names.all in about:
        raise Odd(f"it gives {names.all} twice, also as {names.height} and {names.width}")
    if count != 2:
        raise Odd(f"{names.height} and {names.width} are for 2 axes, not {count}")
    return [about.number(names.height, 0), about.number(names.width, 0)]


def _moved(size: int | None, extent: int, pad: int, stride: int) -> int | None:
    if size is None:
        return None
    free = size + 2 * pad - extent
    if free < 0:
        raise Odd(f"a window of {extent} does not fit into {size + 2 * pad}")
    return free // stride + 1


def _spread(size: int | None, extent: int, pad: int, stride: int) -> int | None:
    return None if size is None else stride * (size - 1) + extent - 2 * pad


def _pooled(size: int | None, kernel: int, pad: int, stride: int, down: bool, clipped: bool) -> int | None:
    """Rounds up: the last window may stand out; but where there is padding, none starts behind the image."""
    if size is None:
        return None
    free = size + 2 * pad - kernel
    count = (free if down else free + stride - 1) // stride + 1
    if count < 1:
        raise Odd(f"a window of {kernel} does not fit into {size + 2 * pad}")
    return count - 1 if clipped and (count - 1) * stride >= size + pad else count
