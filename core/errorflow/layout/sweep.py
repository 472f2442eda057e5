"""Neighbours in a row trade places as long as that saves crossings."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence

import numpy as np

from errorflow.base.arrays import Ints, Ragged
from errorflow.base.progress import Progress
from errorflow.layout.drawing import Floats
from errorflow.layout.level import known
from errorflow.layout.mesh import Mesh

Rows = list[list[int]]
Settled = dict[int, Rows]  # rows in which nothing is to be gained, with those above and below them
SWEEPS = ((20_000, 4), (100_000, 2))  # up to so many vertices, so many rounds; none beyond
HEAVY = 4  # how much more a crossing of two trunks counts: it makes both crooked
# How much less one outside of a group counts: just where those lines come from is known when that is laid out, too. A
# power of two, so that sums are exact.
OUTSIDE = 1 / 64
OFTEN = 200  # rows between two looks whether to go on
TRADES = 3  # times that each row is gone through in a round


class Neighbours:
    """Neighbours of each vertex in the row above and in the row below.

    Where links meet a group at ports of their own, `up_ports` and `down_ports` say for each link how far right or left
    of its anchor that is, as a part of one place; `own_ports` say where the links down leave the vertex itself.
    """

    def __init__(self, mesh: Mesh) -> None:
        count = len(mesh.rows)
        below, above = Ragged.grouped(mesh.lower, mesh.upper, count), Ragged.grouped(mesh.upper, mesh.lower, count)
        self.up, self.down = below.lists(), above.lists()
        self.main_up, self.main_down = _mains(mesh)
        self.up_ports, self.down_ports, self.own_ports = ([_NO_PORTS] * count for _ in range(3))
        start, end = known(mesh.upper_ports), known(mesh.lower_ports)
        reach = max(float(np.abs(start).max(initial=0.0)), float(np.abs(end).max(initial=0.0)))
        if reach:
            self.up_ports = _shares(mesh.lower, start / (2 * reach + 1), count)
            self.down_ports = _shares(mesh.upper, end / (2 * reach + 1), count)
            self.own_ports = _shares(mesh.upper, start / (2 * reach + 1), count)
        self.beside: dict[int, list[int]] = {}
        for turn in mesh.turns:
            self.beside.setdefault(turn.item, []).append(turn.trunk)
            self.beside.setdefault(turn.trunk, []).append(turn.item)

    def add(self, above: list[int], below: list[int]) -> int:
        """A further vertex, linked to these."""
        vertex = len(self.up)
        self.up.append(above)
        self.down.append(below)
        for main in (self.main_up, self.main_down):
            main.append(-1)
        for ports in (self.up_ports, self.down_ports, self.own_ports):
            ports.append(_NO_PORTS)
        for others, linked in ((above, self.down), (below, self.up)):
            for other in others:
                linked[other].append(vertex)
        return vertex


_NO_PORTS: Sequence[float] = ()


def _shares(owners: Ints, ports: Floats, count: int) -> list[Sequence[float]]:
    order = np.argsort(owners, kind="stable")
    values = ports[order].tolist()
    ends = np.cumsum(np.bincount(owners, minlength=count)).tolist()
    return [values[a:b] if any(values[a:b]) else _NO_PORTS for a, b in zip([0, *ends], ends, strict=False)]


def _mains(mesh: Mesh) -> tuple[list[int], list[int]]:
    """Finds where pieces of trunks and the spine go on above and below, else -1."""
    up = np.full(len(mesh.rows), -1, np.int32)
    down = up.copy()
    trunk = (mesh.upper >= mesh.items) & (mesh.lower >= mesh.items)
    down[mesh.upper[trunk]], up[mesh.lower[trunk]] = mesh.lower[trunk], mesh.upper[trunk]
    down[mesh.spine[:-1]], up[mesh.spine[1:]] = mesh.spine[1:], mesh.spine[:-1]
    return up.tolist(), down.tolist()


def sweep(rows: Rows, neighbours: Neighbours, outside: tuple[list[int], list[int]], progress: Progress) -> Rows:
    """The best order seen while looking upwards and downwards in turn. What is `outside`, above and below, stays."""
    rows = [outside[0], *rows, outside[1]]
    place = [0] * sum(map(len, rows))
    _number(rows, place)
    best, least = rows, _cost(rows, neighbours, place)
    current = [list(row) for row in rows]
    settled: Settled = {}
    rounds = next((count for size, count in SWEEPS if len(place) <= size), 0)
    for turn in range(rounds):
        if not least:
            break
        for upwards in (False, True):
            if turn:
                _by_centres(current, neighbours, place, upwards)
            _trade(current, neighbours, place, settled, progress)
        cost = _cost(current, neighbours, place)
        if cost < least:
            best, least = [list(row) for row in current], cost
        elif turn > 1:
            break
    return best[1:-1]


def _number(rows: Rows, place: list[int]) -> None:
    for row in rows:
        for position, vertex in enumerate(row):
            place[vertex] = position


def _ends(linked: list[int], ports: Sequence[float], place: list[int]) -> Sequence[float]:
    """Finds where the links of a vertex end in the other row."""
    if ports:
        return [place[other] + port for other, port in zip(linked, ports, strict=True)]
    return [place[other] for other in linked]


def _by_centres(rows: Rows, neighbours: Neighbours, place: list[int], upwards: bool) -> None:
    """Sorts each row by where its neighbours in the row before stand; who has none keeps its place."""
    if upwards:
        linked, ports, main = neighbours.down, neighbours.down_ports, neighbours.main_down
    else:
        linked, ports, main = neighbours.up, neighbours.up_ports, neighbours.main_up
    for row in reversed(rows[1:-1]) if upwards else rows[1:-1]:
        if len(row) < 2:
            continue
        slots = [i for i, vertex in enumerate(row) if linked[vertex]]
        movers = [row[i] for i in slots]
        centre: dict[int, float] = {}
        for vertex in movers:
            if main[vertex] >= 0:
                centre[vertex] = place[main[vertex]]
            else:
                ends = _ends(linked[vertex], ports[vertex], place)
                centre[vertex] = sum(ends) / len(ends)
        for slot, vertex in zip(slots, sorted(movers, key=centre.__getitem__), strict=True):
            row[slot] = vertex
            place[vertex] = slot


def _trade(rows: Rows, neighbours: Neighbours, place: list[int], settled: Settled, progress: Progress) -> None:
    """Swaps neighbours wherever that saves crossings; not where there was nothing to gain from the same rows before."""
    up, down, main_up, main_down = neighbours.up, neighbours.down, neighbours.main_up, neighbours.main_down
    up_ports, down_ports = neighbours.up_ports, neighbours.down_ports
    for number in range(1, len(rows) - 1):
        row = rows[number]
        if number % OFTEN == 0:
            progress.step(2, 5, "Uncrossing lines")
        state = [list(near) for near in rows[number - 1 : number + 2]]
        if len(row) < 2 or settled.get(number) == state:
            continue
        above, below = _weight(number - 1, rows), _weight(number, rows)
        for _ in range(TRADES):
            traded = False
            for i in range(len(row) - 1):
                a, b = row[i], row[i + 1]
                gain: float = HEAVY * (_straighter(main_up, a, b, place) + _straighter(main_down, a, b, place))
                gain += above * _gain(_ends(up[a], up_ports[a], place), _ends(up[b], up_ports[b], place))
                gain += below * _gain(_ends(down[a], down_ports[a], place), _ends(down[b], down_ports[b], place))
                if gain > 0:
                    row[i], row[i + 1] = b, a
                    place[a], place[b] = i + 1, i
                    traded = True
            if not traded:
                state[1] = list(row)
                settled[number] = state
                break


def _weight(number: int, rows: Rows) -> float:
    """Weighs a crossing between this row and the next one."""
    return OUTSIDE if number in (0, len(rows) - 2) else 1


def _straighter(main: list[int], a: int, b: int, place: list[int]) -> int:
    """1 if two trunks no longer cross when they change places, -1 if they then do."""
    if main[a] < 0 or main[b] < 0:
        return 0
    return 1 if place[main[a]] > place[main[b]] else -1


def _gain(left: Sequence[float], right: Sequence[float]) -> int:
    """Counts how many crossings fewer there are when two vertices with these ends change places."""
    if not left or not right:
        return 0
    if len(left) == 1 and len(right) == 1:
        return (left[0] > right[0]) - (left[0] < right[0])
    lefts = sorted(left)
    gain = 0
    for end in right:
        gain += len(lefts) - bisect_left(lefts, end) - bisect_left(lefts, end)
        gain -= lefts.count(end)
    return gain


def _cost(rows: Rows, neighbours: Neighbours, place: list[int]) -> float:
    crossings = [_weight(number, rows) * _crossings(row, neighbours, place) for number, row in enumerate(rows)]
    return sum(crossings) + HEAVY * _twists(rows, neighbours.main_down, place)


def _twists(rows: Rows, main: list[int], place: list[int]) -> int:
    """Counts the pairs of trunks that cross."""
    total = 0
    for row in rows:
        seen: list[int] = []
        for vertex in row:
            if main[vertex] >= 0:
                end = place[main[vertex]]
                total += len(seen) - bisect_left(seen, end)
                insort(seen, end)
    return total


def _crossings(row: list[int], neighbours: Neighbours, place: list[int]) -> int:
    """Counts the pairs of links down from the row that cross."""
    total = 0
    seen: list[float] = []
    for vertex in row:
        ends = _ends(neighbours.down[vertex], neighbours.down_ports[vertex], place)
        own = neighbours.own_ports[vertex]
        if own:
            for _, end in sorted(zip(own, ends, strict=True)):
                total += len(seen) - bisect_right(seen, end)
                insort(seen, end)
            continue
        if seen and ends and seen[-1] > min(ends):
            total += sum([len(seen) - bisect_right(seen, end) for end in ends])
        for end in ends:
            insort(seen, end)
    return total
