"""Pictures that sit elsewhere still have the same colours: channel order and scale by how values are spread."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from errorflow.study.align.geometry import Move, as_rows, channel_axis, layouts, orders
from errorflow.study.align.known import known
from errorflow.study.align.model import Doubles
from errorflow.study.align.scaling import SAME, Scaling, power

# Of each channel; the rim is left out, where borders and single pixels count.
_QUANTILES = np.linspace(0.05, 0.95, 37)
# Of what values differ in, what may be left where both are one picture.
_LEFT = 0.02
# A simpler way is named that leaves so much more, or hardly anything.
_MORE, _NOTHING = 1.5, 0.002
_SOME = 20_000
_WITH_BATCH, _BATCH = 4, 16
# What so many pixels have is a border's.
_BORDER = 0.08


@dataclass(frozen=True, slots=True)
class Looks:
    """What brings the colours of A to those of B; `left` is the share of what values differ in that remains."""

    moves: tuple[Move, ...]
    scaling: Scaling
    left: float


def looks_of(a: Doubles, b: Doubles) -> Looks | None:
    """None: they are not one picture, as far as colours tell."""
    axis = channel_axis(b.shape)
    if axis is None:
        return None
    goal = _quantiles(as_rows(b, axis), _pictures(b))
    size = power(goal - goal.mean())
    if not size:
        return None
    found = [Looks(moves, scaling, left / size) for moves, scaling, left in _tries(a, b, goal, axis)]
    if not found:
        return None
    least = min(each.left for each in found)
    enough = max(least * _MORE, min(least + _NOTHING, _LEFT))
    best = min((each for each in found if each.left <= enough), key=_cost)
    return best if best.left <= _LEFT else None


def _cost(looks: Looks) -> int:
    return sum(move.cost for move in looks.moves) + looks.scaling.cost


def _tries(a: Doubles, b: Doubles, goal: Doubles, axis: int) -> Iterator[tuple[tuple[Move, ...], Scaling, float]]:
    for layout in layouts(a.shape, b.shape):
        if layout.cost > 1:
            continue
        moved = layout.apply(a)
        for order in orders(b.shape):
            looks = _quantiles(as_rows(order.apply(moved), axis), _pictures(b))
            for scaling in (SAME, *known(len(goal))):
                yield (layout, order), scaling, power(goal - scaling.of(looks))


def _pictures(values: Doubles) -> int:
    """How many of a batch are looked at one by one: each is to have its own colours."""
    return len(values) if values.ndim == _WITH_BATCH and len(values) <= _BATCH else 1


def _quantiles(rows: Doubles, pictures: int) -> Doubles:
    """Channels × quantiles of each picture."""
    return np.array(
        [
            [np.quantile(_inside(part, _SOME // pictures), _QUANTILES) for part in row.reshape(pictures, -1)]
            for row in rows
        ]
    ).reshape(len(rows), -1)


def _inside(row: Doubles, most_of_all: int) -> Doubles:
    """Without the value that a border has, if there is one."""
    some = row[:: max(1, len(row) // most_of_all)]
    values, counts = np.unique(some, return_counts=True)
    most = int(np.argmax(counts))
    is_border = len(values) > 1 and counts[most] >= _BORDER * len(some)
    return some[some != values[most]] if is_border else some
