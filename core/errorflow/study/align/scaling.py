"""Scaling from the numbers of one side to those of the other: what fits best, or what an engineer would have chosen."""

from collections.abc import Sequence

import numpy as np

from errorflow.base.values import dataclass, replace
from errorflow.study.align.model import Doubles

# A map counts as the simple one that it is close to, where that leaves hardly more of the difference.
_CLOSE = 1.1
_FEW = 16
# Of a range, by which values may lie outside.
_BEYOND = 0.25
# Of the power of B's values, what sums in double precision are off by at most.
_BLUR = 1e-13
# Of a deviation, a mean that is none.
_NOTHING = 1e-6
# The cost of what nobody knows.
FITTED = 3


@dataclass(frozen=True, slots=True)
class Scaling:
    """b = a · scale + offset, of each channel or of all; `key` is "" where nothing has to be done."""

    key: str
    text: str
    scale: tuple[float, ...] = (1.0,)
    offset: tuple[float, ...] = (0.0,)
    cost: int = 0
    # What the values of A are between, about, and what B's are; () where that does not matter.
    between: tuple[float, ...] = ()
    and_b: tuple[float, ...] = ()

    def of(self, rows: Doubles) -> Doubles:
        """`rows`: channels × values."""
        found: Doubles = rows * np.array(self.scale)[:, None] + np.array(self.offset)[:, None]
        return found

    @property
    def back(self) -> "Scaling":
        scale = tuple(1 / each for each in self.scale)
        offset = tuple(-move / each for move, each in zip(self.offset, self.scale, strict=True))
        return replace(self, scale=scale, offset=offset, between=self.and_b, and_b=self.between)

    def suits(self, low: float, high: float) -> bool:
        """Whether A's values are between what they should be, but for what resizing adds."""
        if not self.between:
            return True
        least, most = self.between
        slack = _BEYOND * (most - least)
        return least - slack <= low and high <= most + slack


SAME = Scaling("", "")


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums of channels, about their middles: all that lines through them depend on."""

    count: int
    middle: Doubles
    goal: Doubles
    aa: Doubles
    ab: Doubles
    bb: Doubles

    @staticmethod
    def of(a: Doubles, b: Doubles) -> "_Sums":
        middle, goal = a.mean(1), b.mean(1)
        one, other = a - middle[:, None], b - goal[:, None]
        aa, ab, bb = (np.einsum("ij,ij->i", *pair) for pair in ((one, one), (one, other), (other, other)))
        return _Sums(a.shape[1], middle, goal, aa, ab, bb)

    def left(self, ways: Sequence[Scaling]) -> Doubles:
        """Computes by way the power that it leaves."""
        scale, offset = (
            np.array([np.broadcast_to(each, self.aa.shape) for each in values])
            for values in ([way.scale for way in ways], [way.offset for way in ways])
        )
        bent = self.bb - 2 * scale * self.ab + scale**2 * self.aa
        away = self.goal - scale * self.middle - offset
        found: Doubles = np.maximum(bent, 0.0).sum(1) + self.count * np.square(away).sum(1)
        return found


def scaling_of(a: Doubles, b: Doubles, tolerance: float, known: Sequence[Scaling]) -> tuple[Scaling, float]:
    """Finds the simplest way from A's channels to B's that leaves about the least, and the power that it leaves.

    `known`: those that an engineer would choose, the simple ones first.
    """
    own = power(b - a)
    if a.shape[1] < _FEW or a.shape != b.shape:
        return SAME, own
    fitted = [fit for fit in (_fitted(a, b, False), _fitted(a, b, len(a) > 1)) if fit is not None]
    sums, low, high = _Sums.of(a, b), float(a.min()), float(a.max())
    ways = [*(way for way in known if way.suits(low, high)), *fitted]
    lefts = sums.left(ways) if ways else np.zeros(0)
    least = min([own, *(power(b - fit.of(a)) for fit in fitted)])
    enough = max(least * _CLOSE, tolerance * tolerance * a.size / 4, _BLUR * power(b))
    if own <= enough:
        return SAME, own
    for way, about in zip(ways, lefts.tolist(), strict=True):
        if about <= enough:
            return way, power(b - way.of(a))
    return SAME, own


def _fitted(a: Doubles, b: Doubles, apart: bool) -> Scaling | None:
    """Fits by least squares, for each channel or for all together."""
    one, other = (a, b) if apart else (a.reshape(1, -1), b.reshape(1, -1))
    sums = _Sums.of(one, other)
    if not (sums.aa > 0).all():
        return None
    scale = sums.ab / sums.aa
    if not np.isfinite(scale).all() or (np.abs(scale) < 1e-12).any():
        return None
    offset = sums.goal - scale * sums.middle
    return Scaling("mean", _told(scale, offset), tuple(scale.tolist()), tuple(offset.tolist()), FITTED)


def as_codes(a: Doubles, b: Doubles) -> Scaling | None:
    """B as codes of A with a whole zero point; None: it cannot be."""
    # Codes that end where others would go on say nothing of their values.
    inside = (b > b.min()) & (b < b.max())
    one, other = (values[inside].reshape(1, -1) for values in (a, b))
    near = _fitted(one, other, False) if one.size >= _FEW else None
    if near is None:
        return None
    zero = float(np.rint(near.offset[0]))
    own = power(one)
    scale = float((one * (other - zero)).sum()) / own if own else 0.0
    if scale <= 0:
        return None
    text = f"B holds codes of A, with the scale {1 / scale:.4g} and the zero point {zero:.0f}".replace("-", "−")
    return Scaling("codes", text, (scale,), (zero,), FITTED)


def _told(scale: Doubles, offset: Doubles) -> str:
    if len(scale) == 1:
        text = f"B is A · {scale[0]:.6g}"
        if f"{abs(offset[0]):.6g}" != "0":
            text += f" {'+' if offset[0] >= 0 else '−'} {abs(offset[0]):.6g}"
        return text.replace("-", "−")
    means = -offset / scale
    # What is as good as nothing beside the others is nothing.
    means[np.abs(means) <= _NOTHING * np.abs(1 / scale)] = 0.0
    mean, std = (", ".join(f"{each:.5g}" for each in values) for values in (means, 1 / scale))
    text = f"B is (A − mean) / deviation, with the means {mean} and the deviations {std} of the channels"
    return text.replace("-", "−")


def power(values: Doubles) -> float:
    return float(np.square(values).sum())
