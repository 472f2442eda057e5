"""Puts the parts of a level side by side."""

from dataclasses import dataclass, replace

import numpy as np

from errorflow.arrays import Ints
from errorflow.layout.drawing import Floats
from errorflow.layout.level import Level, Placement

ASPECT = 1.6  # width to height that parts are packed into


@dataclass(frozen=True, slots=True)
class Part:
    """A level of its own, and which items, nets and ends of the whole it holds."""

    level: Level
    items: Ints
    nets: Ints
    ends: Ints


@dataclass(slots=True)
class _Shelf:
    """Parts stand on shelves from left to right; a full one is followed by one below."""

    start: float
    limit: float
    between: float
    x: float
    y: float = 0.0
    tallest: float = 0.0

    def put(self, width: float, height: float, *, below: bool) -> tuple[float, float]:
        """Where the left upper corner of the next thing is; `below` says whether a new shelf may be begun for it."""
        if below and self.x > self.start and self.x + width > self.limit:
            self.x, self.y, self.tallest = self.start, self.y + self.tallest + self.between, 0.0
        corner = (self.x, self.y)
        self.x += width + self.between
        self.tallest = max(self.tallest, height)
        return corner


def pack(level: Level, placed: list[tuple[Part, Placement]], loose: Ints) -> Placement:
    """The parts side by side, and `loose` items, which no line joins, in a grid beside them."""
    x, y = np.zeros(len(level)), np.zeros(len(level))
    arrivals, departures = np.full(len(level.sinks), np.nan), np.full(len(level.sources), np.nan)
    lines, nets = [np.zeros((0, 4))], [np.zeros(0, np.int32)]
    placed = sorted(placed, key=lambda each: not _pinned(each[0].level))
    cell = _cell(level, loose)
    shelf = _shelf(level, [placement for _, placement in placed], cell[0] * cell[1] * len(loose))
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
    height = float(np.max(y + level.heights)) + (level.spacing.foot if level.framed else 0.0)
    height = max([height, *[float(part[:, [1, 3]].max()) for part in lines if len(part)]])
    _lengthen(level, hanging, x, y, height, lines, nets)
    reach, line_nets = _sorted(lines, nets)
    left = min(float(np.min(x - level.left)), float(reach[:, [0, 2]].min(initial=0.0)))
    right = max(float(np.max(x + level.right)), float(reach[:, [0, 2]].max(initial=0.0)))
    return Placement(x, y, reach, line_nets, arrivals, departures, -left, right, height)


def _shelf(level: Level, placed: list[Placement], grid: float) -> _Shelf:
    between = level.spacing.components
    areas = [(p.left + p.right + between) * (p.height + between) for p in placed]
    aspect = 1 / ASPECT if level.spacing.across else ASPECT
    wanted = float(np.sqrt((sum(areas) + grid) * aspect))
    start = -placed[0].left if placed else 0.0
    return _Shelf(start, start + np.ceil(max([wanted, *[p.left + p.right for p in placed]])), between, start)


def _sorted(lines: list[Floats], nets: list[Ints]) -> tuple[Floats, Ints]:
    all_nets = np.concatenate(nets)
    order = np.argsort(all_nets, kind="stable")
    return np.concatenate(lines)[order], all_nets[order].astype(np.int32)


def lengthened(level: Level, placement: Placement, height: float) -> Placement:
    """At least so high, with its lower ports on the lower border."""
    if placement.height >= height:
        return placement
    y, lines, nets = placement.y.copy(), [placement.lines], [placement.line_nets]
    _lengthen(level, np.flatnonzero(level.bottoms).tolist(), placement.x, y, height, lines, nets)
    all_lines, all_nets = _sorted(lines, nets)
    return replace(placement, y=y, lines=all_lines, line_nets=all_nets, height=height)


def _pinned(level: Level) -> bool:
    return bool((level.tops | level.bottoms).any())


def _cell(level: Level, loose: Ints) -> tuple[float, float]:
    """The room that each item without lines gets."""
    if not len(loose):
        return 0.0, 0.0
    width = float((level.left + level.right)[loose].max()) + level.spacing.boxes
    return width, float(level.heights[loose].max()) + level.spacing.rows


def _fill(
    level: Level, loose: Ints, cell: tuple[float, float], shelf: _Shelf, x: Floats, y: Floats, *, below: bool
) -> None:
    """Items without lines stand in a grid, in file order."""
    columns = max(1, min(len(loose), int((shelf.limit - shelf.start) // cell[0])))
    rows = -(-len(loose) // columns)
    left, top = shelf.put(columns * cell[0] - level.spacing.boxes, rows * cell[1] - level.spacing.rows, below=below)
    number = np.arange(len(loose))
    middle = np.floor((cell[0] - level.spacing.boxes - level.left[loose] - level.right[loose]) / 2)
    x[loose] = left + (number % columns) * cell[0] + middle + level.left[loose]
    y[loose] = top + (number // columns) * cell[1] + (level.spacing.head if level.framed else 0.0)


def _lengthen(
    level: Level, ports: list[int], x: Floats, y: Floats, height: float, lines: list[Floats], nets: list[Ints]
) -> None:
    """Lower ports are all moved down to the border."""
    for port in ports:
        if y[port] < height:
            lines.append(np.array([[x[port], y[port], x[port], height]]))
            nets.append(level.nets[np.flatnonzero(level.sinks == port)[:1]])
            y[port] = height
