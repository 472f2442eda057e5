"""The edges at every zoom: as drawn when near, as ever longer chords when far."""

from dataclasses import dataclass

import numpy as np

from errorflow.arrays import Ints
from errorflow.layout.drawing import Drawing, Floats
from errorflow_viewer.canvas.cells import Cells, bounds_of

# Down to this zoom lines are drawn as laid out; each further level is for zooms down to so much smaller.
_PLAIN, _STEP = 1 / 8, 4.0
# A level holds chords of this many px at the zoom where it takes over; what is shorter than the second is left out.
_CHORD, _LEAST = 6.0, 2.0


@dataclass(frozen=True, eq=False)
class Level:
    """Lines fit for one range of zoom, findable by place."""

    lines: Floats
    tensors: Ints
    cells: Cells


class Lines:
    """Makes each level when it is first looked at."""

    def __init__(self, drawing: Drawing) -> None:
        self._base = drawing.lines, drawing.line_tensors
        self._levels: dict[int, Level] = {}

    def at(self, zoom: float) -> Level:
        """The lines to draw at a zoom (px per scene unit)."""
        number = _number(zoom)
        if number not in self._levels:
            self._levels[number] = self._made(number)
        return self._levels[number]

    def known(self, zoom: float) -> Level | None:
        """The same if they have been made, for who has no time to wait."""
        return self._levels.get(_number(zoom))

    def _made(self, number: int) -> Level:
        lines, tensors = self._base
        if number:
            px = _STEP ** (number - 1) / _PLAIN
            lines, tensors = coarsened(lines, tensors, px * _CHORD, px * _LEAST)
        return Level(lines, tensors, Cells(bounds_of(lines)))


def _number(zoom: float) -> int:
    number = 0
    while zoom * _STEP**number < _PLAIN:
        number += 1
    return number


def coarsened(lines: Floats, tensors: Ints, chord: float, least: float) -> tuple[Floats, Ints]:
    """Runs of short connected pieces become chords of about that length; what is shorter than `least` is left out."""
    if not len(lines):
        return lines, tensors
    lengths = np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1])
    joined = np.zeros(len(lines), bool)
    joined[1:] = (
        (lines[1:, 0] == lines[:-1, 2])
        & (lines[1:, 1] == lines[:-1, 3])
        & (tensors[1:] == tensors[:-1])
        & (lengths[1:] < chord)
        & (lengths[:-1] < chord)
    )
    travelled = np.cumsum(lengths)
    heads = np.flatnonzero(~joined)
    run = np.cumsum(~joined) - 1
    part = ((travelled - travelled[heads][run]) // chord).astype(np.int64)
    first = ~joined
    first[1:] |= part[1:] != part[:-1]
    starts = np.flatnonzero(first)
    ends = np.append(starts[1:], len(lines)) - 1
    chords = np.concatenate([lines[starts, :2], lines[ends, 2:]], axis=1)
    keep = np.maximum(abs(chords[:, 2] - chords[:, 0]), abs(chords[:, 3] - chords[:, 1])) >= least
    return chords[keep], tensors[starts][keep]
