"""In which row every item stands: below all that it reads from, and close to what it belongs to."""

from dataclasses import dataclass

import numpy as np

from errorflow.arrays import Ints, Ragged
from errorflow.layout.level import Bools, Level
from errorflow.layout.share import shared
from errorflow.layout.shorten import shorten

WIDEST_ROW = 4000.0  # wider rows are broken into several
FEW = 12  # rows of so few items are never broken


@dataclass(frozen=True, slots=True)
class Ranks:
    rows: Ints  # (n,) 0 is the uppermost
    forward: Bools  # (e,) False: the end closes a cycle and is drawn against the flow
    order: list[int]  # items so that every one stands behind those it reads from


def rank(level: Level) -> Ranks:
    """Longest path from above, then everything moves to where its lines are shortest."""
    starts, ends = level.sources[level.nets], level.sinks
    forward = forward_ends(len(level), starts, ends)
    order = peel(len(level), starts[forward], ends[forward])
    rows = _longest(order, Ragged.grouped(ends[forward], starts[forward], len(level)))
    deepest = max(rows, default=0) + 1
    for port in np.flatnonzero(level.bottoms).tolist():
        rows[port] = deepest
    free = ~(level.tops | level.bottoms)
    shorten(level, forward, [item for item in order if free[item]], rows)
    settled = shared(level, forward, np.array(rows, np.int32))
    return Ranks(_pin(level, _break_wide(level, settled)), forward, order)


def forward_ends(n: int, starts: Ints, ends: Ints) -> Bools:
    """Which edges stay when those that close a cycle are taken out."""
    keep: Bools = starts != ends
    if bool(np.all(starts[keep] < ends[keep])) or len(peel(n, starts[keep], ends[keep])) == n:
        return keep
    keep[_closing(n, starts, ends)] = False
    return keep


def _closing(n: int, starts: Ints, ends: Ints) -> list[int]:
    """Edges that lead back to where a depth-first walk came from."""
    readers = Ragged.grouped(starts, np.arange(len(starts), dtype=np.int32), n)
    first, edges, targets = readers.starts.tolist(), readers.values.tolist(), ends.tolist()
    sources = np.bincount(ends, minlength=n) == 0
    state = [0] * n  # 1: on the way, 2: done
    back: list[int] = []
    for root in [*np.flatnonzero(sources).tolist(), *range(n)]:
        if state[root]:
            continue
        state[root] = 1
        stack = [(root, first[root])]
        while stack:
            item, position = stack.pop()
            if position == first[item + 1]:
                state[item] = 2
                continue
            stack.append((item, position + 1))
            target = targets[edges[position]]
            if state[target] == 1:
                back.append(edges[position])
            elif not state[target]:
                state[target] = 1
                stack.append((target, first[target]))
    return back


def peel(n: int, starts: Ints, ends: Ints) -> list[int]:
    """Items so that every one stands behind those it reads from; those in a cycle are missing."""
    readers = Ragged.grouped(starts, ends, n)
    first, values = readers.starts.tolist(), readers.values.tolist()
    waiting = np.bincount(ends, minlength=n).tolist()
    order = [item for item, count in enumerate(waiting) if count == 0]
    for item in order:  # grows while it is walked
        for reader in values[first[item] : first[item + 1]]:
            waiting[reader] -= 1
            if not waiting[reader]:
                order.append(reader)
    return order


def _longest(order: list[int], read: Ragged) -> list[int]:
    rows = [0] * len(order)
    first, values = read.starts.tolist(), read.values.tolist()
    for item in order:
        above = values[first[item] : first[item + 1]]
        if above:
            rows[item] = 1 + max([rows[other] for other in above])
    return rows


def _break_wide(level: Level, rows: Ints) -> Ints:
    """Rows wider than anyone can read become several; no line joins items of one row, so they may be."""
    widths = level.left + level.right + 20.0
    widths[level.tops | level.bottoms] = 0.0
    totals = np.bincount(rows, weights=widths)
    counts = np.bincount(rows)
    wide = np.flatnonzero((totals > WIDEST_ROW) & (counts > FEW))
    if not len(wide):
        return rows
    extra = np.zeros(len(totals), np.int32)
    part = np.zeros(len(rows), np.int32)
    for row in wide.tolist():
        items = np.flatnonzero(rows == row)
        part[items] = (np.cumsum(widths[items]) - widths[items]) // WIDEST_ROW
        extra[row] = part[items].max()
    shifted: Ints = (rows + np.cumsum(extra)[rows] - extra[rows] + part).astype(np.int32)
    return shifted


def _pin(level: Level, rows: Ints) -> Ints:
    """Ports go to rows of their own above and below everything."""
    inner = ~(level.tops | level.bottoms)
    rows = rows - rows[inner].min() if inner.any() else np.zeros_like(rows)
    last = int(rows[inner].max(initial=-1))
    if level.tops.any():
        rows, last = rows + 1, last + 1
    rows[level.tops] = 0
    rows[level.bottoms] = last + 1
    return rows.astype(np.int32)
