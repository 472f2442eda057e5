"""Which vertices stand exactly above each other: they become rigid blocks.

From one row to the next links are chosen so that none cross, the spine first, then trunks, then chains.
"""

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from errorflow.base.arrays import Ints
from errorflow.layout.drawing import Floats
from errorflow.layout.level import known
from errorflow.layout.mesh import Mesh
from errorflow.layout.sweep import Rows


@dataclass(frozen=True, slots=True)
class Blocks:
    """Vertices that move as one."""

    of: Ints  # (v,) the block of each vertex
    offsets: Floats  # (v,) how far its anchor is from the block's
    count: int
    spine: int


def align(mesh: Mesh, rows: Rows) -> Blocks:
    below, shifts = _chosen(mesh, rows)
    block, offset = [-1] * len(mesh.rows), [0.0] * len(mesh.rows)
    count = 0
    for row in rows:
        for vertex in row:
            if block[vertex] < 0:
                block[vertex] = count
                count += 1
            other = below[vertex]
            if other >= 0:
                block[other] = block[vertex]
                offset[other] = offset[vertex] + shifts[vertex]
    return Blocks(np.array(block, np.int32), np.array(offset), count, block[int(mesh.spine[0])])


def _chosen(mesh: Mesh, rows: Rows) -> tuple[list[int], list[float]]:
    """For each vertex the one below that it is aligned with, or -1, and how far that is to the right."""
    place = np.zeros(len(mesh.rows), np.int32)
    for row in rows:
        place[row] = np.arange(len(row), dtype=np.int32)
    ranking = _ranking(mesh, place)
    upper, lower = mesh.upper[ranking].tolist(), mesh.lower[ranking].tolist()
    shift = (known(mesh.upper_ports) - known(mesh.lower_ports))[ranking]
    shift[np.isin(mesh.upper[ranking], mesh.spine) & np.isin(mesh.lower[ranking], mesh.spine)] = 0.0
    positions = place.tolist()
    row_of = mesh.rows.tolist()
    below, above, shifts = [-1] * len(row_of), [-1] * len(row_of), [0.0] * len(row_of)
    taken: list[tuple[list[int], list[int]]] = [([], []) for _ in rows]
    for a, b, moved in zip(upper, lower, shift.tolist(), strict=True):
        if below[a] >= 0 or above[b] >= 0:
            continue
        starts, ends = taken[row_of[a]]
        start, end = positions[a], positions[b]
        at = bisect_left(starts, start)
        if (at and ends[at - 1] > end) or (at < len(ends) and ends[at] < end):
            continue
        starts.insert(at, start)
        ends.insert(at, end)
        below[a], above[b], shifts[a] = b, a, moved
    return below, shifts


def _ranking(mesh: Mesh, place: Ints) -> Ints:
    """Links in the order in which they are to be straight."""
    outs = np.bincount(mesh.upper, minlength=len(mesh.rows))[mesh.upper]
    ins = np.bincount(mesh.lower, minlength=len(mesh.rows))[mesh.lower]
    trunks = (mesh.upper >= mesh.items) & (mesh.lower >= mesh.items)
    following = np.full(len(mesh.rows), -2, np.int32)
    following[mesh.spine[:-1]] = mesh.spine[1:]
    spine = following[mesh.upper] == mesh.lower
    rank = np.select([spine, trunks, (outs == 1) & (ins == 1)], [0, 1, 2], 3)
    off_middle = _off_middle(mesh.upper, place[mesh.lower]) + _off_middle(mesh.lower, place[mesh.upper])
    order: Ints = np.lexsort((place[mesh.lower], place[mesh.upper], off_middle, rank)).astype(np.int32)
    return order


def _off_middle(owner: Ints, places: Ints) -> Floats:
    """How far each link is from the middle one of its owner's links."""
    order = np.lexsort((places, owner))
    sorted_owner = owner[order]
    starts = np.flatnonzero(np.diff(sorted_owner, prepend=-1))
    counts = np.diff(np.append(starts, len(order)))
    number = np.arange(len(order)) - np.repeat(starts, counts)
    result = np.empty(len(order))
    result[order] = np.abs(number - np.repeat((counts - 1) / 2, counts))
    return result
