"""Rows of items: below all that they read from, and close to what they belong to."""

from bisect import bisect_right

import numpy as np

from errorflow.base.arrays import Ints, Ragged
from errorflow.base.values import dataclass, field
from errorflow.layout.drawing import Floats
from errorflow.layout.level import Bools, Level

# Items move down or up to where their lines are shortest.
FAN = 4  # readers: where so many stay in a row the others do, too, so that lines fan out only once


def shorten(level: Level, forward: Bools, order: list[int], rows: list[int]) -> None:
    """Lowers items whose lines get shorter by that, then lifts those that gain from it."""
    n, k = len(level), len(level.sources)
    nets, sinks = level.nets[forward], level.sinks[forward]
    flow = _Flow(
        rows=rows,
        readers=Ragged.grouped(nets, sinks, k).lists(),
        made=Ragged.grouped(level.sources, np.arange(k, dtype=np.int32), n).lists(),
        read=Ragged.grouped(sinks, nets, n).lists(),
        sources=level.sources.tolist(),
    )
    for item in reversed(order):
        flow.lower(item)
    for item in order:
        flow.lift(item)


@dataclass(frozen=True, slots=True, eq=False)
class _Flow:
    """Rows of items, and the nets between them."""

    rows: list[int]
    readers: list[list[int]]  # of each net
    made: list[list[int]]  # nets that each item makes
    read: list[list[int]]  # nets that each item reads
    sources: list[int]
    _fans: dict[int, list[int]] = field(default_factory=dict)

    def lower(self, item: int) -> None:
        rows, readers = self.rows, self.readers
        outs = [net for net in self.made[item] if readers[net]]
        if not outs:
            return
        low = self._lowest(item)
        if low > rows[item]:
            held = [net for net in self.read[item] if _reach(readers[net], rows, item) < low]
            gains = len(outs) - len(held)
            if gains > 0 or (gains == 0 and not any(self._is_fan(net, rows[item]) for net in held)):
                rows[item] = low

    def lift(self, item: int) -> None:
        rows, readers = self.rows, self.readers
        if not self.read[item]:
            return
        highest = max([rows[self.sources[net]] for net in self.read[item]]) + 1
        if highest < rows[item]:
            freed = sum(_reach(readers[net], rows, item) < rows[item] for net in self.read[item])
            if freed >= sum(bool(readers[net]) for net in self.made[item]):
                rows[item] = highest

    def _lowest(self, item: int) -> int:
        """The row above the highest of those that read from the item."""
        below = [self.rows[sink] for net in self.made[item] for sink in self.readers[net]]
        return min(below) - 1 if below else self.rows[item]

    def _is_fan(self, net: int, row: int) -> bool:
        """Whether many readers of the net have to stay in this row or above."""
        if len(self.readers[net]) < FAN:
            return False
        if net not in self._fans:
            self._fans[net] = sorted(map(self._lowest, self.readers[net]))
        return bisect_right(self._fans[net], row) >= FAN


def _reach(readers: list[int], rows: list[int], but: int) -> int:
    """The lowest row that a net leads to, one item left out."""
    if len(readers) == 1:
        return -1
    return max([rows[sink] for sink in readers if sink != but], default=-1)


# Tall items move to rows that are as tall already, if they may, so that a drawing gets no longer than it must.
TALL = 100.0  # scene units
WORTH = 60.0  # so much shorter a drawing must get for an item to leave the row where its lines are shortest


def shared(level: Level, forward: Bools, rows: Ints) -> Ints:
    """The rows after that. Items stay below all that they read from and above all that reads from them."""
    tall = np.flatnonzero((level.heights > TALL) & ~(level.tops | level.bottoms))
    if len(tall) < 2:
        return rows
    rows = rows.copy()
    starts, ends = level.sources[level.nets][forward], level.sinks[forward]
    free = ~(level.tops | level.bottoms)
    inner = np.where(free, level.heights, 0.0)
    for item in tall[np.argsort(-level.heights[tall], kind="stable")].tolist():
        first = int(rows[starts[ends == item]].max(initial=rows[free].min() - 1)) + 1
        last = int(rows[ends[starts == item]].min(initial=rows[free].max() + 1)) - 1
        if first < last:
            others = np.zeros(int(rows.max()) + 1)
            np.maximum.at(others, np.delete(rows, item), np.delete(inner, item))
            rows[item] = _best(others, int(rows[item]), first, last, float(inner[item]))
    return rows


def _best(others: Floats, row: int, first: int, last: int, height: float) -> int:
    """The row that an item of that height makes least taller; the one where it is, if that is about as good."""
    taller = np.maximum(height - others[first : last + 1], 0.0)
    least = np.flatnonzero(taller == taller.min()) + first
    best = int(least[np.argmin(np.abs(least - row))])
    return best if taller[row - first] - taller[best - first] >= WORTH else row


WIDEST_ROW = 4000.0  # wider rows are broken into several
FEW = 12  # rows of so few items are never broken


@dataclass(frozen=True, slots=True)
class LayoutRanks:
    rows: Ints  # (n,) 0 is the uppermost
    forward: Bools  # (e,) False: the end closes a cycle and is drawn against the flow
    order: list[int]  # items so that every one stands behind those it reads from


def rank(level: Level) -> LayoutRanks:
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
    return LayoutRanks(_pin(level, _break_wide(level, settled)), forward, order)


def forward_ends(n: int, starts: Ints, ends: Ints) -> Bools:
    """Marks the edges that stay when those that close a cycle are taken out."""
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
