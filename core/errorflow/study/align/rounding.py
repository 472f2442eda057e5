"""Whether what is left is rounding: values on a grid on one side or on both, or those of shorter floats."""

import numpy as np

from errorflow.base.values import dataclass
from errorflow.study.align.model import Doubles

# Values on a grid have at most as many neighbours, and at least so many to be called one.
_MOST, _LEAST = 70_000, 6
# Of a step.
_SLACK = 0.02
_FINER = 3.0
_TOLD = 0.001
# Of values, those that may lie beyond the ends of codes.
_MOST_CUT = 0.25
# What shorter floats are called, the bits of their values, and how many roundings on the way to one are looked for.
_SHORT = (("half precision (float16)", 11, 4.0), ("bfloat16", 8, 1.01))


@dataclass(frozen=True, slots=True)
class Rounding:
    """Rounding that explains that values are up to one step apart."""

    text: str
    # Of elements, how many are off by one; 0 where that says nothing.
    share: float = 0.0
    key: str = "rounding"
    # Codes end where the other side's values go on.
    is_cut: bool = False

    @property
    def told(self) -> str:
        text = f"{self.text}, and cut off at the ends" if self.is_cut else self.text
        if not self.share:
            return text
        share = f"{100 * self.share:.2g} %" if self.share >= _TOLD else "under 0.1 %"
        return f"{text} ({share} of the values)"


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
    short = _shorter(moved, b)
    if short is not None:
        return short
    found = [_of_row(one, other) for one, other in zip(moved, b, strict=True)]
    texts = {each.text for each in found if each is not None and each.text}
    if any(each is None for each in found) or len(texts) != 1:
        return None
    share = sum(each.share for each in found if each is not None) / len(found)
    return Rounding(texts.pop(), share, is_cut=any(each.is_cut for each in found if each is not None))


def _shorter(moved: Doubles, b: Doubles) -> Rounding | None:
    """Finds that one side has floats of 16 bits, and the other one is what they were rounded from."""
    left = np.abs(b - moved)
    for text, bits, steps in _SHORT:
        for side, values in (("B", b), ("A", moved)):
            if not _is_short(values, bits):
                continue
            sizes = np.abs(values)
            # On the way there were larger values, if there was more than one rounding.
            floor = float(np.sqrt(np.square(values).mean())) / 2 if steps >= 2 else 0.0
            if (left <= steps * 2.0**-bits * np.maximum(sizes, floor)).all():
                return Rounding(f"{side} is in {text}", key="precision")
    return None


def _is_short(values: Doubles, bits: int) -> bool:
    """Whole numbers are no sign of it."""
    mantissas = np.frexp(values)[0] * 2.0**bits
    return bool((mantissas == np.rint(mantissas)).all()) and not bool((values == np.rint(values)).all())


def _of_row(a: Doubles, b: Doubles) -> Rounding | None:
    left, right = grid_of(a), grid_of(b)
    if left is None and right is None:
        return None
    if left is not None and right is not None and left[1] != right[1]:
        # Whatever is mixed of whole values lies on a fine grid of its own.
        left, right = (grid if grid[1] * _FINER > max(left[1], right[1]) else None for grid in (left, right))
    if left is not None and right is not None:
        step = max(left[1], right[1])
        off = (b - a) / step
        if left[1] == right[1] or np.abs(off - np.rint(off)).max() <= _SLACK:
            if np.abs(off).max() > 1 + _SLACK:
                return None
            share = float((np.abs(off) > 0.5).mean())
            return Rounding("whole values are off by one step here and there, as by another way of rounding", share)
        left, right = (grid if grid[1] == step else None for grid in (left, right))
    side, grid, other = ("B", right, a) if right is not None else ("A", left, b)
    assert grid is not None
    on = b if side == "B" else a
    off = (on - other) / grid[1]
    cut = ((on == on.max()) & (off < 0)) | ((on == on.min()) & (off > 0))
    beyond = cut & (np.abs(off) > 0.5 + _SLACK)
    if beyond.mean() > _MOST_CUT:
        return None
    off[beyond] = 0.0
    if np.abs(off).max() <= 0.5 + _SLACK:
        return Rounding(f"{side} was rounded to whole steps of {grid[1]:.4g}", is_cut=bool(beyond.any()))
    if off.max() <= _SLACK and off.min() >= -1 - _SLACK:
        return Rounding(f"{side} was cut down to whole steps of {grid[1]:.4g} instead of rounded")
    return None
