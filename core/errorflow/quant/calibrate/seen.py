"""Statistics of one tensor, as far as calibration needs them."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.quant.calibrate.channels import ChannelEnds
from errorflow.quant.calibrate.histogram import FilledBins, Histogram, Singles
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Range

# What a new sample counts in the moving average, as in ONNX Runtime.
WEIGHT = 0.01


class Seen:
    """Takes the tensor's values sample by sample and keeps little. NaN and infinite values are counted apart."""

    def __init__(self, *, spread: bool, last: bool = False) -> None:
        """`last`: its channels are."""
        self._histogram = Histogram() if spread else None
        self.channels = ChannelEnds(last)
        # Of finite values.
        self.count = 0
        self.nans = 0
        self.infinities = 0
        self.low = np.float32(np.inf)
        self.high = np.float32(-np.inf)
        # Their moving averages over the samples.
        self.usual_low = np.float32(0)
        self.usual_high = np.float32(0)

    def see(self, values: NDArray[Any]) -> None:
        """Takes one sample."""
        flat = _singles(values)
        if not len(flat):
            return
        low, high = flat.min(), flat.max()
        finite = bool(np.isfinite(low) and np.isfinite(high))
        self.channels.see(flat.reshape(values.shape), finite=finite)
        if not finite:
            flat = self._finite(flat)
            if not len(flat):
                return
            low, high = flat.min(), flat.max()
        self._take(low, high)
        self.count += len(flat)
        if self._histogram is not None:
            self._histogram.add(flat, low, high)
            self.__dict__.pop("bins", None)

    @cached_property
    def bins(self) -> FilledBins:
        """Histogram of the values; only for methods that say that they need it."""
        assert self._histogram is not None
        return self._histogram.bins(float(self.low), float(self.high))

    def _finite(self, flat: Singles) -> Singles:
        nans = int(np.isnan(flat).sum())
        finite = flat[np.isfinite(flat)]
        self.nans += nans
        self.infinities += len(flat) - len(finite) - nans
        return finite

    def _take(self, low: np.float32, high: np.float32) -> None:
        if self.count:
            self.usual_low = np.float32(self.usual_low + WEIGHT * (low - self.usual_low))
            self.usual_high = np.float32(self.usual_high + WEIGHT * (high - self.usual_high))
        else:
            self.usual_low, self.usual_high = low, high
        self.low, self.high = min(self.low, low), max(self.high, high)


def _singles(values: NDArray[Any]) -> Singles:
    flat = np.ascontiguousarray(values).reshape(-1)
    if flat.dtype == np.float32:
        return flat
    with np.errstate(over="ignore", invalid="ignore"):  # what is too large for a float32 counts as infinite
        return flat.astype(np.float32)


# The row of a calibration method.


@dataclass(frozen=True, slots=True)
class Method:
    """`find` gives the range of a tensor of which at least one finite value was seen."""

    key: str
    label: str
    # As the documentation has it.
    formula: str
    find: Callable[[Seen, Precision], Range]
    # Whether it needs to know how values are spread, not only their ends.
    spread: bool = True
