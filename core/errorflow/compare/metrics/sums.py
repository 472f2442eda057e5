"""Sums that all metrics are made of, gathered in one pass over two tensors, piece by piece, in float64.

Values too large or too small to be squared are scaled by powers of two, which is exact: the cosine of [2e-308] with
itself is 1. Sums of parts add up to the sums of the whole, so parts can be measured apart.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorflow.base.values import dataclass

Doubles = NDArray[np.float64]
# Few enough that all that is computed from a piece stays in the cache.
PIECE = 1 << 14
# Squares of values between 2**-SAFE and 2**SAFE neither vanish nor overflow, not even when they are added up.
SAFE = 300
MAX_EXPONENT = np.finfo(np.float64).maxexp


@dataclass(frozen=True, slots=True)
class Scaled:
    """`value` × 2**`exponent`: a sum that a float64 alone might not hold."""

    value: float = 0.0
    exponent: int = 0

    def __add__(self, other: "Scaled") -> "Scaled":
        high, low = (self, other) if self._rank() >= other._rank() else (other, self)
        return Scaled(high.value + _ldexp(low.value, low.exponent - high.exponent), high.exponent)

    def __float__(self) -> float:
        return _ldexp(self.value, self.exponent)

    def __truediv__(self, count: int) -> "Scaled":
        return Scaled(self.value / count, self.exponent)

    def larger(self, other: "Scaled") -> "Scaled":
        common = max(self.exponent, other.exponent)
        mine, theirs = (_ldexp(each.value, each.exponent - common) for each in (self, other))
        return self if mine >= theirs else other

    def _rank(self) -> float:
        return self.exponent if self.value else -math.inf


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two tensors: what it holds that no number may hide."""

    nan: int = 0
    inf: int = 0
    # Of the finite values; the other way round when there are none.
    low: float = math.inf
    high: float = -math.inf

    def __add__(self, other: "Side") -> "Side":
        return Side(self.nan + other.nan, self.inf + other.inf, min(self.low, other.low), max(self.high, other.high))

    @property
    def constant(self) -> bool:
        """The same finite value everywhere."""
        return self.low == self.high and not self.nan and not self.inf

    @property
    def zero(self) -> bool:
        return self.constant and self.low == 0


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over pairs of a reference and a candidate value; pairs of the same infinity agree and add nothing."""

    count: int = 0
    # Pairs whose difference is no number: a NaN, or an infinity on one side.
    broken: int = 0
    # Σ r², Σ c², Σ r·c, Σ (c − r)², Σ |c − r|, max |c − r|.
    rr: Scaled = Scaled()
    cc: Scaled = Scaled()
    rc: Scaled = Scaled()
    dd: Scaled = Scaled()
    d: Scaled = Scaled()
    d_max: Scaled = Scaled()
    reference: Side = Side()
    candidate: Side = Side()

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(
            self.count + other.count,
            self.broken + other.broken,
            self.rr + other.rr,
            self.cc + other.cc,
            self.rc + other.rc,
            self.dd + other.dd,
            self.d + other.d,
            self.d_max.larger(other.d_max),
            self.reference + other.reference,
            self.candidate + other.candidate,
        )


def sums(reference: ArrayLike, candidate: ArrayLike) -> Sums:
    """The sums of two tensors of equal shape, of any number type and memory layout."""
    total = Sums()
    # What under- or overflows here is meant to: it does so in the metric itself.
    with np.errstate(all="ignore"):
        for r, c in pieces(np.asanyarray(reference), np.asanyarray(candidate)):
            total += sums_of_piece(r, c)
    return total


def pieces(reference: NDArray[np.generic], candidate: NDArray[np.generic]) -> Iterator[tuple[Doubles, Doubles]]:
    """Yields both tensors side by side in float64, a piece at a time; a piece is valid until the next one is taken."""
    if reference.shape != candidate.shape:
        raise ValueError(f"shapes differ: {reference.shape} and {candidate.shape}")
    both = np.nditer(
        [reference, candidate],
        flags=["external_loop", "buffered", "zerosize_ok"],
        op_flags=[["readonly"], ["readonly"]],
        op_dtypes=[np.float64, np.float64],
        casting="same_kind",
        buffersize=PIECE,
    )
    with both:
        yield from both


def sums_of_piece(r: Doubles, c: Doubles) -> Sums:
    """The sums of two flat pieces, whatever they hold."""
    r_side, c_side = side_of(r), side_of(c)
    count, broken = r.size, 0
    if r_side.nan or r_side.inf or c_side.nan or c_side.inf:
        finite = np.isfinite(r) & np.isfinite(c)
        broken = int(np.count_nonzero(~finite & (r != c)))
        r, c = r[finite], c[finite]
    r_scale, c_scale = exponent_of(r_side), exponent_of(c_side)
    r_scaled, c_scaled = _ldexps(r, -r_scale), _ldexps(c, -c_scale)
    d, d_scale = _difference(r, c, max(r_scale, c_scale))
    size = np.abs(d)
    return Sums(
        count=count,
        broken=broken,
        rr=Scaled(float((r_scaled * r_scaled).sum()), 2 * r_scale),
        cc=Scaled(float((c_scaled * c_scaled).sum()), 2 * c_scale),
        rc=Scaled(float((r_scaled * c_scaled).sum()), r_scale + c_scale),
        dd=Scaled(float((d * d).sum()), 2 * d_scale),
        d=Scaled(float(size.sum()), d_scale),
        d_max=Scaled(float(size.max(initial=0.0)), d_scale),
        reference=r_side,
        candidate=c_side,
    )


def side_of(x: Doubles) -> Side:
    """Finds what a piece holds."""
    if not x.size:
        return Side()
    low, high = float(np.minimum.reduce(x, axis=None)), float(np.maximum.reduce(x, axis=None))
    if math.isfinite(low) and math.isfinite(high):
        return Side(low=low, high=high)
    nan, inf = int(np.count_nonzero(np.isnan(x))), int(np.count_nonzero(np.isinf(x)))
    finite = x[np.isfinite(x)]
    return Side(nan, inf, float(finite.min(initial=math.inf)), float(finite.max(initial=-math.inf)))


def exponent_of(side: Side) -> int:
    """The power of two to divide by before squaring; 0 when there is no need."""
    largest = max(abs(side.low), abs(side.high)) if side.low <= side.high else 0.0
    exponent = math.frexp(largest)[1]
    return 0 if largest == 0 or abs(exponent) < SAFE else exponent


def _difference(r: Doubles, c: Doubles, largest: int) -> tuple[Doubles, int]:
    """c − r over a power of two, and that power. `largest` is the exponent of the largest value of both."""
    # Halves of the largest values differ by no more than a float64 holds.
    half = int(largest >= MAX_EXPONENT)
    d = _ldexps(c, -half) - _ldexps(r, -half)
    exponent = math.frexp(float(np.abs(d).max(initial=0.0)))[1]
    return (d, half) if abs(exponent) < SAFE else (np.ldexp(d, -exponent), half + exponent)


def _ldexps(x: Doubles, exponent: int) -> Doubles:
    return x if exponent == 0 else np.ldexp(x, exponent)


def _ldexp(value: float, exponent: int) -> float:
    try:
        return math.ldexp(value, exponent)
    except OverflowError:
        return math.copysign(math.inf, value)
