"""Rounds off what the layout hands over as short straight pieces, as far as the zoom shows it."""

import numpy as np
from numpy.typing import NDArray

from errorflow.layout.drawing import Floats
from errorflow_viewer.canvas.cells import Indices

# Pieces of a curve are cut until the parts measure so many px or less, up to 2 to that many parts.
_PX, _HALVINGS = 7.0, 4


def rounded(lines: Floats, picked: Indices, scale: float) -> Floats:
    """The picked pieces as smooth curves; a piece's neighbours in `lines` say which way it turns.

    A curve that ends leaves upright, as the lines do that it meets.
    """
    pieces = lines[picked]
    chords = pieces[:, 2:] - pieces[:, :2]
    lengths = np.hypot(chords[:, 0], chords[:, 1])
    halvings = np.clip(np.ceil(np.log2(np.maximum(lengths * scale, 1e-9) / _PX)), 0, _HALVINGS).astype(int)
    if not halvings.any():
        return pieces
    upright = np.column_stack([np.zeros(len(pieces)), 1.5 * chords[:, 1]])
    before, after = np.maximum(picked - 1, 0), np.minimum(picked + 1, len(lines) - 1)
    leaving = _unit(pieces[:, 2:] - lines[before, :2]) * lengths[:, None]
    arriving = _unit(lines[after, 2:] - pieces[:, :2]) * lengths[:, None]
    leaving = np.where((_meet(lines[before], pieces) & (before < picked))[:, None], leaving, upright)
    arriving = np.where((_meet(pieces, lines[after]) & (after > picked))[:, None], arriving, upright)
    rows = []
    for halved in np.unique(halvings).tolist():
        of = halvings == halved
        rows.append(_bent(pieces[of], leaving[of], arriving[of], 2**halved))
    return np.concatenate(rows)


def _meet(first: Floats, second: Floats) -> NDArray[np.bool_]:
    """Which pieces end where the other ones begin, and go on in about the same direction."""
    ahead = ((first[:, 2:] - first[:, :2]) * (second[:, 2:] - second[:, :2])).sum(axis=1) > 0
    met: NDArray[np.bool_] = ahead & np.all(first[:, 2:] == second[:, :2], axis=1)
    return met


def _unit(vectors: Floats) -> Floats:
    lengths: Floats = np.maximum(np.hypot(vectors[:, 0], vectors[:, 1]), 1e-9)
    return np.divide(vectors, lengths[:, None])


def _bent(pieces: Floats, leaving: Floats, arriving: Floats, parts: int) -> Floats:
    """Each piece as that many, along the cubic with these tangents at its ends."""
    share = np.linspace(0.0, 1.0, parts + 1)[None, :, None]
    start, end = pieces[:, None, :2], pieces[:, None, 2:]
    points = (
        (2 * share**3 - 3 * share**2 + 1) * start
        + (share**3 - 2 * share**2 + share) * leaving[:, None]
        + (3 * share**2 - 2 * share**3) * end
        + (share**3 - share**2) * arriving[:, None]
    )
    return np.concatenate([points[:, :-1], points[:, 1:]], axis=2).reshape(-1, 4)
