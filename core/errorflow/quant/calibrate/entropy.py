"""The range whose codes keep most of how the values are spread (Kullback-Leibler divergence)."""

import numpy as np
from numpy.typing import NDArray

from errorflow.quant.calibrate.histogram import Doubles, FilledBins
from errorflow.quant.calibrate.seen import Method, Seen
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Range

# Equal bins between zero and the largest magnitude.
BINS = 2048
# Ends that are tried lie so many bins apart.
STRIDE = 8
# With fewer values than ten per bin, it is chance how they are spread.
LEAST = 10 * BINS
# Stands for the mass of a level that is empty but for what was clipped into it.
FLOOR = 1e-4
_TINY = float(np.finfo(np.float32).tiny)


def _find(seen: Seen, precision: Precision) -> Range:
    low, high = float(seen.low), float(seen.high)
    one_sided = not precision.symmetric and (low >= 0 or high <= 0)
    levels = 1 << (precision.bits if one_sided else precision.bits - 1)
    top = max(abs(low), abs(high))
    if levels >= BINS or top <= _TINY or seen.count < LEAST:
        return Range(low, high)
    end = top * best_end(spread(seen.bins.magnitudes(), top), levels) / BINS
    return Range(max(low, -end), min(high, end))


def spread(sizes: FilledBins, top: float) -> Doubles:
    """The magnitudes in equal bins up to `top`. Zeros are left out: they have a code of their own in every range."""
    kept = sizes.ends > _TINY
    starts, ends, counts = sizes.starts[kept], sizes.ends[kept], sizes.counts[kept]
    edges = np.linspace(0, top, BINS + 1)
    # A constant is a bin without a width: it is all in before its end.
    ends = np.maximum(ends, np.nextafter(starts, np.inf))
    places = np.stack((starts, ends), axis=1).ravel()
    before = np.concatenate(([0.0], np.cumsum(counts)))
    reached = np.interp(edges, places, np.stack((before[:-1], before[1:]), axis=1).ravel())
    reached[-1] = counts.sum()
    found: Doubles = np.maximum(np.diff(reached), 0)
    return found


def best_end(counts: Doubles, levels: int) -> int:
    """Finds the number of bins after which to cut. Where most values would be clipped nothing is tried: one bin alone
    diverges from nothing.
    """
    ends = np.arange(BINS, levels - 1, -STRIDE)
    ends = ends[_before(counts)[ends] >= counts.sum() / 2]
    return int(ends[int(np.argmin(divergences(counts, levels, ends)))])


def divergences(counts: Doubles, levels: int, ends: NDArray[np.integer]) -> Doubles:
    """Computes for each end the divergence of what `levels` codes keep from what was there, clipped values in the last
    bin.
    """
    total = counts.sum()
    mass = _before(counts)
    filled = _before((counts > 0).astype(np.float64))
    logs = _before(_times_log(counts))
    edges = ends[:, None] * np.arange(levels + 1) // levels
    inside = np.diff(mass[edges], axis=1)
    there = np.diff(filled[edges], axis=1)
    outside = total - mass[ends]
    last = counts[ends - 1]
    there[:, -1] += (last <= 0) & (outside > 0)
    meant = inside.copy()
    meant[:, -1] += outside
    kept = np.maximum(inside, FLOOR) / np.maximum(there, 1)
    own = logs[ends - 1] + _times_log(last + outside)
    lost = own - (meant * np.log(kept)).sum(axis=1)
    found: Doubles = lost / total - np.log(total) + np.log(np.maximum(mass[ends], FLOOR))
    return found


def _times_log(values: Doubles) -> Doubles:
    return values * np.log(np.where(values > 0, values, 1.0))


def _before(values: Doubles) -> Doubles:
    return np.concatenate(([0.0], np.cumsum(values)))


ENTROPY = Method(
    "entropy",
    "Entropy (KL)",
    f"of {BINS:,} equal bins of |x|, zeros left out, the first i are kept, at least half of the values, so that "
    "Σ P log (P / Q) is least: P are the counts with what is beyond added to the last bin, Q the counts without that, "
    "merged into as many levels as there are codes on a side and spread evenly over the bins of each that hold "
    f"something; both scaled to the sum 1. Of fewer than {LEAST:,} values nothing is cut",
    _find,
)
