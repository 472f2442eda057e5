"""Lays a level out: each part that hangs together by itself."""

from bisect import bisect_left
from itertools import pairwise

import numpy as np

from errorflow.base import SILENT, Progress, dataclass, replace
from errorflow.base.arrays import Ints, Ragged, distinct
from errorflow.layout.drawing import Bytes, Floats
from errorflow.layout.level import Bools, Level, Placement, Spacing, known
from errorflow.layout.mesh import Mesh, build
from errorflow.layout.order import arrange, flat
from errorflow.layout.pack import LevelPart, lengthened, pack
from errorflow.layout.ranks import rank
from errorflow.layout.route import route
from errorflow.layout.sweep import Rows

FURTHEST = 120.0  # a group grows at most so much for its name to stand clear of lines


def arrange_level(level: Level, progress: Progress = SILENT) -> Placement:
    """Arranges all items and lines of the level; the spine of the largest part is at x = 0."""
    if not len(level):
        nothing = np.zeros(0)
        return Placement(nothing, nothing, np.zeros((0, 4)), np.zeros(0, np.int32), nothing, nothing, 0.0, 0.0, 0.0)
    if level.stubs.any():
        return with_stubs(level, arrange_level(without_stubs(level), progress))
    parts, loose = _parts(level)
    if len(parts) == 1 and not len(loose):
        placement = _connected(level, progress)
    else:
        placement = pack(level, _all_connected(parts, progress), loose)
    return _with_frame(level, placement) if level.framed else placement


def _all_connected(parts: list[LevelPart], progress: Progress) -> list[tuple[LevelPart, Placement]]:
    """Every part laid out, equal ones once."""
    known: dict[tuple[bytes, ...], Placement] = {}
    placed = []
    for part in parts:
        key = tuple([column.tobytes() for column in vars(part.level).values() if isinstance(column, np.ndarray)])
        if key not in known:
            known[key] = _connected(part.level, progress)
        placed.append((part, known[key]))
    return placed


def _with_frame(level: Level, placement: Placement) -> Placement:
    """Room at the sides, and for the name, if possible left of all lines that come in."""
    left, right = placement.left + level.spacing.left, placement.right + level.spacing.right
    if level.spacing.across:
        return replace(lengthened(level, placement, level.title), left=left, right=right)
    first = float(placement.x[level.tops].min(initial=np.inf))
    if -left <= first < level.title - left <= first + FURTHEST:
        left = level.title - first
    return replace(placement, left=left, right=max(right, level.title - left))


def _connected(level: Level, progress: Progress) -> Placement:
    ranks = rank(level)
    progress.step(1, 5, "Sorting branches")
    mesh = build(level, ranks)
    left, right = extents(level.left, level.right, mesh)
    rows = arrange(mesh, left, right, progress)
    progress.step(3, 5, "Placing nodes")
    blocks = align(mesh, rows)
    x = place(mesh, rows, blocks, left, right, level.spacing)
    progress.step(4, 5, "Drawing lines")
    return route(level, mesh, x)


def _parts(level: Level) -> tuple[list[LevelPart], Ints]:
    """Finds what lines join, largest part first; and the items without any line."""
    label = _labels(len(level), level.sources[level.nets], level.sinks)
    sizes = np.bincount(label, minlength=len(level))
    pinned = level.tops | level.bottoms
    joined = np.flatnonzero((sizes > 1) | ((sizes == 1) & pinned))
    order = joined[np.argsort(-sizes[joined], kind="stable")]
    loose = np.flatnonzero((sizes[label] == 1) & ~pinned).astype(np.int32)
    loops = np.isin(loose, level.sinks)
    if len(order) == 1 and not len(loose):
        whole = (np.arange(len(column), dtype=np.int32) for column in (level.left, level.sources, level.sinks))
        return [LevelPart(level, *whole)], loose
    order = np.concatenate([order, loose[loops]])
    return _taken_apart(level, label, order.tolist()), loose[~loops]


def _taken_apart(level: Level, label: Ints, order: list[int]) -> list[LevelPart]:
    n, k = len(level), len(level.sources)
    items = Ragged.grouped(label, np.arange(n, dtype=np.int32), n)
    nets = Ragged.grouped(label[level.sources], np.arange(k, dtype=np.int32), n)
    ends = Ragged.grouped(label[level.sinks], np.arange(len(level.sinks), dtype=np.int32), n)
    item_number = _numbers(items, n)
    net_number = _numbers(nets, k)
    return [_extract(level, items[i], nets[i], ends[i], item_number, net_number) for i in order]


def _numbers(rows: Ragged, count: int) -> Ints:
    """The position of each value in its row."""
    numbers = np.empty(count, np.int32)
    numbers[rows.values] = np.arange(count, dtype=np.int32) - rows.starts[rows.owners()]
    return numbers


def _extract(level: Level, items: Ints, nets: Ints, ends: Ints, item_number: Ints, net_number: Ints) -> LevelPart:
    part = Level(
        left=level.left[items],
        right=level.right[items],
        heights=level.heights[items],
        sources=item_number[level.sources[nets]],
        nets=net_number[level.nets[ends]],
        sinks=item_number[level.sinks[ends]],
        source_ports=level.source_ports[nets],
        sink_ports=level.sink_ports[ends],
        tops=level.tops[items],
        bottoms=level.bottoms[items],
        favoured=level.favoured[nets],
        stubs=level.stubs[ends],
        sides=level.sides[items],
        framed=level.framed,
        spacing=level.spacing,
    )
    return LevelPart(part, items, nets, ends)


def _labels(n: int, starts: Ints, ends: Ints) -> Ints:
    """Labels each item by the lowest item that it hangs together with."""
    label = np.arange(n, dtype=np.int32)
    while True:
        lowest = np.minimum(label[starts], label[ends])
        before = label.copy()
        np.minimum.at(label, before[starts], lowest)
        np.minimum.at(label, before[ends], lowest)
        while not np.array_equal(label, label[label]):
            label = label[label]
        if np.array_equal(label, before):
            return label


# Lines of which only the two ends are drawn: those of tensors that very many read, and those into a stack.
#
# What they would join is placed as if they were not there.

LENGTH = 8.0
STEP = 6.0  # between two stubs at one box
PORT_STEP = 24.0  # between ports that only have stubs
INSET = 8.0


def without_stubs(level: Level) -> Level:
    """The level without these lines, and without ports that have no others."""
    kept = ~level.stubs
    items = np.flatnonzero(~_idle(level)).astype(np.int32)
    number = np.zeros(len(level), np.int32)
    number[items] = np.arange(len(items), dtype=np.int32)
    return replace(
        level,
        left=level.left[items],
        right=level.right[items],
        heights=level.heights[items],
        sources=number[level.sources],
        nets=level.nets[kept],
        sinks=number[level.sinks[kept]],
        sink_ports=level.sink_ports[kept],
        tops=level.tops[items],
        bottoms=level.bottoms[items],
        stubs=level.stubs[kept],
        sides=level.sides[items],
    )


def _idle(level: Level) -> Bools:
    """Ports all of whose lines are stubs."""
    busy = np.zeros(len(level), bool)
    busy[level.sinks[~level.stubs]] = True
    busy[level.sources[level.nets[~level.stubs]]] = True
    return (level.tops | level.bottoms) & ~busy


def with_stubs(level: Level, placement: Placement) -> Placement:
    """Adds idle ports and all stubs to what was placed without them."""
    idle = _idle(level)
    if not (~idle & (level.tops | level.bottoms)).any():
        placement = _centred(placement)
    x, y = np.zeros(len(level)), np.zeros(len(level))
    x[~idle], y[~idle] = placement.x, placement.y
    for border, height in ((level.tops, 0.0), (level.bottoms, placement.height)):
        ports = idle & border
        x[ports], y[ports] = _spread(level, int(ports.sum()), x[border & ~idle], placement), height
    lines, nets, leaving = _stubs(level, x, y)
    all_nets = np.concatenate([placement.line_nets, nets])
    order = np.argsort(all_nets, kind="stable")
    arrivals = np.full(len(level.sinks), np.nan)
    arrivals[~level.stubs] = placement.arrivals
    return replace(
        placement,
        x=x,
        y=y,
        lines=np.concatenate([placement.lines, lines])[order],
        line_nets=all_nets[order].astype(np.int32),
        arrivals=arrivals,
        stubs=np.where(leaving[:, None] > 0, lines[:, 2:], lines[:, :2]),
        stub_nets=nets,
        stub_ends=leaving,
    )


def _centred(placement: Placement) -> Placement:
    """Centres the spine, since no line runs along it."""
    shift = np.floor((placement.left - placement.right) / 2)
    return replace(
        placement,
        x=placement.x + shift,
        lines=placement.lines + np.array([shift, 0.0, shift, 0.0]),
        arrivals=placement.arrivals + shift,
        departures=placement.departures + shift,
        left=placement.left - shift,
        right=placement.right + shift,
    )


def _spread(level: Level, count: int, others: Floats, placement: Placement) -> Floats:
    """Places for so many ports round the spine, clear of the others on that border."""
    low, high = level.spacing.left - placement.left, placement.right - level.spacing.right
    step = min(PORT_STEP, max(high - low, 0.0) / max(1, count))
    if len(others) and step == PORT_STEP:
        return np.clip(_free(others, count, low, high), low, max(low, high))
    places = (np.arange(count) - (count - 1) // 2) * step
    return np.clip(np.round(places), low, max(low, high))


def _free(taken: Floats, count: int, low: float, high: float) -> Floats:
    """Finds so many places next to the spine that are clear of the taken ones; any, where there are not enough."""
    reach = count + len(taken)
    places: Floats = np.arange(-reach, reach + 1).astype(np.float64) * PORT_STEP
    clear = (places >= low) & (places <= high) & (np.abs(places[:, None] - taken).min(axis=1) >= STEP)
    order = np.lexsort((places, np.abs(places), ~clear))
    return np.sort(places[order[:count]])


def _stubs(level: Level, x: Floats, y: Floats) -> tuple[Floats, Ints, Bytes]:
    """Lines, their nets, and 1 for those at a source."""
    ends = np.flatnonzero(level.stubs)
    nets = distinct(level.nets[ends])
    sources, sinks = level.sources[nets], level.sinks[ends]
    start = x[sources] + _beside(level, sources, level.source_ports[nets], side=1.0)
    below = y[sources] + level.heights[sources]
    end = x[sinks] + _beside(level, sinks, level.sink_ports[ends], side=-1.0)
    lines = np.concatenate(
        [
            np.column_stack([start, below, start, below + LENGTH]),
            np.column_stack([end, y[sinks] - LENGTH, end, y[sinks]]),
        ]
    )
    leaving = np.repeat(np.array([1, 0], np.uint8), [len(nets), len(ends)])
    return lines, np.concatenate([nets, level.nets[ends]]).astype(np.int32), leaving


def _beside(level: Level, items: Ints, ports: Floats, side: float) -> Floats:
    """Measures how far from its item's anchor each stub is: at the port, else side by side at one end of the box."""
    order = np.argsort(items, kind="stable")
    starts = np.flatnonzero(np.diff(items[order], prepend=-1))
    number = np.empty(len(items))
    number[order] = np.arange(len(items)) - np.repeat(starts, np.diff(np.append(starts, len(items))))
    reach = np.where(side > 0, level.right[items], level.left[items])
    offset = side * np.maximum(reach - INSET - STEP * number, -reach + INSET / 2)
    return np.where(np.isnan(ports), np.where(reach > 0, offset, 0.0), ports)


# How far left or right everything stands.
#
# The spine is pinned at x = 0; both sides are packed towards it, then blocks slide within their slack to where their
# lines are shortest. All distances are whole numbers as long as the sizes are.

SLIDES = ((20_000, 6), (100_000, 2))  # up to so many blocks, so many rounds; none beyond
TRUNK_WEIGHT = 4.0  # how much more a kink in a trunk hurts than a slanted end


# Which vertices stand exactly above each other: they become rigid blocks.
#
# From one row to the next links are chosen so that none cross, the spine first, then trunks, then chains.


@dataclass(frozen=True, slots=True)
class Blocks:
    """Vertices that move as one."""

    of: Ints  # (v,) the block of each vertex
    offsets: Floats  # (v,) how far its anchor is from the block's
    count: int
    spine: int


def align(mesh: Mesh, rows: Rows) -> Blocks:
    below, shifts = _chosen(mesh, rows)
    block, offset = [-1] * len(mesh.rows), [0.0] * len(mesh.rows)
    count = 0
    for row in rows:
        for vertex in row:
            if block[vertex] < 0:
                block[vertex] = count
                count += 1
            other = below[vertex]
            if other >= 0:
                block[other] = block[vertex]
                offset[other] = offset[vertex] + shifts[vertex]
    return Blocks(np.array(block, np.int32), np.array(offset), count, block[int(mesh.spine[0])])


def _chosen(mesh: Mesh, rows: Rows) -> tuple[list[int], list[float]]:
    """Chooses for each vertex the one below that it is aligned with, or -1, and how far that is to the right."""
    place = np.zeros(len(mesh.rows), np.int32)
    for row in rows:
        place[row] = np.arange(len(row), dtype=np.int32)
    ranking = _ranking(mesh, place)
    upper, lower = mesh.upper[ranking].tolist(), mesh.lower[ranking].tolist()
    shift = (known(mesh.upper_ports) - known(mesh.lower_ports))[ranking]
    shift[np.isin(mesh.upper[ranking], mesh.spine) & np.isin(mesh.lower[ranking], mesh.spine)] = 0.0
    positions = place.tolist()
    row_of = mesh.rows.tolist()
    below, above, shifts = [-1] * len(row_of), [-1] * len(row_of), [0.0] * len(row_of)
    taken: list[tuple[list[int], list[int]]] = [([], []) for _ in rows]
    for a, b, moved in zip(upper, lower, shift.tolist(), strict=True):
        if below[a] >= 0 or above[b] >= 0:
            continue
        starts, ends = taken[row_of[a]]
        start, end = positions[a], positions[b]
        at = bisect_left(starts, start)
        if (at and ends[at - 1] > end) or (at < len(ends) and ends[at] < end):
            continue
        starts.insert(at, start)
        ends.insert(at, end)
        below[a], above[b], shifts[a] = b, a, moved
    return below, shifts


def _ranking(mesh: Mesh, place: Ints) -> Ints:
    """Links in the order in which they are to be straight."""
    outs = np.bincount(mesh.upper, minlength=len(mesh.rows))[mesh.upper]
    ins = np.bincount(mesh.lower, minlength=len(mesh.rows))[mesh.lower]
    trunks = (mesh.upper >= mesh.items) & (mesh.lower >= mesh.items)
    following = np.full(len(mesh.rows), -2, np.int32)
    following[mesh.spine[:-1]] = mesh.spine[1:]
    spine = following[mesh.upper] == mesh.lower
    rank = np.select([spine, trunks, (outs == 1) & (ins == 1)], [0, 1, 2], 3)
    off_middle = _off_middle(mesh.upper, place[mesh.lower]) + _off_middle(mesh.lower, place[mesh.upper])
    order: Ints = np.lexsort((place[mesh.lower], place[mesh.upper], off_middle, rank)).astype(np.int32)
    return order


def _off_middle(owner: Ints, places: Ints) -> Floats:
    """Measures how far each link is from the middle one of its owner's links."""
    order = np.lexsort((places, owner))
    sorted_owner = owner[order]
    starts = np.flatnonzero(np.diff(sorted_owner, prepend=-1))
    counts = np.diff(np.append(starts, len(order)))
    number = np.arange(len(order)) - np.repeat(starts, counts)
    result = np.empty(len(order))
    result[order] = np.abs(number - np.repeat((counts - 1) / 2, counts))
    return result


def place(mesh: Mesh, rows: Rows, blocks: Blocks, left: Floats, right: Floats, spacing: Spacing) -> Floats:
    """The x of every vertex's anchor. `left` and `right` are how far vertices reach."""
    limits = _limits(mesh, rows, blocks, left, right, spacing)
    order = limits.order()
    x = _pack(limits, order, blocks)
    rounds = next((count for size, count in SLIDES if blocks.count <= size), 0)
    if rounds and blocks.count > 1:
        _slide(mesh, blocks, limits, order, x, rounds)
    return np.array(x)[blocks.of] + blocks.offsets


@dataclass(frozen=True, slots=True)
class _Limits:
    """Block `rights[i]` is at least `gaps[i]` to the right of block `lefts[i]`."""

    lefts: list[int]
    rights: list[int]
    gaps: list[float]
    after: list[list[int]]  # for each block, which of these limits it is the left one of
    before: list[list[int]]

    def order(self) -> list[int]:
        """Blocks from left to right."""
        waiting = [len(limits) for limits in self.before]
        ready = [block for block, count in enumerate(waiting) if not count]
        for block in ready:  # grows while it is walked
            for limit in self.after[block]:
                other = self.rights[limit]
                waiting[other] -= 1
                if not waiting[other]:
                    ready.append(other)
        return ready


def _limits(mesh: Mesh, rows: Rows, blocks: Blocks, left: Floats, right: Floats, spacing: Spacing) -> _Limits:
    order = flat(rows)
    a, b = order[:-1], order[1:]
    same = mesh.rows[a] == mesh.rows[b]
    a, b = a[same], b[same]
    thin = (a >= mesh.items).astype(int) + (b >= mesh.items)
    between = np.array([spacing.boxes, spacing.trunk, spacing.trunks])[thin]
    gaps = right[a] + between + left[b] + blocks.offsets[a] - blocks.offsets[b]
    pairs = blocks.of[a].astype(np.int64) * blocks.count + blocks.of[b]
    unique, where = np.unique(pairs, return_inverse=True)
    widest = np.full(len(unique), -np.inf)
    np.maximum.at(widest, where, gaps)
    lefts, rights = (unique // blocks.count).astype(np.int32), (unique % blocks.count).astype(np.int32)
    numbers = np.arange(len(unique), dtype=np.int32)
    return _Limits(
        lefts.tolist(),
        rights.tolist(),
        widest.tolist(),
        Ragged.grouped(lefts, numbers, blocks.count).lists(),
        Ragged.grouped(rights, numbers, blocks.count).lists(),
    )


def _pack(limits: _Limits, order: list[int], blocks: Blocks) -> list[float]:
    """Packs everything as close to the spine as it can be."""
    nowhere = float("nan")
    x = [nowhere] * blocks.count
    x[blocks.spine] = 0.0
    for block in order:
        bounds = [x[limits.lefts[i]] + limits.gaps[i] for i in limits.before[block]]
        bounds = [bound for bound in bounds if bound == bound]
        if bounds and block != blocks.spine:
            x[block] = max(bounds)
    for block in reversed(order):
        if x[block] != x[block]:
            bounds = [x[limits.rights[i]] - limits.gaps[i] for i in limits.after[block]]
            x[block] = min(bounds)
    return x


@dataclass(slots=True)
class _Pull:
    """Pull of a block's lines towards their place: beside `others`, `shifts` further to the right."""

    others: list[int]
    shifts: list[float]
    weights: list[float]


def _pulls(mesh: Mesh, blocks: Blocks) -> list[_Pull]:
    a, b = blocks.of[mesh.upper], blocks.of[mesh.lower]
    start = blocks.offsets[mesh.upper] + known(mesh.upper_ports)
    end = blocks.offsets[mesh.lower] + known(mesh.lower_ports)
    both = (mesh.upper >= mesh.items) & (mesh.lower >= mesh.items)
    weight = np.where(both, TRUNK_WEIGHT, 1.0)
    keep = a != b
    owners = np.concatenate([a[keep], b[keep]])
    others = np.concatenate([b[keep], a[keep]])
    shifts = np.concatenate([(end - start)[keep], (start - end)[keep]])
    weights = np.concatenate([weight[keep], weight[keep]])
    rows = Ragged.grouped(owners, np.arange(len(owners), dtype=np.int32), blocks.count)
    other, shift, heavy = others[rows.values].tolist(), shifts[rows.values].tolist(), weights[rows.values].tolist()
    return [_Pull(other[i:j], shift[i:j], heavy[i:j]) for i, j in pairwise(rows.starts.tolist())]


def _slide(mesh: Mesh, blocks: Blocks, limits: _Limits, order: list[int], x: list[float], rounds: int) -> None:
    pulls = _pulls(mesh, blocks)
    for turn in range(rounds):
        moved = False
        for block in order if turn % 2 else reversed(order):
            pull = pulls[block]
            if block == blocks.spine or not pull.others:
                continue
            wish = _median([x[o] + s for o, s in zip(pull.others, pull.shifts, strict=True)], pull.weights)
            low = max([x[limits.lefts[i]] + limits.gaps[i] for i in limits.before[block]], default=-np.inf)
            high = min([x[limits.rights[i]] - limits.gaps[i] for i in limits.after[block]], default=np.inf)
            target = min(max(wish, low), high)
            if target != x[block]:
                x[block] = target
                moved = True
        if not moved:
            return


def _median(values: list[float], weights: list[float]) -> float:
    """Half of the weight is on either side of it; of two such, the one next to the spine."""
    if len(values) == 1:
        return values[0]
    pairs = sorted(zip(values, weights, strict=True))
    rest = sum(weights) / 2
    for position, (value, weight) in enumerate(pairs):
        rest -= weight
        if rest < 0:
            return value
        if rest == 0:
            return min(value, pairs[position + 1][0], key=abs)
    return pairs[-1][0]


def extents(level_left: Floats, level_right: Floats, mesh: Mesh) -> tuple[Floats, Floats]:
    """Measures how far every vertex reaches: trunks are as thin as a line."""
    rest = np.zeros(len(mesh.rows) - mesh.items)
    return np.concatenate([level_left, rest]), np.concatenate([level_right, rest])
