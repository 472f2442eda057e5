"""SQNR channel by channel: one loud channel hides in a tensor's own ratio what happens to the quiet ones."""

from collections.abc import Iterable
from math import prod

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass, field
from errorflow.compare.metrics.distance import sqnr
from errorflow.compare.metrics.pieces import Piece
from errorflow.compare.metrics.sums import SAFE, Scaled, Sums, sums_of_piece

Doubles = NDArray[np.float64]
# How many of the worst are named.
WORST = 8
# With fewer values per channel, nobody would call it a channel; an axis that is asked for is taken anyway.
FEWEST_VALUES = 8
# Squares whose sum is below have lost something.
VANISHING = 2.0 ** (-2 * SAFE)


@dataclass(frozen=True, slots=True)
class Channels:
    """Channels in decibels; NaN is the worst, for a channel that has a NaN, or an infinity on one side only."""

    axis: int
    count: int
    minimum: float
    # Of an even number, the lower of the two in the middle.
    median: float
    # The worst channels and their ratios, the worst first.
    worst: tuple[tuple[int, float], ...]


def channel_axis(shape: tuple[int, ...], asked: int | None = None) -> int | None:
    """The axis along which there are channels: the one asked for, else the second; None where there are none."""
    if asked is not None:
        axis = asked + len(shape) if asked < 0 else asked
        return axis if 0 <= axis < len(shape) and shape[axis] > 1 else None
    if len(shape) < 2 or shape[1] < 2 or prod(shape) // shape[1] < FEWEST_VALUES:
        return None
    return 1


@dataclass(slots=True)
class ChannelSums:
    """Σ r² and Σ (c − r)² of each channel, gathered piece by piece. `place` is the axis in the pieces."""

    axis: int
    place: int
    count: int
    # Whether there may be values so small that their squares vanish.
    tiny: bool = False
    rr: Doubles = field(init=False)
    dd: Doubles = field(init=False)
    broken: NDArray[np.int64] = field(init=False)
    # Of channels with values that cannot be squared.
    wide: dict[int, Sums] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rr, self.dd = np.zeros(self.count), np.zeros(self.count)
        self.broken = np.zeros(self.count, np.int64)

    def add(self, piece: Piece, rr: Doubles, dd: Doubles) -> None:
        """Takes the sums of a piece, channel by channel."""
        if self.tiny:
            small = np.flatnonzero((rr < VANISHING) | (dd < VANISHING))
            self.add_carefully(piece, small.tolist())
            rr[small] = dd[small] = 0
        here = piece.block[self.place]
        self.rr[here] += rr
        self.dd[here] += dd

    def add_carefully(self, piece: Piece, places: Iterable[int] | None = None) -> None:
        """Takes a piece of which some values are not finite or cannot be squared: all its channels, or those."""
        r, c = (np.moveaxis(each, self.place, 0) for each in (piece.reference, piece.candidate))
        for index in range(len(r)) if places is None else places:
            channel = piece.block[self.place].start + index
            found = sums_of_piece(r[index].ravel(), c[index].ravel())
            self.broken[channel] += found.broken
            self.wide[channel] = self.wide.get(channel, Sums()) + found

    def found(self) -> Channels:
        values = self._ratios()
        isnan = np.isnan(values)
        order = np.lexsort((~isnan, np.where(isnan, -np.inf, values)))
        ranked = [(int(channel), float(values[channel])) for channel in order[:WORST]]
        return Channels(self.axis, self.count, ranked[0][1], float(values[order[(self.count - 1) // 2]]), tuple(ranked))

    def _ratios(self) -> Doubles:
        with np.errstate(all="ignore"):
            values = 10 * (np.log10(self.rr) - np.log10(self.dd))
        values[self.dd == 0] = np.inf
        for channel, sums in self.wide.items():
            rr, dd = Scaled(float(self.rr[channel])) + sums.rr, Scaled(float(self.dd[channel])) + sums.dd
            values[channel] = sqnr(Sums(rr=rr, dd=dd, broken=int(self.broken[channel])))
        return values
