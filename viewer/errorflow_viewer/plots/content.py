"""Content of a large window as values: they are enough to draw it again in another theme or on another scale."""

from collections.abc import Callable

from errorflow.base.values import dataclass
from errorflow.explain.findings.profile import Profile
from errorflow.explain.inspect.figure import Figure
from errorflow.explain.inspect.grid import Grid
from errorflow.explain.inspect.planes import Planes
from errorflow.explain.inspect.tensors import Tensors
from errorflow.report.profile_shapes import ProfileColors


@dataclass(frozen=True, slots=True, eq=False)
class FigureContent:
    """`make` is told whether the count is logarithmic."""

    name: str
    make: Callable[[bool], Figure]
    # Whether it is at first; None: there is nothing to switch.
    log: bool | None = None
    # Of the candidate, whose steps are drawn where they can be told apart.
    grid: Grid | None = None
    # The part of the x axis that is seen at first; None: all of it.
    first: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MapContent:
    """The planes of a tensor, beginning with one."""

    name: str
    tensors: Tensors
    planes: Planes
    number: int


@dataclass(frozen=True, slots=True, eq=False)
class ProfileContent:
    """Curves; what the user points at and chooses is told by place."""

    name: str
    profile: Profile
    colors: Callable[[], ProfileColors]
    pointed: Callable[[int | None], None]
    picked: Callable[[int], None]
    walked: Callable[[int], None]


Content = FigureContent | MapContent | ProfileContent
