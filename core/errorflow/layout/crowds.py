"""Takes levels apart that hold more than can be looked at: runs of members go into groups of their own.

A level with a thousand layers gets groups such as "layers.0 – 49". So does whatever would be too much together
when a model is first seen: the outermost level, and the groups in it that hold nearly all nodes.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from errorflow.layout.outline import BUDGET, NEARLY_ALL
from errorflow.layout.tree import DIGITS, ROOT, Tree

MOST = 100  # members of a level
LEAST = 24  # levels of so few are never taken apart
RUN = 20  # so many members with names that differ in a number only are a run
SIZES = (10, 20, 25, 40, 50, 100)  # of the parts of a run
TO = " – "
NUMBERED = re.compile(r"(.*?)(\d+)")


@dataclass(frozen=True, slots=True)
class _Member:
    """A group, or a node, which has no name."""

    first: int  # node
    number: int
    label: str

    @property
    def form(self) -> str:
        return DIGITS.sub("#", self.label)


def part(tree: Tree, ends: Mapping[int, int]) -> bool:
    """Whether anything was taken apart. `ends` says how many inputs, outputs and constants are drawn in each group."""
    census = _Census(tree)
    main = census.main_groups()
    levels = {group: census.members(group) for group in dict.fromkeys([*main, *census.crowded()])}
    before = len(tree.parents)
    for group in levels:
        while len(levels[group]) > MOST:
            levels[group] = _fewer(tree, group, levels[group])
    while sum(len(levels[group]) + ends.get(group, 0) for group in main) > BUDGET:
        largest = max(main, key=lambda group: len(levels[group]))
        if len(levels[largest]) <= LEAST:
            break
        levels[largest] = _fewer(tree, largest, levels[largest])
    return len(tree.parents) > before


class _Census:
    """Who is where in a tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        count = len(tree.parents)
        self._nodes = np.fromiter(tree.group_of.keys(), np.int64, len(tree.group_of))
        self._homes = np.fromiter(tree.group_of.values(), np.int64, len(tree.group_of))
        parents = np.array(tree.parents, np.int64)
        inside = self._homes != ROOT
        own = np.bincount(self._homes[inside], minlength=count)
        first = np.full(count, len(tree.group_of) and int(self._nodes.max()) + 1)
        np.minimum.at(first, self._homes[inside], self._nodes[inside])
        self._counts, self._first = own.copy(), first.copy()  # at any depth
        groups, around = np.arange(count), parents
        while len(groups):
            groups, around = groups[around >= 0], around[around >= 0]
            np.add.at(self._counts, around, own[groups])
            np.minimum.at(self._first, around, first[groups])
            around = parents[around]
        living = np.flatnonzero(self._counts)
        homes = np.concatenate([self._homes, parents[living]]) - ROOT
        self._sizes = np.bincount(homes, minlength=count - ROOT)  # from the outermost level on
        self._inner: dict[int, list[int]] = {}
        for group in living.tolist():
            self._inner.setdefault(tree.parents[group], []).append(group)

    def crowded(self) -> list[int]:
        """Groups with too many members; stacks are none, since their copies stand in a grid."""
        found = (np.flatnonzero(self._sizes > MOST) + ROOT).tolist()
        return [group for group in found if group not in self._tree.copies]

    def main_groups(self) -> list[int]:
        """The outermost level and, from the outside in, groups that hold nearly all nodes."""
        found = [ROOT]
        while True:
            inner = [group for group in self._inner.get(found[-1], []) if self._is_main(group)]
            if not inner:
                return found
            found.append(inner[0])

    def _is_main(self, group: int) -> bool:
        return group not in self._tree.copies and bool(self._counts[group] >= NEARLY_ALL * len(self._nodes))

    def members(self, group: int) -> list[_Member]:
        """In the order of the file; without the one that holds nearly all nodes."""
        nodes = self._nodes[self._homes == group].tolist()
        inner = [each for each in self._inner.get(group, []) if not self._is_main(each)]
        found = [_Member(node, node, "") for node in nodes]
        found += [_Member(int(self._first[each]), each, self._tree.labels[each]) for each in inner]
        return sorted(found, key=lambda member: member.first)


def _fewer(tree: Tree, group: int, members: list[_Member]) -> list[_Member]:
    """The same with the longest run in parts; if there is none, with all of them in parts."""
    form, run = _longest_run(members)
    size = next((size for size in SIZES if size * size >= len(run)), SIZES[-1])
    starts = run[::size]
    if len(run) % size == 1:
        starts.pop()  # rather than a part with one member of the run
    bounds = [*starts, run[-1] + 1]
    parts = [_part(tree, group, members[a:b], form) for a, b in pairwise(bounds)]
    return [*members[: run[0]], *parts, *members[run[-1] + 1 :]]


def _longest_run(members: list[_Member]) -> tuple[str, list[int]]:
    """The form of its names and where its members are."""
    forms = Counter(member.form for member in members if member.label)
    form, often = max(forms.items(), key=lambda entry: entry[1], default=("", 0))
    if often < RUN:
        return "", list(range(len(members)))
    return form, [place for place, member in enumerate(members) if member.form == form]


def _part(tree: Tree, around: int, members: list[_Member], form: str) -> _Member:
    if form:
        names = [member.label for member in members if member.form == form]
        label = span(names[0].split(TO)[0], names[-1].split(TO)[-1])
    else:
        label = f"nodes {members[0].first}{TO}{members[-1].first}"
    group = tree.add(label, around)
    for member in members:
        if member.label:
            tree.parents[member.number] = group
        else:
            tree.group_of[member.number] = group
    return _Member(members[0].first, group, label)


def span(first: str, last: str) -> str:
    """From one name to another; where these begin alike only the number of the other."""
    one, other = NUMBERED.fullmatch(first), NUMBERED.fullmatch(last)
    alike = one is not None and other is not None and one[1] == other[1]
    return f"{first}{TO}{other[2] if alike and other is not None else last}"
