"""Which groups a graph has: its scopes, stacks of equal siblings, and blocks where there are still too many nodes."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from errorflow.arrays import Ragged
from errorflow.graph.model import Graph
from errorflow.layout.atoms import Atoms, atoms, belonging
from errorflow.layout.divide import divide
from errorflow.layout.level import Bools
from errorflow.layout.levels import Levels, build
from errorflow.layout.longest import longest_path
from errorflow.layout.outline import Outline
from errorflow.layout.shown import Shown
from errorflow.layout.stacks import stacks
from errorflow.layout.tree import ROOT, Tree, dissolve_lonely, grow, outline, stack_name
from errorflow.progress import Progress

Grouped = tuple[Outline, Atoms, Levels]


def group(graph: Graph, visible: Shown, *, grouped: bool, progress: Progress) -> Grouped:
    """The groups, what is in them, and the levels that they make."""
    house = _House(graph, visible, atoms(graph, visible))
    if not grouped:
        nodes = np.flatnonzero(visible.nodes).astype(np.int32)
        return house.levels(Tree(nodes, group_of=dict.fromkeys(nodes.tolist(), ROOT)))
    tree = grow(graph, visible.nodes)
    progress.step(1, 5, "Finding groups")
    found = house.levels(tree)
    progress.step(2, 5, "Finding stacks")
    stacked = _stacked(tree, graph, found, house.order)
    divided = divide(tree, graph)
    if divided:
        dissolve_lonely(tree)
    return house.levels(tree) if stacked or divided else found


def _stacked(tree: Tree, graph: Graph, found: Grouped, group_of_row: list[int]) -> bool:
    """Puts equal siblings on stacks; whether there are any."""
    _, own, levels = found
    labels = np.full(len(own.kinds), -1, np.int32)
    nodes = own.nodes >= 0
    labels[nodes] = graph.op_types.codes[own.nodes[nodes]]
    made = stacks(levels, labels)
    for stack in made:
        inner = [group_of_row[row - 1] for row in stack.rows]
        names = [tree.labels[each] for each in inner] + [own.labels[atom] for atom in stack.atoms]
        group = tree.add(stack_name(names), ROOT if stack.row == 0 else group_of_row[stack.row - 1])
        tree.copies[group] = stack.copies
        for each in inner:
            tree.parents[each] = group
        tree.group_of.update(dict.fromkeys(own.nodes[list(stack.atoms)].tolist(), group))
    return bool(made)


@dataclass(eq=False)
class _House:
    """What does not change while groups are being made."""

    graph: Graph
    visible: Shown
    atoms: Atoms
    order: list[int] = field(default_factory=list)  # what the groups of the last outline are in its tree

    def levels(self, tree: Tree) -> Grouped:
        known, self.order = outline(tree, self.graph)
        own = self._housed(tree, known, self.order).ordered()
        return known, own, build(own, known, self._spine)

    @cached_property
    def _spine(self) -> Bools:
        return longest_path(self.atoms)

    def _housed(self, tree: Tree, known: Outline, order: list[int]) -> Atoms:
        """Every atom in its group: nodes where the tree says, numbered inputs, outputs and constants with users."""
        own, graph, visible = self.atoms, self.graph, self.visible
        groups = own.groups.copy()
        number = {old: new for new, old in enumerate(order)}
        number[ROOT] = ROOT
        nodes = own.nodes >= 0
        groups[nodes] = known.node_groups[own.nodes[nodes]]
        inputs, constants, outputs = visible.inputs, visible.constants, visible.outputs
        belongs = [*belonging(graph, inputs), *[True] * len(constants), *belonging(graph, outputs)]
        first = int(nodes.sum())
        readers = Ragged.grouped(own.sources[own.nets], own.sinks, len(own.kinds))
        makers = Ragged.grouped(own.sinks, own.sources[own.nets], len(own.kinds))
        for atom in (first + np.flatnonzero(belongs)).tolist():
            near = own.nodes[[*readers[atom].tolist(), *makers[atom].tolist()]]
            houses = [tree.group_of[node] for node in near.tolist() if node >= 0]
            groups[atom] = number[tree.common(houses)] if houses else ROOT
        return replace(own, groups=groups)
