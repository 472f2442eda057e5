"""Ways in which the same pixels may stand elsewhere: layout, channel order, mirrored."""

from collections.abc import Callable, Iterator
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.study.align.model import Doubles

Shape = tuple[int, ...]
# As many channels as a picture has.
PICTURE = (1, 3, 4)
_BYTE, _HALF = 255, 128
_ORDERS: dict[Shape, str] = {(2, 1, 0): "RGB on one side is BGR on the other"}


@dataclass(frozen=True, slots=True)
class Move:
    """Move that A's array needs; `key` is "" where that is nothing."""

    key: str
    text: str
    apply: Callable[[Doubles], Doubles]
    # The simpler of two that explain the same is named.
    cost: int = 0


def _same(values: Doubles) -> Doubles:
    return values


STAY = Move("", "", _same)


def channel_axis(shape: Shape) -> int | None:
    """Finds where the channels of pictures are; None: it holds none, as far as the shape tells."""
    if len(shape) == 4:
        return next((axis for axis in (1, 3) if shape[axis] in PICTURE), None)
    if len(shape) == 3:
        return next((axis for axis in (0, 2) if shape[axis] in PICTURE and min(shape[1], shape[1 - axis]) > 4), None)
    return None


def layouts(a: Shape, b: Shape) -> Iterator[Move]:
    """The ways from one shape to the other."""
    if a == b:
        yield STAY
        yield from _read_wrongly(a)
        if len(a) >= 3:
            yield from _swapped(a)
        return
    if _without_ones(a) == _without_ones(b):
        yield Move("shape", "the shapes differ by sides of 1 only", lambda values: values.reshape(b))
    for axes, text in _TURNS.get(len(a), ()):
        if tuple(a[axis] for axis in axes) == b:
            yield Move("layout", text, _turned(axes), 1)
    one, other = (_with_batch(shape) for shape in (a, b))
    if len(a) != len(b) and one is not None and other is not None:
        for axes, text in _TURNS[4]:
            if tuple(one[axis] for axis in axes) == other:
                yield Move("layout", text, _turned(axes, one, b), 1)
    if np.prod(a) == np.prod(b):
        yield Move("shape", "the shapes differ, the order of the values does not", lambda values: values.reshape(b), 2)


_TURNS: dict[int, tuple[tuple[tuple[int, ...], str], ...]] = {
    3: (
        ((2, 0, 1), "A is laid out as HWC, B as CHW"),
        ((1, 2, 0), "A is laid out as CHW, B as HWC"),
        ((0, 2, 1), "rows and columns are swapped"),
    ),
    4: (
        ((0, 3, 1, 2), "A is laid out as NHWC, B as NCHW"),
        ((0, 2, 3, 1), "A is laid out as NCHW, B as NHWC"),
        ((0, 1, 3, 2), "height and width are swapped"),
        ((0, 2, 1, 3), "height and width are swapped"),
    ),
}


def _read_wrongly(shape: Shape) -> Iterator[Move]:
    """The right shape on both sides, and the values of one laid out in another."""
    whole = _with_batch(shape)
    axis = None if whole is None else channel_axis(whole)
    if whole is None or axis is None or whole[axis] == 1:
        return
    count, first = whole[0], axis == 1
    channels, height, width = (whole[1], whole[2], whole[3]) if first else (whole[3], whole[1], whole[2])
    rows_last, rows_first = (count, height, width, channels), (count, channels, height, width)
    other, to, back = (rows_last, (0, 3, 1, 2), (0, 2, 3, 1)) if first else (rows_first, (0, 2, 3, 1), (0, 3, 1, 2))
    own, wrong = ("NCHW", "NHWC") if first else ("NHWC", "NCHW")
    text = "the values of {} lie in memory as {} though its shape says {}"
    yield Move(
        "layout", text.format("A", wrong, own), lambda values: values.reshape(other).transpose(to).reshape(shape), 2
    )
    yield Move(
        "layout", text.format("B", wrong, own), lambda values: values.reshape(whole).transpose(back).reshape(shape), 2
    )


def _swapped(shape: Shape) -> Iterator[Move]:
    axis = channel_axis(shape)
    if axis is None:
        return
    tall, wide = [place for place in range(len(shape)) if place != axis][-2:]
    if shape[tall] == shape[wide]:
        yield Move("turned", "rows and columns are swapped", lambda values: values.swapaxes(tall, wide), 3)


def orders(shape: Shape) -> Iterator[Move]:
    """Channels in another order."""
    axis = channel_axis(shape)
    yield STAY
    if axis is None or shape[axis] < 3:
        return
    rest = tuple(range(3, shape[axis]))
    for order in permutations(range(3)):
        if order != (0, 1, 2):
            text = _ORDERS.get(order, "")
            text = text if text else f"the channels {', '.join(map(str, order))} of A are those of B in order"
            yield Move("channels", text, _taking((*order, *rest), axis), 1 if order in _ORDERS else 3)


def wraps(a: Doubles, b: Doubles) -> Iterator[Move]:
    """The bytes of codes from 0 to 255 taken for signed ones, or the other way round."""
    for one, other, text in ((a, b, "A's"), (b, a, "B's")):
        if one.min() >= 0 and one.max() <= _BYTE and -_HALF <= other.min() < 0 and other.max() < _HALF:
            told = f"{text} bytes stand for 0…255 and are taken for −128…127 on the other side"
            yield Move("codes", told, _signed if one is a else _unsigned, 1)


def _signed(values: Doubles) -> Doubles:
    return np.where(values >= _HALF, values - _BYTE - 1, values)


def _unsigned(values: Doubles) -> Doubles:
    return np.where(values < 0, values + _BYTE + 1, values)


def mirrors(shape: Shape) -> Iterator[Move]:
    axis = channel_axis(shape)
    yield STAY
    if axis is None:
        return
    tall, wide = [place for place in range(len(shape)) if place != axis][-2:]
    yield Move("mirrored", "one is the mirror image of the other", lambda values: np.flip(values, wide), 3)
    yield Move("mirrored", "one is upside down", lambda values: np.flip(values, tall), 3)
    yield Move("mirrored", "one is turned by 180°", lambda values: np.flip(values, (tall, wide)), 4)


def as_rows(values: NDArray[np.float64], axis: int | None) -> Doubles:
    """Channels × values."""
    return values.reshape(1, -1) if axis is None else np.moveaxis(values, axis, 0).reshape(values.shape[axis], -1)


def _taking(order: Shape, axis: int) -> Callable[[Doubles], Doubles]:
    return lambda values: np.take(values, order, axis)


def _turned(axes: Shape, before: Shape | None = None, after: Shape | None = None) -> Callable[[Doubles], Doubles]:
    def apply(values: Doubles) -> Doubles:
        found = (values if before is None else values.reshape(before)).transpose(axes)
        return found if after is None else found.reshape(after)

    return apply


def _with_batch(shape: Shape) -> Shape | None:
    return shape if len(shape) == 4 else (1, *shape) if len(shape) == 3 else None


def _without_ones(shape: Shape) -> Shape:
    return tuple(size for size in shape if size != 1)
