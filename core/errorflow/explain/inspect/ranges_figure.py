"""The ranges of several methods of calibration over the values that they are for."""

from collections.abc import Sequence

import numpy as np

from errorflow.base.values import dataclass
from errorflow.explain.inspect.bins import Bins, Counts
from errorflow.explain.inspect.figure import Axis, Bars, Figure, Layer, Line, Role, ticks

# Brackets stand above the bars, in so many parts of their height, and each has feet of that many of its room.
_ABOVE, _FEET = 1.2, 0.4
_GAP = 0.08
_MARKS = 4


@dataclass(frozen=True, slots=True)
class RangeBracket:
    """A range by its name."""

    label: str
    low: float
    high: float
    role: Role = "quiet"


def ranges_figure(
    name: str, bins: Bins, counts: Counts, brackets: Sequence[RangeBracket], notes: tuple[str, ...]
) -> Figure:
    """Counts are logarithmic: ranges differ where few values are."""
    heights = np.log10(1.0 + counts.astype(np.float64))
    top = max(float(heights.max(initial=0.0)), 1.0)
    room = top * _ABOVE / max(len(brackets), 1)
    layers: list[Layer] = [Bars("reference", "Reference", bins.edges, heights)]
    for at, bracket in enumerate(brackets):
        y = top * (1 + _GAP) + room * (len(brackets) - at - 0.5)
        foot = y - room * _FEET
        x = np.array([bracket.low, bracket.low, bracket.high, bracket.high])
        layers.append(Line(bracket.role, bracket.label, x, np.array([foot, y, y, foot])))
    ends = [float(bins.edges[0]), float(bins.edges[-1])]
    ends += [end for bracket in brackets for end in (bracket.low, bracket.high)]
    margin = (max(ends) - min(ends)) * 0.02
    low, high = min(ends) - margin, max(ends) + margin
    powers = ticks(Axis("", 0.0, top, log=True), _MARKS)
    names = ((0.0, "0"), *((float(np.log10(1.0 + 10.0**power)), text) for power, text in powers))
    y_axis = Axis("Count", 0.0, top * (1 + _GAP + (_ABOVE if brackets else 0.0)), names=names)
    return Figure(f"Ranges of {name} by method of calibration", Axis("Value", low, high), y_axis, tuple(layers), notes)
