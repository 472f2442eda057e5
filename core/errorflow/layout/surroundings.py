"""From which side the tensors that a group reads come to it, and to which side those that it makes go.

A group is laid out before the one around it, but should have its ports where the lines come from. So every level is
looked at once with all groups in it closed, from the outermost inwards.
"""

from dataclasses import dataclass, field

import numpy as np

from errorflow.base.arrays import Ints
from errorflow.base.progress import SILENT, Progress
from errorflow.layout.drawing import Floats
from errorflow.layout.level import known
from errorflow.layout.levels import Levels
from errorflow.layout.parts import arrange_level
from errorflow.layout.patch import Sides, Sizes, level_of

UNKNOWN = -1
MOST = 30_000
MIDDLE = 6.0  # so little aside counts as straight above or below


@dataclass(frozen=True, slots=True)
class _Sights:
    """What a level tells the groups in it: `sides` of the nets at `places`, counted from the level's first net."""

    from_places: Ints
    from_sides: Sides
    to_places: Ints
    to_sides: Sides


@dataclass(eq=False)
class Surroundings:
    levels: Levels
    sizes: Sizes
    plain_forms: list[int]
    sides: tuple[Sides, Sides] = field(init=False)  # from, to
    _forms: list[int] = field(init=False)
    _numbers: dict[tuple[int, bytes, bytes], int] = field(default_factory=dict)
    _sights: dict[int, _Sights] = field(default_factory=dict)

    def __post_init__(self) -> None:
        count = len(self.levels.nets)
        self.sides = (np.zeros(count, np.int16), np.zeros(count, np.int16))
        self._forms = [UNKNOWN] * len(self.levels)

    def form(self, row: int, progress: Progress = SILENT) -> int:
        """Equal for groups that look the same and see the same outside. The row around it must have been asked for."""
        if self._forms[row] == UNKNOWN:
            nets = slice(self.levels.net_starts[row], self.levels.net_starts[row + 1])
            key = (self.plain_forms[row], self.sides[0][nets].tobytes(), self.sides[1][nets].tobytes())
            self._forms[row] = self._numbers.setdefault(key, len(self._numbers))
            self._look(row, self._forms[row], progress)
        return self._forms[row]

    def _look(self, row: int, form: int, progress: Progress) -> None:
        inner = len(self.levels.children[row])
        if not inner:
            return
        if form not in self._sights:
            self._sights[form] = self._sighted(row, inner, progress)
        sights, first = self._sights[form], self.levels.net_starts[row]
        self.sides[0][sights.from_places + first] = sights.from_sides
        self.sides[1][sights.to_places + first] = sights.to_sides

    def _sighted(self, row: int, inner: int, progress: Progress) -> _Sights:
        levels = self.levels
        level = level_of(levels, self.sizes, row, [None] * inner, self.sides)
        placement = arrange_level(level, progress)
        own = int(levels.atoms[row + 1] - levels.atoms[row])
        offsets = levels.net_starts[levels.children[row]] - levels.net_starts[row]
        first, last = levels.net_starts[row], levels.net_starts[row + 1]
        source_nets = levels.source_nets[first:last]
        inner_nets = levels.inner_nets[levels.sink_starts[row] : levels.sink_starts[row + 1]]
        entering, leaving = np.flatnonzero(inner_nets >= 0), np.flatnonzero(source_nets >= 0)
        sinks, sources = level.sinks[entering], level.sources[leaving]
        return _Sights(
            from_places=offsets[sinks - own] + inner_nets[entering],
            from_sides=_sides(sinks, placement.arrivals[entering] - placement.x[sinks]),
            to_places=offsets[sources - own] + source_nets[leaving],
            to_sides=_sides(sources, placement.departures[leaving] - placement.x[sources]),
        )


def _sides(groups: Ints, aside: Floats) -> Sides:
    """For each line of a group how many places it comes in left or right of its middle."""
    away = known(aside)
    far = np.flatnonzero(np.abs(away) > MIDDLE)
    result = np.zeros(len(aside), np.int16)
    for sign in (-1, 1):
        mine = far[away[far] * sign > 0]
        order = mine[np.lexsort((away[mine] * sign, groups[mine]))]
        new_group = np.diff(groups[order], prepend=-1) != 0
        steps = new_group | (np.diff(away[order], prepend=np.nan) != 0)
        number = np.cumsum(steps)
        first = np.maximum.accumulate(np.where(new_group, number, 0))
        result[order] = sign * np.minimum(number - first + 1, MOST)
    return result
