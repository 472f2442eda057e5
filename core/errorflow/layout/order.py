"""Order of vertices in every row, so that few lines cross.

The spine is laid first. What hangs on it is taken apart into branches, each of which goes wholly to one side, short
ones next to the spine; then neighbours trade places as long as that saves crossings.
"""

import numpy as np

from errorflow.base.arrays import Ints
from errorflow.base.progress import Progress
from errorflow.layout.drawing import Floats
from errorflow.layout.mesh import Mesh
from errorflow.layout.sweep import Neighbours, Rows, sweep


def branches(mesh: Mesh, neighbours: Neighbours) -> list[list[int]]:
    """Finds what is left in one piece without the spine and buses, short pieces first, each in walking order."""
    walk = _Walk(mesh, neighbours)
    row_of = walk.row_of
    roots = _from_spine(mesh, neighbours) + sorted(range(len(row_of)), key=row_of.__getitem__)
    whole = [walk.from_(root) for root in roots if not walk.seen[root]]
    branches = [piece for branch in whole for piece in walk.taken_apart(branch)]
    spans = [_span(branch, row_of) for branch in branches]
    return [branches[i] for i in sorted(range(len(branches)), key=spans.__getitem__)]


def _from_spine(mesh: Mesh, neighbours: Neighbours) -> list[int]:
    """Finds where branches leave the spine, the lowest first; then where they come in."""
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
        """Walks everything that hangs together with `root`, depth first, along the longest path first."""
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
    """Counts the rows of the longest path down from each vertex."""
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


# Where the lines of a group's ports come from and go to, as rows of further vertices above and below all others.
def look_outside(mesh: Mesh, neighbours: Neighbours) -> tuple[list[int], list[int]]:
    """A vertex for each place that lines are known to come from, from left to right, and for each that they go to."""
    ports = np.flatnonzero(mesh.sides).astype(np.int32)
    ports = ports[np.argsort(mesh.sides[ports], kind="stable")]
    upper = mesh.rows[ports] == 0
    above = [neighbours.add([], some) for some in _by_side(mesh, ports[upper])]
    below = [neighbours.add(some, []) for some in _by_side(mesh, ports[~upper])]
    return above, below


def _by_side(mesh: Mesh, ports: Ints) -> list[list[int]]:
    starts = np.flatnonzero(np.diff(mesh.sides[ports])) + 1
    return [some.tolist() for some in np.split(ports, starts) if len(some)]


TRAVEL = 1000.0  # so long a way sideways hurts as much as a crossing


def arrange(mesh: Mesh, left: Floats, right: Floats, progress: Progress) -> Rows:
    """The vertices of each row from left to right. `left` and `right` are how far they reach."""
    neighbours = Neighbours(mesh)
    rows = _first_order(mesh, neighbours, left, right)
    return sweep(rows, neighbours, look_outside(mesh, neighbours), progress)


def _first_order(mesh: Mesh, neighbours: Neighbours, left: Floats, right: Floats) -> Rows:
    found = branches(mesh, neighbours)
    reach = (right.tolist(), left.tolist())
    sides = _Sides(mesh, neighbours, reach)
    for branch in found:
        sides.put(branch)
    # Once more, now that it is known where the outer branches end up.
    settled = _Sides(mesh, neighbours, reach)
    settled.expect(found, sides)
    for branch in found:
        settled.put(branch)
    return settled.rows()


SPINE = (0, 0)
SPACE = 10.0  # about what stays free between neighbours


Reach = tuple[list[float], list[float]]  # how far vertices reach to the right, to the left


class _Sides:
    """Branches as they are put on the left or on the right of the spine, from the inside out."""

    def __init__(self, mesh: Mesh, neighbours: Neighbours, reach: Reach) -> None:
        self._neighbours = neighbours
        self._reach = reach
        self._wishes: list[int] = mesh.sides.tolist()
        self._row_of: list[int] = mesh.rows.tolist()
        self._spine: list[int] = mesh.spine.tolist()
        self._on_spine = [False] * len(self._row_of)
        for vertex in self._spine:
            self._on_spine[vertex] = True
        self._out: tuple[Rows, Rows] = ([[] for _ in self._spine], [[] for _ in self._spine])  # right, left
        # How many lines pass each gap on either side; gap i lies above row i.
        self._busy = ([0] * (len(self._spine) + 1), [0] * (len(self._spine) + 1))
        # How many lines to the spine from what is still to come will cross each gap.
        self._coming = ([0] * (len(self._spine) + 1), [0] * (len(self._spine) + 1))
        self._expected: dict[int, int] = {}
        # How far everything on either side reaches in each row.
        self._filled = ([reach[0][v] for v in self._spine], [reach[1][v] for v in self._spine])
        # Where placed vertices are: side, and how many lines lie between them and the spine.
        self.placed: dict[int, tuple[int, int]] = dict.fromkeys(self._spine, SPINE)

    def expect(self, found: list[list[int]], sides: "_Sides") -> None:
        """Takes it that every branch will go where `sides` has put it."""
        self._expected = {vertex: side for vertex, (side, _) in sides.placed.items()}
        for branch in found:
            self._count_coming(branch, 1)

    def _count_coming(self, branch: list[int], change: int) -> None:
        near = self._neighbours
        coming = self._coming[self._expected[branch[0]]]
        for vertex in branch:
            row = self._row_of[vertex]
            coming[row] += change * sum([self._on_spine[other] for other in near.up[vertex]])
            coming[row + 1] += change * sum([self._on_spine[other] for other in near.down[vertex]])

    def put(self, branch: list[int]) -> None:
        if self._expected:
            self._count_coming(branch, -1)
        side = self._better_side(branch)
        busy, row_of, filled = self._busy[side], self._row_of, self._filled[side]
        aside = self._aside(branch, side)
        for vertex in branch:
            row = row_of[vertex]
            self.placed[vertex] = (side, busy[row] + 1)
            self._out[side][row].append(vertex)
            filled[row] = max(filled[row], aside) + SPACE + self._reach[0][vertex] + self._reach[1][vertex]
        for vertex in branch:
            for below in self._neighbours.down[vertex]:
                if self.placed.get(below, SPINE) != SPINE:
                    busy[row_of[below]] += 1

    def _aside(self, branch: list[int], side: int) -> float:
        """Measures how far from the spine the branch will begin, since its vertices stand above each other."""
        filled = self._filled[side]
        furthest: float = max([filled[self._row_of[vertex]] for vertex in branch])
        return furthest

    def _better_side(self, branch: list[int]) -> int:
        """0 is right, which is preferred; 1 is left. Fewer crossings and shorter ways are better."""
        right, left = self._crossed(branch)
        ends = sum(self._on_spine[other] for vertex in branch for other in self._neighbours.up[vertex])
        ends += sum(self._on_spine[other] for vertex in branch for other in self._neighbours.down[vertex])
        way = (self._aside(branch, 0) - self._aside(branch, 1)) * ends / TRAVEL
        return int(right + way >= left + 1)

    def _crossed(self, branch: list[int]) -> tuple[int, int]:
        """Estimates how many lines the branch's links cross on the right, on the left."""
        near, totals, wishes = self._neighbours, [0, 0], self._wishes
        for vertex in branch:
            row = self._row_of[vertex]
            totals[0] += wishes[vertex] < 0
            totals[1] += wishes[vertex] > 0
            for below in near.down[vertex]:
                if not self._on_spine[below]:
                    totals[0] += self._coming[0][row + 1]
                    totals[1] += self._coming[1][row + 1]
            for others, ports, gap in (
                (near.up[vertex], near.up_ports[vertex], row),
                (near.down[vertex], near.down_ports[vertex], row + 1),
            ):
                for other in others:
                    self._add_crossed(other, gap, totals)
                for port in ports:  # a line to the far side of a group crosses what enters it in the middle
                    totals[0] += port < 0
                    totals[1] += port > 0
        return totals[0], totals[1]

    def _add_crossed(self, other: int, gap: int, totals: list[int]) -> None:
        if other not in self.placed:
            if other in self._expected:
                totals[1 - self._expected[other]] += 1
            return
        at, depth = self.placed[other]
        for side in (0, 1):
            beyond = 0 if not depth else -depth if at == side else depth
            totals[side] += max(0, self._busy[side][gap] + beyond)

    def rows(self) -> Rows:
        return [
            [*left[::-1], middle, *right]
            for right, middle, left in zip(self._out[0], self._spine, self._out[1], strict=True)
        ]


def flat(rows: Rows) -> Ints:
    """Joins all vertices, row by row."""
    return np.array([vertex for row in rows for vertex in row], np.int32)
