"""The groups that a graph is made of: a tree, as the window folds and unfolds it."""

from functools import cached_property

import numpy as np

from errorflow.base.arrays import Ints, Ragged
from errorflow.base.values import dataclass, replace

BUDGET = 120  # boxes that a reader is shown at first
NEARLY_ALL = 0.9  # a group with so large a share of the nodes is always open at first


@dataclass(frozen=True, eq=False)
class Outline:
    """Groups are numbered so that everything in group g, at any depth, is numbered g + 1 … ends[g] - 1."""

    parents: Ints  # (g,); -1: outermost
    ends: Ints  # (g,)
    depths: Ints  # (g,); 0: outermost
    labels: tuple[str, ...]  # (g,)
    counts: Ints  # (g,) nodes inside that are drawn, at any depth
    node_count: int  # nodes that are drawn
    node_groups: Ints  # (nodes,) the innermost group; -1: none, or not drawn
    copies: Ints  # (g,) how many equal copies a stack holds; 0: the group is no stack
    kinds: Ints  # (g,) equal for groups that look alike from outside; -1: stands alone
    boxes: Ints  # (g + 1,) that an open group shows when all in it are closed; the last: what is in no group

    def __len__(self) -> int:
        return len(self.parents)

    def holding(self, nodes: Ints, groups: Ints) -> "Outline":
        """The same with further nodes that are drawn in these groups (-1: in none)."""
        node_groups = self.node_groups.copy()
        node_groups[nodes] = groups
        own = np.bincount(groups[groups >= 0], minlength=len(self))
        before = np.concatenate([[0], np.cumsum(own)])
        counts = self.counts + (before[self.ends] - before[:-1]).astype(np.int32)
        return replace(self, node_groups=node_groups, counts=counts, node_count=self.node_count + len(nodes))

    def path(self, group: int) -> list[int]:
        """The group and all around it, outermost first."""
        found = []
        while group >= 0:
            found.append(group)
            group = int(self.parents[group])
        return found[::-1]

    def groups_of_node(self, node: int) -> list[int]:
        """Finds all groups around a node, outermost first: those to open so that it is seen."""
        return self.path(int(self.node_groups[node]))

    def scope(self, group: int) -> str:
        """The full name."""
        return self.names[group]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The full names of all groups."""
        found: list[str] = []
        for label, parent in zip(self.labels, self.parents.tolist(), strict=True):  # what is outside comes first
            found.append(label if parent < 0 else f"{found[parent]}/{label}")
        return tuple(found)

    @cached_property
    def children(self) -> Ragged:
        """Groups directly in each group; the last row holds the outermost ones."""
        owners = np.where(self.parents < 0, len(self), self.parents).astype(np.int32)
        return Ragged.grouped(owners, np.arange(len(self), dtype=np.int32), len(self) + 1)

    @cached_property
    def everything(self) -> frozenset[int]:
        return frozenset(range(len(self)))

    def at_first(self, budget: int = BUDGET) -> frozenset[int]:
        """The groups that are open when a model is first seen: the largest, as long as the boxes stay within a budget.

        Those that hold nearly all nodes are open whatever that takes: closed, they would hide the model. Groups that
        look alike open together or not at all.
        """
        open_groups = self._main
        visible = int(self.boxes[-1]) + int(self.boxes[open_groups].sum()) - len(open_groups)
        around = [len(self), *open_groups]
        candidates = [child for group in around for child in self.children[group].tolist() if child not in open_groups]
        while candidates:
            first = max(candidates, key=lambda group: (self.counts[group], -group))
            alike = [group for group in candidates if group == first or self._alike(group, first)]
            more = int(self.boxes[alike].sum()) - len(alike)
            candidates = [group for group in candidates if group not in alike]
            if not self.copies[first] and visible + more <= budget:
                open_groups += alike
                visible += more
                candidates += [child for group in alike for child in self.children[group].tolist()]
        return frozenset(open_groups)

    @property
    def _main(self) -> list[int]:
        """Groups that hold nearly all nodes, from the outside in; a stack is none, since it says what it holds."""
        large = np.flatnonzero(self.counts >= NEARLY_ALL * self.node_count).tolist()
        return [group for group in large if not self.copies[self.path(group)].any()]

    def _alike(self, a: int, b: int) -> bool:
        return bool(self.kinds[a] == self.kinds[b] and self.depths[a] == self.depths[b])
