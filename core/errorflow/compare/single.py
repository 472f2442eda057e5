"""One pair of tensors, value by value: the errors, their range, and where the worst ones are, as msaccucmp finds them.

Its arithmetic is that of the tensors' own types: int8 against int8 wraps, and so it does here.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from errorflow.base import SILENT, Progress, dataclass

Array = NDArray[np.generic]
# Values that are looked at together.
PIECE = 1 << 18
# Up to so many, the choice among equal errors is NumPy's, as the tool's; beyond, to save memory, the first ones stay.
MOST_PARTITIONED = 1 << 26


@dataclass(frozen=True, slots=True)
class WorstErrors:
    """The worst errors. `absolute` and `relative` hold positions, in the order in which NumPy finds them."""

    count: int
    # Smallest and largest; NaN where nothing can be subtracted.
    absolute_range: tuple[float, float]
    relative_range: tuple[float, float]
    absolute: NDArray[np.intp]
    relative: NDArray[np.intp]


def is_bool(mine: Array, golden: Array) -> bool:
    """Whether the values are truths, of which no difference is taken."""
    return bool(mine.dtype == np.bool_ and golden.dtype == np.bool_)


def differences(mine: Array, golden: Array) -> tuple[Array, Array]:
    """Absolute and relative errors as they are printed: an infinite one is NaN."""
    if is_bool(mine, golden):
        nothing = np.full(mine.shape, np.nan)
        return nothing, nothing
    with np.errstate(all="ignore"):
        absolute = np.abs(np.subtract(mine, golden))
        relative = np.true_divide(absolute, np.abs(golden))
    return _without_infinity(absolute), _without_infinity(relative)


def compare_operator(mine: Array, golden: Array, top: int, progress: Progress = SILENT) -> WorstErrors:
    """Compares two flat arrays of the same length."""
    count = mine.size
    # The tool's own way of counting: of fewer values than wanted it leaves one out.
    top = count - 1 if count < top else top
    if count == 0 or is_bool(mine, golden):
        first = np.arange(max(top, 0), dtype=np.intp)
        nothing = (np.nan, np.nan)
        return WorstErrors(count, nothing, nothing, first, first)
    ranges = [[np.inf, -np.inf], [np.inf, -np.inf]]
    for _, _, pair in _pieces(mine, golden, progress):
        for found, errors in zip(ranges, pair, strict=True):
            found[0] = min(found[0], float(errors.min()))
            found[1] = max(found[1], float(errors.max()))
    worst = [_worst(mine, golden, which, top, progress) for which in (0, 1)]
    absolute, relative = ((low, high) for low, high in ranges)
    return WorstErrors(count, absolute, relative, worst[0], worst[1])


def _pieces(mine: Array, golden: Array, progress: Progress) -> Iterator[tuple[int, int, tuple[Array, Array]]]:
    """Yields both kinds of errors, those that are no numbers as zero."""
    for start in range(0, mine.size, PIECE):
        progress.step(start, mine.size, "Comparing values")
        end = min(start + PIECE, mine.size)
        absolute, relative = differences(mine[start:end], golden[start:end])
        yield start, end, (np.nan_to_num(absolute), np.nan_to_num(relative))


def _worst(mine: Array, golden: Array, which: int, top: int, progress: Progress) -> NDArray[np.intp]:
    if mine.size <= MOST_PARTITIONED:
        return _last(_all_errors(mine, golden, which, progress), top)
    places = np.empty(0, np.intp)
    values: Array = np.empty(0)
    for start, end, errors in _pieces(mine, golden, progress):
        values = np.concatenate([values, errors[which]])
        places = np.concatenate([places, np.arange(start, end)])
        kept = np.sort(np.argsort(-values.astype(np.float64), kind="stable")[:top])
        values, places = values[kept], places[kept]
    return places


def _all_errors(mine: Array, golden: Array, which: int, progress: Progress) -> Array:
    made: Array | None = None
    for start, end, errors in _pieces(mine, golden, progress):
        if made is None:
            made = np.empty(mine.size, errors[which].dtype)
        made[start:end] = errors[which]
    assert made is not None
    return made


def _last(errors: Array, top: int) -> NDArray[np.intp]:
    """The positions of the largest; of none, all: so the tool takes a slice from minus zero."""
    return np.argpartition(errors, -top)[-top:] if top else np.arange(errors.size)


def _without_infinity(errors: Array) -> Array:
    infinite = np.isinf(errors)
    if infinite.any():
        errors[infinite] = np.nan
    return errors
