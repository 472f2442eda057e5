"""Lines of which only the two ends are drawn: those of tensors that very many read, and those into a stack.

What they would join is placed as if they were not there.
"""

from dataclasses import replace

import numpy as np

from errorflow.base.arrays import Ints, distinct
from errorflow.layout.drawing import Bytes, Floats
from errorflow.layout.level import Bools, Level, Placement

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
    """What was placed without them, with idle ports and all stubs."""
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
    """With the spine in the middle, since no line runs along it."""
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
    """So many places next to the spine that are clear of the taken ones; any, where there are not enough."""
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
    """How far from its item's anchor each stub is: at the port, else side by side at one end of the box."""
    order = np.argsort(items, kind="stable")
    starts = np.flatnonzero(np.diff(items[order], prepend=-1))
    number = np.empty(len(items))
    number[order] = np.arange(len(items)) - np.repeat(starts, np.diff(np.append(starts, len(items))))
    reach = np.where(side > 0, level.right[items], level.left[items])
    offset = side * np.maximum(reach - INSET - STEP * number, -reach + INSET / 2)
    return np.where(np.isnan(ports), np.where(reach > 0, offset, 0.0), ports)
