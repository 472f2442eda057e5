"""Plot of a tensor's distribution in both runs, with the thresholds beyond which codes cannot follow."""

from dataclasses import replace

import numpy as np

from errorflow.explain.inspect.figure import Axis, Figure, Rules, number_text
from errorflow.explain.inspect.figures import values_figure
from errorflow.explain.inspect.overview import Overview

# Thresholds that lie further out, in lengths of what the values take, would press the values into a corner.
_FAR = 3.0


def distribution_figure(seen: Overview, log: bool) -> Figure:
    """The histograms before and after, as `values_figure` has them; one with a scale per channel has no thresholds."""
    found = values_figure(seen, log)
    if seen.grid is None:
        return found
    ends = (seen.grid.low, seen.grid.high)
    x = _widened(found.x, ends)
    shown = np.array([end for end in ends if x.low <= end <= x.high])
    rules = Rules("strong", "Thresholds", shown)
    told = f"Thresholds {number_text(ends[0])} … {number_text(ends[1])}"
    return replace(found, x=x, layers=(*found.layers, rules), notes=(told, *found.notes))


def _widened(axis: Axis, ends: tuple[float, float]) -> Axis:
    """Widens an axis so that both ends are seen, if they are near enough."""
    room = (axis.high - axis.low) * _FAR
    near = [end for end in ends if axis.low - room <= end <= axis.high + room]
    edge = (axis.high - axis.low) * 0.02
    low, high = (pick(pick(near), bound) if near else bound for pick, bound in ((min, axis.low), (max, axis.high)))
    return replace(axis, low=low - edge if low < axis.low else low, high=high + edge if high > axis.high else high)
