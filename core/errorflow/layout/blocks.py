"""Blocks of a model without names: its nodes cut where only one tensor is alive and goes several ways.

At such a place one residual block, inception module or attention layer ends and the next begins. Runs of similar blocks
become stages.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from errorflow.base import SILENT, Progress, dataclass
from errorflow.base.arrays import Ints, Longs, Ragged
from errorflow.layout.level import Bools
from errorflow.layout.tree import STEPS

LONG_LIFE = 90  # positions; what lives longer (masks, skips of a UNet) does not hold a block together
SMALLEST = 3  # nodes; smaller blocks join the next one
LARGEST = 60  # nodes; larger blocks are cut where fewest tensors are alive, …
CHUNK = 15  # … into pieces of so many or more
ALIKE = 0.7  # share of equal operators from which on blocks count as similar
OFTEN = 10_000  # items between two looks whether to go on
PERIODS = 4  # up to so many blocks may form a repeated layer


@dataclass(frozen=True, eq=False)
class BlockPiece:
    """Items that belong together, or smaller pieces. The name is "stage", "layer" or "block"."""

    name: str
    items: tuple[int, ...] = ()
    parts: tuple["BlockPiece", ...] = ()


def blocks(
    items: Ints,
    start: Ints,
    end: Ints,
    tensors: Ints,
    kinds: Sequence[int],
    held: frozenset[int],
    progress: Progress = SILENT,
) -> tuple[BlockPiece, ...]:
    """`items` cut into pieces, in the order of the flow. Edges are among these items; `kinds` is by item.

    What is `held` gets into no piece, and no tensor leaves a piece and comes back to it through such items.
    """
    progress.step(4, STEPS, "Finding blocks")
    number = {item: position for position, item in enumerate(items.tolist())}
    a = np.array([number[item] for item in start.tolist()], np.int32)
    b = np.array([number[item] for item in end.tolist()], np.int32)
    order = _flow(len(items), a, b, progress)
    runs = _cut(order, a, b, tensors)
    progress.step(4, STEPS, "Finding blocks")
    if held:
        runs = _without({number[item] for item in held}, runs, Ragged.grouped(b, a, len(items)).lists())
    found = [[int(items[place]) for place in run] for run in runs]
    # Stages could again hold what is left and come back to.
    return tuple(BlockPiece("block", items=tuple(block)) for block in found) if held else _stages(found, kinds)


def _without(held: set[int], runs: list[list[int]], makers: list[list[int]]) -> list[list[int]]:
    """Runs without these places, each cut before what comes back through them."""
    pieces: list[list[int]] = []
    for run in runs:
        pieces.append([])
        inside: set[int] = set()  # the last piece and held places that read from it
        for place in run:
            if place in held:
                if not inside.isdisjoint(makers[place]):
                    inside.add(place)
                continue
            if any(maker in held and maker in inside for maker in makers[place]):
                pieces.append([])
                inside = set()
            pieces[-1].append(place)
            inside.add(place)
    return [piece for piece in pieces if piece]


def _flow(count: int, start: Ints, end: Ints, progress: Progress) -> list[int]:
    """Items one branch after the other; sources right before their first reader, sinks right behind their maker."""
    readers = Ragged.grouped(start, end, count).lists()
    makers = Ragged.grouped(end, start, count).lists()
    progress.step(4, STEPS, "Finding blocks")
    waiting = [sum([bool(makers[maker]) for maker in makers[item]]) for item in range(count)]
    stack = [item for item in reversed(range(count)) if makers[item] and not waiting[item]]
    done = [False] * count
    order: list[int] = []
    steps = 0
    while stack:
        steps += 1
        if steps % OFTEN == 0:
            progress.step(4, STEPS, "Finding blocks")
        item = stack.pop()
        if done[item]:
            continue
        for other in [maker for maker in makers[item] if not makers[maker] and not done[maker]]:
            if not done[other]:
                done[other] = True
                order.append(other)
        done[item] = True
        order.append(item)
        ready = []
        for reader in readers[item]:
            waiting[reader] -= 1
            if not waiting[reader]:
                ready.append(reader)
        stack.extend(sorted(ready, key=lambda reader: (not readers[reader], -reader)))
    order.extend(item for item in range(count) if not done[item])
    return order


def _cut(order: list[int], start: Ints, end: Ints, tensors: Ints) -> list[list[int]]:
    position: Longs = np.empty(len(order), np.int64)
    position[order] = np.arange(len(order))
    alive, forking = _alive(position, start, end, tensors)
    single = alive == 1
    cuts = np.flatnonzero(single & forking)
    runs, begin = [], 0
    for cut in [*cuts.tolist(), len(order) - 1]:
        if cut + 1 - begin >= SMALLEST:
            runs.append((begin, cut + 1))
            begin = cut + 1
    if begin < len(order):
        runs.append((begin, len(order)))
    return [order[a:b] for begin, stop in runs for a, b in _smaller(begin, stop, alive)]


def _alive(position: Longs, start: Ints, end: Ints, tensors: Ints) -> tuple[Longs, Bools]:
    """Counts after each position the tensors that are still needed, and marks where one of those goes several ways."""
    values, index = np.unique(tensors, return_inverse=True)
    born = np.zeros(len(values), np.int64)
    born[index] = position[start]
    dies = born.copy()
    np.maximum.at(dies, index, position[end])
    readers = np.bincount(index, minlength=len(values))
    short = (dies > born) & (dies - born <= LONG_LIFE)
    steps = np.zeros((2, len(position) + 1), np.int64)
    for row, chosen in enumerate((short, short & (readers > 1))):
        np.add.at(steps[row], born[chosen], 1)
        np.subtract.at(steps[row], dies[chosen], 1)
    alive, forks = np.cumsum(steps, axis=1)[:, :-1]
    return alive, forks > 0


def _smaller(begin: int, stop: int, alive: Longs) -> list[tuple[int, int]]:
    """A block that is too large, cut where only one tensor is alive; where there is no such place, at the best one."""
    if stop - begin <= LARGEST:
        return [(begin, stop)]
    pieces, first = [], begin
    while first + CHUNK < stop - CHUNK // 2:
        places = alive[first + CHUNK - 1 : min(first + LARGEST, stop - CHUNK // 2) - 1]
        best = int(np.argmin(places))
        if stop - first <= LARGEST and places[best] > 1:
            break
        pieces.append((first, first + CHUNK + best))
        first += CHUNK + best
    return [*pieces, (first, stop)]


def _stages(found: list[list[int]], kinds: Sequence[int]) -> tuple[BlockPiece, ...]:
    """Blocks, those of a run of similar ones inside a stage."""
    counts = [Counter(kinds[item] for item in block) for block in found]
    made = [BlockPiece("block", items=tuple(block)) for block in found]
    pieces: list[BlockPiece] = []
    at = 0
    while at < len(made):
        period, repeats = _repeated(counts, at)
        if repeats < 2:
            pieces.append(made[at])
            at += 1
            continue
        units = [made[i : i + period] for i in range(at, at + period * repeats, period)]
        layers = [unit[0] if period == 1 else BlockPiece("layer", parts=tuple(unit)) for unit in units]
        pieces.extend(_split_stage(layers, counts[at : at + period * repeats : period]))
        at += period * repeats
    return tuple(pieces)


def _repeated(counts: list[Counter[int]], at: int) -> tuple[int, int]:
    """Period and number of repetitions of the run that begins here, the one that covers most."""
    best = (1, 1)
    for period in range(1, PERIODS + 1):
        reach = at + period
        while reach < len(counts) and _alike(counts[reach - period], counts[reach]):
            reach += 1
        repeats = (reach - at) // period
        if repeats >= 2 and repeats * period > best[0] * best[1]:
            best = (period, repeats)
    return best


def _alike(a: Counter[int], b: Counter[int]) -> bool:
    return (a & b).total() >= ALIKE * (a | b).total()


def _split_stage(layers: list[BlockPiece], counts: list[Counter[int]]) -> list[BlockPiece]:
    """A new stage begins where a layer like the first one comes again, as a ResNet's downsampling blocks do."""
    starts = [0]
    for i in range(1, len(layers)):
        if counts[i] == counts[starts[-1]] != counts[i - 1]:
            starts.append(i)
    bounds = [*starts, len(layers)]
    stages = [layers[a:b] for a, b in pairwise(bounds)]
    return [BlockPiece("stage", parts=tuple(stage)) if len(stage) > 1 else stage[0] for stage in stages]
