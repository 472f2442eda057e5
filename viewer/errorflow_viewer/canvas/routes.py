"""The lines that belong to a box: what flows in, from its maker to here, and all that flows out.

All consumers of a tensor share one trunk, so of an incoming tensor only the way to this box is of interest. It is found
by walking up along the pieces. Where the pieces do not meet (a column ends), the whole tensor is shown.
"""

import numpy as np
from numpy.typing import NDArray

from errorflow.layout.drawing import Drawing, Floats
from errorflow_viewer.canvas.links import Links

# Scene units: how close counts as touching.
_TOUCH = 0.6
# No way through one tensor's pieces is longer.
_STEPS = 5000


def lines_of(drawing: Drawing, links: Links, box: int) -> Floats:
    """All lines to highlight with a box."""
    parts = [np.zeros((0, 4))]
    for tensor in links.tensors_into(box).tolist():
        pieces = drawing.lines[drawing.lines_of_tensor(tensor)]
        maker = links.maker(tensor)
        way = _way(pieces, drawing.boxes[box], drawing.boxes[maker]) if maker is not None else None
        parts.append(pieces if way is None else way)
    parts += [drawing.lines[drawing.lines_of_tensor(tensor)] for tensor in links.tensors_out_of(box).tolist()]
    return np.concatenate(parts)


def _way(pieces: Floats, end: Floats, start: Floats) -> Floats | None:
    """The pieces, cut where the way branches off, that lead from one box to the other; None: they do not meet."""
    entries = np.flatnonzero(_on(pieces[:, 2:], end))
    if not len(entries):
        return None
    ways = [_walk_up(pieces, int(entry), start) for entry in entries.tolist()]
    found = [way for way in ways if way is not None]
    return np.concatenate(found) if found else None


def _walk_up(pieces: Floats, piece: int, start: Floats) -> Floats | None:
    point = pieces[piece, 2:]
    left = np.ones(len(pieces), bool)
    way = []
    for _ in range(min(len(pieces), _STEPS)):
        way.append((*pieces[piece, :2], *point))
        point = pieces[piece, :2]
        left[piece] = False
        if _on(point[None], start)[0]:
            return np.array(way)
        before = np.flatnonzero(left & _touching(pieces, point))
        if not len(before):
            return None
        piece = int(before[np.argmax(np.abs(pieces[before, :2] - point).sum(axis=1))])
    return None


def _on(points: Floats, box: Floats) -> NDArray[np.bool_]:
    """Which points lie on the border of a box or within."""
    low, high = box[:2] - _TOUCH, box[:2] + box[2:] + _TOUCH
    inside: NDArray[np.bool_] = np.all((points >= low) & (points <= high), axis=1)
    return inside


def _touching(pieces: Floats, point: Floats) -> NDArray[np.bool_]:
    """Which pieces pass through a point."""
    along = pieces[:, 2:] - pieces[:, :2]
    length = np.maximum((along**2).sum(axis=1), 1e-12)
    share = np.clip(((point - pieces[:, :2]) * along).sum(axis=1) / length, 0.0, 1.0)
    nearest = pieces[:, :2] + along * share[:, None]
    near: NDArray[np.bool_] = np.all(np.abs(nearest - point) <= _TOUCH, axis=1)
    return near
