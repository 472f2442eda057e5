"""Groups of a graph: its scopes, stacks of equal siblings, and blocks where there are still too many nodes."""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise

import numpy as np

from errorflow.base import Progress, dataclass, field, replace
from errorflow.base.arrays import Ints, Ragged
from errorflow.graph.model import Graph
from errorflow.layout.atoms import MANY, Atoms, atoms, belonging
from errorflow.layout.blocks import LARGEST, SMALLEST, BlockPiece, blocks
from errorflow.layout.level import Bools
from errorflow.layout.levels import Levels, build
from errorflow.layout.outline import BUDGET, NEARLY_ALL, Outline
from errorflow.layout.ranks import forward_ends, peel
from errorflow.layout.shown import Shown
from errorflow.layout.tree import DIGITS, DISSOLVED, ROOT, STEPS, GroupTree, dissolve_lonely, grow, outline, stack_name

# Which members of each level of a tree of groups are joined.
OUTSIDE = ROOT - 1


@dataclass(frozen=True, eq=False)
class Joints:
    """Edges from member to member of one and the same level: members are nodes, or, counted on from these, groups."""

    nodes: int
    starts: Ints
    ends: Ints
    tensors: Ints
    _by_level: Ragged

    def on(self, group: int) -> tuple[Ints, Ints, Ints]:
        """Finds from, to and tensors of the edges directly in a group."""
        edges = self._by_level[group - ROOT]
        return self.starts[edges], self.ends[edges], self.tensors[edges]


def joints(tree: GroupTree, graph: Graph) -> Joints:
    start, end, tensors = graph.edges
    homes = np.full(len(graph), OUTSIDE, np.int32)
    homes[list(tree.group_of)] = list(tree.group_of.values())
    drawn = (homes[start] != OUTSIDE) & (homes[end] != OUTSIDE)
    start, end, tensors = start[drawn], end[drawn], tensors[drawn]
    around = _around(tree.parents)
    above, below = around[homes[start] - ROOT], around[homes[end] - ROOT]
    meet = ((above == below) & (above != OUTSIDE)).sum(axis=1) - 1
    levels = np.take_along_axis(above, meet[:, None], 1)[:, 0]
    starts, ends = (_member(node, path, meet, len(graph)) for node, path in ((start, above), (end, below)))
    apart = np.flatnonzero(starts != ends).astype(np.int32)
    by_level = Ragged.grouped(levels[apart] - ROOT, apart, len(tree.parents) - ROOT)
    return Joints(len(graph), starts, ends, tensors, by_level)


def _around(parents: list[int]) -> Ints:
    """(groups + 1, depth): for the outermost level and for each group all around it, itself last, then OUTSIDE."""
    up = np.array([OUTSIDE, *parents], np.int32)
    paths = [np.arange(ROOT, len(parents), dtype=np.int32)]
    while (paths[-1] > ROOT).any():
        paths.append(np.where(paths[-1] > ROOT, up[paths[-1] - ROOT], OUTSIDE).astype(np.int32))
    table = np.stack(paths[::-1], axis=1)
    # To the left: outer groups are in the same column for all.
    order = np.argsort(table == OUTSIDE, axis=1, kind="stable")
    return np.take_along_axis(table, order, 1)


def _member(nodes: Ints, path: Ints, meet: Ints, count: int) -> Ints:
    """Finds what of the level at that depth each node is in: itself, or a group."""
    deeper = np.minimum(meet + 1, path.shape[1] - 1)
    inner = np.take_along_axis(path, deeper[:, None], 1)[:, 0]
    own = (meet + 1 == path.shape[1]) | (inner == OUTSIDE)
    return np.where(own, nodes, count + inner).astype(np.int32)


# Takes groups apart that hold more nodes than can be looked at, such as the one of a model without names.
NAMED = 4  # with more named groups than one for so many nodes a group is not divided: its names tell enough


def divide(tree: GroupTree, graph: Graph, progress: Progress) -> bool:
    """Whether anything was divided. A stack counts as one node; other groups stay where they are."""
    progress.step(4, STEPS, "Finding blocks")
    crowded = _crowded(tree)
    if not crowded:
        return False
    _open_small(tree, crowded)
    members, inner = tree.members(), tree.inner()
    progress.step(4, STEPS, "Finding blocks")
    joined = joints(tree, graph)
    kinds = [*graph.op_types.codes.tolist(), *[-1] * len(tree.parents)]
    divided = False
    for group in crowded:
        named = [len(graph) + each for each in inner.get(group, []) if each not in tree.copies]
        stacks = [len(graph) + each for each in inner.get(group, []) if each in tree.copies]
        start, end, tensors = joined.on(group)
        if not len(start):
            continue
        items = np.array([*members[group], *stacks, *named], np.int32)
        pieces = blocks(items, start, end, tensors, kinds, frozenset(named), progress)
        progress.step(4, STEPS, "Finding blocks")
        _place(tree, pieces, group, Counter(), len(graph))
        divided = True
    return divided


def _crowded(tree: GroupTree) -> list[int]:
    """Groups with many nodes and few groups directly in them."""
    counts, inner = Counter(tree.group_of.values()), tree.inner()
    found = [group for group, count in counts.items() if count > LARGEST and group not in tree.copies]
    named = {group: sum(each not in tree.copies for each in inner.get(group, [])) for group in found}
    return sorted(group for group in found if named[group] * NAMED <= counts[group])


def _open_small(tree: GroupTree, crowded: list[int]) -> None:
    """Groups of a few nodes in such a crowd say little, and often hold what is far apart: they are dissolved."""
    members, inner = tree.members(), tree.inner()
    for group in crowded:
        for small in inner.get(group, []):
            if len(members.get(small, [])) <= SMALLEST and small not in inner and small not in tree.copies:
                tree.group_of.update(dict.fromkeys(members[small], group))
                tree.parents[small] = DISSOLVED


def _place(tree: GroupTree, pieces: tuple[BlockPiece, ...], parent: int, numbers: Counter[str], nodes: int) -> None:
    for piece in pieces:
        numbers[piece.name] += 1
        group = tree.add(f"{piece.name} {numbers[piece.name]}", parent)
        for item in piece.items:
            if item < nodes:
                tree.group_of[item] = group
            else:
                tree.parents[item - nodes] = group
        _place(tree, piece.parts, group, numbers, nodes)


Grouped = tuple[Outline, Atoms, Levels]


def group(graph: Graph, visible: Shown, *, grouped: bool, progress: Progress) -> Grouped:
    """The groups, what is in them, and the levels that they make."""
    house = _House(graph, visible, atoms(graph, visible), progress)
    progress.step(1, STEPS, "Finding groups")
    if not grouped:
        nodes = np.flatnonzero(visible.nodes).astype(np.int32)
        return house.levels(GroupTree(nodes, group_of=dict.fromkeys(nodes.tolist(), ROOT)))
    tree = grow(graph, visible.nodes, progress)
    found = house.levels(tree)
    before = len(tree.parents)
    _put_on_stacks(tree, graph, found, house.order, progress)
    if divide(tree, graph, progress):
        dissolve_lonely(tree)
    progress.step(4, STEPS, "Finding blocks")
    house.give_own(tree)
    part(tree, Counter(house.homes(tree).values()))
    return house.levels(tree, 5) if len(tree.parents) > before else found


def _put_on_stacks(tree: GroupTree, graph: Graph, found: Grouped, group_of_row: list[int], progress: Progress) -> None:
    """Puts equal siblings on stacks."""
    _, own, levels = found
    labels = np.full(len(own.kinds), -1, np.int32)
    nodes = own.nodes >= 0
    labels[nodes] = graph.op_types.codes[own.nodes[nodes]]
    made = stacks(levels, labels, progress)
    for stack in made:
        inner = [group_of_row[row - 1] for row in stack.rows]
        names = [tree.labels[each] for each in inner] + [own.labels[atom] for atom in stack.atoms]
        group = tree.add(stack_name(names), ROOT if stack.row == 0 else group_of_row[stack.row - 1])
        tree.copies[group] = stack.copies
        for each in inner:
            tree.parents[each] = group
        tree.group_of.update(dict.fromkeys(own.nodes[list(stack.atoms)].tolist(), group))


@dataclass(eq=False)
class _House:
    """State that does not change while groups are being made."""

    graph: Graph
    visible: Shown
    atoms: Atoms
    progress: Progress
    order: list[int] = field(default_factory=list)  # what the groups of the last outline are in its tree

    def levels(self, tree: GroupTree, step: int = 2) -> Grouped:
        self.progress.step(step, STEPS, "Finding groups")
        known, self.order = outline(tree, self.graph)
        self.progress.step(step, STEPS, "Finding groups")
        own = self._housed(tree, known).ordered()
        nodes_and_ends = np.bincount(own.groups - ROOT, minlength=len(known) + 1)
        boxes = np.roll(nodes_and_ends, ROOT) + np.diff(known.children.starts)
        known = replace(known, boxes=boxes.astype(np.int32))
        of_inputs = own.input_nodes >= 0
        known = known.holding(own.input_nodes[of_inputs], own.groups[of_inputs])
        self.progress.step(step, STEPS, "Finding groups")
        levels = build(own, known, self._spine, self.progress)
        self.progress.step(step, STEPS, "Finding groups")
        return known, own, levels

    @cached_property
    def _spine(self) -> Bools:
        return longest_path(self.atoms, self.progress)

    @cached_property
    def _neighbours(self) -> dict[int, list[int]]:
        """Nodes that read or make each input, output and constant."""
        own = self.atoms
        makers, readers = own.sources[own.nets], own.sinks
        near: dict[int, list[int]] = {atom: [] for atom in np.flatnonzero(own.nodes < 0).tolist()}
        for ends, others in ((makers, readers), (readers, makers)):
            chosen = own.nodes[ends] < 0
            for atom, other in zip(ends[chosen].tolist(), own.nodes[others[chosen]].tolist(), strict=True):
                if other >= 0:
                    near[atom].append(other)
        return near

    @cached_property
    def _belonging(self) -> list[int]:
        """Inputs, outputs and constants that live with the nodes which read or make them."""
        visible = self.visible
        belongs = belonging(self.graph, visible.inputs) + [True] * len(visible.constants)
        belongs += belonging(self.graph, visible.outputs)
        found: list[int] = np.flatnonzero(self.atoms.nodes < 0)[belongs].tolist()
        return found

    def homes(self, tree: GroupTree) -> dict[int, int]:
        """Finds for each input, output and constant the group of the tree that it is drawn in."""
        near = self._neighbours
        homes = dict.fromkeys(near, ROOT)
        for atom in self._belonging:
            if near[atom]:
                homes[atom] = tree.common([tree.group_of[node] for node in near[atom]])
        return homes

    def give_own(self, tree: GroupTree) -> None:
        """Gives nodes with very many inputs, outputs or constants of their own a group with these."""
        near = self._neighbours
        alone = Counter(near[atom][0] for atom in self._belonging if len(set(near[atom])) == 1)
        for node, count in alone.items():
            if count > MANY:
                tree.group_of[node] = tree.add(self.graph.op_types[node], tree.group_of[node])

    def _housed(self, tree: GroupTree, known: Outline) -> Atoms:
        """Every atom in its group: nodes where the tree says, numbered inputs, outputs and constants with users."""
        own = self.atoms
        number = {old: new for new, old in enumerate(self.order)}
        number[ROOT] = ROOT
        groups = own.groups.copy()
        nodes = own.nodes >= 0
        groups[nodes] = known.node_groups[own.nodes[nodes]]
        homes = self.homes(tree)
        groups[list(homes)] = [number[home] for home in homes.values()]
        return replace(own, groups=groups)


OFTEN = 20_000  # atoms between two looks whether to go on


def longest_path(atoms: Atoms, progress: Progress) -> Bools:
    """Marks the ends of nets along which the path runs; among equals the one that comes first in the file."""
    count = len(atoms.kinds)
    chosen = np.zeros(len(atoms.sinks), bool)
    starts, ends = atoms.sources[atoms.nets], atoms.sinks
    forward = np.flatnonzero(forward_ends(count, starts, ends)).astype(np.int32)
    if not len(forward):
        return chosen
    progress.step(2, STEPS, "Finding the longest path")
    order = peel(count, starts[forward], ends[forward])
    progress.step(2, STEPS, "Finding the longest path")
    length, way = [0] * count, [-1] * count
    leaving = Ragged.grouped(starts[forward], forward, count)
    first, values, sinks = leaving.starts.tolist(), leaving.values.tolist(), ends.tolist()
    for place, atom in enumerate(reversed(order)):
        if place % OFTEN == 0:
            progress.step(2, STEPS, "Finding the longest path")
        for end in values[first[atom] : first[atom + 1]]:
            if length[sinks[end]] >= length[atom]:
                length[atom], way[atom] = length[sinks[end]] + 1, end
    atom = length.index(max(length))
    while way[atom] >= 0:
        chosen[way[atom]] = True
        atom = sinks[way[atom]]
    return chosen


# Takes levels apart that hold more than can be looked at: runs of members go into groups of their own.
#
# A level with a thousand layers gets groups such as "layers.0 – 49". So does whatever would be too much together
# when a model is first seen: the outermost level, and the groups in it that hold nearly all nodes.

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


def part(tree: GroupTree, ends: Mapping[int, int]) -> bool:
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
    """Census of a tree."""

    def __init__(self, tree: GroupTree) -> None:
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
        """Lists members in the order of the file, without the one that holds nearly all nodes."""
        nodes = self._nodes[self._homes == group].tolist()
        inner = [each for each in self._inner.get(group, []) if not self._is_main(each)]
        found = [_Member(node, node, "") for node in nodes]
        found += [_Member(int(self._first[each]), each, self._tree.labels[each]) for each in inner]
        return sorted(found, key=lambda member: member.first)


def _fewer(tree: GroupTree, group: int, members: list[_Member]) -> list[_Member]:
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


def _part(tree: GroupTree, around: int, members: list[_Member], form: str) -> _Member:
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
    """Writes a span of names; where these begin alike only the number of the other."""
    one, other = NUMBERED.fullmatch(first), NUMBERED.fullmatch(last)
    alike = one is not None and other is not None and one[1] == other[1]
    return f"{first}{TO}{other[2] if alike and other is not None else last}"


# Many siblings of one form between the same neighbours, such as the experts of a mixture: they make one stack.
#
# Members of a level are told apart by what they are and by what they are joined to; those that stay equal come many
# times. What hangs together among these is one copy; equal copies, if there are enough, go on a stack.

ENOUGH = 8  # copies that make a stack
STACKS_OFTEN, OFTEN_GROUPS = 20_000, 2_000  # members, groups between two looks whether to go on
ROUNDS = 3  # how far around a member is looked


@dataclass(frozen=True, eq=False)
class CopyStack:
    """Copies on one level; atoms and rows are numbered as in the levels."""

    row: int
    copies: int
    atoms: tuple[int, ...]
    rows: tuple[int, ...]


def stacks(levels: Levels, labels: Ints, progress: Progress) -> list[CopyStack]:
    """Finds all stacks of a graph; `labels` tell atoms apart, negative ones are never stacked."""
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


def _on_level(levels: Levels, shapes: _Shapes, row: int, progress: Progress) -> list[CopyStack]:
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
            found.append(CopyStack(row, len(copies), atoms, rows))
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
        for first in range(0, len(numbers), STACKS_OFTEN):
            progress.step(3, STEPS, "Finding stacks")
            next_numbers += [
                seen.setdefault((numbers[i], _summary(into[i], numbers), _summary(out[i], numbers)), len(seen))
                for i in range(first, min(first + STACKS_OFTEN, len(numbers)))
            ]
        numbers = next_numbers
    return numbers


def _summary(others: list[int], numbers: list[int]) -> tuple[int, ...]:
    return tuple(sorted([numbers[other] for other in others]))


def _copies(often: list[int], into: list[list[int]], out: list[list[int]], numbers: list[int]) -> list[list[list[int]]]:
    """Finds what hangs together among these members, equal pieces in one list, if there are enough of them."""
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
