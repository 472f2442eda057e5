"""Metrics of the distance between two tensors. Each is defined for equal, zero and empty tensors; NaN says that there
is a NaN, or an infinity on one side only."""

import math

from errorflow.compare.metrics.sums import Sums


def cosine(sums: Sums) -> float:
    """The cosine of the angle between both: 1 for equal tensors, 0 when only one of them is all zero."""
    if sums.broken:
        return math.nan
    if not sums.dd.value:
        return 1.0
    if not sums.rr.value or not sums.cc.value:
        return 0.0
    exponent = sums.rc.exponent - (sums.rr.exponent + sums.cc.exponent) // 2
    value = sums.rc.value / math.sqrt(sums.rr.value) / math.sqrt(sums.cc.value)
    return min(1.0, max(-1.0, math.ldexp(value, exponent)))


def relative_l2(sums: Sums) -> float:
    """The length of the error over that of the reference; ∞ when only the reference is all zero."""
    if sums.broken:
        return math.nan
    if not sums.dd.value:
        return 0.0
    if not sums.rr.value:
        return math.inf
    try:
        ratio = math.sqrt(sums.dd.value) / math.sqrt(sums.rr.value)
        return math.ldexp(ratio, (sums.dd.exponent - sums.rr.exponent) // 2)
    except OverflowError:
        return math.inf


def sqnr(sums: Sums) -> float:
    """Signal over noise in decibels: ∞ for equal tensors, −∞ when only the reference is all zero."""
    if sums.broken:
        return math.nan
    if not sums.dd.value:
        return math.inf
    if not sums.rr.value:
        return -math.inf
    bits = sums.rr.exponent - sums.dd.exponent
    return 10 * (math.log10(sums.rr.value) - math.log10(sums.dd.value) + bits * math.log10(2))


def max_absolute_error(sums: Sums) -> float:
    return math.nan if sums.broken else float(sums.d_max)


def mean_absolute_error(sums: Sums) -> float:
    if sums.broken:
        return math.nan
    return float(sums.d / sums.count) if sums.count else 0.0
