"""Measures of two tensors, in one pass over their memory."""

import math
from collections.abc import Mapping
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass, field
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.channels import Channels, ChannelSums, channel_axis
from errorflow.compare.metrics.details import DETAILS, DetailTally
from errorflow.compare.metrics.distinct import DistinctCounter, DistinctValues, counter
from errorflow.compare.metrics.metric import Scale
from errorflow.compare.metrics.pieces import Piece, Rooms, Walk, rooms
from errorflow.compare.metrics.steps import RangeEnds, StepSizes, ends_of, steps_of
from errorflow.compare.metrics.sums import SAFE, Scaled, Side, Sums, sums_of_piece
from errorflow.graph.qparams import QParams

Doubles = NDArray[np.float64]
# Values and errors outside of them are scaled before they are squared.
SMALLEST, LARGEST = 2.0**-SAFE, 2.0**SAFE


# Everything that may stand in `MeasuredPair.values`, in the order of tables.
MEASURES: tuple[Scale, ...] = (*METRICS, *DETAILS)


@dataclass(frozen=True, slots=True)
class MeasuredPair:
    """`values` holds, by the key of METRICS and DETAILS, only what applies to the two tensors."""

    values: Mapping[str, float]
    reference: Side
    candidate: Side
    channels: Channels | None
    # Of the candidate.
    unique: DistinctValues


def measure(
    reference: NDArray[Any], candidate: NDArray[Any], *, axis: int | None = None, qparams: QParams | None = None
) -> MeasuredPair:
    """Measures two tensors of equal shape, of any number types and layouts.

    `axis` is that of the channels, when the caller knows better than that it is the second; `qparams` belong to the
    candidate, which holds real values, or their codes.
    """
    reference, candidate = np.asarray(reference), np.asarray(candidate)
    walk = Walk.of(reference, candidate)
    # What under- or overflows here is meant to: it does so in the metric itself.
    with np.errstate(all="ignore"), rooms() as free:
        pass_ = _Pass.over(walk, reference, candidate, channel_axis(candidate.shape, axis), qparams, free)
        for piece in walk.pieces(free):
            pass_.add(piece)
        return pass_.measured()


@dataclass(slots=True)
class _Plain:
    """Sums of pieces whose values are finite and can be squared; the fields are those of `Sums` and `Side`."""

    count: int = 0
    rr: float = 0.0
    cc: float = 0.0
    rc: float = 0.0
    dd: float = 0.0
    d: float = 0.0
    d_max: float = 0.0
    low: tuple[float, float] = (math.inf, math.inf)
    high: tuple[float, float] = (-math.inf, -math.inf)

    def sums(self) -> Sums:
        return Sums(
            count=self.count,
            rr=Scaled(self.rr),
            cc=Scaled(self.cc),
            rc=Scaled(self.rc),
            dd=Scaled(self.dd),
            d=Scaled(self.d),
            d_max=Scaled(self.d_max),
            reference=Side(low=self.low[0], high=self.high[0]),
            candidate=Side(low=self.low[1], high=self.high[1]),
        )


# Sums of products of a piece, channel by channel, in the fastest way that numpy has for its shape.

# Beyond 10,000 values the library behind numpy adds up in several threads, and all cores have their own work.
LONGEST = 8192
# Shorter rows cost more to begin than to multiply.
SHORTEST = 64
# Rows of at least this length add up fast.
ROW = 1024
SHORT = 16


@dataclass(frozen=True, slots=True)
class Fold:
    """Pieces of one shape, and the axis along which their channels lie; None: all is one channel."""

    outer: int
    channels: int
    inner: int
    # Into how many rows the values of a channel that lie together are cut; 0: there are none of equal, good length.
    parts: int

    def products(self, x: Doubles, y: Doubles, room: Doubles) -> Doubles:
        """Σ x·y of each channel of two flat arrays; `room` is one more, which may be written to."""
        if not self.parts:
            return by_channel(np.multiply(x, y, out=room).reshape(self.outer, self.channels, self.inner), 1)
        shape = (self.outer, self.channels, self.parts, self.inner // self.parts)
        sums: Doubles = np.vecdot(x.reshape(shape), y.reshape(shape)).sum(axis=(0, 2))
        return sums


@lru_cache(maxsize=256)
def fold(shape: tuple[int, ...], place: int | None) -> Fold:
    """Finds how to fold pieces of that shape."""
    if place is None:
        return Fold(1, 1, prod(shape), _parts(prod(shape)))
    inner = prod(shape[place + 1 :])
    return Fold(prod(shape[:place]), shape[place], inner, _parts(inner))


def _parts(inner: int) -> int:
    fewest = -(-inner // LONGEST)
    return next((parts for parts in range(fewest, inner // SHORTEST + 1) if inner % parts == 0), 0)


def by_channel(values: Doubles, axis: int) -> Doubles:
    """Sums over all other axes, without the slow ways that numpy takes where the last axes are short."""
    channels, inner = values.shape[axis], prod(values.shape[axis + 1 :])
    if channels == 1:
        return np.full(1, values.sum())
    outer = values.size // (channels * inner)
    if inner >= SHORT:
        by_inner: Doubles = values.reshape(outer, channels, inner).sum(axis=2)
        by_outer: Doubles = np.add.reduce(by_inner, axis=0)
        return by_outer
    group = max(1, ROW // (channels * inner))
    rows = outer // group
    flat, row = values.reshape(-1), group * channels * inner
    total: Doubles = np.add.reduce(flat[: rows * row].reshape(rows, row), axis=0)
    rest: Doubles = flat[rows * row :]
    return _by_channel(total, channels, inner) + _by_channel(rest, channels, inner)


def _by_channel(values: Doubles, channels: int, inner: int) -> Doubles:
    sums: Doubles = values.reshape(-1, channels, inner).sum(axis=(0, 2))
    return sums


@dataclass(slots=True)
class _Pass:
    channels: ChannelSums | None
    steps: StepSizes | None
    ends: RangeEnds | None
    distinct: DistinctCounter
    # Whether products of values may vanish: not those of float32 and of shorter types.
    tiny: bool
    free: Rooms
    plain: _Plain = field(default_factory=_Plain)
    # Of all other pieces.
    sums: Sums = field(default_factory=Sums)
    flips: int = 0
    saturated: tuple[int, int] = (0, 0)
    in_steps: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def over(
        cls,
        walk: Walk,
        reference: NDArray[Any],
        candidate: NDArray[Any],
        axis: int | None,
        qparams: QParams | None,
        free: Rooms,
    ) -> "_Pass":
        tiny = max(reference.dtype.itemsize, candidate.dtype.itemsize) > 4
        channels = None if axis is None else ChannelSums(axis, walk.order.index(axis), candidate.shape[axis], tiny)
        return cls(
            channels,
            steps_of(reference.dtype, candidate, qparams, walk.order),
            ends_of(candidate, qparams, walk.order),
            counter(candidate.dtype, candidate.size, free),
            tiny,
            free,
        )

    def add(self, piece: Piece) -> None:
        both = piece.both
        self.distinct.feed(piece.stored)
        low: tuple[float, float] = tuple(np.minimum.reduce(both, 1).tolist())
        high: tuple[float, float] = tuple(np.maximum.reduce(both, 1).tolist())
        error = np.subtract(both[1], both[0], self.free.get("error", both.shape[1], np.float64))
        np.abs(error, error)
        largest = float(np.maximum.reduce(error))
        if _is_plain(low[0], high[0], largest) and _is_plain(low[1], high[1], largest):
            self._add_saturated(piece, low[1], high[1])
            self._add_plainly(piece, error, largest)
            self.plain.low = min(self.plain.low[0], low[0]), min(self.plain.low[1], low[1])
            self.plain.high = max(self.plain.high[0], high[0]), max(self.plain.high[1], high[1])
            self.flips += 0 if min(low) >= 0 else self._flips(piece)
        else:
            self._add_carefully(piece, np.where(np.isfinite(error), error, 0.0))

    def _add_plainly(self, piece: Piece, error: Doubles, largest: float) -> None:
        plain, (r, c), room = self.plain, piece.both, self.free.get("room", len(error), np.float64)
        total = float(np.add.reduce(error))
        self._add_steps(piece, error, largest, total)
        way = fold(piece.shape, None if self.channels is None else self.channels.place)
        rr, cc, rc, dd = (way.products(x, y, room) for x, y in ((r, r), (c, c), (r, c), (error, error)))
        plain.count += len(error)
        plain.rr += float(np.add.reduce(rr))
        plain.cc += float(np.add.reduce(cc))
        plain.rc += float(np.add.reduce(rc))
        plain.dd += float(np.add.reduce(dd))
        plain.d += total
        plain.d_max = max(plain.d_max, largest)
        if self.channels is not None:
            self.channels.add(piece, rr, dd)

    def _flips(self, piece: Piece) -> int:
        r, c = piece.both
        if self.tiny:
            return _flips(piece)
        return int(np.count_nonzero(np.multiply(r, c, self.free.get("room", len(r), np.float64)) < 0))

    def _add_carefully(self, piece: Piece, error: Doubles) -> None:
        """Takes a piece that is not all finite, or of values that cannot be squared; `error` where there is one."""
        found = sums_of_piece(*piece.both)
        side = found.candidate
        least, most = (-np.inf, np.inf) if side.inf else (side.low, side.high)
        self._add_saturated(piece, least, most)
        self._add_steps(piece, error, float(error.max()), float(error.sum()))
        self.sums += found
        self.flips += _flips(piece)
        if self.channels is not None:
            self.channels.add_carefully(piece)

    def _add_saturated(self, piece: Piece, least: float, most: float) -> None:
        if self.ends is not None:
            reached, clipped = self.ends.reached(piece, least, most)
            self.saturated = self.saturated[0] + reached, self.saturated[1] + clipped

    def _add_steps(self, piece: Piece, error: Doubles, largest: float, total: float) -> None:
        if self.steps is not None:
            most, summed = self.steps.errors(piece, error.reshape(piece.shape), largest, total)
            self.in_steps = max(self.in_steps[0], most), self.in_steps[1] + summed

    def measured(self) -> MeasuredPair:
        sums = self.plain.sums() + self.sums if self.sums.count else self.plain.sums()
        channels = None if self.channels is None else self.channels.found()
        reached, clipped = (None, None) if self.ends is None else self.saturated
        tally = DetailTally(
            sums.count,
            sums.broken,
            self.flips,
            reached,
            clipped,
            None if self.steps is None else self.in_steps,
            channels,
        )
        values = {metric.key: metric.of(sums) for metric in METRICS}
        found = ((detail.key, detail.of(tally)) for detail in DETAILS)
        values |= {key: value for key, value in found if value is not None}
        return MeasuredPair(values, sums.reference, sums.candidate, channels, self.distinct.found())


def _is_plain(low: float, high: float, largest: float) -> bool:
    """Whether all values of the piece of one side are finite and they and the errors can be squared."""
    size = max(abs(low), abs(high))
    return all(value == 0 or SMALLEST < value < LARGEST for value in (size, largest))


def _flips(piece: Piece) -> int:
    r, c = piece.both
    return int(np.count_nonzero(((r < 0) & (c > 0)) | ((r > 0) & (c < 0))))
