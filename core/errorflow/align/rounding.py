"""Whether what is left is rounding: values on a grid on one side or on both, at most one step apart."""

from dataclasses import dataclass

import numpy as np

from errorflow.align.model import Doubles

# Values on a grid have at most as many neighbours, and at least so many to be called one.
_MOST, _LEAST = 70_000, 6
# Of a step.
_SLACK = 0.02
_FINER = 3.0


@dataclass(frozen=True, slots=True)
class Rounding:
    """What explains that values are up to one step apart."""

    text: str
    # Of elements, how many are apart.
    share: float


def grid_of(values: Doubles) -> tuple[float, float] | None:
    """A value on it and its step; None: values lie anywhere."""
    found = np.unique(values.reshape(-1))
    if not _LEAST <= len(found) <= _MOST:
        return None
    size = max(abs(float(found[0])), abs(float(found[-1])), float(found[-1] - found[0]))
    apart = np.diff(found)
    apart = apart[apart > size * 1e-6]
    if len(apart) + 1 < _LEAST:
        return None
    step = float(apart.min())
    # The smallest distance is off by what floats are: over all steps together it is told more closely.
    step = float(apart.sum()) / max(1.0, float(np.rint(apart / step).sum()))
    off = (found - found[0]) / step
    return (float(found[0]), step) if np.abs(off - np.rint(off)).max() <= _SLACK else None


def rounding_of(moved: Doubles, b: Doubles) -> Rounding | None:
    """`moved`: A after all else was done to it; both are channels × values."""
    found = [_of_row(one, other) for one, other in zip(moved, b, strict=True)]
    texts = {each.text for each in found if each is not None and each.text}
    if any(each is None for each in found) or len(texts) != 1:
        return None
    share = sum(each.share for each in found if each is not None) / len(found)
    return Rounding(texts.pop(), share)


def _of_row(a: Doubles, b: Doubles) -> Rounding | None:
    left, right = grid_of(a), grid_of(b)
    if left is None and right is None:
        return None
    if left is not None and right is not None and left[1] != right[1]:
        # Whatever is mixed of whole values lies on a fine grid of its own.
        left, right = (grid if grid[1] * _FINER > max(left[1], right[1]) else None for grid in (left, right))
    if left is not None and right is not None:
        step = max(left[1], right[1])
        off = np.abs(b - a) / step
        if off.max() > 1 + _SLACK:
            return None
        share = float((off > 0.5).mean())
        return Rounding("whole values are off by one step here and there, as by another way of rounding", share)
    side, grid, other = ("B", right, a) if right is not None else ("A", left, b)
    assert grid is not None
    on = b if side == "B" else a
    off = (on - other) / grid[1]
    away = float((np.abs(off) > _SLACK).mean())
    if np.abs(off).max() <= 0.5 + _SLACK:
        return Rounding(f"{side} was rounded to whole steps of {grid[1]:.4g}", away)
    if off.max() <= _SLACK and off.min() >= -1 - _SLACK:
        return Rounding(f"{side} was cut down to whole steps of {grid[1]:.4g} instead of rounded", away)
    return None
