"""How good a picture is to look at, in numbers, whoever drew it."""

from collections.abc import Iterable
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

import numpy as np
from drawing_quality.bands import banded, corners_of, meeting
from drawing_quality.crossings import crossed
from drawing_quality.quality import EDGE
from numpy.typing import NDArray
from peers.pictures import Picture
from peers.tangles import Setting

from errorflow.base.arrays import Ints
from errorflow.layout.drawing import Floats


def crossings(drawn: Picture) -> int:
    """At how many places two lines cross, by the rule that our own drawings are held to."""
    return crossed(drawn.pieces, drawn.tensors)


def pierced(drawn: Picture, asked: Setting) -> int:
    """How many pairs of a line and a box there are that it runs through without beginning or ending there."""
    pieces, boxes = drawn.pieces, drawn.boxes + np.array([EDGE, EDGE, -2 * EDGE, -2 * EDGE])
    frames = np.column_stack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]])
    corners, span = corners_of(np.concatenate([pieces, frames]))
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
