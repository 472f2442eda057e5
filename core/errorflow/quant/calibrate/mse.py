"""The range whose codes make the least squared error: between clipping much and coarse steps."""

import numpy as np

from errorflow.base.values import dataclass
from errorflow.quant.calibrate.histogram import Doubles, FilledBins
from errorflow.quant.calibrate.seen import Method, Seen
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Range

# Ends that are tried: 8 per halving of the largest value, down to 1/4096 of it, and then finer around the best.
_COARSE = 2.0 ** (-np.arange(0, 97) / 8)
_FINE = 2.0 ** (np.arange(-8, 9) / 64)


def _find(seen: Seen, precision: Precision) -> Range:
    low, high = float(seen.low), float(seen.high)
    sums = _Sums.of(seen.bins)
    first, last = precision.span
    steps = float(last - first)
    if precision.symmetric:
        top = max(abs(low), abs(high))
        end = _best_end(sums, top, steps)
        return Range(max(low, -end), min(high, end))
    lows, highs = min(low, 0.0) * _COARSE, max(high, 0.0) * _COARSE
    for _ in range(2):
        errors = sums.errors(lows[:, None], highs[None, :], steps)
        at, to = np.unravel_index(int(np.argmin(errors)), errors.shape)
        best = float(lows[at]), float(highs[to])
        lows, highs = np.maximum(best[0] * _FINE, min(low, 0.0)), np.minimum(best[1] * _FINE, max(high, 0.0))
    # A side without values was never tried.
    return Range(best[0] if low < 0 else low, best[1] if high > 0 else high)


def _best_end(sums: "_Sums", top: float, steps: float) -> float:
    ends = top * _COARSE
    for _ in range(2):
        best = float(ends[int(np.argmin(sums.errors(-ends, ends, steps)))])
        ends = np.minimum(best * _FINE, top)
    return best


@dataclass(frozen=True, slots=True)
class _Sums:
    """Count, sum and sum of squares of the values up to each, so that a range's error takes no pass over them."""

    values: Doubles
    sums: Doubles
    sizes: Doubles
    size_sums: Doubles

    @classmethod
    def of(cls, bins: FilledBins) -> "_Sums":
        sizes = bins.magnitudes()
        return cls(bins.middles, _summed(bins), sizes.middles, _summed(sizes))

    def errors(self, lows: Doubles, highs: Doubles, steps: float) -> Doubles:
        """Computes for each range the sum of squared errors."""
        step = (highs - lows) / steps
        everything = self.sums[:, -1]
        under = self.sums[:, np.searchsorted(self.values, lows)]
        over = everything.reshape(3, *([1] * highs.ndim)) - self.sums[:, np.searchsorted(self.values, highs, "right")]
        near = self.size_sums[:, np.searchsorted(self.sizes, step / 2)]
        rounded = np.maximum(everything[0] - under[0] - over[0] - near[0], 0)
        found: Doubles = _clipped(under, lows) + _clipped(over, highs) + near[2] + rounded * step**2 / 12
        return found


def _summed(bins: FilledBins) -> Doubles:
    rows = np.stack((bins.counts.astype(np.float64), bins.middles * bins.counts, bins.middles**2 * bins.counts))
    return np.concatenate((np.zeros((3, 1)), np.cumsum(rows, axis=1)), axis=1)


def _clipped(sums: Doubles, end: Doubles) -> Doubles:
    """The squared distances to the end."""
    found: Doubles = np.maximum(sums[2] - 2 * end * sums[1] + end**2 * sums[0], 0)
    return found


MSE = Method(
    "mse",
    "Least squared error",
    "minimises Σ (x − low)² over x < low + Σ (x − high)² over x > high + Σ x² over |x| < s/2 + s²/12 for each other "
    "value, where s is the step between codes",
    _find,
)
