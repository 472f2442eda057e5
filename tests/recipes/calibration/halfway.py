"""Halfway between the ends of a usual sample and those of all samples."""

from errorflow.quant.calibrate.seen import Method, Seen
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Range


def _find(seen: Seen, precision: Precision) -> Range:
    return Range((float(seen.low) + float(seen.usual_low)) / 2, (float(seen.high) + float(seen.usual_high)) / 2)


HALFWAY = Method("halfway", "Halfway", "the mean of min-max and of the moving average", _find, spread=False)
