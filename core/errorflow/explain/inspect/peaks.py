"""Whether values have one clear peak, by which Horizon's guide tells what quantizes well, and what that does not tell.

The rule, exactly: of the values that are finite and not zero the middle 99.8 % are counted in 256 bars of equal width,
and the bars smoothed by a Gaussian as wide as Silverman's rule says, at least 1.5 bars. A peak is a bar that is higher
than both sides and stands out: one has to go down by at least a tenth of the highest bar's height to come to a higher
one. Values are friendly to quantization if there is exactly one.
"""

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.explain.inspect.figure import number_text

Doubles = NDArray[np.float64]
# Values that are looked at, spread over all of them; fewer than the least say nothing.
MOST, LEAST = 1 << 16, 32
BARS, NARROWEST = 256, 1.5
PROMINENCE = 0.1
MIDDLE = (0.1, 99.9)
# Values whose middle takes less than this of their range are pressed together by a few large ones.
PRESSED = 0.1
_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Peaks:
    """Peaks and where they are, the highest first, with their heights as shares of the highest one."""

    places: tuple[float, ...]
    heights: tuple[float, ...]
    # How many values were looked at.
    count: int
    # The share of the whole range, zero in it, that the middle 99.8 % of the values take.
    used: float

    @property
    def friendly(self) -> bool | None:
        """Judgement of the vendor's rule; None: there is too little to say."""
        return None if self.count < LEAST or not self.places else len(self.places) == 1

    @property
    def pressed(self) -> bool:
        """A few large values set the scale, which the vendor's rule does not see."""
        return self.used < PRESSED

    @property
    def text(self) -> str:
        """Description in a sentence."""
        if self.friendly is None:
            return "Too few values to say whether there is one clear peak."
        at = ", ".join(number_text(place) for place in self.places[:_SHOWN])
        more = f" and {len(self.places) - _SHOWN} more" if len(self.places) > _SHOWN else ""
        found = (
            f"One clear peak, at {at}: friendly to quantization"
            if self.friendly
            else f"{len(self.places)} peaks, at {at}{more}: not one clear peak"
        )
        return f"{found}, but 99.8 % of the values take {self.used:.1%} of the range." if self.pressed else f"{found}."


def peaks_of(values: NDArray[np.generic]) -> Peaks:
    """Finds the peaks of an array of any shape; NaN, infinite values and zeros do not count."""
    flat = np.asarray(values).reshape(-1)
    # Whole parts of the array may be alike, so that every so-manieth value is taken.
    some = flat[:: max(1, -(-flat.size // MOST))].astype(np.float64)
    known = some[np.isfinite(some) & (some != 0)]
    if len(known) < LEAST:
        return Peaks((), (), len(known), 1.0)
    low, high = (float(end) for end in np.percentile(known, MIDDLE))
    used = _used(known, low, high)
    if not high > low or not np.isfinite(high - low):
        return Peaks((float(np.median(known)),), (1.0,), len(known), used)
    counts, edges = np.histogram(known, BARS, (low, high))
    smooth = _smoothed(counts.astype(np.float64), known[(known >= low) & (known <= high)], (high - low) / BARS)
    found = sorted(_prominent(smooth), key=lambda at: -smooth[at])
    middles = (edges[:-1] + edges[1:]) / 2
    top = float(smooth.max())
    places = tuple(float(middles[at]) for at in found)
    return Peaks(places, tuple(float(smooth[at]) / top for at in found), len(known), used)


def _used(known: Doubles, low: float, high: float) -> float:
    """Measures the used part of the range from the smallest to the largest, with zero in it as codes have it."""
    # Halves, which do not overflow.
    whole = max(float(known.max()), 0.0) / 2 - min(float(known.min()), 0.0) / 2
    middle = max(high, 0.0) / 2 - min(low, 0.0) / 2
    return middle / whole if whole > 0 else 1.0


def _smoothed(counts: Doubles, values: Doubles, width: float) -> Doubles:
    first, third = np.percentile(values, (25, 75))
    spread = min(float(values.std()), float(third - first) / 1.34) if third > first else float(values.std())
    bars = max(NARROWEST, min(0.9 * spread * len(values) ** -0.2 / width, BARS / 8))
    reach = int(np.ceil(4 * bars))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / bars) ** 2)
    padded = np.pad(counts, reach, mode="symmetric")
    found: Doubles = np.convolve(padded, kernel / kernel.sum(), mode="valid")
    return found


def _prominent(heights: Doubles) -> list[int]:
    """Bars that stand out; of a flat top the first one."""
    least = PROMINENCE * float(heights.max())
    found = []
    for at in range(len(heights)):
        left, right = heights[:at], heights[at + 1 :]
        before = float(left[-1]) if len(left) else -np.inf
        if not heights[at] > before or (len(right) and right[0] > heights[at]):
            continue
        # What is behind a higher bar is hidden by it; on the left an equal one counts as higher.
        higher = np.flatnonzero(left >= heights[at])
        valley = float(left[higher[-1] + 1 :].min(initial=heights[at])) if len(higher) else -np.inf
        beyond = np.flatnonzero(right > heights[at])
        other = float(right[: beyond[0]].min(initial=heights[at])) if len(beyond) else -np.inf
        if heights[at] - max(valley, other) >= least:
            found.append(at)
    return found
