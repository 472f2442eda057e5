"""Range of all values that were seen."""

from errorflow.quant.calibrate.seen import Method, Seen
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Range


def _find(seen: Seen, precision: Precision) -> Range:  # noqa: ARG001 - as every row is called
    return Range(float(seen.low), float(seen.high))


MINMAX = Method("minmax", "Min-max", "low = the smallest value of all samples, high = the largest", _find, spread=False)
