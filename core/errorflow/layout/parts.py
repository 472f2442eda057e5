"""Lays a level out: each part that hangs together by itself."""

from dataclasses import replace

import numpy as np

from errorflow.base.arrays import Ints, Ragged
from errorflow.base.progress import SILENT, Progress
from errorflow.layout.align import align
from errorflow.layout.level import Level, Placement
from errorflow.layout.mesh import build
from errorflow.layout.order import arrange
from errorflow.layout.pack import Part, lengthened, pack
from errorflow.layout.place import extents, place
from errorflow.layout.ranks import rank
from errorflow.layout.route import route
from errorflow.layout.stubs import with_stubs, without_stubs

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
        placement = pack(level, _all_connected(parts, progress), loose)
    return _with_frame(level, placement) if level.framed else placement


def _all_connected(parts: list[Part], progress: Progress) -> list[tuple[Part, Placement]]:
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


def _parts(level: Level) -> tuple[list[Part], Ints]:
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
        return [Part(level, *whole)], loose
    order = np.concatenate([order, loose[loops]])
    return _taken_apart(level, label, order.tolist()), loose[~loops]


def _taken_apart(level: Level, label: Ints, order: list[int]) -> list[Part]:
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


def _extract(level: Level, items: Ints, nets: Ints, ends: Ints, item_number: Ints, net_number: Ints) -> Part:
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
    return Part(part, items, nets, ends)


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
