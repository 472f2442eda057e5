"""Sums over two float32 tensors in one pass, in blocks that stay in the cache.

With r the reference and d = c − r, Σ r·c = Σ r² + Σ r·d and Σ c² = Σ r² + 2 Σ r·d + Σ d². So the reference is squared
once for all candidates, and what is small is never the difference of what is large: 1 − cosine keeps its digits.
Rows are short enough for the library behind numpy to stay in one thread; rows add up in float64.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.compare.metrics.pieces import Rooms, rooms
from errorflow.compare.metrics.sums import Scaled, Sums, sums
from errorflow.compare.split import Split, split
from errorflow.run.engine.rows import Doubles, row_of

Array = NDArray[np.generic]
# Flat ones of float32.
Singles = NDArray[Any]
ROW = 8192
_ROWS = 8
BLOCK = _ROWS * ROW
# Squares of what is smaller lose digits; sums of squares beyond this one have lost none that count.
_SMALL = 1e-15
_SMALL_SQUARE = 1e-30
# With errors of such a share of the reference's power the sums above would cancel out.
_LARGE_ERROR = 0.1


# Σ |d| is a product too: that is three times as fast as a sum.
_ONES = np.ones(ROW, np.float32)


def dot(x: Singles, y: Singles) -> float:
    """Σ x·y of two flat arrays."""
    whole = len(x) // ROW * ROW
    rest = float(np.dot(x[whole:], y[whole:]))
    if not whole:
        return rest
    rows = np.vecdot(x[:whole].reshape(-1, ROW), y[:whole].reshape(-1, ROW))
    return float(np.add.reduce(rows, dtype=np.float64)) + rest


@dataclass(frozen=True, slots=True)
class ReferenceSums:
    """Facts of a reference tensor; `square` is None where it has to be looked at carefully."""

    square: float | None
    # Of the reference with itself.
    row: Doubles


def reference_of(values: Array) -> ReferenceSums:
    if values.dtype == np.float32:
        flat = values.reshape(-1)
        with np.errstate(all="ignore"):
            square = dot(flat, flat)
        if math.isfinite(square) and (square > _SMALL_SQUARE * flat.size or not flat.any()):
            power = Scaled(square)
            same = Sums(flat.size, rr=power, cc=power, rc=power)
            return ReferenceSums(square, row_of(same))
    same = sums(_numbers(values), _numbers(values))
    return ReferenceSums(None, row_of(same))


def sums_of(golden: Array, mine: Array, known: ReferenceSums) -> Sums:
    """Sums as `errorflow.compare.metrics.sums` does; the lowest and highest values are left out where all is finite."""
    if known.square is not None and mine.dtype == np.float32:
        found = _quick(golden.reshape(-1), mine.reshape(-1), known.square)
        if found is not None:
            return found
    return sums(_numbers(golden), _numbers(mine))


def _numbers(values: Array) -> Array:
    return values.astype(np.uint8) if values.dtype == np.bool_ else values


def _quick(golden: Singles, mine: Singles, square: float) -> Sums | None:
    """Sums quickly; None where a float32 cannot hold what comes out."""
    with np.errstate(all="ignore"):
        mixed, power, total, largest = _differences(golden, mine)
    if not math.isfinite(mixed + power + total) or 0 < largest < _SMALL:
        return None
    both, own = square + mixed, max(0.0, square + 2 * mixed + power)
    if power > _LARGE_ERROR * square:
        with np.errstate(all="ignore"):
            both, own = dot(golden, mine), dot(mine, mine)
        if not math.isfinite(both + own) or (own < _SMALL_SQUARE * len(mine) and mine.any()):
            return None
    return Sums(
        count=len(golden),
        rr=Scaled(square),
        cc=Scaled(own),
        rc=Scaled(both),
        dd=Scaled(power),
        d=Scaled(total),
        d_max=Scaled(largest),
    )


def _differences(r: Singles, c: Singles) -> tuple[float, float, float, float]:
    """Σ r·d, Σ d², Σ |d| and the largest |d|, with d = c − r."""
    whole = len(r) // ROW * ROW
    largest = mixed = power = total = 0.0
    with rooms() as free:
        if whole:
            mixed, power, total, largest = _of_rows(r[:whole], c[:whole], free)
        if whole < len(r):
            d = np.subtract(c[whole:], r[whole:], out=free.get("rest", len(r) - whole, np.float32))
            mixed += float(np.dot(r[whole:], d))
            power += float(np.dot(d, d))
            np.absolute(d, out=d)
            total += float(np.dot(d, _ONES[: len(d)]))
            largest = max(largest, float(np.maximum.reduce(d)))
    return mixed, power, total, largest


def _of_rows(r: Singles, c: Singles, free: Rooms) -> tuple[float, float, float, float]:
    r, c = r.reshape(-1, ROW), c.reshape(-1, ROW)
    mixed, power, total = found = np.empty((3, len(r)), np.float32)
    largest = 0.0
    for start in range(0, len(r), _ROWS):
        end = min(start + _ROWS, len(r))
        golden, some = r[start:end], slice(start, end)
        d = free.get("difference", golden.size, np.float32).reshape(-1, ROW)
        np.subtract(c[some], golden, out=d)
        np.vecdot(golden, d, out=mixed[some])
        np.vecdot(d, d, out=power[some])
        np.absolute(d, out=d)
        np.vecdot(d, _ONES, out=total[some])
        largest = max(largest, float(np.maximum.reduce(d, axis=None)))
    return *np.add.reduce(found, axis=1, dtype=np.float64).tolist(), largest


def split_of(mine: Array, again: Array, golden: Array, found: Sums) -> Split:
    """The two parts of an error whose sums are known."""
    if found.broken or {array.dtype for array in (mine, again, golden)} != {np.dtype(np.float32)}:
        return split(mine, again, golden)
    introduced, mixed, largest = _parts(mine.reshape(-1), again.reshape(-1), golden.reshape(-1))
    error, size = float(found.dd), float(found.rr)
    if not math.isfinite(introduced + mixed) or 0 < largest < _SMALL or size < _SMALL_SQUARE:
        return split(mine, again, golden)
    inherited = max(0.0, error - 2 * mixed + introduced)
    accumulated, new, old = (math.sqrt(power / size) for power in (error, introduced, inherited))
    return Split(accumulated, new, old, mixed / error if error else math.nan)


def _parts(mine: Singles, again: Singles, golden: Singles) -> tuple[float, float, float]:
    """Σ i², Σ i·d and the largest |i|, with i what was introduced."""
    introduced = mixed = largest = 0.0
    with rooms() as free, np.errstate(all="ignore"):
        for start in range(0, len(golden), BLOCK):
            c = mine[start : start + BLOCK]
            i, d = (free.get(name, len(c), np.float32) for name in ("introduced", "difference"))
            np.subtract(c, again[start : start + BLOCK], out=i)
            np.subtract(c, golden[start : start + BLOCK], out=d)
            introduced += dot(i, i)
            mixed += dot(i, d)
            largest = max(largest, float(np.maximum.reduce(i)), -float(np.minimum.reduce(i)))
    return introduced, mixed, largest
