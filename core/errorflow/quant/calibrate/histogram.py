"""Counts of values by the first bits of their float32: no range need be known, so one pass is enough.

A bin holds the values that have sign, exponent and the first 8 bits of the mantissa in common: it is never wider than
1/256 of the values in it. Only the exponents that occur take memory, 2 kB each.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Longs
from errorflow.base.values import dataclass
from errorflow.graph.qparams import QParams

Doubles = NDArray[np.float64]
Singles = NDArray[np.float32]

MANTISSA = 8
_SHIFT = 23 - MANTISSA
_PAGE = 1 << MANTISSA
_PAGES = 1 << 9
_NEGATIVE = _PAGES // 2
# The last page of each sign is of infinite values and NaN, which nobody counts.
_FINITE = _NEGATIVE - 1
# Values at once: what they need meanwhile stays in the cache.
_PIECE = 1 << 15
# Up to here sorting costs less than looking through all bins.
_FEW = 1 << 11
# Of a step between codes: bins narrower than that count as a point.
_POINT = 1e-3


@dataclass(frozen=True)
class FilledBins:
    """Ascending bins that hold something: from, to, and how many values, which are taken as spread evenly in each."""

    starts: Doubles
    ends: Doubles
    counts: Longs

    @cached_property
    def total(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def middles(self) -> Doubles:
        return (self.starts + self.ends) / 2

    @cached_property
    def _below(self) -> Doubles:
        return np.concatenate(([0.0], np.cumsum(self.counts)))

    def quantile(self, share: float) -> float:
        """Finds the value below which this share of the values lies; off by less than the bin that it is in."""
        target = share * self.total
        at = min(int(np.searchsorted(self._below[1:], target)), len(self.counts) - 1)
        within = (target - self._below[at]) / self.counts[at]
        return float(self.starts[at] + (self.ends[at] - self.starts[at]) * min(max(within, 0.0), 1.0))

    def beyond(self, low: float, high: float) -> float:
        """The share of values outside."""
        widths = self.ends - self.starts
        some = np.where(widths > 0, widths, 1.0)
        under = np.where(widths > 0, (low - self.starts) / some, self.starts < low)
        over = np.where(widths > 0, (self.ends - high) / some, self.ends > high)
        outside = np.clip(under, 0, 1) + np.clip(over, 0, 1)
        return float((np.minimum(outside, 1) * self.counts).sum() / self.total)

    def magnitudes(self) -> "FilledBins":
        """Makes bins of the values without their signs. No bin crosses zero, and those of both signs have the same
        edges.
        """
        negative = self.ends <= 0
        near, far = np.where(negative, -self.ends, self.starts), np.where(negative, -self.starts, self.ends)
        order = np.argsort(near, kind="stable")
        starts, first = np.unique(near[order], return_index=True)
        if not len(starts):
            return self
        return FilledBins(starts, np.maximum.reduceat(far[order], first), np.add.reduceat(self.counts[order], first))

    @cached_property
    def power(self) -> float:
        """The sum of all squares."""
        squares = (self.starts**2 + self.starts * self.ends + self.ends**2) / 3
        return float((squares * self.counts).sum())

    def noise(self, qparams: QParams) -> float:
        """The sum of the squared errors that these codes make."""
        scale, zero = qparams.scales[0], qparams.zero_points[0]
        low, high = qparams.low - zero, qparams.high - zero
        starts, ends = self.starts / scale, self.ends / scale
        widths = ends - starts
        wide = widths > _POINT
        middles = (starts + ends) / 2
        errors = (middles - np.clip(np.rint(middles), low, high)) ** 2
        summed = _summed(ends, low, high) - _summed(starts, low, high)
        errors[wide] = summed[wide] / widths[wide]
        return float((errors * self.counts).sum() * scale**2)

    def sqnr(self, qparams: QParams) -> float:
        """Computes the ratio in decibel; infinite where the codes make no error."""
        noise = self.noise(qparams)
        if noise <= 0:
            return np.inf
        return float(10 * np.log10(self.power / noise)) if self.power > 0 else -np.inf


def _summed(steps: Doubles, low: int, high: int) -> Doubles:
    """The integral of the squared error from 0 on, in steps: 1/12 for each whole one."""
    code = np.clip(np.rint(steps), low, high)
    rest = steps - code
    found: Doubles = code / 12 + rest * rest * rest / 3
    return found


class Histogram:
    """Values are added as they come."""

    def __init__(self) -> None:
        # Where the counts of a page are; -1: nothing was there yet.
        self._rows = np.full(_PAGES, -1, np.int16)
        self._counts = np.zeros((0, _PAGE), np.int64)

    @property
    def nbytes(self) -> int:
        return self._counts.nbytes + self._rows.nbytes

    def add(self, values: Singles, low: np.float32, high: np.float32) -> None:
        """A contiguous row of finite values, and its ends."""
        if len(values) <= _FEW:
            self._add_few(values)
            return
        bits = values.view(np.uint32)
        places = np.empty(min(len(bits), _PIECE), np.intp)
        counts = np.zeros(_PAGES * _PAGE, np.int64)
        for start in range(0, len(bits), _PIECE):
            piece = bits[start : start + _PIECE]
            # Two thirds of what bincount takes.
            np.add.at(counts, np.right_shift(piece, _SHIFT, out=places[: len(piece)], casting="unsafe"), 1)
        paged = counts.reshape(_PAGES, _PAGE)
        # Behind the largest magnitude nothing was counted; without values below zero, of that sign only zeros.
        top = 1 + int(np.maximum(abs(low), abs(high)).view(np.uint32) >> 23)
        positive, negative = paged[:top], paged[_NEGATIVE : _NEGATIVE + (top if low < 0 else 1)]
        pages = np.concatenate((np.flatnonzero(positive.any(axis=1)), _NEGATIVE + np.flatnonzero(negative.any(axis=1))))
        rows = self._reserved(pages)
        self._counts[rows] += paged[pages]

    def bins(self, low: float, high: float) -> FilledBins:
        """Lists all bins that hold something; `low` and `high` are the ends of all values, nothing lies beyond."""
        pages = np.flatnonzero(self._rows >= 0)
        keys = (pages[:, None] * _PAGE + np.arange(_PAGE)).ravel()
        counts = self._counts[self._rows[pages]].ravel()
        keys, counts = keys[counts > 0], counts[counts > 0]
        negative = keys >= _NEGATIVE * _PAGE
        sizes = np.where(negative, keys - _NEGATIVE * _PAGE, keys)
        # What is so near to zero that it shares its bin counts as zero: a range shall not end there.
        near, far = _value(sizes), np.where(sizes, _value(sizes + 1), 0.0)
        starts, ends = np.where(negative, -far, near), np.where(negative, -near, far)
        # Both zeros are zero: the negative one is no value below.
        order = np.lexsort((negative, starts))
        return FilledBins(np.clip(starts[order], low, high), np.clip(ends[order], low, high), counts[order])

    def _add_few(self, values: Singles) -> None:
        keys, counts = np.unique(values.view(np.uint32) >> _SHIFT, return_counts=True)
        rows = self._reserved(np.unique(keys >> MANTISSA).astype(np.intp), keys >> MANTISSA)
        self._counts[rows, keys & (_PAGE - 1)] += counts

    def _reserved(self, pages: NDArray[np.intp], wanted: "NDArray[np.integer] | None" = None) -> NDArray[np.int16]:
        """Finds where the counts of the pages are; those that were not there yet are added."""
        new = pages[self._rows[pages] < 0]
        if len(new):
            self._rows[new] = np.arange(len(self._counts), len(self._counts) + len(new))
            self._counts = np.concatenate((self._counts, np.zeros((len(new), _PAGE), np.int64)))
        return self._rows[pages if wanted is None else wanted]


def _value(keys: NDArray[np.integer]) -> Doubles:
    """The first value of a positive bin; of the bin behind the last one, the largest float."""
    kept = np.minimum(keys, _FINITE * _PAGE - 1).astype(np.uint32)
    values = (kept << _SHIFT).view(np.float32).astype(np.float64)
    return np.where(keys >= _FINITE * _PAGE, float(np.finfo(np.float32).max), values)
