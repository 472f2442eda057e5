"""The lines that belong to a box: what flows in, from its maker to here, and all that flows out.

All consumers of a tensor share one trunk, so of an incoming tensor only the way to this box is of interest. It is found
by walking up along the pieces, from the top of a column to where it is cut in the one before. Where the pieces do not
meet, the whole tensor is shown, or where only its ends are drawn, those at the two boxes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorflow.layout.drawing import Drawing, Floats
from errorflow_viewer.canvas.cells import Cells, bounds_of
from errorflow_viewer.canvas.links import Links

# Scene units: how close counts as touching.
_TOUCH = 0.6
# No way through one tensor's pieces is longer.
_STEPS = 5000


def lines_of(drawing: Drawing, links: Links, box: int) -> Floats:
    """All lines to highlight with a box."""
    parts = [np.zeros((0, 4))]
    for tensor in links.drawn(links.tensors_into(box)).tolist():
        pieces = links.lines_of(tensor)
        maker = links.maker(tensor)
        cuts = _Cuts.of(drawing, tensor)
        way = _way(pieces, cuts, drawing.boxes[box], drawing.boxes[maker]) if maker is not None else None
        if way is None and maker is not None and tensor in drawing.stub_tensors:
            way = _ends(pieces, drawing.boxes[box], drawing.boxes[maker])
        parts.append(pieces if way is None else way)
    parts += [links.lines_of(tensor) for tensor in links.drawn(links.tensors_out_of(box)).tolist()]
    return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class _Cuts:
    """Where a tensor's lines come into a column, and where each of them left the one before."""

    into: Floats
    out: Floats

    @classmethod
    def of(cls, drawing: Drawing, tensor: int) -> "_Cuts":
        """The layout hands over where cut pieces begin, and then in the same order what each of them goes on from."""
        half = len(drawing.marks) // 2
        mine = np.flatnonzero(drawing.mark_tensors[:half] == tensor)
        return cls(drawing.marks[mine], drawing.marks[half + mine])

    def before(self, point: Floats) -> Floats | None:
        """Where the line left that comes in at a point."""
        near = np.flatnonzero(np.all(np.abs(self.into - point) <= _TOUCH, axis=1))
        return self.out[near[0]] if len(near) else None


def _way(pieces: Floats, cuts: _Cuts, end: Floats, start: Floats) -> Floats | None:
    """The pieces, cut where the way branches off, that lead from one box to the other; None: they do not meet."""
    entries = np.flatnonzero(_on(pieces[:, 2:], end))
    if not len(entries):
        return None
    cells = Cells(bounds_of(pieces))
    ways = [_walk_up(pieces, cells, cuts, int(entry), start) for entry in entries.tolist()]
    found = [way for way in ways if way is not None]
    return np.concatenate(found) if found else None


def _ends(pieces: Floats, end: Floats, start: Floats) -> Floats:
    """What there is at both boxes of a line of which no more is drawn."""
    found: Floats = pieces[_on(pieces[:, 2:], end) | _on(pieces[:, :2], start)]
    return found


def _walk_up(pieces: Floats, cells: Cells, cuts: _Cuts, piece: int, start: Floats) -> Floats | None:
    """The way to a last piece, in the order of the flow, so that it is drawn as the curve that it is."""
    point = pieces[piece, 2:]
    walked: set[int] = set()
    way = []
    for _ in range(min(len(pieces), _STEPS)):
        way.append((*pieces[piece, :2], *point))
        point = pieces[piece, :2]
        walked.add(piece)
        if _on(point[None], start)[0]:
            return np.array(way[::-1])
        out = cuts.before(point)
        point = point if out is None else out
        before = [other for other in _through(pieces, cells, point) if other not in walked]
        if not before:
            return None
        # The one that comes from furthest: a trunk rather than another branch that begins here.
        piece = max(before, key=lambda other: float(np.abs(pieces[other, :2] - point).sum()))
    return None


def _on(points: Floats, box: Floats) -> NDArray[np.bool_]:
    """Which points lie on the border of a box or within."""
    low, high = box[:2] - _TOUCH, box[:2] + box[2:] + _TOUCH
    inside: NDArray[np.bool_] = np.all((points >= low) & (points <= high), axis=1)
    return inside


def _through(pieces: Floats, cells: Cells, point: Floats) -> list[int]:
    """Pieces that pass through a point."""
    near = cells.within(*(point - _TOUCH), *(point + _TOUCH))
    some = pieces[near]
    along = some[:, 2:] - some[:, :2]
    length = np.maximum((along**2).sum(axis=1), 1e-12)
    share = np.clip(((point - some[:, :2]) * along).sum(axis=1) / length, 0.0, 1.0)
    gap = some[:, :2] + along * share[:, None] - point
    found: list[int] = near[np.all(np.abs(gap) <= _TOUCH, axis=1)].tolist()
    return found
