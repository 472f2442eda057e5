"""Items move down or up to where their lines are shortest."""

from bisect import bisect_right
from dataclasses import dataclass, field

import numpy as np

from errorflow.arrays import Ragged
from errorflow.layout.level import Bools, Level

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
    """In which row each item stands, and the nets between them."""

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
