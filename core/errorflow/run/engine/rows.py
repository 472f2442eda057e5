"""Rows of measures of a tensor, numbers that fit through the line between two processes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.compare.metrics.sums import Scaled, Side, Sums
from errorflow.compare.split import Split

Doubles = NDArray[np.float64]
# Sums of the accumulated error; the two parts of it; sums of the error of the node on its own.
SUMS = ("count", "broken", "rr", "cc", "rc", "dd", "d", "d_max", "nan", "inf", "reference_nan", "reference_inf")
PARTS = ("introduced", "inherited", "share")
ACCUMULATED, SPLIT, NODE = (
    slice(0, len(SUMS)),
    slice(len(SUMS), len(SUMS) + len(PARTS)),
    slice(len(SUMS) + len(PARTS), 2 * len(SUMS) + len(PARTS)),
)
WIDTH = NODE.stop


def empty(count: int) -> Doubles:
    """Rows of tensors that were not measured."""
    return np.full((count, WIDTH), np.nan)


def row_of(found: Sums) -> Doubles:
    scaled = (found.rr, found.cc, found.rc, found.dd, found.d, found.d_max)
    powers = (each.value if each.exponent == 0 else float(each) for each in scaled)
    sides = (found.candidate.nan, found.candidate.inf, found.reference.nan, found.reference.inf)
    return np.array((found.count, found.broken, *powers, *sides), np.float64)


def sums_of_row(row: Any) -> Sums:
    count, broken, rr, cc, rc, dd, d, d_max, nan, inf, reference_nan, reference_inf = row.tolist()
    sides = Side(int(reference_nan), int(reference_inf)), Side(int(nan), int(inf))
    powers = Scaled(rr), Scaled(cc), Scaled(rc), Scaled(dd)
    return Sums(int(count), int(broken), *powers, Scaled(d), Scaled(d_max), *sides)


def row_of_split(found: Split) -> Doubles:
    return np.array([found.introduced, found.inherited, found.share])


NO_SPLIT = np.array([0.0, 0.0, np.nan])
