"""Whether lines lead where they should: all the way from box to box."""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from peers.pictures import Picture
from peers.tangles import Setting

from errorflow.base.arrays import Ints, Ragged
from errorflow.layout.drawing import Floats

NEAR = 1.0  # closer than this is joined


def unjoined(drawn: Picture, asked: Setting) -> int:
    """How many edges have no line all the way from one box to the other."""
    starts, ends = drawn.shown_by[asked.starts], drawn.shown_by[asked.ends]
    most = int(max(drawn.lines.max(initial=-1), drawn.edge_lines.max(initial=-1))) + 1
    pieces = Ragged.grouped(drawn.lines, np.arange(len(drawn.lines), dtype=np.int32), most)
    edges = Ragged.grouped(drawn.edge_lines, np.arange(len(starts), dtype=np.int32), most)
    total = 0
    for line in np.unique(drawn.edge_lines).tolist():
        boxes = [(drawn.boxes[starts[edge]], drawn.boxes[ends[edge]]) for edge in edges[line].tolist()]
        total += sum(not joined for joined in _joined(drawn.pieces[pieces[line]], boxes))
    return total


def _joined(pieces: Floats, boxes: list[tuple[Floats, Floats]]) -> Iterator[bool]:
    points = pieces.reshape(-1, 2)
    parts = np.array(_parts(pieces), np.int32)
    for start, end in boxes:
        yield bool(np.intersect1d(parts[_at(points, start)], parts[_at(points, end)]).size)


def _at(points: Floats, box: Floats) -> Ints:
    inside = np.all((points >= box[:2] - NEAR) & (points <= box[:2] + box[2:] + NEAR), axis=1)
    return np.flatnonzero(inside).astype(np.int32)


def _parts(pieces: Floats) -> list[int]:
    """For both ends of each piece which part of the line they are in; a line that has no gap is one part."""
    points = pieces.reshape(-1, 2).tolist()
    leader = list(range(len(points)))

    def find(point: int) -> int:
        while leader[point] != point:
            leader[point] = point = leader[leader[point]]
        return point

    for point in range(0, len(points), 2):
        leader[find(point)] = find(point + 1)
    for some, others in _touching(points):
        leader[find(some)] = find(others)
    return [find(point) for point in range(len(points))]


def _touching(points: list[list[float]]) -> Iterator[tuple[int, int]]:
    """Points at the same place, and points that lie on an upright piece."""
    cells: dict[tuple[int, int], int] = {}
    uprights: dict[int, list[int]] = defaultdict(list)
    for point, (x, y) in enumerate(points):
        cell = round(x / NEAR), round(y / NEAR)
        yield point, cells.setdefault(cell, point)
        if point % 2 and x == points[point - 1][0]:
            uprights[cell[0]].append(point)
    steps = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
    for (x, y), point in cells.items():
        yield from ((point, cells[x + dx, y + dy]) for dx, dy in steps if (x + dx, y + dy) in cells)
    for point, (x, y) in enumerate(points):
        for end in (end for dx in (-1, 0, 1) for end in uprights.get(round(x / NEAR) + dx, [])):
            low, high = sorted((points[end - 1][1], points[end][1]))
            if low - NEAR <= y <= high + NEAR:
                yield point, end
