"""Puts the levels of open groups together, from the inside out.

Groups that look the same and are open alike are laid out once: all numbers in a patch count from where its group's own
begin, so that one patch serves every group of its form.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from errorflow.base.progress import Progress
from errorflow.layout.level import Bools, Level, Placement
from errorflow.layout.levels import Levels
from errorflow.layout.parts import arrange_level
from errorflow.layout.patch import Patch, Sizes, borders, level_of
from errorflow.layout.surroundings import Surroundings

CLOSED = -1
OFTEN = 2000  # groups between two looks whether to go on


@dataclass(eq=False)
class Composer:
    """Knows all levels of a graph and keeps the patches of the last two drawings: what is opened is closed again."""

    levels: Levels
    sizes: Sizes
    surroundings: Surroundings
    _states: dict[tuple[object, ...], int] = field(default_factory=dict)
    _patches: dict[int, Patch] = field(default_factory=dict)
    _before: dict[int, Patch] = field(default_factory=dict)

    @cached_property
    def _children(self) -> list[list[int]]:
        return self.levels.children.lists()

    def patch(self, open_rows: frozenset[int], whole: Bools | None, progress: Progress) -> Patch:
        """The outermost level with all open groups in it. `whole` says which nets of all levels never get stubs."""
        children = self._children
        shown = _shown(open_rows, children)
        forms: list[int] = []
        for first in range(0, len(shown), OFTEN):
            progress.step(0, len(shown), "Comparing groups")
            forms += [self.surroundings.form(row, progress) for row in shown[first : first + OFTEN]]
        state = [CLOSED] * len(self.levels)
        used: dict[int, Patch] = {}
        for done, (row, form) in enumerate(zip(reversed(shown), reversed(forms), strict=True)):
            if done % OFTEN == 0:
                progress.step(done, len(shown), "Joining groups")
            key = (form, self._whole(row, whole), *[state[child] for child in children[row]])
            number = self._states.setdefault(key, len(self._states))
            state[row] = number
            if number not in used:
                known = self._patches.get(number, self._before.get(number))
                if known is None:
                    inner = [None if state[child] == CLOSED else used[state[child]] for child in children[row]]
                    known = self._compose(row, inner, whole, _Within(progress, done, len(shown)))
                used[number] = known
        self._patches, self._before = used, self._patches
        return used[state[0]]

    def _whole(self, row: int, whole: Bools | None) -> bytes:
        if whole is None:
            return b""
        own = whole[self.levels.net_starts[row] : self.levels.net_starts[row + 1]]
        return own.tobytes() if own.any() else b""

    def _compose(self, row: int, inner: list[Patch | None], whole: Bools | None, progress: Progress) -> Patch:
        level = level_of(self.levels, self.sizes, row, inner, self.surroundings.sides, whole)
        return _assembled(self.levels, row, self._children[row], inner, level, arrange_level(level, progress))


@dataclass(frozen=True, slots=True)
class _Within:
    """One of several equal steps, for the progress of what is done in it."""

    progress: Progress
    number: int
    count: int

    def step(self, done: int, total: int, text: str) -> None:
        self.progress.step(self.number * total + done, self.count * total, text)


def _shown(open_rows: frozenset[int], children: list[list[int]]) -> list[int]:
    """Rows whose level is seen, the outer ones first."""
    shown = [0]
    for row in shown:  # grows while it is walked
        shown.extend([child for child in children[row] if child in open_rows])
    return shown


def _assembled(
    levels: Levels, row: int, children: list[int], inner: list[Patch | None], level: Level, placement: Placement
) -> Patch:
    first_atom, first_net = int(levels.atoms[row]), int(levels.net_starts[row])
    own = int(levels.atoms[row + 1]) - first_atom
    closed = [place for place, patch in enumerate(inner) if patch is None]
    drawn = np.concatenate([np.arange(own), own + np.array(closed, np.int64)]).astype(np.int32)
    boxes = np.column_stack([placement.x - level.left, placement.y, level.left + level.right, level.heights])[drawn]
    folds = [-1 - (children[place] - row) for place in closed]
    frame = np.array([[-placement.left, 0.0, placement.left + placement.right, placement.height]])
    all_boxes, lines, frames = [boxes], [placement.lines], [frame]
    items = [np.concatenate([np.arange(own), folds]).astype(np.int32)]
    owners, rows = [np.zeros(len(drawn), np.int32)], [np.zeros(1, np.int32)]
    line_nets = [placement.line_nets]
    stubs, stub_nets, stub_ends = [placement.stubs], [placement.stub_nets], [placement.stub_ends]
    for place, patch in enumerate(inner):
        if patch is None:
            continue
        child = children[place]
        dx, dy = float(placement.x[own + place]), float(placement.y[own + place])
        all_boxes.append(patch.boxes + np.array([dx, dy, 0.0, 0.0]))
        atom, down = int(levels.atoms[child]) - first_atom, child - row
        items.append(np.where(patch.items < 0, patch.items - down, patch.items + atom))
        owners.append(patch.owners + down)
        lines.append(patch.lines + np.array([dx, dy, dx, dy]))
        nets = int(levels.net_starts[child]) - first_net
        line_nets.append(patch.line_nets + nets)
        stubs.append(patch.stubs + np.array([dx, dy]))
        stub_nets.append(patch.stub_nets + nets)
        stub_ends.append(patch.stub_ends)
        frames.append(patch.frames + np.array([dx, dy, 0.0, 0.0]))
        rows.append(patch.rows + down)
    entries, exits = borders(level, placement)
    return Patch(
        boxes=np.concatenate(all_boxes),
        items=np.concatenate(items),
        owners=np.concatenate(owners),
        lines=np.concatenate(lines),
        line_nets=np.concatenate(line_nets),
        frames=np.concatenate(frames),
        rows=np.concatenate(rows),
        entries=entries,
        exits=exits,
        left=placement.left,
        right=placement.right,
        height=placement.height,
        stubs=np.concatenate(stubs),
        stub_nets=np.concatenate(stub_nets),
        stub_ends=np.concatenate(stub_ends),
    )
