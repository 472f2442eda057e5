"""Many siblings of one form between the same neighbours, such as the experts of a mixture: they make one stack.

Members of a level are told apart by what they are and by what they are joined to; those that stay equal come many
times. What hangs together among these is one copy; equal copies, if there are enough, go on a stack.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from errorflow.base.arrays import Ints, Ragged
from errorflow.base.progress import Progress
from errorflow.layout.levels import Levels
from errorflow.layout.tree import STEPS

ENOUGH = 8  # copies that make a stack
OFTEN, OFTEN_GROUPS = 20_000, 2_000  # members, groups between two looks whether to go on
ROUNDS = 3  # how far around a member is looked


@dataclass(frozen=True, eq=False)
class Stack:
    """Copies on one level; atoms and rows are numbered as in the levels."""

    row: int
    copies: int
    atoms: tuple[int, ...]
    rows: tuple[int, ...]


def stacks(levels: Levels, labels: Ints, progress: Progress) -> list[Stack]:
    """All stacks of a graph; `labels` tell atoms apart, negative ones are never stacked."""
    shapes = _Shapes(levels, labels)
    progress.step(3, STEPS, "Finding stacks")
    return [stack for row in _wide_rows(levels) for stack in _on_level(levels, shapes, row, progress)]


def _wide_rows(levels: Levels) -> list[int]:
    """Rows in which something has enough neighbours."""
    numbers = levels.sink_nets + levels.net_starts[_owners(levels)]
    readers = np.bincount(numbers, minlength=len(levels.nets))
    rows = np.repeat(np.arange(len(levels)), np.diff(levels.net_starts))[readers >= ENOUGH]
    entered = _owners(levels).astype(np.int64) << 32 | levels.sinks
    values, counts = np.unique(entered, return_counts=True)
    return sorted({*rows.tolist(), *(values[counts >= ENOUGH] >> 32).tolist()})


def _owners(levels: Levels) -> Ints:
    return np.repeat(np.arange(len(levels), dtype=np.int32), np.diff(levels.sink_starts))


class _Shapes:
    """Equal numbers for groups that are the same but for names."""

    def __init__(self, levels: Levels, labels: Ints) -> None:
        self._levels = levels
        self.labels = labels
        self._numbers: dict[tuple[object, ...], int] = {}
        self._known: dict[int, int] = {}

    def of(self, row: int, progress: Progress) -> int:
        levels = self._levels
        if row in self._known:
            return self._known[row]
        for inner in reversed(range(row, int(levels.ends[row]))):
            if inner % OFTEN_GROUPS == 0:
                progress.step(3, STEPS, "Finding stacks")
            if inner not in self._known:
                nets = slice(levels.net_starts[inner], levels.net_starts[inner + 1])
                ends = slice(levels.sink_starts[inner], levels.sink_starts[inner + 1])
                key = (
                    self.labels[levels.atoms[inner] : levels.atoms[inner + 1]].tobytes(),
                    tuple([self._known[child] for child in levels.children[inner].tolist()]),
                    *[column[nets].tobytes() for column in (levels.sources, levels.source_nets)],
                    *[column[ends].tobytes() for column in (levels.sink_nets, levels.sinks, levels.inner_nets)],
                )
                self._known[inner] = self._numbers.setdefault(key, len(self._numbers))
        return self._known[row]


def _on_level(levels: Levels, shapes: _Shapes, row: int, progress: Progress) -> list[Stack]:
    progress.step(3, STEPS, "Finding stacks")
    first, last = int(levels.atoms[row]), int(levels.atoms[row + 1])
    children = levels.children[row].tolist()
    colors: list[tuple[int, int]] = [(0, label) for label in shapes.labels[first:last].tolist()]
    colors += [(1, shapes.of(child, progress)) for child in children]
    members = len(colors)
    colors += [(2, i) for i in range(int(levels.upper[row] + levels.lower[row]))]
    into, out = _neighbours(levels, row, len(colors))
    progress.step(3, STEPS, "Finding stacks")
    numbers = _refined(colors, into, out, progress)
    progress.step(3, STEPS, "Finding stacks")
    counts = Counter(numbers[:members])
    stackable = [i >= last - first or colors[i][1] >= 0 for i in range(members)]
    often = [i for i in range(members) if stackable[i] and counts[numbers[i]] >= ENOUGH]
    found = []
    progress.step(3, STEPS, "Finding stacks")
    for copies in _copies(often, into, out, numbers):
        items = [item for copy in copies for item in copy]
        atoms = tuple(first + item for item in items if item < last - first)
        rows = tuple(children[item - (last - first)] for item in items if item >= last - first)
        if len(items) < members:
            found.append(Stack(row, len(copies), atoms, rows))
    return found


def _neighbours(levels: Levels, row: int, count: int) -> tuple[list[list[int]], list[list[int]]]:
    ends = slice(levels.sink_starts[row], levels.sink_starts[row + 1])
    sources = levels.sources[levels.net_starts[row] : levels.net_starts[row + 1]]
    start, end = sources[levels.sink_nets[ends]], levels.sinks[ends]
    return Ragged.grouped(end, start, count).lists(), Ragged.grouped(start, end, count).lists()


def _refined(
    colors: list[tuple[int, int]], into: list[list[int]], out: list[list[int]], progress: Progress
) -> list[int]:
    """Numbers that are equal for members which are the same and have the same around them."""
    known: dict[object, int] = {}
    numbers = [known.setdefault(color, len(known)) for color in colors]
    for _ in range(ROUNDS):
        seen: dict[object, int] = {}
        next_numbers: list[int] = []
        for first in range(0, len(numbers), OFTEN):
            progress.step(3, STEPS, "Finding stacks")
            next_numbers += [
                seen.setdefault((numbers[i], _summary(into[i], numbers), _summary(out[i], numbers)), len(seen))
                for i in range(first, min(first + OFTEN, len(numbers)))
            ]
        numbers = next_numbers
    return numbers


def _summary(others: list[int], numbers: list[int]) -> tuple[int, ...]:
    return tuple(sorted([numbers[other] for other in others]))


def _copies(often: list[int], into: list[list[int]], out: list[list[int]], numbers: list[int]) -> list[list[list[int]]]:
    """What hangs together among these members, equal pieces in one list, if there are enough of them."""
    inside = set(often)
    seen: set[int] = set()
    by_form: dict[tuple[object, ...], list[list[int]]] = {}
    for item in often:
        if item in seen:
            continue
        seen.add(item)
        copy = [item]
        for member in copy:  # grows while it is walked
            for other in (*into[member], *out[member]):
                if other in inside and other not in seen:
                    seen.add(other)
                    copy.append(other)
        outer = {other for member in copy for other in (*into[member], *out[member]) if other not in inside}
        form = (tuple(sorted(numbers[member] for member in copy)), tuple(sorted(outer)))
        by_form.setdefault(form, []).append(copy)
    return [copies for copies in by_form.values() if len(copies) >= ENOUGH]
