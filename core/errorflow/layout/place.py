"""How far left or right everything stands.

The spine is pinned at x = 0; both sides are packed towards it, then blocks slide within their slack to where their
lines are shortest. All distances are whole numbers as long as the sizes are.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from errorflow.base.arrays import Ragged
from errorflow.layout.align import Blocks
from errorflow.layout.drawing import Floats
from errorflow.layout.level import Spacing, known
from errorflow.layout.mesh import Mesh
from errorflow.layout.order import flat
from errorflow.layout.sweep import Rows

SLIDES = ((20_000, 6), (100_000, 2))  # up to so many blocks, so many rounds; none beyond
TRUNK_WEIGHT = 4.0  # how much more a kink in a trunk hurts than a slanted end


def place(mesh: Mesh, rows: Rows, blocks: Blocks, left: Floats, right: Floats, spacing: Spacing) -> Floats:
    """The x of every vertex's anchor. `left` and `right` are how far vertices reach."""
    limits = _limits(mesh, rows, blocks, left, right, spacing)
    order = limits.order()
    x = _pack(limits, order, blocks)
    rounds = next((count for size, count in SLIDES if blocks.count <= size), 0)
    if rounds and blocks.count > 1:
        _slide(mesh, blocks, limits, order, x, rounds)
    return np.array(x)[blocks.of] + blocks.offsets


@dataclass(frozen=True, slots=True)
class _Limits:
    """Block `rights[i]` is at least `gaps[i]` to the right of block `lefts[i]`."""

    lefts: list[int]
    rights: list[int]
    gaps: list[float]
    after: list[list[int]]  # for each block, which of these limits it is the left one of
    before: list[list[int]]

    def order(self) -> list[int]:
        """Blocks from left to right."""
        waiting = [len(limits) for limits in self.before]
        ready = [block for block, count in enumerate(waiting) if not count]
        for block in ready:  # grows while it is walked
            for limit in self.after[block]:
                other = self.rights[limit]
                waiting[other] -= 1
                if not waiting[other]:
                    ready.append(other)
        return ready


def _limits(mesh: Mesh, rows: Rows, blocks: Blocks, left: Floats, right: Floats, spacing: Spacing) -> _Limits:
    order = flat(rows)
    a, b = order[:-1], order[1:]
    same = mesh.rows[a] == mesh.rows[b]
    a, b = a[same], b[same]
    thin = (a >= mesh.items).astype(int) + (b >= mesh.items)
    between = np.array([spacing.boxes, spacing.trunk, spacing.trunks])[thin]
    gaps = right[a] + between + left[b] + blocks.offsets[a] - blocks.offsets[b]
    pairs = blocks.of[a].astype(np.int64) * blocks.count + blocks.of[b]
    unique, where = np.unique(pairs, return_inverse=True)
    widest = np.full(len(unique), -np.inf)
    np.maximum.at(widest, where, gaps)
    lefts, rights = (unique // blocks.count).astype(np.int32), (unique % blocks.count).astype(np.int32)
    numbers = np.arange(len(unique), dtype=np.int32)
    return _Limits(
        lefts.tolist(),
        rights.tolist(),
        widest.tolist(),
        Ragged.grouped(lefts, numbers, blocks.count).lists(),
        Ragged.grouped(rights, numbers, blocks.count).lists(),
    )


def _pack(limits: _Limits, order: list[int], blocks: Blocks) -> list[float]:
    """Everything as close to the spine as it can be."""
    nowhere = float("nan")
    x = [nowhere] * blocks.count
    x[blocks.spine] = 0.0
    for block in order:
        bounds = [x[limits.lefts[i]] + limits.gaps[i] for i in limits.before[block]]
        bounds = [bound for bound in bounds if bound == bound]
        if bounds and block != blocks.spine:
            x[block] = max(bounds)
    for block in reversed(order):
        if x[block] != x[block]:
            bounds = [x[limits.rights[i]] - limits.gaps[i] for i in limits.after[block]]
            x[block] = min(bounds)
    return x


@dataclass(slots=True)
class _Pull:
    """Where a block's lines would like it to be: beside `others`, `shifts` further to the right."""

    others: list[int]
    shifts: list[float]
    weights: list[float]


def _pulls(mesh: Mesh, blocks: Blocks) -> list[_Pull]:
    a, b = blocks.of[mesh.upper], blocks.of[mesh.lower]
    start = blocks.offsets[mesh.upper] + known(mesh.upper_ports)
    end = blocks.offsets[mesh.lower] + known(mesh.lower_ports)
    both = (mesh.upper >= mesh.items) & (mesh.lower >= mesh.items)
    weight = np.where(both, TRUNK_WEIGHT, 1.0)
    keep = a != b
    owners = np.concatenate([a[keep], b[keep]])
    others = np.concatenate([b[keep], a[keep]])
    shifts = np.concatenate([(end - start)[keep], (start - end)[keep]])
    weights = np.concatenate([weight[keep], weight[keep]])
    rows = Ragged.grouped(owners, np.arange(len(owners), dtype=np.int32), blocks.count)
    other, shift, heavy = others[rows.values].tolist(), shifts[rows.values].tolist(), weights[rows.values].tolist()
    return [_Pull(other[i:j], shift[i:j], heavy[i:j]) for i, j in pairwise(rows.starts.tolist())]


def _slide(mesh: Mesh, blocks: Blocks, limits: _Limits, order: list[int], x: list[float], rounds: int) -> None:
    pulls = _pulls(mesh, blocks)
    for turn in range(rounds):
        moved = False
        for block in order if turn % 2 else reversed(order):
            pull = pulls[block]
            if block == blocks.spine or not pull.others:
                continue
            wish = _median([x[o] + s for o, s in zip(pull.others, pull.shifts, strict=True)], pull.weights)
            low = max([x[limits.lefts[i]] + limits.gaps[i] for i in limits.before[block]], default=-np.inf)
            high = min([x[limits.rights[i]] - limits.gaps[i] for i in limits.after[block]], default=np.inf)
            target = min(max(wish, low), high)
            if target != x[block]:
                x[block] = target
                moved = True
        if not moved:
            return


def _median(values: list[float], weights: list[float]) -> float:
    """Half of the weight is on either side of it; of two such, the one next to the spine."""
    if len(values) == 1:
        return values[0]
    pairs = sorted(zip(values, weights, strict=True))
    rest = sum(weights) / 2
    for position, (value, weight) in enumerate(pairs):
        rest -= weight
        if rest < 0:
            return value
        if rest == 0:
            return min(value, pairs[position + 1][0], key=abs)
    return pairs[-1][0]


def extents(level_left: Floats, level_right: Floats, mesh: Mesh) -> tuple[Floats, Floats]:
    """How far every vertex reaches: trunks are as thin as a line."""
    rest = np.zeros(len(mesh.rows) - mesh.items)
    return np.concatenate([level_left, rest]), np.concatenate([level_right, rest])
