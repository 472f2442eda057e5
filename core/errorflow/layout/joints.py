"""Which members of each level of a tree of groups are joined."""

from dataclasses import dataclass

import numpy as np

from errorflow.arrays import Ints, Ragged
from errorflow.graph.model import Graph
from errorflow.layout.tree import ROOT, Tree

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
