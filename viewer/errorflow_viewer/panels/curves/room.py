"""Where things stand in the picture of curves: from places and shares to logical px, and back."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorflow_viewer.plots.span import Span

Floats = NDArray[np.float64]
# Logical px: numbers of the metric at the left; rims for what has no height; numbers of places below, and beside them
# their title, which has a row of its own where there is room.
LEFT, RIGHT, RIM, FOOT, TITLE = 72, 16, 12, 20, 16
ROOMY = 240
_REACH = 32.0


@dataclass(frozen=True, slots=True)
class Room:
    """A picture of that size, below a legend of `head` px."""

    width: float
    height: float
    span: Span
    head: float

    @property
    def left(self) -> float:
        return LEFT

    @property
    def right(self) -> float:
        return max(self.width - RIGHT, LEFT + 1.0)

    @property
    def top(self) -> float:
        return self.head + RIM

    @property
    def bottom(self) -> float:
        return max(self.height - self.foot - RIM, self.top + 1.0)

    @property
    def foot(self) -> float:
        return FOOT + TITLE if self.height >= ROOMY else FOOT

    @property
    def per_place(self) -> float:
        return (self.right - self.left) / max(self.span.length, 1e-9)

    def x(self, place: float) -> float:
        """The middle of its room."""
        return self.left + (place + 0.5 - self.span.start) * self.per_place

    def y(self, share: float) -> float:
        return self.bottom - share * (self.bottom - self.top)

    def xs(self, places: Floats) -> Floats:
        return self.left + (places + 0.5 - self.span.start) * self.per_place

    def ys(self, shares: Floats) -> Floats:
        return self.bottom - shares * (self.bottom - self.top)

    def place(self, x: float) -> float:
        return (x - self.left) / self.per_place + self.span.start - 0.5

    def nearest(self, x: float, y: float, count: int) -> int | None:
        """The place that is meant there; None: the pointer is beside the plot."""
        if not (self.left - 4 <= x <= self.right + 4 and self.head <= y <= self.height and count):
            return None
        place = min(max(round(self.place(x)), 0), count - 1)
        return place if abs(self.x(place) - x) <= max(_REACH, self.per_place) else None
