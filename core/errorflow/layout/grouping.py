"""Which groups a graph has: its scopes, stacks of equal siblings, and blocks where there are still too many nodes."""

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from errorflow.base.arrays import Ints, Ragged
from errorflow.base.progress import Progress
from errorflow.graph.model import Graph
from errorflow.layout.atoms import MANY, Atoms, atoms, belonging
from errorflow.layout.blocks import LARGEST, SMALLEST, Piece, blocks
from errorflow.layout.crowds import part
from errorflow.layout.level import Bools
from errorflow.layout.levels import Levels, build
from errorflow.layout.longest import longest_path
from errorflow.layout.outline import Outline
from errorflow.layout.shown import Shown
from errorflow.layout.stacks import stacks
from errorflow.layout.tree import DISSOLVED, ROOT, STEPS, Tree, dissolve_lonely, grow, outline, stack_name

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
        """From, to and tensors of the edges directly in a group."""
        edges = self._by_level[group - ROOT]
        return self.starts[edges], self.ends[edges], self.tensors[edges]


def joints(tree: Tree, graph: Graph) -> Joints:
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
    """What of the level at that depth each node is in: itself, or a group."""
    deeper = np.minimum(meet + 1, path.shape[1] - 1)
    inner = np.take_along_axis(path, deeper[:, None], 1)[:, 0]
    own = (meet + 1 == path.shape[1]) | (inner == OUTSIDE)
    return np.where(own, nodes, count + inner).astype(np.int32)


# Takes groups apart that hold more nodes than can be looked at, such as the one of a model without names.
NAMED = 4  # with more named groups than one for so many nodes a group is not divided: its names tell enough


def divide(tree: Tree, graph: Graph, progress: Progress) -> bool:
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


def _crowded(tree: Tree) -> list[int]:
    """Groups with many nodes and few groups directly in them."""
    counts, inner = Counter(tree.group_of.values()), tree.inner()
    found = [group for group, count in counts.items() if count > LARGEST and group not in tree.copies]
    named = {group: sum(each not in tree.copies for each in inner.get(group, [])) for group in found}
    return sorted(group for group in found if named[group] * NAMED <= counts[group])


def _open_small(tree: Tree, crowded: list[int]) -> None:
    """Groups of a few nodes in such a crowd say little, and often hold what is far apart: they are dissolved."""
    members, inner = tree.members(), tree.inner()
    for group in crowded:
        for small in inner.get(group, []):
            if len(members.get(small, [])) <= SMALLEST and small not in inner and small not in tree.copies:
                tree.group_of.update(dict.fromkeys(members[small], group))
                tree.parents[small] = DISSOLVED


def _place(tree: Tree, pieces: tuple[Piece, ...], parent: int, numbers: Counter[str], nodes: int) -> None:
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
        return house.levels(Tree(nodes, group_of=dict.fromkeys(nodes.tolist(), ROOT)))
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


def _put_on_stacks(tree: Tree, graph: Graph, found: Grouped, group_of_row: list[int], progress: Progress) -> None:
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
    """What does not change while groups are being made."""

    graph: Graph
    visible: Shown
    atoms: Atoms
    progress: Progress
    order: list[int] = field(default_factory=list)  # what the groups of the last outline are in its tree

    def levels(self, tree: Tree, step: int = 2) -> Grouped:
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
        """For each input, output and constant the nodes that read or make it."""
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

    def homes(self, tree: Tree) -> dict[int, int]:
        """For each input, output and constant the group of the tree that it is drawn in."""
        near = self._neighbours
        homes = dict.fromkeys(near, ROOT)
        for atom in self._belonging:
            if near[atom]:
                homes[atom] = tree.common([tree.group_of[node] for node in near[atom]])
        return homes

    def give_own(self, tree: Tree) -> None:
        """Nodes with very many inputs, outputs or constants that are nobody else's get a group with these."""
        near = self._neighbours
        alone = Counter(near[atom][0] for atom in self._belonging if len(set(near[atom])) == 1)
        for node, count in alone.items():
            if count > MANY:
                tree.group_of[node] = tree.add(self.graph.op_types[node], tree.group_of[node])

    def _housed(self, tree: Tree, known: Outline) -> Atoms:
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
