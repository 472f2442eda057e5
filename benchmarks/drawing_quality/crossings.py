"""Where lines cross, in the picture as it is seen, whoever drew it."""

import numpy as np
from drawing_quality.bands import banded, corners_of, meeting

from errorflow.base.arrays import Ints, Longs
from errorflow.layout.drawing import Floats

DIGITS = 3  # of a pixel; what is closer is the same place
GRAIN = 10.0  # to a pixel: crossings of the same two tensors that are closer are one


def crossed(lines: Floats, tensors: Ints) -> int:
    """At how many places two lines cross.

    Pieces that lie on each other are one. Lines of one tensor that part or join are no crossing; if one goes through
    another to its other side it is. Where a line goes exactly through a bend of another, both bends count once.
    """
    pieces, tensors = _once(_downwards(np.round(lines, DIGITS)), tensors)
    corners, span = corners_of(pieces)
    upright = pieces[:, 0] == pieces[:, 2]
    bent = banded(corners, np.flatnonzero(~upright).astype(np.int32), span)
    straight = banded(corners, np.flatnonzero(upright).astype(np.int32), span)
    found = [np.zeros((0, 4), np.int64)]
    for others in (bent, straight):
        found += [_crossed(pieces, tensors, *pair) for pair in meeting(bent, others)]
    return len(np.unique(np.concatenate(found), axis=0))


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
