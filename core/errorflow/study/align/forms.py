"""Ways in which the same answer may be written: as logits or probabilities, as corners or middles, in another order."""

from collections.abc import Iterator

import numpy as np

from errorflow.study.align.geometry import STAY, Move
from errorflow.study.align.model import Doubles

# Corners or sizes of a box.
_BOX = 4


def forms(a: tuple[int, ...]) -> Iterator[Move]:
    """What may have been done to an output."""
    yield STAY
    yield Move("activation", "B is the sigmoid of A", _sigmoid, 1)
    if a and a[-1] > 1:
        yield Move("activation", "B is the softmax of A over the last axis", lambda values: _softmax(values, -1), 1)
    if len(a) > 2 and a[1] > 1:
        yield Move("activation", "B is the softmax of A over the channels", lambda values: _softmax(values, 1), 1)
    yield Move("activation", "A is the sigmoid of B", _logit, 2)
    yield Move("activation", "A is the exponential of B", _log, 2)
    yield Move("activation", "B is the exponential of A", _exp, 2)
    if len(a) >= 2 and a[-1] >= _BOX:
        yield from _boxes()
    if len(a) >= 2 and a[-2] > 1:
        yield Move("order", "the same rows in another order", _sorted, 3)


def _boxes() -> Iterator[Move]:
    yield Move("boxes", "A gives middle and size of boxes, B their corners", _corners, 1)
    yield Move("boxes", "A gives corners of boxes, B their middle and size", _middles, 1)
    yield Move("boxes", "A gives a corner and the size of boxes, B both corners", _both_corners, 1)
    yield Move("boxes", "A gives both corners of boxes, B one and the size", _one_corner, 1)
    yield Move("boxes", "x and y of the boxes are swapped", lambda values: values[..., _SWAPPED(values)], 1)


def _SWAPPED(values: Doubles) -> list[int]:  # noqa: N802 - it stands for an index
    return [1, 0, 3, 2, *range(_BOX, values.shape[-1])]


def _with(values: Doubles, *columns: Doubles) -> Doubles:
    found = values.copy()
    for place, column in enumerate(columns):
        found[..., place] = column
    return found


def _corners(values: Doubles) -> Doubles:
    x, y, wide, tall = (values[..., place] for place in range(_BOX))
    return _with(values, x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2)


def _middles(values: Doubles) -> Doubles:
    left, top, right, bottom = (values[..., place] for place in range(_BOX))
    return _with(values, (left + right) / 2, (top + bottom) / 2, right - left, bottom - top)


def _both_corners(values: Doubles) -> Doubles:
    left, top, wide, tall = (values[..., place] for place in range(_BOX))
    return _with(values, left, top, left + wide, top + tall)


def _one_corner(values: Doubles) -> Doubles:
    left, top, right, bottom = (values[..., place] for place in range(_BOX))
    return _with(values, left, top, right - left, bottom - top)


def _sigmoid(values: Doubles) -> Doubles:
    found: Doubles = 1 / (1 + np.exp(-values))
    return found


def _logit(values: Doubles) -> Doubles:
    found: Doubles = np.log(values / (1 - values))
    return found


def _log(values: Doubles) -> Doubles:
    found: Doubles = np.log(values)
    return found


def _exp(values: Doubles) -> Doubles:
    found: Doubles = np.exp(values)
    return found


def _softmax(values: Doubles, axis: int) -> Doubles:
    raised = np.exp(values - values.max(axis=axis, keepdims=True))
    found: Doubles = raised / raised.sum(axis=axis, keepdims=True)
    return found


def _sorted(values: Doubles) -> Doubles:
    """Rows of the last axis in one order, whatever it was; that of the other side is brought in the same one."""
    rows = values.reshape(-1, values.shape[-1])
    return rows[np.lexsort(rows.T[::-1])].reshape(values.shape)
