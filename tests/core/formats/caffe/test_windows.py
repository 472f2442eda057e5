"""Convolution and pooling against windows that are laid one by one."""

from hypothesis import assume, given
from hypothesis import strategies as st

from errorflow.formats.caffe.net import LayerText, top_sizes
from errorflow.formats.caffe.sizes import Odd
from errorflow.formats.prototext import TextMessage, Value, Word

sizes, kernels = st.integers(1, 40), st.integers(1, 9)
pads, strides, dilations = st.integers(0, 6), st.integers(1, 6), st.integers(1, 4)


def made(kind: str, parameters: str, height: int, width: int, **given: Value) -> tuple[int | None, ...] | None:
    """Height and width behind such a layer, None where there can be none."""
    about = TextMessage(list(given.items()))
    content = TextMessage([(parameters, about)])
    layer = LayerText("l", kind, ("x",), ("y",), content, content)
    try:
        (found,) = top_sizes(layer, [(1, 1, height, width)])
    except Odd:
        return None
    assert found is not None
    assert found[:2] == (1, 1)
    return found[2:]


@given(height=sizes, width=sizes, kernel=kernels, pad=pads, stride=strides, dilation=dilations)
def test_a_convolution_has_a_value_for_each_place_of_its_window(
    height: int, width: int, kernel: int, pad: int, stride: int, dilation: int
) -> None:
    found = made(
        "Convolution",
        "convolution_param",
        height,
        width,
        num_output=1,
        kernel_size=kernel,
        pad=pad,
        stride=stride,
        dilation=dilation,
    )

    counts = tuple(_places(size, kernel, pad, stride, dilation) for size in (height, width))
    assert found == (counts if all(counts) else None)


def _places(size: int, kernel: int, pad: int, stride: int, dilation: int) -> int:
    """How many windows lie with all their points in the padded line."""
    starts = range(-pad, size + pad, stride)
    return sum(all(start + point * dilation < size + pad for point in range(kernel)) for start in starts)


@given(height=sizes, width=sizes, kernel=kernels, pad=pads, stride=strides, dilation=dilations)
def test_a_deconvolution_undoes_a_convolution_that_fits_exactly(
    height: int, width: int, kernel: int, pad: int, stride: int, dilation: int
) -> None:
    given = {"num_output": 1, "kernel_size": kernel, "pad": pad, "stride": stride, "dilation": dilation}
    found = made("Deconvolution", "convolution_param", height, width, **given)

    reached = tuple(_reached(size, kernel, stride, dilation) - 2 * pad for size in (height, width))
    assert found == (reached if min(reached) > 0 else None)
    if found is not None and found[0] is not None and found[1] is not None:
        assert made("Convolution", "convolution_param", found[0], found[1], **given) == (height, width)


def _reached(size: int, kernel: int, stride: int, dilation: int) -> int:
    """How long a line is that all windows of all values touch."""
    return 1 + max(at * stride + point * dilation for at in range(size) for point in range(kernel))


@given(
    space=st.tuples(sizes, sizes),
    window=st.tuples(kernels, kernels),
    pad=st.tuples(pads, pads),
    stride=st.tuples(strides, strides),
    down=st.booleans(),
)
def test_pooling_lays_windows_until_the_image_is_covered(
    space: tuple[int, int], window: tuple[int, int], pad: tuple[int, int], stride: tuple[int, int], down: bool
) -> None:
    assume(all(margin < kernel for margin, kernel in zip(pad, window, strict=True)))
    found = made(
        "Pooling",
        "pooling_param",
        *space,
        kernel_h=window[0],
        kernel_w=window[1],
        pad_h=pad[0],
        pad_w=pad[1],
        stride_h=stride[0],
        stride_w=stride[1],
        round_mode=Word("FLOOR" if down else "CEIL"),
    )

    padded = any(pad)
    lines = zip(space, window, pad, stride, strict=True)
    counts = tuple(_laid(*line, down=down, padded=padded) for line in lines)
    assert found == (counts if all(counts) else None)


def _laid(size: int, kernel: int, pad: int, stride: int, down: bool, padded: bool) -> int:
    """Windows from the start of the padded line on; rounded up, one more where the last does not reach its end.

    A window may be larger than the line only by less than a step. Where there is padding, one that starts behind the
    image is left out.
    """
    end = size + 2 * pad
    count = sum(start + kernel <= end for start in range(0, end, stride))
    if not down and (count - 1) * stride + kernel < end:
        count += 1
    last = (count - 1) * stride
    return count - 1 if padded and count and last >= size + pad else count
