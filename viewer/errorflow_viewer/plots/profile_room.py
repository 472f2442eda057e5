"""Room of the picture of a profile, in the panel and in the large window."""

from errorflow.base.values import dataclass
from errorflow.explain.findings.axis import window
from errorflow.explain.findings.profile import Profile
from errorflow.report.profile_shapes import EDGE, RUG, ProfileRoom
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.plots.span import Span

# Logical px: round the pointer the worst node is meant, else the nearest one that is not too far.
_MEANT, _REACH = 3.0, 24.0
# Beside the plot: numbers of the metric at the left; the legend above; below, the depths.
_LEFT, _RIGHT, HEAD, _FOOT = 64, 12, 24, 18


@dataclass(frozen=True)
class Room(ProfileRoom):
    """`head`: how high the line above the curves is; `foot`: how far down the plot goes with its marks."""

    head: float
    foot: float

    def holds(self, x: float, y: float) -> bool:
        """Whether that is in the plot, its marks above and below included."""
        return self.left <= x <= self.right and self.head <= y <= self.foot


def panel_room(profile: Profile, span: Span, width: float, height: float) -> Room:
    left, head, foot = px(_LEFT), px(HEAD), height - px(_FOOT)
    ends = max(width - _RIGHT, left + 1.0), head + EDGE, max(foot - RUG, head + EDGE + 1.0)
    return Room(left, *ends, span.start, span.end, *window(*profile.bounds()), head, foot)


def box_room(span: Span, low: float, high: float, width: float, height: float) -> Room:
    """Makes the room without margins of its own: what stands at the edges has its place within."""
    ends = max(width, 1.0), float(EDGE), max(height - RUG, EDGE + 1.0)
    return Room(0.0, *ends, span.start, span.end, low, high, 0.0, height)


def meant(profile: Profile, room: Room, x: float) -> int | None:
    """The node that is meant there: the worst of those under the pointer, else the nearest."""
    around = _MEANT / room.per_place
    at = room.place(x)
    worst = profile.worst(round(at - around), round(at + around)) if around >= 1 else None
    return profile.nearest(at, max(_REACH / room.per_place, 0.6)) if worst is None else worst
