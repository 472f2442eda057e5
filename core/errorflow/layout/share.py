"""Tall items move to rows that are as tall already, if they may, so that a drawing gets no longer than it must."""

import numpy as np

from errorflow.arrays import Ints
from errorflow.layout.drawing import Floats
from errorflow.layout.level import Bools, Level

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
