"""Lays a level out: each part that hangs together by itself, then the parts side by side."""

from dataclasses import dataclass, replace

import numpy as np

from errorflow.arrays import Ints, Ragged
from errorflow.layout.align import align
from errorflow.layout.drawing import Floats
from errorflow.layout.level import Level, Placement, Spacing
from errorflow.layout.mesh import build
from errorflow.layout.order import arrange
from errorflow.layout.place import extents, place
from errorflow.layout.ranks import rank
from errorflow.layout.route import route
from errorflow.layout.stubs import with_stubs, without_stubs
from errorflow.progress import SILENT, Progress

ASPECT = 1.6  # width to height that parts are packed into
SPACING = Spacing()
FURTHEST = 120.0  # a group grows at most so much for its name to stand clear of lines


def arrange_level(level: Level, progress: Progress = SILENT) -> Placement:
    """Where all items and lines of the level are; the spine of the largest part is at x = 0."""
    if not len(level):
        nothing = np.zeros(0)
        return Placement(nothing, nothing, np.zeros((0, 4)), np.zeros(0, np.int32), nothing, nothing, 0.0, 0.0, 0.0)
    if level.stubs.any():
        return with_stubs(level, arrange_level(without_stubs(level), progress))
    parts, loose = _parts(level)
    if len(parts) == 1 and not len(loose):
        placement = _connected(level, progress)
    else:
        placement = _pack(level, _all_connected(parts, progress), loose)
    return _with_frame(level, placement) if level.framed else placement


def _all_connected(parts: list["_Part"], progress: Progress) -> list[tuple["_Part", Placement]]:
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
    left, right = placement.left + SPACING.sides, placement.right + SPACING.sides
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
    x = place(mesh, rows, blocks, left, right, SPACING)
    progress.step(4, 5, "Drawing lines")
    return route(level, mesh, x, SPACING)


@dataclass(frozen=True, slots=True)
class _Part:
    """A level of its own, and which items, nets and ends of the whole it holds."""

    level: Level
    items: Ints
    nets: Ints
    ends: Ints


def _parts(level: Level) -> tuple[list[_Part], Ints]:
    """What lines join, largest part first; and the items without any line."""
    label = _labels(len(level), level.sources[level.nets], level.sinks)
    sizes = np.bincount(label, minlength=len(level))
    pinned = level.tops | level.bottoms
    joined = np.flatnonzero((sizes > 1) | ((sizes == 1) & pinned))
    order = joined[np.argsort(-sizes[joined], kind="stable")]
    loose = np.flatnonzero((sizes[label] == 1) & ~pinned).astype(np.int32)
    loops = np.isin(loose, level.sinks)
    if len(order) == 1 and not len(loose):
        whole = (np.arange(len(column), dtype=np.int32) for column in (level.left, level.sources, level.sinks))
        return [_Part(level, *whole)], loose
    order = np.concatenate([order, loose[loops]])
    return _taken_apart(level, label, order.tolist()), loose[~loops]


def _taken_apart(level: Level, label: Ints, order: list[int]) -> list[_Part]:
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


def _extract(level: Level, items: Ints, nets: Ints, ends: Ints, item_number: Ints, net_number: Ints) -> _Part:
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
    )
    return _Part(part, items, nets, ends)


def _labels(n: int, starts: Ints, ends: Ints) -> Ints:
    """For each item the lowest item that it hangs together with."""
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


@dataclass(slots=True)
class _Shelf:
    """Parts stand on shelves from left to right; a full one is followed by one below."""

    start: float
    limit: float
    x: float
    y: float = 0.0
    tallest: float = 0.0

    def put(self, width: float, height: float, *, below: bool) -> tuple[float, float]:
        """Where the left upper corner of the next thing is; `below` says whether a new shelf may be begun for it."""
        if below and self.x > self.start and self.x + width > self.limit:
            self.x, self.y, self.tallest = self.start, self.y + self.tallest + SPACING.components, 0.0
        corner = (self.x, self.y)
        self.x += width + SPACING.components
        self.tallest = max(self.tallest, height)
        return corner


def _pack(level: Level, placed: list[tuple[_Part, Placement]], loose: Ints) -> Placement:
    x, y = np.zeros(len(level)), np.zeros(len(level))
    arrivals, departures = np.full(len(level.sinks), np.nan), np.full(len(level.sources), np.nan)
    lines, nets = [np.zeros((0, 4))], [np.zeros(0, np.int32)]
    areas = [(p.left + p.right + SPACING.components) * (p.height + SPACING.components) for _, p in placed]
    cell = _cell(level, loose)
    wanted = float(np.sqrt((sum(areas) + cell[0] * cell[1] * len(loose)) * ASPECT))
    placed = sorted(placed, key=lambda each: not _pinned(each[0].level))
    start = -placed[0][1].left if placed else 0.0
    shelf = _Shelf(start, start + np.ceil(max([wanted, *[p.left + p.right for _, p in placed]])), start)
    hanging = []
    one_shelf = bool(level.bottoms.any())  # lines to lower ports must not run through what stands below
    for part, placement in placed:
        below = not one_shelf and not _pinned(part.level)
        corner = shelf.put(placement.left + placement.right, placement.height, below=below)
        shift = corner[0] + placement.left
        x[part.items], y[part.items] = placement.x + shift, placement.y + corner[1]
        arrivals[part.ends], departures[part.nets] = placement.arrivals + shift, placement.departures + shift
        lines.append(placement.lines + np.array([shift, corner[1], shift, corner[1]]))
        nets.append(part.nets[placement.line_nets])
        hanging.extend(part.items[part.level.bottoms].tolist())
    if len(loose):
        _fill(level, loose, cell, shelf, x, y, below=not one_shelf)
    height = float(np.max(y + level.heights)) + (SPACING.foot if level.framed else 0.0)
    height = max([height, *[float(part[:, [1, 3]].max()) for part in lines if len(part)]])
    _lengthen(level, hanging, x, y, height, lines, nets)
    all_nets = np.concatenate(nets)
    order = np.argsort(all_nets, kind="stable")
    reach = np.concatenate(lines)
    left = min(float(np.min(x - level.left)), float(reach[:, [0, 2]].min(initial=0.0)))
    right = max(float(np.max(x + level.right)), float(reach[:, [0, 2]].max(initial=0.0)))
    sorted_nets = all_nets[order].astype(np.int32)
    return Placement(x, y, reach[order], sorted_nets, arrivals, departures, -left, right, height)


def _pinned(level: Level) -> bool:
    return bool((level.tops | level.bottoms).any())


def _cell(level: Level, loose: Ints) -> tuple[float, float]:
    """The room that each item without lines gets."""
    if not len(loose):
        return 0.0, 0.0
    width = float((level.left + level.right)[loose].max()) + SPACING.boxes
    return width, float(level.heights[loose].max()) + SPACING.rows


def _fill(
    level: Level, loose: Ints, cell: tuple[float, float], shelf: _Shelf, x: Floats, y: Floats, *, below: bool
) -> None:
    """Items without lines stand in a grid, in file order."""
    columns = max(1, min(len(loose), int((shelf.limit - shelf.start) // cell[0])))
    rows = -(-len(loose) // columns)
    left, top = shelf.put(columns * cell[0] - SPACING.boxes, rows * cell[1] - SPACING.rows, below=below)
    number = np.arange(len(loose))
    middle = np.floor((cell[0] - SPACING.boxes - level.left[loose] - level.right[loose]) / 2)
    x[loose] = left + (number % columns) * cell[0] + middle + level.left[loose]
    y[loose] = top + (number // columns) * cell[1] + (SPACING.head if level.framed else 0.0)


def _lengthen(
    level: Level, ports: list[int], x: Floats, y: Floats, height: float, lines: list[Floats], nets: list[Ints]
) -> None:
    """Lower ports are all moved down to the border."""
    for port in ports:
        if y[port] < height:
            lines.append(np.array([[x[port], y[port], x[port], height]]))
            nets.append(level.nets[np.flatnonzero(level.sinks == port)[:1]])
            y[port] = height
