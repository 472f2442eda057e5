"""Strokes of a curve: no more of its points than the picture has columns."""

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.draw.shapes import Floats, rows
from errorflow.explain.findings.axis import ThinnedColumns, thinned

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
# Px: rims for what has no height; numbers of places below, and the row of their title.
RIM, FOOT, TITLE_ROW = 12.0, 20.0, 16.0
# Px: the widest band of a point that stands alone.
_WIDEST = 12.0


@dataclass(frozen=True)
class CurveRoom:
    """Room of curves: from places and shares to px, and back. `start` and `end`: the places that are seen."""

    left: float
    right: float
    top: float
    bottom: float
    start: float
    end: float
    # How much is left for numbers, names and their title below the lower rim.
    foot: float = FOOT + TITLE_ROW

    @property
    def per_place(self) -> float:
        return (self.right - self.left) / max(self.end - self.start, 1e-9)

    @property
    def has_each(self) -> bool:
        """Whether every place has a column."""
        return self.per_place >= 1

    def x(self, place: float) -> float:
        """The middle of its room."""
        return self.left + (place + 0.5 - self.start) * self.per_place

    def y(self, share: float) -> float:
        return self.bottom - share * (self.bottom - self.top)

    def xs(self, places: Floats) -> Floats:
        return self.left + (places + 0.5 - self.start) * self.per_place

    def ys(self, shares: Floats) -> Floats:
        return self.bottom - shares * (self.bottom - self.top)

    def place(self, x: float) -> float:
        return (x - self.left) / self.per_place + self.start - 0.5


@dataclass(frozen=True, slots=True)
class Strokes:
    """A line: solid through neighbours, bridges over what is not measured yet, and points that no line goes to."""

    solid: list[Floats]
    bridges: Floats
    alone: Floats
    # Every point, where each has a column of its own.
    points: Floats


def strokes_of(room: CurveRoom, shares: Floats, measured: Bools) -> Strokes:
    """`shares`: heights, NaN where there is none; `measured`: where something is known."""
    columns = _columns(room, shares)
    if not len(columns.worst):
        return Strokes([], np.zeros((0, 4)), np.zeros((0, 2)), np.zeros((0, 2)))
    xs = _xs(room, columns)
    first, low, high, last = (room.ys(each) for each in (columns.first, columns.low, columns.high, columns.last))
    sides = [first] if room.has_each else [first, low, high, last]
    spots = rows(np.repeat(xs, len(sides)), np.stack(sides, axis=1).ravel())
    starts = np.flatnonzero(~columns.joined)
    alone = starts[np.diff(np.append(starts, len(xs))) == 1]
    runs = [run for run in np.split(spots, starts[1:] * len(sides)) if len(run) > len(sides)]
    ends = rows(xs[:-1], last[:-1], xs[1:], first[1:])[_gaps(columns, measured)]
    return Strokes(runs, ends, rows(xs[alone], high[alone]), rows(xs, first))


def _gaps(columns: ThinnedColumns, measured: Bools) -> Ints:
    """Bridges only where all that is missing is not measured yet: what is no number leaves the line open."""
    unknown: Ints = np.cumsum(~measured)
    places = columns.worst
    missing: Bools = unknown[places[1:] - 1] - unknown[places[:-1]] == places[1:] - places[:-1] - 1
    return np.flatnonzero(~columns.joined[1:] & missing)


def areas_of(room: CurveRoom, one: Floats, other: Floats) -> list[Floats]:
    """Makes areas between two lines, where both are known; what has no neighbour is as wide as its room."""
    tops, up, down = _between(room, one, other)
    xs, starts = _xs(room, tops), np.flatnonzero(~tops.joined)[1:]
    pairs = zip(np.split(rows(xs, up), starts), np.split(rows(xs, down), starts), strict=True)
    half = min(room.per_place, _WIDEST) / 2
    return [np.vstack([_wide(there, half), _wide(back, half)[::-1]]) for there, back in pairs if len(there)]


def _wide(run: Floats, half: float) -> Floats:
    return run + np.array([[-half, 0.0], [half, 0.0]]) if len(run) == 1 else run


def stripes_of(room: CurveRoom, one: Floats, other: Floats) -> Floats:
    """The same where many points share a column: a line a pixel wide in each, which takes a tenth of the time."""
    tops, up, down = _between(room, one, other)
    xs, kept = np.unique(np.floor(_xs(room, tops)), return_index=True)
    return rows(xs + 0.5, up[kept], xs + 0.5, down[kept])


def marks_of(room: CurveRoom, shares: Floats) -> Floats:
    """Finds where marks stand; of those on the same pixel one."""
    places = np.flatnonzero(~np.isnan(shares))
    xs, ys = room.xs(places.astype(np.float64)), room.ys(shares[places])
    seen = (xs >= room.left - 1) & (xs <= room.right + 1)
    spots = rows(xs[seen], ys[seen])
    return spots[np.unique(np.round(spots), axis=0, return_index=True)[1]]


def apart(room: CurveRoom, flags: Bools, least: float) -> list[float]:
    """Keeps these places apart: no two of them nearer than that."""
    count = max(int((room.right - room.left) / least), 1)
    places = thinned(np.where(flags, 1.0, np.nan), room.start, room.end, count).worst
    found: list[float] = room.xs(places.astype(np.float64)).tolist()
    return found


def _between(room: CurveRoom, one: Floats, other: Floats) -> tuple[ThinnedColumns, Floats, Floats]:
    there = ~(np.isnan(one) | np.isnan(other))
    tops = _columns(room, np.where(there, np.fmax(one, other), np.nan))
    feet = _columns(room, np.where(there, -np.fmin(one, other), np.nan))
    return tops, room.ys(tops.high), room.ys(-feet.high)


def _columns(room: CurveRoom, shares: Floats) -> ThinnedColumns:
    """Finds columns with a neighbour on either side, to which lines go."""
    return thinned(shares, *_reach(room))


def _reach(room: CurveRoom) -> tuple[float, float, int]:
    start, end = room.start - 1, room.end + 1
    return start, end, int(np.ceil((end - start) * max(room.per_place, 1e-9)))


def _xs(room: CurveRoom, columns: ThinnedColumns) -> Floats:
    if room.has_each:
        return room.xs(columns.worst.astype(np.float64))
    start, end, width = _reach(room)
    return room.xs(start + (columns.columns + 0.5) / width * (end - start) - 0.5)
