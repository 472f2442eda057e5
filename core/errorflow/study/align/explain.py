"""Tries what usually goes wrong between two pipelines, and names what explains their difference.

Simple things come first: the one that is named is the simplest of those that leave about the least of the difference.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from errorflow.base.progress import SILENT, Progress
from errorflow.study.align.forms import forms
from errorflow.study.align.geometry import Move, as_rows, channel_axis, layouts, mirrors, orders, wraps
from errorflow.study.align.known import known
from errorflow.study.align.looks import looks_of
from errorflow.study.align.model import Cause, Doubles, Stage
from errorflow.study.align.placing import Placing, placing_of
from errorflow.study.align.rounding import Rounding, rounding_of
from errorflow.study.align.scaling import FITTED, SAME, Scaling, as_codes, power, scaling_of

# Elements of a channel that are looked at while ways are tried; what is found is checked on all.
_SOME = 20_000
# What explains less of the difference is chance.
_WORTH = 0.5
# A simpler way is named that leaves so much more than the best.
_MORE = 1.2
# The same where rounding is all that is left: it bends what is fitted.
_NEAR = 30.0
# And where pixels sit a little elsewhere.
_BENT = 3.0
# From here on what was fitted is meant.
_SURE = 0.97
# And from here on it is told though something else is left: a line through what is bent leaves more.
_TOLD = 0.998
# Of the largest value, what single precision may be off by.
_SINGLE = 2.0**-22


@dataclass(frozen=True, eq=False)
class _Tried:
    """One way from A to B."""

    moves: tuple[Move, ...]
    scaling: Scaling
    left: float

    @property
    def cost(self) -> int:
        return sum(move.cost for move in self.moves) + self.scaling.cost

    @property
    def steps(self) -> tuple[Move | Scaling, ...]:
        """What is done."""
        every: tuple[Move | Scaling, ...] = (*self.moves, self.scaling)
        return tuple(each for each in every if each.key)

    def of(self, a: Doubles) -> Doubles:
        """A's array as B would have it."""
        for move in self.moves:
            a = move.apply(a)
        axis = _axis(a.shape)
        scaled = self.scaling.of(as_rows(a, axis))
        if axis is None:
            return scaled.reshape(a.shape)
        rest = tuple(size for place, size in enumerate(a.shape) if place != axis)
        return np.moveaxis(scaled.reshape(a.shape[axis], *rest), 0, axis)


def explain(
    a: NDArray[np.generic], b: NDArray[np.generic], tolerance: float, stage: Stage, progress: Progress = SILENT
) -> Cause | None:
    """Why B is not what A is; None: nothing that was tried says."""
    one, other = (values.astype(np.float64) for values in (a, b))
    if not one.size or not other.size or not np.isfinite(other).all():
        return None
    with np.errstate(all="ignore"):
        tried = list(_tries(one, other, tolerance, stage, progress))
        if not tried:
            return None
        enough = max(min(each.left for each in tried) * _MORE, tolerance * tolerance * min(other.size, _SOME) / 16)
        best = min((each for each in tried if each.left <= enough), key=lambda each: each.cost)
        return _cause(best, one, other, tolerance, stage)


def _tries(a: Doubles, b: Doubles, tolerance: float, stage: Stage, progress: Progress) -> Iterator[_Tried]:
    ways = [*_ways(a.shape, b.shape, stage), *_wrapped(a, b)]
    for number, moves in enumerate(ways):
        progress.step(number, len(ways), "Trying what explains the difference")
        moved = a
        for move in moves:
            moved = move.apply(moved)
        if moved.shape != b.shape or not np.isfinite(moved).all():
            continue
        goal = in_order(b) if any(move.key == "order" for move in moves) else b
        axis = _axis(b.shape)
        one, other = (_some(as_rows(values, axis)) for values in (moved, goal))
        scaling, left = scaling_of(one, other, tolerance, known(len(one)))
        yield _Tried(moves, scaling, left)


def in_order(values: Doubles) -> Doubles:
    """As a way that brings rows in an order leaves them."""
    return next(move for move in forms(values.shape) if move.key == "order").apply(values)


def _ways(a: tuple[int, ...], b: tuple[int, ...], stage: Stage) -> Iterator[tuple[Move, ...]]:
    for layout in layouts(a, b):
        for order in orders(b):
            for mirror in mirrors(b):
                yield tuple(move for move in (layout, order, mirror) if move.key or move is layout)
    if stage != "input":
        yield from ((form,) for form in forms(a) if form.key)


def _wrapped(a: Doubles, b: Doubles) -> Iterator[tuple[Move, ...]]:
    for wrap in wraps(a, b):
        for layout in layouts(a.shape, b.shape):
            for order in orders(b.shape):
                yield layout, order, wrap


def _cause(best: _Tried, a: Doubles, b: Doubles, tolerance: float, stage: Stage) -> Cause | None:
    goal = in_order(b) if any(move.key == "order" for move in best.moves) else b
    before = power(b - a) if a.shape == b.shape else power(b - b.mean())
    rounding = None
    left = goal - best.of(a)
    whole = float(np.abs(left).max()) <= max(tolerance, _SINGLE * float(np.abs(goal).max()))
    if not whole:
        best, rounding = _rounded(best, a, goal)
        left = goal - best.of(a)
    texts, keys = [each.text for each in best.steps], [each.key for each in best.steps]
    explains = 1 - power(left) / before if before else 1.0
    worth = whole or (explains >= _WORTH and power(left) <= _WORTH * _spread(goal))
    if rounding is not None:
        texts.append(rounding.told)
        keys.append(rounding.key)
        worth, whole, explains = True, True, 1.0
    elif not whole and stage == "input":
        elsewhere = _elsewhere(best, a, goal, tolerance)
        if elsewhere is not None:
            return elsewhere
    is_bent = best.scaling.cost == FITTED and power(left) > (1 - _TOLD) * _spread(goal)
    if not worth or not texts or (is_bent and not whole):
        return None
    remains = float(np.abs(left).max())
    return Cause(tuple(keys), tuple(texts), max(0.0, min(1.0, explains)), whole, remains)


def _elsewhere(best: _Tried, a: Doubles, b: Doubles, tolerance: float) -> Cause | None:
    """Of pictures whose pixels sit elsewhere: what is fitted pixel by pixel is bent then, colours are not."""
    fits = power(b - best.of(a)) <= (1 - _SURE) * _spread(b)
    looks = None if fits else looks_of(a, b)
    if looks is not None:
        best = _Tried(looks.moves, looks.scaling, best.left)
    elif best.scaling.cost == FITTED:
        best = _plainer(best, a, b) if fits else replace(best, scaling=SAME)
    moved = best.of(a)
    if moved.shape != b.shape:
        return None
    before, left = power(b - a) if a.shape == b.shape else power(b - b.mean()), b - moved
    placing = _placed(moved, b)
    if placing is None and looks is not None and not np.abs(left).max() <= tolerance:
        placing = Placing("both have the same colours in other places: cut out or resized in another way", 0.0)
    if placing is None:
        return None
    explains = 1 - power(left) / before if before else 0.0
    explains = max(0.0, min(1.0, explains + (1 - explains) * placing.explains))
    steps = best.steps
    keys, texts = (*(step.key for step in steps), "resize"), (*(step.text for step in steps), placing.text)
    return Cause(keys, texts, explains, False, float(np.abs(left).max()))


def _plainer(best: _Tried, a: Doubles, b: Doubles) -> _Tried:
    """With a scale that somebody would choose, if there is one about as good."""
    axis = _axis(b.shape)
    moved, goal = _some(as_rows(replace(best, scaling=SAME).of(a), axis)), _some(as_rows(b, axis))
    near = (scaling for scaling in (SAME, *known(len(goal))) if power(goal - scaling.of(moved)) <= _BENT * best.left)
    return replace(best, scaling=next(near, best.scaling))


def _rounded(best: _Tried, a: Doubles, b: Doubles) -> tuple[_Tried, Rounding | None]:
    """Rounding bends what is fitted: a simple way that leaves nothing but rounding is the right one."""
    axis = _axis(b.shape)
    goal = as_rows(b, axis)
    some = _some(goal)
    moved = as_rows(replace(best, scaling=SAME).of(a), axis)
    near = _NEAR * max(best.left, 1e-300)
    fitted = [] if best.scaling.cost != FITTED else [as_codes(_some(moved), some)]
    for scaling in (SAME, *known(len(goal)), *filter(None, fitted), best.scaling):
        if scaling is not best.scaling and power(some - scaling.of(_some(moved))) > near:
            continue
        found = rounding_of(scaling.of(moved), goal)
        if found is not None:
            return replace(best, scaling=scaling), found
    return best, None


def _placed(moved: Doubles, b: Doubles) -> Placing | None:
    axis = _axis(b.shape)
    if b.ndim < 3 and axis is None:
        return None
    return placing_of(*(values if axis is None else np.moveaxis(values, axis, 0) for values in (moved, b)))


def _spread(values: Doubles) -> float:
    """What is left if all that is known of each channel is its middle."""
    rows = as_rows(values, _axis(values.shape))
    return power(rows - rows.mean(1, keepdims=True))


def _axis(shape: tuple[int, ...]) -> int | None:
    return channel_axis(shape)


def _some(rows: Doubles) -> Doubles:
    return rows[:, :: max(1, rows.shape[1] // _SOME)]
