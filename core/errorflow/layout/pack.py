"""Puts the parts of a level side by side."""

import numpy as np

from errorflow.base.arrays import Ints
from errorflow.base.values import dataclass, replace
from errorflow.layout.drawing import Floats
from errorflow.layout.level import Level, Placement

ASPECT = 1.6  # width to height that parts are packed into


@dataclass(frozen=True, slots=True)
class LevelPart:
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
    kept: tuple[float, float] | None = None  # from where to where nothing is to stand on any shelf

    def put(self, width: float, height: float, *, below: bool) -> tuple[float, float]:
        """Places the left upper corner of the next thing; `below` says whether a new shelf may be begun for it."""
        self._step_over(width)
        if below and self.x > self.start and self.x + width > self.limit:
            self.x, self.y, self.tallest = self.start, self.y + self.tallest + self.between, 0.0
            self._step_over(width)
        corner = (self.x, self.y)
        self.x += width + self.between
        self.tallest = max(self.tallest, height)
        return corner

    def _step_over(self, width: float) -> None:
        if self.kept is not None and self.kept[0] - self.between < self.x + width and self.x < self.kept[1]:
            self.x = self.kept[1] + self.between


def pack(level: Level, placed: list[tuple[LevelPart, Placement]], loose: Ints) -> Placement:
    """The parts side by side, and `loose` items, which no line joins, in a grid beside them."""
    x, y = np.zeros(len(level)), np.zeros(len(level))
    arrivals, departures = np.full(len(level.sinks), np.nan), np.full(len(level.sources), np.nan)
    lines, nets = [np.zeros((0, 4))], [np.zeros(0, np.int32)]
    placed, main = _in_order(placed)
    cell = _cell(level, loose)
    shelf = _shelf(level, [placement for _, placement in placed], cell[0] * cell[1] * len(loose), main)
    hanging: list[int] = []
    for part, placement in placed:
        below = not _pinned(part.level)
        if below and hanging and shelf.kept is None:
            _keep_clear(shelf, [each for each in placed if not _pinned(each[0].level)], cell)
        corner = shelf.put(placement.left + placement.right, placement.height, below=below)
        shift = corner[0] + placement.left
        x[part.items], y[part.items] = placement.x + shift, placement.y + corner[1]
        arrivals[part.ends], departures[part.nets] = placement.arrivals + shift, placement.departures + shift
        lines.append(placement.lines + np.array([shift, corner[1], shift, corner[1]]))
        nets.append(part.nets[placement.line_nets])
        hanging.extend(part.items[part.level.bottoms].tolist())
    if len(loose):
        if hanging and shelf.kept is None:
            _keep_clear(shelf, [], cell)
        _fill(level, loose, cell, shelf, x, y)
    height = float(np.max(y + level.heights)) + (level.spacing.foot if level.framed else 0.0)
    height = max([height, *[float(part[:, [1, 3]].max()) for part in lines if len(part)]])
    _lengthen(level, hanging, x, y, height, lines, nets)
    reach, line_nets = _sorted(lines, nets)
    left = min(float(np.min(x - level.left)), float(reach[:, [0, 2]].min(initial=0.0)))
    right = max(float(np.max(x + level.right)), float(reach[:, [0, 2]].max(initial=0.0)))
    return Placement(x, y, reach, line_nets, arrivals, departures, -left, right, height)


def _in_order(placed: list[tuple[LevelPart, Placement]]) -> tuple[list[tuple[LevelPart, Placement]], int]:
    """Parts from left to right: those with ports first, as their lines come in. Also the number of the one with the
    spine, or else the largest.
    """
    pinned = [each for each in placed if _pinned(each[0].level)]
    if not pinned:
        return placed, 0
    main = next((each for each in pinned if each[0].level.favoured.any()), pinned[0])
    others = sorted([(_aside(part.level), i) for i, (part, _) in enumerate(pinned) if part is not main[0]])
    left = [pinned[i] for aside, i in others if aside < 0]
    right = [pinned[i] for aside, i in others if aside >= 0]
    return [*left, main, *right, *[each for each in placed if not _pinned(each[0].level)]], len(left)


def _aside(level: Level) -> float:
    """Measures how far left or right the lines of a part with ports come in and go out."""
    return float(level.sides[level.tops | level.bottoms].mean())


def _keep_clear(shelf: _Shelf, others: list[tuple[LevelPart, Placement]], cell: tuple[float, float]) -> None:
    """Keeps what comes now on both sides of what stands there, below which lines run to the lower border."""
    left, right = shelf.start, shelf.x - shelf.between
    widest = max([cell[0], *[placement.left + placement.right for _, placement in others]]) + shelf.between
    side = max(1, round((shelf.limit - right) / 2 / widest)) * widest
    shelf.start = shelf.x = left - side
    shelf.limit, shelf.kept, shelf.tallest = right + side, (left, right), 0.0


def _shelf(level: Level, placed: list[Placement], grid: float, main: int) -> _Shelf:
    """Makes a shelf for all parts; the spine of the main one comes to lie at x = 0."""
    between = level.spacing.components
    areas = [(p.left + p.right + between) * (p.height + between) for p in placed]
    aspect = 1 / ASPECT if level.spacing.across else ASPECT
    wanted = float(np.sqrt((sum(areas) + grid) * aspect))
    start = -placed[main].left - sum(p.left + p.right + between for p in placed[:main]) if placed else 0.0
    return _Shelf(start, start + np.ceil(max([wanted, *[p.left + p.right for p in placed]])), between, start)


def _sorted(lines: list[Floats], nets: list[Ints]) -> tuple[Floats, Ints]:
    all_nets = np.concatenate(nets)
    order = np.argsort(all_nets, kind="stable")
    return np.concatenate(lines)[order], all_nets[order].astype(np.int32)


def lengthened(level: Level, placement: Placement, height: float) -> Placement:
    """Lengthens a placement to that height, with its lower ports on the lower border."""
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


def _fill(level: Level, loose: Ints, cell: tuple[float, float], shelf: _Shelf, x: Floats, y: Floats) -> None:
    """Items without lines stand in a grid, in file order."""
    places, top = _grid(level, len(loose), cell, shelf)
    number = np.arange(len(loose))
    middle = np.floor((cell[0] - level.spacing.boxes - level.left[loose] - level.right[loose]) / 2)
    x[loose] = places[number % len(places)] + middle + level.left[loose]
    y[loose] = top + (number // len(places)) * cell[1] + (level.spacing.head if level.framed else 0.0)


def _grid(level: Level, count: int, cell: tuple[float, float], shelf: _Shelf) -> tuple[Floats, float]:
    """Finds where the columns of a grid for so many items begin, and its upper edge."""
    if shelf.kept is None:
        columns = max(1, min(count, int((shelf.limit - shelf.start) // cell[0])))
        rows = -(-count // columns)
        size = columns * cell[0] - level.spacing.boxes, rows * cell[1] - level.spacing.rows
        left, top = shelf.put(*size, below=not level.bottoms.any())
        return (left + np.arange(columns) * cell[0]).astype(np.float64), top
    left, right = shelf.kept[0] - shelf.between + level.spacing.boxes, shelf.kept[1] + shelf.between
    each = max(1, min((count + 1) // 2, int((shelf.limit - shelf.kept[1]) // cell[0])))
    places = np.concatenate([left - np.arange(each, 0, -1) * cell[0], right + np.arange(each) * cell[0]])
    top = shelf.y + (shelf.tallest + shelf.between if shelf.tallest else 0.0)
    return places.astype(np.float64), top


def _lengthen(
    level: Level, ports: list[int], x: Floats, y: Floats, height: float, lines: list[Floats], nets: list[Ints]
) -> None:
    """Lower ports are all moved down to the border."""
    for port in ports:
        if y[port] < height:
            lines.append(np.array([[x[port], y[port], x[port], height]]))
            nets.append(level.nets[np.flatnonzero(level.sinks == port)[:1]])
            y[port] = height
