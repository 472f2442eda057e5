"""Items and the trunks between them as vertices in rows, joined by lines from one row to the next only.

A tensor that is read further down gets one trunk, however many read it: one vertex per row that it passes.
"""

import numpy as np

from errorflow.base.arrays import Ints, Ragged
from errorflow.base.values import dataclass
from errorflow.layout.drawing import Floats
from errorflow.layout.level import Bools, Level
from errorflow.layout.ranks import LayoutRanks

NOTHING = -1


@dataclass(frozen=True, eq=False)
class Mesh:
    """Vertices 0 … items - 1 are the items; the others are pieces of trunks, as thin as a line."""

    items: int
    rows: Ints  # (v,)
    nets: Ints  # (v,) which net a trunk belongs to; NOTHING for items and for the spine's invisible ends
    upper: Ints  # (s,) links between neighbouring rows: from …
    lower: Ints  # (s,) … to
    link_nets: Ints  # (s,)
    upper_ports: Floats  # (s,) offset where the link leaves an item; NaN: anywhere on the box
    lower_ports: Floats  # (s,)
    end_links: Ints  # (ends of nets,) the link that reaches each end; NOTHING: the end closes a cycle
    sides: Ints  # (v,) where a port's line comes from outside, in order: … -1 left, 1 … right, 0 anywhere or no port
    spine: Ints  # one vertex per row, uppermost first
    turns: tuple["LineTurn", ...]  # where a line that closes a cycle turns round
    depth: int  # number of rows


@dataclass(frozen=True, slots=True)
class LineTurn:
    """A line leaves an item downwards (or enters it from above) and meets a trunk of its own row."""

    item: int
    trunk: int
    below: bool
    port: float


def build(level: Level, ranks: LayoutRanks) -> Mesh:
    rows, forward = ranks.rows, ranks.forward
    depth = int(rows.max(initial=-1)) + 1
    nets, sinks, sink_ports = level.nets[forward], level.sinks[forward], level.sink_ports[forward]
    top = rows[level.sources]
    last = top.copy()
    np.maximum.at(last, nets, rows[sinks])
    counts = np.maximum(last - top - 1, 0)
    first = (len(level) + np.cumsum(counts) - counts).astype(np.int32)
    trunk_nets = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    trunks = np.arange(len(level), len(level) + len(trunk_nets), dtype=np.int32)
    trunk_rows = top[trunk_nets] + 1 + trunks - first[trunk_nets]

    begins = trunks == first[trunk_nets]
    chain_upper = np.where(begins, level.sources[trunk_nets], trunks - 1)
    direct = rows[sinks] == top[nets] + 1
    end_upper = np.where(direct, level.sources[nets], first[nets] + rows[sinks] - top[nets] - 2)
    free = np.full(len(trunks), np.nan)
    parts = _Parts(
        rows=[rows, trunk_rows],
        nets=[np.full(len(level), NOTHING, np.int32), trunk_nets],
        upper=[chain_upper, end_upper],
        lower=[trunks, sinks],
        link_nets=[trunk_nets, nets],
        upper_ports=[
            np.where(begins, level.source_ports[trunk_nets], np.nan),
            np.where(direct, level.source_ports[nets], np.nan),
        ],
        lower_ports=[free, sink_ports],
    )
    turns = _against(level, rows, ~forward, parts)
    spine = _spine(level, ranks, forward, parts, first, depth)
    end_links = np.full(len(forward), NOTHING, np.int32)
    end_links[forward] = len(trunks) + np.arange(len(nets), dtype=np.int32)
    return parts.mesh(level, end_links, spine, tuple(turns), depth)


@dataclass(slots=True)
class _Parts:
    """Columns of a mesh as they come in."""

    rows: list[Ints]
    nets: list[Ints]
    upper: list[Ints]
    lower: list[Ints]
    link_nets: list[Ints]
    upper_ports: list[Floats]
    lower_ports: list[Floats]

    def size(self) -> int:
        return sum(len(part) for part in self.rows)

    def add_trunk(self, net: int, top: int, bottom: int) -> range:
        """A trunk of its own through the rows `top` … `bottom`."""
        start, count = self.size(), bottom - top + 1
        self.rows.append(np.arange(top, bottom + 1, dtype=np.int32))
        self.nets.append(np.full(count, net, np.int32))
        chain = np.arange(start, start + count, dtype=np.int32)
        self.upper.append(chain[:-1])
        self.lower.append(chain[1:])
        self.link_nets.append(np.full(count - 1, net, np.int32))
        self.upper_ports.append(np.full(count - 1, np.nan))
        self.lower_ports.append(np.full(count - 1, np.nan))
        return range(start, start + count)

    def link(self, upper: int, lower: int) -> None:
        """Keeps two vertices above each other without drawing anything."""
        self.upper.append(np.array([upper], np.int32))
        self.lower.append(np.array([lower], np.int32))
        self.link_nets.append(np.array([NOTHING], np.int32))
        self.upper_ports.append(np.array([np.nan]))
        self.lower_ports.append(np.array([np.nan]))

    def mesh(self, level: Level, end_links: Ints, spine: Ints, turns: tuple[LineTurn, ...], depth: int) -> Mesh:
        join = np.concatenate
        return Mesh(
            items=len(level),
            end_links=end_links,
            sides=join([level.sides, np.zeros(self.size() - len(level), np.int32)]),
            rows=join(self.rows).astype(np.int32),
            nets=join(self.nets),
            upper=join(self.upper).astype(np.int32),
            lower=join(self.lower).astype(np.int32),
            link_nets=join(self.link_nets),
            upper_ports=join(self.upper_ports),
            lower_ports=join(self.lower_ports),
            spine=spine,
            turns=turns,
            depth=depth,
        )


def _against(level: Level, rows: Ints, backward: Bools, parts: _Parts) -> list[LineTurn]:
    """Trunks for lines against the flow: out at the bottom, up beside everything, in from above."""
    turns: list[LineTurn] = []
    for end in np.flatnonzero(backward).tolist():
        net, sink = int(level.nets[end]), int(level.sinks[end])
        source = int(level.sources[net])
        trunk = parts.add_trunk(net, int(rows[sink]), int(rows[source]))
        turns.append(LineTurn(source, trunk[-1], below=True, port=float(level.source_ports[net])))
        turns.append(LineTurn(sink, trunk[0], below=False, port=float(level.sink_ports[end])))
    return turns


def _spine(level: Level, ranks: LayoutRanks, forward: Bools, parts: _Parts, first: Ints, depth: int) -> Ints:
    """The path through most items, lengthened by invisible trunks so that it crosses every row."""
    items, nets = _longest_path(level, ranks.order, forward)
    rows = ranks.rows[items].tolist()
    spine: list[int] = []
    if rows[0] > 0:
        spine.extend(parts.add_trunk(NOTHING, 0, rows[0] - 1))
        parts.link(spine[-1], items[0])
    for item, net, row, below in zip(items, nets, rows, rows[1:], strict=False):
        spine.append(item)
        spine.extend(range(int(first[net]), int(first[net]) + below - row - 1))
    spine.append(items[-1])
    if rows[-1] < depth - 1:
        rest = parts.add_trunk(NOTHING, rows[-1] + 1, depth - 1)
        parts.link(items[-1], rest[0])
        spine.extend(rest)
    return np.array(spine, np.int32)


FAVOUR = 1_000_000  # outweighs any number of items


def _longest_path(level: Level, order: list[int], forward: Bools) -> tuple[list[int], list[int]]:
    """Items of the path, and the nets between them; among equals the one that comes first in the file."""
    n = len(level)
    ends = np.flatnonzero(forward).astype(np.int32)
    leaving = Ragged.grouped(level.sources[level.nets[ends]], ends, n)
    first, values = leaving.starts.tolist(), leaving.values.tolist()
    nets, sinks, favoured = level.nets.tolist(), level.sinks.tolist(), level.favoured.tolist()
    score = [0] * n
    step = [NOTHING] * n
    for item in reversed(order):
        for end in values[first[item] : first[item + 1]]:
            reached = score[sinks[end]] + 1 + FAVOUR * favoured[nets[end]]
            if reached > score[item]:
                score[item], step[item] = reached, end
    item = max(range(n), key=lambda candidate: (score[candidate], -candidate))
    items, path = [item], []
    while step[item] != NOTHING:
        path.append(nets[step[item]])
        item = sinks[step[item]]
        items.append(item)
    return items, path
