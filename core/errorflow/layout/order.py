"""Who stands left of whom in every row, so that few lines cross.

The spine is laid first. What hangs on it is taken apart into branches, each of which goes wholly to one side, short
ones next to the spine; then neighbours trade places as long as that saves crossings.
"""

from bisect import bisect_left, insort

import numpy as np

from errorflow.arrays import Ints, Ragged
from errorflow.layout.mesh import Mesh

Rows = list[list[int]]
SWEEPS = ((20_000, 4), (100_000, 2))  # up to so many vertices, so many rounds; none beyond
HEAVY = 4  # how much more a crossing of two trunks counts
LEANING = 48  # lines more on a side than on the other from which on it is avoided


def arrange(mesh: Mesh) -> Rows:
    """The vertices of each row from left to right."""
    neighbours = _Neighbours(mesh)
    rows = _first_order(mesh, neighbours)
    rounds = next((count for size, count in SWEEPS if len(mesh.rows) <= size), 0)
    return _sweep(rows, neighbours, rounds)


class _Neighbours:
    """For each vertex those it is linked to in the row above and in the row below."""

    def __init__(self, mesh: Mesh) -> None:
        count = len(mesh.rows)
        self.up = Ragged.grouped(mesh.lower, mesh.upper, count).lists()
        self.down = Ragged.grouped(mesh.upper, mesh.lower, count).lists()
        self.beside: dict[int, list[int]] = {}
        for turn in mesh.turns:
            self.beside.setdefault(turn.item, []).append(turn.trunk)
            self.beside.setdefault(turn.trunk, []).append(turn.item)
        self.main_up, self.main_down = _mains(mesh)


def _mains(mesh: Mesh) -> tuple[list[int], list[int]]:
    """For pieces of trunks and for the spine where they go on above and below, else -1."""
    up = np.full(len(mesh.rows), -1, np.int32)
    down = up.copy()
    trunk = (mesh.upper >= mesh.items) & (mesh.lower >= mesh.items)
    down[mesh.upper[trunk]], up[mesh.lower[trunk]] = mesh.lower[trunk], mesh.upper[trunk]
    down[mesh.spine[:-1]], up[mesh.spine[1:]] = mesh.spine[1:], mesh.spine[:-1]
    return up.tolist(), down.tolist()


def _first_order(mesh: Mesh, neighbours: _Neighbours) -> Rows:
    branches = _branches(mesh, neighbours)
    sides = _Sides(mesh, neighbours, {})
    for branch in branches:
        sides.put(branch)
    # Once more, now that it is known where the buses end up that the inner branches belong to.
    settled = _Sides(mesh, neighbours, sides.placed)
    for branch in branches:
        settled.put(branch)
    return settled.rows()


SPINE = (0, 0)


class _Sides:
    """Branches as they are put on the left or on the right of the spine, from the inside out."""

    def __init__(self, mesh: Mesh, neighbours: _Neighbours, expected: dict[int, tuple[int, int]]) -> None:
        self._neighbours = neighbours
        self._expected = expected
        self._row_of: list[int] = mesh.rows.tolist()
        self._spine: list[int] = mesh.spine.tolist()
        self._out: tuple[Rows, Rows] = ([[] for _ in self._spine], [[] for _ in self._spine])  # right, left
        # How many lines pass each gap on either side; gap i lies above row i.
        self._busy = ([0] * (len(self._spine) + 1), [0] * (len(self._spine) + 1))
        # Where placed vertices are: side, and how many lines lie between them and the spine.
        self.placed: dict[int, tuple[int, int]] = dict.fromkeys(self._spine, SPINE)

    def put(self, branch: list[int]) -> None:
        side = self._better_side(branch)
        busy, row_of = self._busy[side], self._row_of
        for vertex in branch:
            self.placed[vertex] = (side, busy[row_of[vertex]] + 1)
            self._out[side][row_of[vertex]].append(vertex)
        for vertex in branch:
            for below in self._neighbours.down[vertex]:
                if self.placed.get(below, SPINE) != SPINE:
                    busy[row_of[below]] += 1

    def _better_side(self, branch: list[int]) -> int:
        """0 is right, which is preferred; 1 is left. Fewer lines crossed counts most, then room."""
        crossed = self._crossed(branch)
        if crossed[0] != crossed[1]:
            return int(crossed[0] > crossed[1])
        rows = [self._row_of[vertex] for vertex in branch]
        right, left = (busy[min(rows) : max(rows) + 2] for busy in self._busy)
        return int(max(right) - max(left) >= LEANING)

    def _crossed(self, branch: list[int]) -> tuple[int, int]:
        """About how many lines the branch's links cross on the right, on the left."""
        totals = [0, 0]
        for vertex in branch:
            for others, gap in (
                (self._neighbours.up[vertex], self._row_of[vertex]),
                (self._neighbours.down[vertex], self._row_of[vertex] + 1),
            ):
                for other in others:
                    if other not in self.placed:
                        if other in self._expected:
                            totals[1 - self._expected[other][0]] += 1
                        continue
                    at, depth = self.placed[other]
                    for side in (0, 1):
                        beyond = 0 if not depth else -depth if at == side else depth
                        totals[side] += max(0, self._busy[side][gap] + beyond)
        return totals[0], totals[1]

    def rows(self) -> Rows:
        return [
            [*left[::-1], middle, *right]
            for right, middle, left in zip(self._out[0], self._spine, self._out[1], strict=True)
        ]


def _branches(mesh: Mesh, neighbours: _Neighbours) -> list[list[int]]:
    """What is left in one piece when the spine and buses are taken out, short pieces first, each in walking order."""
    walk = _Walk(mesh, neighbours)
    row_of = walk.row_of
    roots = _from_spine(mesh, neighbours) + sorted(range(len(row_of)), key=row_of.__getitem__)
    whole = [walk.from_(root) for root in roots if not walk.seen[root]]
    branches = [piece for branch in whole for piece in walk.taken_apart(branch)]
    spans = [_span(branch, row_of) for branch in branches]
    return [branches[i] for i in sorted(range(len(branches)), key=spans.__getitem__)]


def _from_spine(mesh: Mesh, neighbours: _Neighbours) -> list[int]:
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

    def __init__(self, mesh: Mesh, neighbours: _Neighbours) -> None:
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
            below = [other for other in neighbours.down[vertex] if not seen[other]]
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


def _heights(neighbours: _Neighbours, row_of: list[int], depth: int) -> list[int]:
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


def _sweep(rows: Rows, neighbours: _Neighbours, rounds: int) -> Rows:
    """The best order seen while neighbours trade places, looking upwards and downwards in turn."""
    place = [0] * sum(map(len, rows))
    _number(rows, place)
    best, least = rows, _cost(rows, neighbours, place)
    current = [list(row) for row in rows]
    for turn in range(rounds):
        if not least:
            break
        for upwards in (False, True):
            if turn:
                _by_centres(current, neighbours, place, upwards)
            _trade(current, neighbours, place)
        cost = _cost(current, neighbours, place)
        if cost < least:
            best, least = [list(row) for row in current], cost
        elif turn > 1:
            break
    return best


def _number(rows: Rows, place: list[int]) -> None:
    for row in rows:
        for position, vertex in enumerate(row):
            place[vertex] = position


def _by_centres(rows: Rows, neighbours: _Neighbours, place: list[int], upwards: bool) -> None:
    """Sorts each row by where its neighbours in the row before stand; who has none keeps its place."""
    linked, main = (neighbours.down, neighbours.main_down) if upwards else (neighbours.up, neighbours.main_up)
    for row in reversed(rows[:-1]) if upwards else rows[1:]:
        if len(row) < 2:
            continue
        slots = [i for i, vertex in enumerate(row) if linked[vertex]]
        movers = [row[i] for i in slots]
        centre = {v: _centre(linked[v], main[v], place) for v in movers}
        for slot, vertex in zip(slots, sorted(movers, key=centre.__getitem__), strict=True):
            row[slot] = vertex
            place[vertex] = slot


def _centre(linked: list[int], main: int, place: list[int]) -> float:
    if main >= 0:
        return place[main]
    return sum([place[other] for other in linked]) / len(linked)


def _trade(rows: Rows, neighbours: _Neighbours, place: list[int]) -> None:
    """Swaps neighbours wherever that saves crossings."""
    up, down, main_up, main_down = neighbours.up, neighbours.down, neighbours.main_up, neighbours.main_down
    for row in rows:
        for _ in range(3):
            traded = False
            for i in range(len(row) - 1):
                a, b = row[i], row[i + 1]
                gain = _gain(up[a], up[b], place) + _gain(down[a], down[b], place)
                gain += HEAVY * (_straighter(main_up, a, b, place) + _straighter(main_down, a, b, place))
                if gain > 0:
                    row[i], row[i + 1] = b, a
                    place[a], place[b] = i + 1, i
                    traded = True
            if not traded:
                break


def _straighter(main: list[int], a: int, b: int, place: list[int]) -> int:
    """1 if two trunks no longer cross when they change places, -1 if they then do."""
    if main[a] < 0 or main[b] < 0:
        return 0
    return 1 if place[main[a]] > place[main[b]] else -1


def _gain(left: list[int], right: list[int], place: list[int]) -> int:
    """How many crossings fewer there are when the two change places."""
    if not left or not right:
        return 0
    if len(left) == 1 and len(right) == 1:
        a, b = place[left[0]], place[right[0]]
        return (a > b) - (a < b)
    lefts = sorted([place[v] for v in left])
    gain = 0
    for vertex in right:
        position = place[vertex]
        smaller = bisect_left(lefts, position)
        larger = len(lefts) - bisect_left(lefts, position + 1)
        gain += larger - smaller
    return gain


def _cost(rows: Rows, neighbours: _Neighbours, place: list[int]) -> int:
    """Crossings; those of two trunks count several times, since they make both crooked."""
    return _crossings(rows, neighbours.down, place) + HEAVY * _twists(rows, neighbours.main_down, place)


def _twists(rows: Rows, main: list[int], place: list[int]) -> int:
    total = 0
    for row in rows:
        seen: list[int] = []
        for vertex in row:
            if main[vertex] >= 0:
                end = place[main[vertex]]
                total += len(seen) - bisect_left(seen, end)
                insort(seen, end)
    return total


def _crossings(rows: Rows, down: list[list[int]], place: list[int]) -> int:
    total = 0
    for row in rows:
        if len(row) < 2:
            continue
        seen: list[int] = []
        for vertex in row:
            below = down[vertex]
            if not below:
                continue
            ends = [place[other] for other in below]
            if seen and seen[-1] > min(ends):
                total += sum([len(seen) - bisect_left(seen, end + 1) for end in ends])
            for end in ends:
                insort(seen, end)
    return total


def crossings(rows: Rows, mesh: Mesh) -> int:
    """How many pairs of links cross."""
    place = [0] * len(mesh.rows)
    _number(rows, place)
    return _crossings(rows, Ragged.grouped(mesh.upper, mesh.lower, len(mesh.rows)).lists(), place)


def flat(rows: Rows) -> Ints:
    """All vertices, row by row."""
    return np.array([vertex for row in rows for vertex in row], np.int32)
