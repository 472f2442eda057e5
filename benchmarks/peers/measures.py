"""How good a picture is to look at, in numbers, whoever drew it."""

from collections.abc import Iterable
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

import numpy as np
from numpy.typing import NDArray
from peers.bands import banded, meeting
from peers.pictures import Picture
from peers.tangles import Setting

from errorflow.arrays import Ints, Longs
from errorflow.layout.drawing import Floats
from errorflow.layout.quality import EDGE

GRAIN = 10.0  # to a pixel: crossings of the same two tensors that are closer are one


def crossings(drawn: Picture) -> int:
    """At how many places two lines cross.

    Pieces that lie on each other are one. Lines of one tensor that part or join are no crossing; if one goes through
    another to its other side it is. Where a line goes exactly through a bend of another, both bends count once.
    """
    pieces, tensors = _once(_downwards(drawn.pieces), drawn.tensors)
    corners, span = _corners(pieces)
    upright = pieces[:, 0] == pieces[:, 2]
    bent = banded(corners, np.flatnonzero(~upright).astype(np.int32), span)
    straight = banded(corners, np.flatnonzero(upright).astype(np.int32), span)
    found = [np.zeros((0, 4), np.int64)]
    for others in (bent, straight):
        found += [_crossed(pieces, tensors, *pair) for pair in meeting(bent, others)]
    return len(np.unique(np.concatenate(found), axis=0))


def _corners(pieces: Floats) -> tuple[Floats, tuple[float, float]]:
    """Left, top, right and bottom of each, and the least and greatest x of all."""
    left, right = pieces[:, 0::2].min(axis=1), pieces[:, 0::2].max(axis=1)
    corners = np.column_stack([left, pieces[:, 1::2].min(axis=1), right, pieces[:, 1::2].max(axis=1)])
    return corners, (float(left.min(initial=0.0)), float(right.max(initial=0.0)))


def _downwards(pieces: Floats) -> Floats:
    x1, y1, x2, y2 = pieces.T
    turned = (y2 < y1) | ((y2 == y1) & (x2 < x1))
    result: Floats = np.where(turned[:, None], pieces[:, [2, 3, 0, 1]], pieces)
    return result


def _once(pieces: Floats, tensors: Ints) -> tuple[Floats, Ints]:
    """Without pieces that have no length or lie on another."""
    long = np.any(pieces[:, :2] != pieces[:, 2:], axis=1)
    pieces, tensors = pieces[long], tensors[long]
    rows = np.lexsort((tensors, *pieces.T))
    pieces, tensors = pieces[rows], tensors[rows]
    new = np.ones(len(pieces), bool)
    new[1:] = np.any(pieces[1:] != pieces[:-1], axis=1)
    return pieces[new], tensors[new]


def _crossed(pieces: Floats, tensors: Ints, some: Ints, others: Ints) -> Longs:
    """(c, 4): the two tensors and the place of each crossing among these pairs."""
    near = (pieces[some, 1] <= pieces[others, 3]) & (pieces[others, 1] <= pieces[some, 3]) & (some != others)
    some, others = some[near], others[near]
    a, b = pieces[np.minimum(some, others)], pieces[np.maximum(some, others)]
    to_a = _side(a, b[:, :2]), _side(a, b[:, 2:])
    to_b = _side(b, a[:, :2]), _side(b, a[:, 2:])
    # What lies exactly on a line counts as left of it, so that a way through a bend is found in one of its pieces.
    crossing = ((to_a[0] >= 0) != (to_a[1] >= 0)) & ((to_b[0] >= 0) != (to_b[1] >= 0))
    touching = (to_a[0] == 0) | (to_a[1] == 0) | (to_b[0] == 0) | (to_b[1] == 0)
    mine, theirs = tensors[np.minimum(some, others)], tensors[np.maximum(some, others)]
    crossing &= ~touching | (mine != theirs)
    a, from_b, after_b = a[crossing], to_b[0][crossing], to_b[1][crossing]
    part = (from_b / (from_b - after_b))[:, None]
    place = np.floor((a[:, :2] + part * (a[:, 2:] - a[:, :2])) * GRAIN + 0.123).astype(np.int64)
    pair = np.sort(np.column_stack([mine[crossing], theirs[crossing]]), axis=1)
    return np.column_stack([pair, place]).astype(np.int64)


def _side(line: Floats, point: Floats) -> Floats:
    """Positive: left of a line that is looked down along."""
    across: Floats = (line[:, 2] - line[:, 0]) * (point[:, 1] - line[:, 1])
    return across - (line[:, 3] - line[:, 1]) * (point[:, 0] - line[:, 0])


def pierced(drawn: Picture, asked: Setting) -> int:
    """How many pairs of a line and a box there are that it runs through without beginning or ending there."""
    pieces, boxes = drawn.pieces, drawn.boxes + np.array([EDGE, EDGE, -2 * EDGE, -2 * EDGE])
    frames = np.column_stack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]])
    corners, span = _corners(np.concatenate([pieces, frames]))
    lines = banded(corners, np.arange(len(pieces), dtype=np.int32), span)
    areas = banded(corners, np.arange(len(pieces), len(corners), dtype=np.int32), span)
    found: set[tuple[int, int]] = set()
    for piece, area in meeting(lines, areas):
        box = area - len(pieces)
        inside = _inside(pieces[piece], boxes[box])
        found.update(_pairs(drawn.lines[piece[inside]], box[inside]))
    own = {pair for ends in (asked.starts, asked.ends) for pair in _pairs(drawn.edge_lines, drawn.shown_by[ends])}
    return len(found - own)


def _pairs(some: Ints, others: Ints) -> Iterable[tuple[int, int]]:
    return zip(some.tolist(), others.tolist(), strict=True)


def _inside(piece: Floats, box: Floats) -> NDArray[np.bool_]:
    """Whether any of a piece lies in the box: clipped at all four sides something is left."""
    start, end = np.zeros(len(piece)), np.ones(len(piece))
    outside = np.zeros(len(piece), bool)
    for axis in (0, 1):
        at, way = piece[:, axis], piece[:, axis + 2] - piece[:, axis]
        flat = way == 0
        low, high = box[:, axis] - at, box[:, axis] + box[:, axis + 2] - at
        outside |= flat & ((low >= 0) | (high <= 0))
        safe = np.where(flat, 1.0, way)
        start = np.maximum(start, np.where(flat, 0.0, np.minimum(low / safe, high / safe)))
        end = np.minimum(end, np.where(flat, 1.0, np.maximum(low / safe, high / safe)))
    return ~outside & (start < end)


def spine(drawn: Picture, asked: Setting) -> float | None:
    """How far on average one box of a longest path stands beside the next; of several longest the straightest.

    What lies on a cycle or behind one is not looked at. None: there is no path.
    """
    x = (drawn.boxes[:, 0] + drawn.boxes[:, 2] / 2)[drawn.shown_by].tolist()
    after: dict[int, list[int]] = {box: [] for box in range(len(x))}
    for start, end in zip(asked.starts.tolist(), asked.ends.tolist(), strict=True):
        after[start].append(end)
    best = [(0, 0.0)] * len(x)  # length, and less what it swerves
    for box in _settled(after):
        ways = [(best[end][0] + 1, best[end][1] - abs(x[end] - x[box])) for end in after[box]]
        best[box] = max(ways, default=(0, 0.0))
    length, swerve = max(best)
    return abs(swerve) / length if length else None


def _settled(after: dict[int, list[int]]) -> list[int]:
    """Boxes, each behind all that it leads to, as far as that is possible."""
    sorter = TopologicalSorter(after)
    with suppress(CycleError):  # what is not on a cycle can be had all the same
        sorter.prepare()
    settled: list[int] = []
    while ready := sorter.get_ready():
        settled += ready
        sorter.done(*ready)
    return settled
