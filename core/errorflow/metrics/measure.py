"""All that can be measured of two tensors, in one pass over their memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.metrics import METRICS
from errorflow.metrics.channels import Channels, ChannelSums, channel_axis
from errorflow.metrics.details import DETAILS, Tally
from errorflow.metrics.distinct import Counter, Distinct, counter
from errorflow.metrics.metric import Scale
from errorflow.metrics.pieces import BLOCK, Piece, Walk
from errorflow.metrics.rooms import Rooms, rooms
from errorflow.metrics.steps import Ends, Steps, ends_of, steps_of
from errorflow.metrics.sums import SAFE, Scaled, Side, Sums, exponent_of, side_of, sums_of_piece
from errorflow.qparams import QParams

Doubles = NDArray[np.float64]
# Errors outside of them are scaled before they are squared.
SMALLEST, LARGEST = 2.0**-SAFE, 2.0**SAFE


# Everything that may stand in `Measured.values`, in the order of tables.
MEASURES: tuple[Scale, ...] = (*METRICS, *DETAILS)


@dataclass(frozen=True, slots=True)
class Measured:
    """`values` holds, by the key of METRICS and DETAILS, only what applies to the two tensors."""

    values: Mapping[str, float]
    reference: Side
    candidate: Side
    channels: Channels | None
    # Of the candidate.
    unique: Distinct


def measure(
    reference: NDArray[Any], candidate: NDArray[Any], *, axis: int | None = None, qparams: QParams | None = None
) -> Measured:
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
class _Pass:
    channels: ChannelSums | None
    steps: Steps | None
    ends: Ends | None
    distinct: Counter
    # Whether products of values may vanish: not those of float32 and of shorter types.
    tiny: bool
    # For the differences and their sizes.
    rooms: tuple[Doubles, Doubles]
    sums: Sums = field(default_factory=Sums)
    flips: int = 0
    saturated: int = 0
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
        size = min(BLOCK, candidate.size)
        tiny = max(reference.dtype.itemsize, candidate.dtype.itemsize) > 4
        channels = None if axis is None else ChannelSums(axis, walk.order.index(axis), candidate.shape[axis], tiny)
        return cls(
            channels,
            steps_of(reference.dtype, candidate, qparams, walk.order),
            ends_of(candidate, qparams, walk.order),
            counter(candidate.dtype, candidate.size, free),
            tiny,
            (free.get("difference", size, np.float64), free.get("error", size, np.float64)),
        )

    def add(self, piece: Piece) -> None:
        r_side, c_side = side_of(piece.reference), side_of(piece.candidate)
        self.distinct.feed(piece.stored)
        if self.ends is not None:
            least = -np.inf if c_side.inf else c_side.low
            most = np.inf if c_side.inf else c_side.high
            self.saturated += self.ends.reached(piece, least, most)
        shape, size = piece.candidate.shape, piece.candidate.size
        d, error = (room[:size].reshape(shape) for room in self.rooms)
        np.subtract(piece.candidate, piece.reference, out=d)
        np.abs(d, out=error)
        largest = float(np.maximum.reduce(error, axis=None))
        if _is_plain(r_side, largest) and _is_plain(c_side, largest):
            self._add_plainly(piece, r_side, c_side, largest)
        else:
            self._add_carefully(piece, np.where(np.isfinite(error), error, 0.0))

    def _add_plainly(self, piece: Piece, r_side: Side, c_side: Side, largest: float) -> None:
        r, c = piece.reference, piece.candidate
        d, error = (room[: r.size].reshape(r.shape) for room in self.rooms)
        total = float(error.sum())
        self._add_steps(piece, error, largest, total)
        squares, products = np.square(d, out=d), np.multiply(r, c, out=error)
        self.flips += _flips(piece) if self.tiny else int(np.count_nonzero(products < 0))
        rc = float(products.sum())
        rr_values = np.square(r, out=error)
        if self.channels is None:
            rr, dd = float(rr_values.sum()), float(squares.sum())
        else:
            rr, dd = self.channels.add(piece, rr_values, squares)
        cc = float(np.square(c, out=d).sum())
        found = Sums(
            r.size, 0, Scaled(rr), Scaled(cc), Scaled(rc), Scaled(dd), Scaled(total), Scaled(largest), r_side, c_side
        )
        self.sums = self.sums + found if self.sums.count else found

    def _add_carefully(self, piece: Piece, error: Doubles) -> None:
        """Takes a piece that is not all finite, or of values that cannot be squared; `error` where there is one."""
        self._add_steps(piece, error, float(error.max()), float(error.sum()))
        self.sums += sums_of_piece(piece.reference.ravel(), piece.candidate.ravel())
        self.flips += _flips(piece)
        if self.channels is not None:
            self.channels.add_carefully(piece)

    def _add_steps(self, piece: Piece, error: Doubles, largest: float, total: float) -> None:
        if self.steps is not None:
            most, summed = self.steps.errors(piece, error, largest, total)
            self.in_steps = max(self.in_steps[0], most), self.in_steps[1] + summed

    def measured(self) -> Measured:
        channels = None if self.channels is None else self.channels.found()
        tally = Tally(
            self.sums.count,
            self.sums.broken,
            self.flips,
            None if self.ends is None else self.saturated,
            None if self.steps is None else self.in_steps,
            channels,
        )
        values = {metric.key: metric.of(self.sums) for metric in METRICS}
        found = ((detail.key, detail.of(tally)) for detail in DETAILS)
        values |= {key: value for key, value in found if value is not None}
        return Measured(values, self.sums.reference, self.sums.candidate, channels, self.distinct.found())


def _is_plain(side: Side, largest: float) -> bool:
    """Whether all values of the piece are finite and they and the errors can be squared."""
    finite = not side.nan and not side.inf and exponent_of(side) == 0
    return finite and (largest == 0 or SMALLEST < largest < LARGEST)


def _flips(piece: Piece) -> int:
    r, c = piece.reference, piece.candidate
    return int(np.count_nonzero(((r < 0) & (c > 0)) | ((r > 0) & (c < 0))))
