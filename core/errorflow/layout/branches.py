"""What hangs on the spine, taken apart into branches, each of which can stand wholly on one side."""

import numpy as np

from errorflow.layout.mesh import Mesh
from errorflow.layout.sweep import Neighbours, Rows


def branches(mesh: Mesh, neighbours: Neighbours) -> list[list[int]]:
    """What is left in one piece when the spine and buses are taken out, short pieces first, each in walking order."""
    walk = _Walk(mesh, neighbours)
    row_of = walk.row_of
    roots = _from_spine(mesh, neighbours) + sorted(range(len(row_of)), key=row_of.__getitem__)
    whole = [walk.from_(root) for root in roots if not walk.seen[root]]
    branches = [piece for branch in whole for piece in walk.taken_apart(branch)]
    spans = [_span(branch, row_of) for branch in branches]
    return [branches[i] for i in sorted(range(len(branches)), key=spans.__getitem__)]


def _from_spine(mesh: Mesh, neighbours: Neighbours) -> list[int]:
    """Where branches leave the spine, the lowest first; then where they come in."""
    spine: list[int] = mesh.spine.tolist()
    leaving = [other for vertex in reversed(spine) for other in neighbours.down[vertex]]
    return leaving + [other for vertex in spine for other in neighbours.up[vertex]]


def _span(branch: list[int], row_of: list[int]) -> int:
    rows = [row_of[vertex] for vertex in branch]
    return max(rows) - min(rows)


LONG = 48  # a branch of so many rows may be held together by buses only
BUS_TAPS = 3  # a trunk that so many read and that is as long as half of its branch is a bus


class _Walk:
    """Walks through what hangs together, each vertex once."""

    def __init__(self, mesh: Mesh, neighbours: Neighbours) -> None:
        self.row_of: list[int] = mesh.rows.tolist()
        self.seen = [False] * len(self.row_of)
        for vertex in mesh.spine.tolist():
            self.seen[vertex] = True
        self._neighbours = neighbours
        self._height = _heights(neighbours, self.row_of, mesh.depth)
        self._nets: list[int] = mesh.nets.tolist()
        drawn = mesh.link_nets[mesh.lower < mesh.items]
        self._taps: list[int] = np.bincount(drawn[drawn >= 0], minlength=int(mesh.nets.max()) + 1).tolist()

    def from_(self, root: int) -> list[int]:
        """Everything that hangs together with `root`, depth first, along the longest path first."""
        neighbours, seen, height = self._neighbours, self.seen, self._height
        branch = []
        stack = [root]
        while stack:
            vertex = stack.pop()
            if seen[vertex]:
                continue
            seen[vertex] = True
            branch.append(vertex)
            stack.extend(neighbours.beside.get(vertex, ()))
            stack.extend(other for other in reversed(neighbours.up[vertex]) if not seen[other])
            below = [other for other in reversed(neighbours.down[vertex]) if not seen[other]]
            stack.extend(sorted(below, key=height.__getitem__) if len(below) > 1 else below)
        return branch

    def taken_apart(self, branch: list[int]) -> list[list[int]]:
        """The buses of a long branch, each by itself, and what is left in one piece without them."""
        span = _span(branch, self.row_of)
        if span < LONG:
            return [branch]
        trunks: dict[int, list[int]] = {}
        for vertex in branch:
            if self._nets[vertex] >= 0 and self._taps[self._nets[vertex]] >= BUS_TAPS:
                trunks.setdefault(self._nets[vertex], []).append(vertex)
        buses = [trunk for trunk in trunks.values() if 2 * len(trunk) >= span]
        in_bus = {vertex for trunk in buses for vertex in trunk}
        rest = [vertex for vertex in branch if vertex not in in_bus]
        if not buses or not rest:
            return [branch]
        for vertex in rest:
            self.seen[vertex] = False
        pieces = [self.from_(vertex) for vertex in rest if not self.seen[vertex]]
        return buses + [part for piece in pieces for part in self.taken_apart(piece)]


def _heights(neighbours: Neighbours, row_of: list[int], depth: int) -> list[int]:
    """How many rows the longest path down from each vertex has."""
    heights = [0] * len(row_of)
    by_row: Rows = [[] for _ in range(depth)]
    for vertex, row in enumerate(row_of):
        by_row[row].append(vertex)
    for vertices in reversed(by_row):
        for vertex in vertices:
            below = neighbours.down[vertex]
            if below:
                heights[vertex] = 1 + max([heights[other] for other in below])
    return heights
