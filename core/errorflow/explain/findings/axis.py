"""Axes of a profile: where their marks are, and what stands beside them."""

import math
from collections.abc import Iterator

import numpy as np

from errorflow.base.values import dataclass
from errorflow.compare.metrics.metric import Scale, places

# A part of the picture below the good limit and above the bad one is always there; further than that it does not go.
_BELOW, _ABOVE = (-2.0, -0.15), (1.15, 4.0)
_DECADES = range(-12, 13)
_ROUND = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick. `at`: a height, or a place."""

    at: float
    text: str


def window(low: float, high: float) -> tuple[float, float]:
    """The heights that are shown of a profile with these bounds; what lies outside stands at the edge."""
    least, most = max(_BELOW[0], min(low, _BELOW[1])), min(_ABOVE[1], max(high, _ABOVE[0]))
    room = 0.06 * (most - least)
    return least - room, most + room


def limit_ticks(scale: Scale) -> tuple[Tick, Tick]:
    """The good and the bad limit."""
    return Tick(0.0, scale.limit(scale.good)), Tick(1.0, scale.limit(scale.bad))


def height_ticks(scale: Scale, low: float, high: float, apart: float) -> tuple[Tick, ...]:
    """Finds round values between two heights, no two nearer than `apart`, nor that near to a limit; the worst first."""
    taken = [0.0, 1.0]
    found: list[Tick] = []
    texts = {tick.text for tick in limit_ticks(scale)}
    for value in _round_values(scale, low, high):
        height = float(places(scale, np.array([value]))[0])
        text = scale.limit(value)
        if low <= height <= high and text not in texts and all(abs(height - other) >= apart for other in taken):
            taken.append(height)
            texts.add(text)
            found.append(Tick(height, text))
    return tuple(found)


def place_ticks(start: float, end: float, most: int) -> tuple[Tick, ...]:
    """Finds round places between two, at most so many."""
    step = round_step((end - start) / max(most, 1), whole=True)
    first = math.ceil(max(start, 0.0) / step)
    return tuple(Tick(at * step, f"{round(at * step):,}") for at in range(first, math.floor(end / step) + 1))


def round_step(least: float, whole: bool = False) -> float:
    """1, 2 or 5 times a power of ten, not less than `least`; `whole`: at least 1."""
    if not least > 0:
        return 1.0
    power = math.floor(math.log10(least))
    step = next(float(f"{digit}e{power}") for digit in (*_ROUND, 10) if float(f"{digit}e{power}") >= least * (1 - 1e-9))
    return max(step, 1.0) if whole else step


def _round_values(scale: Scale, low: float, high: float) -> Iterator[float]:
    if scale.scale == "log":
        away = -1.0 if scale.higher_is_better else 1.0
        yield from (scale.best + away * 10.0**power for power in reversed(_DECADES))
        return
    ends = sorted(scale.good + height * (scale.bad - scale.good) for height in (low, high))
    step = round_step((ends[1] - ends[0]) / 5)
    numbers = range(math.ceil(ends[0] / step), math.floor(ends[1] / step) + 1)
    values = [number * step for number in numbers]
    yield from values if scale.higher_is_better else reversed(values)
