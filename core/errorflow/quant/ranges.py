"""Ranges that calibration found, of each tensor that flows."""

from collections.abc import Mapping

from errorflow.base.values import dataclass, field
from errorflow.graph.qparams import QParams
from errorflow.quant.precision import Precision
from errorflow.quant.scales import qparams_of

Ends = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """Range of the values; codes are laid over this, and what lies outside is clipped."""

    low: float
    high: float

    def qparams(self, precision: Precision) -> QParams:
        return qparams_of(self.low, self.high, precision)


@dataclass(frozen=True, slots=True)
class ChannelRanges:
    """The same for each channel, which are along an axis."""

    axis: int
    lows: Ends
    highs: Ends

    def qparams(self, precision: Precision) -> QParams:
        return qparams_of(self.lows, self.highs, precision, self.axis)


@dataclass(frozen=True, eq=False)
class Calibration:
    """The ranges by the names of tensors, and how they were found."""

    method: str
    ranges: Mapping[str, Range]
    # How many samples were seen.
    samples: int = 0
    # Tensors without a range, with the reason.
    notes: Mapping[str, str] = field(default_factory=dict)
    # What ran the model and how, which model and which data it was.
    facts: Mapping[str, str] = field(default_factory=dict)
    # Scale and zero point themselves, of tensors and constants that were quantized already. They count before the
    # range, as long as the codes are of their type.
    given: Mapping[str, QParams] = field(default_factory=dict)
    # Of tensors that have channels, where that was wished.
    channels: Mapping[str, ChannelRanges] = field(default_factory=dict)
