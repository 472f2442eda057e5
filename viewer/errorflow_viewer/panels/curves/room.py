"""Where things stand in the panel's picture of curves."""

from dataclasses import dataclass

from errorflow.report.curve_strokes import FOOT, RIM, TITLE_ROW, CurveRoom
from errorflow_viewer.plots.span import Span

# Logical px: numbers of the metric at the left; from which height on places have a row for their title.
_LEFT, _RIGHT, _ROOMY = 72, 16, 240
_REACH = 32.0


@dataclass(frozen=True)
class Room(CurveRoom):
    """`head`: how high the legend is."""

    head: float = 0.0
    height: float = 0.0

    @classmethod
    def of(cls, width: float, height: float, span: Span, head: float) -> "Room":
        foot = FOOT + TITLE_ROW if height >= _ROOMY else FOOT
        top, right = head + RIM, max(width - _RIGHT, _LEFT + 1.0)
        bottom = max(height - foot - RIM, top + 1.0)
        return cls(_LEFT, right, top, bottom, span.start, span.end, foot, head, height)

    def nearest(self, x: float, y: float, count: int) -> int | None:
        """The place that is meant there; None: the pointer is beside the plot."""
        if not (self.left - 4 <= x <= self.right + 4 and self.head <= y <= self.height and count):
            return None
        place = min(max(round(self.place(x)), 0), count - 1)
        return place if abs(self.x(place) - x) <= max(_REACH, self.per_place) else None
