"""Where things stand in the picture of a profile: from places and heights to logical px, and back."""

from dataclasses import dataclass

from errorflow.explain.findings.axis import window
from errorflow.explain.findings.profile import Profile
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.plots.span import Span

# Logical px: round the pointer the worst node is meant, else the nearest one that is not too far.
_MEANT, _REACH = 3.0, 24.0
# Beside the plot: numbers of the metric at the left; the legend above; marks of what has no height; below, what was
# not measured, and the depths.
LEFT, RIGHT, HEAD, EDGE, RUG, FOOT = 64, 12, 24, 10, 5, 18


@dataclass(frozen=True, slots=True)
class Room:
    """A picture of that size; `low` and `high` are heights."""

    width: float
    height: float
    span: Span
    low: float
    high: float

    @classmethod
    def of(cls, profile: Profile, span: Span, width: float, height: float) -> "Room":
        return cls(width, height, span, *window(*profile.bounds()))

    @property
    def left(self) -> float:
        return px(LEFT)

    @property
    def right(self) -> float:
        return max(self.width - RIGHT, self.left + 1)

    @property
    def head(self) -> float:
        """How high the line above the curves is."""
        return px(HEAD)

    @property
    def top(self) -> float:
        return self.head + EDGE

    @property
    def bottom(self) -> float:
        return max(self.height - px(FOOT) - RUG, self.top + 1)

    @property
    def across(self) -> float:
        return self.right - self.left

    @property
    def per_place(self) -> float:
        """Logical px."""
        return self.across / self.span.length

    def x(self, place: float) -> float:
        """The middle of a place."""
        return self.left + (place + 0.5 - self.span.start) * self.per_place

    def y(self, height: float) -> float:
        share = (min(max(height, self.low), self.high) - self.low) / (self.high - self.low)
        return self.bottom - share * (self.bottom - self.top)

    def place(self, x: float) -> float:
        """The place whose middle is there, with a fraction."""
        return self.span.start + (x - self.left) / self.per_place - 0.5

    def holds(self, x: float, y: float) -> bool:
        """Whether that is in the plot, its marks above and below included."""
        return self.left <= x <= self.right and self.head <= y <= self.height - px(FOOT)


def meant(profile: Profile, room: Room, x: float) -> int | None:
    """The node that is meant there: the worst of those under the pointer, else the nearest."""
    around = _MEANT / room.per_place
    at = room.place(x)
    worst = profile.worst(round(at - around), round(at + around)) if around >= 1 else None
    return profile.nearest(at, max(_REACH / room.per_place, 0.6)) if worst is None else worst
