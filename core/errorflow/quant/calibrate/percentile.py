"""Nearly all values: the outermost are clipped."""

from errorflow.quant.calibrate.seen import Method, Seen
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Range

# Per cent: ONNX Runtime's own first, then those that Horizon's tools try.
USUAL = (99.999, 99.995, 99.99, 99.95, 99.9)


def percentile(percent: float, key: str = "") -> Method:
    """The method that keeps so many per cent of the values."""

    def find(seen: Seen, precision: Precision) -> Range:
        share = percent / 100
        low, high = float(seen.low), float(seen.high)
        if precision.symmetric:
            end = seen.bins.magnitudes().quantile(share)
            return Range(max(low, -end), min(high, end))
        cut = (1 - share) / 2
        return Range(max(low, seen.bins.quantile(cut)), min(high, seen.bins.quantile(1 - cut)))

    return Method(
        key if key else f"percentile-{percent:g}",
        f"Percentile {percent:g} %",
        f"of the values, {(100 - percent) / 2:g} % lie below low and as many above high; "
        f"with symmetric codes, {100 - percent:g} % of the magnitudes above high = −low",
        find,
    )


PERCENTILES = (percentile(USUAL[0], "percentile"), *map(percentile, USUAL[1:]))
