"""The lines of a drawing as the paths of an SVG: the short pieces that stand for a curve become that curve again."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints, Longs
from errorflow.draw.svg import number
from errorflow.layout.drawing import TURNED, Drawing, Floats
from errorflow.layout.route import PIECES, s_curves

# How far from the curve, in px, pieces may be that stand for it.
_NEAR = 0.1
_DIGITS = 2
# Lines that are looked at together: a window beside this waits for no more, and no more is copied.
_AT_A_TIME = 10_000


def paths(drawing: Drawing) -> Iterator[tuple[int, str]]:
    """For each run of lines of one tensor that tensor and the data of its path."""
    pen = _Pen(drawing.across)
    starts = np.flatnonzero(np.diff(drawing.line_tensors, prepend=-2))
    ends = np.append(starts[1:], len(drawing.line_tensors))
    first = 0
    while first < len(starts):
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + _AT_A_TIME)))
        part = slice(int(starts[first]), int(ends[last - 1]))
        lines, tensors = drawing.lines[part], drawing.line_tensors[part]
        lines = np.round(lines[:, TURNED] if drawing.across else lines, _DIGITS)
        curves = _curves(lines, tensors)
        for start, end in zip(
            (starts[first:last] - part.start).tolist(), (ends[first:last] - part.start).tolist(), strict=True
        ):
            yield int(tensors[start]), _path(lines[start:end].tolist(), curves[start:end].tolist(), pen)
        first = last


@dataclass(frozen=True, slots=True)
class _Pen:
    """Writes a path; for a drawing that runs to the right it is given points as if that ran down."""

    across: bool

    def to(self, command: str, *numbers: float) -> str:
        if self.across:
            numbers = tuple(numbers[place ^ 1] for place in range(len(numbers)))
        return f"{command}{' '.join(map(number, numbers))}"

    def along(self, end: float) -> str:
        """Straight on with the flow."""
        return f"{'H' if self.across else 'V'}{number(end)}"


def _path(lines: list[list[float]], curves: list[int], pen: _Pen) -> str:
    parts = []
    last: tuple[float, float] | None = None
    at = 0
    while at < len(lines):
        x1, y1, x2, y2 = lines[at]
        if (x1, y1) != last:
            parts.append(pen.to("M", x1, y1))
        if curves[at]:
            at += curves[at]
            x2, y2 = lines[at - 1][2:]
            middle = (y1 + y2) / 2
            parts.append(pen.to("C", x1, middle, x2, middle, x2, y2))
        elif x1 == x2:
            at += 1
            parts.append(pen.along(y2))
        else:
            end = _end_of_chain(lines, curves, at)
            parts.extend(_smooth([(x1, y1), *[(line[2], line[3]) for line in lines[at:end]]], pen))
            at = end
        last = (lines[at - 1][2], lines[at - 1][3])
    return "".join(parts)


def _end_of_chain(lines: list[list[float]], curves: list[int], at: int) -> int:
    """Behind the last of the bent pieces that follow each other from here on and are no whole curve."""
    end = at + 1
    while end < len(lines):
        x1, y1, x2, _ = lines[end]
        if curves[end] or x1 == x2 or [x1, y1] != lines[end - 1][2:]:
            break
        end += 1
    return end


def _smooth(points: list[tuple[float, float]], pen: _Pen) -> Iterator[str]:
    """A part of a curve, such as the end of a column leaves, or an arc: round at every point but its ends."""
    if len(points) == 2:
        yield pen.to("L", *points[1])
        return
    slopes = [((bx - ax) / 6, (by - ay) / 6) for (ax, ay), (bx, by) in zip(points, points[2:], strict=False)]
    slopes = [(0.0, 0.0), *slopes, (0.0, 0.0)]
    for (ax, ay), (bx, by), (ux, uy), (vx, vy) in zip(points, points[1:], slopes, slopes[1:], strict=False):
        yield pen.to("C", ax + ux, ay + uy, bx - vx, by - vy, bx, by)


def _curves(lines: Floats, tensors: Ints) -> Longs:
    """For each piece how many pieces, from it on, are one curve; 0: none."""
    result = np.zeros(len(lines), np.int64)
    begin = _beginnings(lines, tensors)
    if len(begin):
        start, end = lines[begin], lines[begin + PIECES - 1]
        wanted = s_curves(start[:, 0], start[:, 1], end[:, 2], end[:, 3])
        found = lines[begin[:, None] + np.arange(PIECES)]
        result[begin[np.abs(wanted - found).max(axis=(1, 2)) <= _NEAR]] = PIECES
    return result


def _beginnings(lines: Floats, tensors: Ints) -> NDArray[np.intp]:
    """Where curves may begin: every so many pieces of each chain of bent ones."""
    bent = lines[:, 0] != lines[:, 2]
    joined = np.zeros(len(lines), bool)  # to the piece before
    joined[1:] = (lines[1:, :2] == lines[:-1, 2:]).all(axis=1) & (tensors[1:] == tensors[:-1]) & bent[1:] & bent[:-1]
    numbers = np.arange(len(lines))
    first = np.maximum.accumulate(np.where(joined, 0, numbers))
    length = np.bincount(first, minlength=len(lines))
    place = numbers - first
    return np.flatnonzero(bent & (place % PIECES == 0) & (length[first] - place >= PIECES))
