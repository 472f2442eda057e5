"""The ends of a usual sample."""

from errorflow.quant.calibrate.seen import WEIGHT, Method, Seen
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Range


def _find(seen: Seen, precision: Precision) -> Range:  # noqa: ARG001 - as every row is called
    return Range(float(seen.usual_low), float(seen.usual_high))


MOVING_AVERAGE = Method(
    "moving-average",
    "Moving average",
    f"high ← high + {WEIGHT} (largest value of the sample − high), sample after sample, from that of the first on; "
    "low alike",
    _find,
    spread=False,
)
