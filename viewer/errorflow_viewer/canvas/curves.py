"""Rounds off what the layout hands over as short straight pieces, as far as the zoom shows it."""

import numpy as np
from numpy.typing import NDArray

from errorflow.layout.drawing import Floats
from errorflow_viewer.canvas.cells import Indices

# Pieces of a curve are cut until the parts measure so many px or less, up to 2 to that many parts.
_PX, _HALVINGS = 7.0, 4


def rounded(lines: Floats, picked: Indices, scale: float, across: bool = False) -> Floats:
    """The picked pieces as smooth curves; a piece's neighbours in `lines` say which way it turns.

    A curve that ends leaves upright, or in a drawing `across` level, as the lines do that it meets.
    """
    pieces = lines[picked]
    chords = pieces[:, 2:] - pieces[:, :2]
    lengths = np.hypot(chords[:, 0], chords[:, 1])
    halvings = np.clip(np.ceil(np.log2(np.maximum(lengths * scale, 1e-9) / _PX)), 0, _HALVINGS).astype(int)
    if not halvings.any():
        return pieces
    upright = 1.5 * chords * ((1.0, 0.0) if across else (0.0, 1.0))
    before, after = np.maximum(picked - 1, 0), np.minimum(picked + 1, len(lines) - 1)
    leaving = _unit(pieces[:, 2:] - lines[before, :2]) * lengths[:, None]
    arriving = _unit(lines[after, 2:] - pieces[:, :2]) * lengths[:, None]
    leaving = np.where((_meet(lines[before], pieces) & (before < picked))[:, None], leaving, upright)
    arriving = np.where((_meet(pieces, lines[after]) & (after > picked))[:, None], arriving, upright)
    return _bent(pieces, leaving, arriving, 2**halvings)


def _meet(first: Floats, second: Floats) -> NDArray[np.bool_]:
    """Which pieces end where the other ones begin, and go on in about the same direction."""
    ahead = ((first[:, 2:] - first[:, :2]) * (second[:, 2:] - second[:, :2])).sum(axis=1) > 0
    met: NDArray[np.bool_] = ahead & np.all(first[:, 2:] == second[:, :2], axis=1)
    return met


def _unit(vectors: Floats) -> Floats:
    lengths: Floats = np.maximum(np.hypot(vectors[:, 0], vectors[:, 1]), 1e-9)
    return np.divide(vectors, lengths[:, None])


def _bent(pieces: Floats, leaving: Floats, arriving: Floats, parts: NDArray[np.int_]) -> Floats:
    """Each piece as so many, along the cubic with these tangents at its ends."""
    of = np.repeat(np.arange(len(pieces)), parts)
    number = np.arange(len(of)) - np.repeat(np.cumsum(parts) - parts, parts)
    start, end, leaving, arriving = pieces[of, :2], pieces[of, 2:], leaving[of], arriving[of]
    # As a polynomial: start + a t + b t² + c t³.
    across = end - start
    b, c = 3 * across - 2 * leaving - arriving, leaving + arriving - 2 * across
    begin, stop = (number / parts[of])[:, None], ((number + 1) / parts[of])[:, None]
    first = start + begin * (leaving + begin * (b + begin * c))
    last = start + stop * (leaving + stop * (b + stop * c))
    return np.concatenate([first, last], axis=1)
