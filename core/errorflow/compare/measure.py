"""One pair, measured: reads both tensors, brings them together, and says what every metric says."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from errorflow.compare.model import Row
from errorflow.compare.options import Options
from errorflow.errors import ErrorflowError
from errorflow.match.model import Pair
from errorflow.metrics import METRICS
from errorflow.metrics.sums import sums

_PLAIN = Options()


def measure_pairs(pairs: Sequence[Pair], options: Options) -> list[Row]:
    """What is sent to other processes."""
    return [measure_pair(pair, options) for pair in pairs]


def measure_pair(pair: Pair, options: Options = _PLAIN) -> Row:  # noqa: ARG001 - read by the columns to come
    """The pair's row; whatever is wrong with a tensor is its note."""
    row = unmeasured(pair)
    if pair.reference is None or pair.candidate is None or pair.note:
        return row
    try:
        return _measured(pair, row)
    except MemoryError:
        return replace(row, note="there is not enough memory for both tensors")


def unmeasured(pair: Pair, note: str = "") -> Row:
    """The pair's row without a number."""
    return Row(
        pair.tensor,
        None if pair.reference is None else pair.reference.info,
        None if pair.candidate is None else pair.candidate.info,
        note=note if note else pair.note,
        rule=pair.rule,
        node=pair.node,
        op_type=pair.op_type,
        listed=pair.listed,
    )


def _measured(pair: Pair, row: Row) -> Row:
    assert pair.reference is not None and pair.candidate is not None
    shapes = pair.reference.info.shape, pair.candidate.info.shape
    if shapes[0] != shapes[1]:
        return replace(row, note=f"shapes differ: {shapes[0]} and {shapes[1]}")
    try:
        r, c = pair.reference.read(), pair.candidate.read()
    except ErrorflowError as error:
        return replace(row, note=error.message)
    strange = [array.dtype.name for array in (r, c) if not np.can_cast(array.dtype, np.float64, "same_kind")]
    if strange:
        return replace(row, note=f"no real numbers: {strange[0]}")
    found = sums(r, c)
    values = {metric.key: metric.of(found) for metric in METRICS}
    return replace(row, values=values, reference_side=found.reference, candidate_side=found.candidate)
