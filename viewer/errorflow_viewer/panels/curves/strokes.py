"""What of a curve is painted: no more of its points than the picture has columns."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QPolygonF

from errorflow.explain.findings.thinning import Columns, thinned
from errorflow_viewer.panels.curves.room import Room

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Strokes:
    """A line: solid through neighbours, bridges over what is not measured yet, and points that no line goes to."""

    solid: list[QPolygonF]
    bridges: list[QLineF]
    alone: list[QPointF]
    # Every point, where each has a column of its own.
    points: list[QPointF]


def strokes_of(room: Room, shares: Floats, measured: Bools) -> Strokes:
    """`shares`: heights, NaN where there is none; `measured`: where something is known."""
    columns = _columns(room, shares)
    if not len(columns.worst):
        return Strokes([], [], [], [])
    xs = _xs(room, columns)
    first, low, high, last = (room.ys(each) for each in (columns.first, columns.low, columns.high, columns.last))
    sides = [first] if has_each(room) else [first, low, high, last]
    across, down = np.repeat(xs, len(sides)), np.stack(sides, axis=1).ravel()
    starts = np.flatnonzero(~columns.joined)
    ends = np.append(starts[1:], len(xs))
    solid = [
        QPolygonF(_points(across[start:end], down[start:end]))
        for start, end in zip((starts * len(sides)).tolist(), (ends * len(sides)).tolist(), strict=True)
        if end - start > 1
    ]
    alone = starts[ends - starts == 1]
    bridges = _bridges(columns, xs, first, last, measured)
    return Strokes(solid, bridges, _points(xs[alone], high[alone]), _points(xs, first))


def _bridges(columns: Columns, xs: Floats, first: Floats, last: Floats, measured: Bools) -> list[QLineF]:
    """Only where all that is missing is not measured yet: what is no number leaves the line open."""
    unknown: Ints = np.cumsum(~measured)
    places = columns.worst
    missing: Bools = unknown[places[1:] - 1] - unknown[places[:-1]] == places[1:] - places[:-1] - 1
    gaps = np.flatnonzero(~columns.joined[1:] & missing)
    rows = np.stack([xs[gaps], last[gaps], xs[gaps + 1], first[gaps + 1]], axis=1)
    return [QLineF(*row) for row in rows.tolist()]


def areas_of(room: Room, one: Floats, other: Floats) -> Iterator[QPolygonF]:
    """Between two lines, where both are known and two neighbours are."""
    tops, up, down = _between(room, one, other)
    xs = _xs(room, tops)
    starts = np.flatnonzero(~tops.joined).tolist()
    for start, end in zip(starts, [*starts[1:], len(xs)], strict=False):
        if end - start > 1:
            back = slice(end - 1, start - 1 if start else None, -1)
            yield QPolygonF([*_points(xs[start:end], up[start:end]), *_points(xs[back], down[back])])


def stripes_of(room: Room, one: Floats, other: Floats) -> list[QLineF]:
    """The same where many points share a column: a line a pixel wide in each, which takes a tenth of the time."""
    tops, up, down = _between(room, one, other)
    xs, kept = np.unique(np.floor(_xs(room, tops)), return_index=True)
    rows = np.stack([xs + 0.5, up[kept], xs + 0.5, down[kept]], axis=1)
    return [QLineF(*row) for row in rows.tolist()]


def marks_of(room: Room, shares: Floats) -> list[tuple[float, float]]:
    """Where marks stand; of those on the same pixel one."""
    places = np.flatnonzero(~np.isnan(shares))
    xs, ys = room.xs(places.astype(np.float64)), room.ys(shares[places])
    seen = (xs >= room.left - 1) & (xs <= room.right + 1)
    spots = np.stack([xs[seen], ys[seen]], axis=1)
    _, kept = np.unique(np.round(spots), axis=0, return_index=True)
    found: list[tuple[float, float]] = [(x, y) for x, y in spots[kept].tolist()]
    return found


def apart(room: Room, flags: Bools, least: float) -> list[float]:
    """Where these places are, no two of them nearer than that."""
    count = max(int((room.right - room.left) / least), 1)
    places = thinned(np.where(flags, 1.0, np.nan), room.span.start, room.span.end, count).worst
    found: list[float] = room.xs(places.astype(np.float64)).tolist()
    return found


def lines_of(run: QPolygonF) -> list[QLineF]:
    """One by one: a wide line of thousands of points is painted in a hundredth of the time in this way."""
    spots = run.toList()
    return [QLineF(one, other) for one, other in pairwise(spots)]


def _between(room: Room, one: Floats, other: Floats) -> tuple[Columns, Floats, Floats]:
    there = ~(np.isnan(one) | np.isnan(other))
    tops = _columns(room, np.where(there, np.fmax(one, other), np.nan))
    feet = _columns(room, np.where(there, -np.fmin(one, other), np.nan))
    return tops, room.ys(tops.high), room.ys(-feet.high)


def has_each(room: Room) -> bool:
    """Whether every place has a column."""
    return room.per_place >= 1


def _columns(room: Room, shares: Floats) -> Columns:
    """With a neighbour on either side, to which lines go."""
    start, end, width = _reach(room)
    return thinned(shares, start, end, width)


def _reach(room: Room) -> tuple[float, float, int]:
    start, end = room.span.start - 1, room.span.end + 1
    return start, end, int(np.ceil((end - start) * max(room.per_place, 1e-9)))


def _xs(room: Room, columns: Columns) -> Floats:
    if has_each(room):
        return room.xs(columns.worst.astype(np.float64))
    start, end, width = _reach(room)
    return room.xs(start + (columns.columns + 0.5) / width * (end - start) - 0.5)


def _points(xs: Floats, ys: Floats) -> list[QPointF]:
    return [QPointF(x, y) for x, y in zip(xs.tolist(), ys.tolist(), strict=True)]
