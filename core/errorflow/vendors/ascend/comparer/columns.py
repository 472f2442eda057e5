"""The columns of msaccucmp's table, to the last digit as version 26.2.0 prints them.

They are computed in float32 and in the tool's own order of operations, which is not how one would measure: for that
there is `errorflow.compare.metrics.METRICS`. Both sides are as the tool has them: x is mine (the candidate), y golden.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.errors import UsageError
from errorflow.compare.comparer import Cells
from errorflow.compare.metrics.rooms import rooms
from errorflow.vendors.ascend.comparer.passes import TINY, Passes, Side

NOT_COMPUTED = "NaN"
MISMATCH = "The my output dump data size (%d) in '%r' does not match the ground truth dump data size (%d) in '%r'."
FAILED = "Failed to execute 'compare' in '%s'. %s"
NO_BOOL = "Algorithm %s does not support Boolean types."
BOOL_MINUS = (
    "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or the "
    "logical_xor function instead."
)
EMPTY_MAX = "zero-size array to reduction operation maximum which has no identity"
ALL_ZERO = "Cannot compare by Cosine Similarity. All the data is zero in %s."
# Sums of squares that are larger have a root above TINY.
SMALLEST_SQUARES = 2.0**-103
# Means and deviations closer to zero are printed as zero.
SMALL = 0.001


@dataclass(frozen=True, slots=True)
class Paths:
    """What the tool calls the two files in what it prints."""

    mine: str
    golden: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A value, and the tool's remark on it."""

    value: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """`number` is what `-alg` takes in place of the name; `passes` how often the values are gone through for it."""

    name: str
    number: int
    formula: str
    definition: str
    passes: int
    of: Callable[[Passes, Paths], Cell]
    # The tool's `compare` fails without values.
    needs_values: bool = False


def cells_of(found: Mapping[str, Cell]) -> Cells:
    """Of the cells by the names of their columns; the tool joins the remarks by commas."""
    messages = tuple(cell.message for cell in found.values() if cell.message)
    return Cells({name: cell.value for name, cell in found.items()}, messages)


def cells(
    mine: NDArray[Any],
    golden: NDArray[Any],
    *,
    columns: Sequence[Column] | None = None,
    shape: Sequence[int],
    my_path: str,
    golden_path: str,
    maximum: int | None = None,
) -> Cells:
    """The row of two tensors of equal size that are brought together already; without `columns`, all of them.

    `shape` is what the tool prints as the shape, and what decides whether the pair is a scalar. `maximum` is its
    `-max`: only that many first elements are looked at, 0 for all.
    """
    chosen_columns = COLUMNS if columns is None else columns
    if mine.size != golden.size:
        message = MISMATCH % (mine.size, my_path, golden.size, golden_path)
        return Cells(dict.fromkeys((column.name for column in chosen_columns), NOT_COMPUTED), (message,))
    x, y = (side.reshape(-1)[: maximum if maximum else None] for side in (mine, golden))
    return cells_of(_row(x, y, chosen_columns, is_scalar(shape), Paths(my_path, golden_path)))


def _row(x: NDArray[Any], y: NDArray[Any], columns: Sequence[Column], scalar: bool, paths: Paths) -> dict[str, Cell]:
    if x.dtype == np.bool_ and y.dtype == np.bool_:
        return {column.name: _of_booleans(column, x, y, scalar, paths) for column in columns}
    # What overflows or is not a number is meant to be: it shows in the cell.
    with np.errstate(all="ignore"), rooms() as free:
        passes = Passes(Side(x, free, "mine"), Side(y, free, "golden"), free)
        passes.run(max((0 if scalar and _is_cosine(column) else column.passes for column in columns), default=0))
        return {column.name: _of_numbers(column, passes, scalar, paths) for column in columns}


def is_scalar(shape: Sequence[int]) -> bool:
    """The tool's rule: no dimension, all of them 1, or others whose sum happens to be their number."""
    return sum(shape) == len(shape)


def chosen(text: str) -> tuple[Column, ...]:
    """The columns that `-alg` asks for: `all`, or names and numbers separated by commas, in that order."""
    if text.strip().lower() == "all":
        return COLUMNS
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise UsageError("No algorithm is selected.", f"Take `all`, or some of: {_names()}.")
    return tuple(dict.fromkeys(_column(word) for word in words))


def _column(word: str) -> Column:
    found = next((column for column in COLUMNS if word in (column.name, str(column.number))), None)
    if found is None:
        raise UsageError(f"There is no algorithm “{word}”.", f"These are known, by name or number: {_names()}.")
    return found


def _names() -> str:
    return ", ".join(f"{column.number} {column.name}" for column in COLUMNS)


def _of_numbers(column: Column, passes: Passes, scalar: bool, paths: Paths) -> Cell:
    if scalar and _is_cosine(column):
        return _SCALAR
    if column.needs_values and not passes.count:
        return Cell(NOT_COMPUTED, FAILED % (column.name, EMPTY_MAX))
    return column.of(passes, paths)


def _of_booleans(column: Column, x: NDArray[np.bool_], y: NDArray[np.bool_], scalar: bool, paths: Paths) -> Cell:
    if _is_cosine(column):
        return _SCALAR if scalar else _boolean_cosine(x, y, paths)
    if column.name != "RelativeEuclideanDistance":
        return Cell(NOT_COMPUTED, NO_BOOL % column.name)
    if not y.any():
        return Cell(_six(0.0))
    return Cell(NOT_COMPUTED, FAILED % (column.name, BOOL_MINUS))


def _boolean_cosine(x: NDArray[np.bool_], y: NDArray[np.bool_], paths: Paths) -> Cell:
    norms = np.sqrt(np.float64(np.count_nonzero(x))), np.sqrt(np.float64(np.count_nonzero(y)))
    with np.errstate(all="ignore"):
        return _cosine_of(norms[0], norms[1], paths, lambda: np.add.reduce((x / norms[0]) * (y / norms[1])))


def _cosine(passes: Passes, paths: Paths) -> Cell:
    norms = np.sqrt(passes.mine.squares), np.sqrt(passes.golden.squares)
    return _cosine_of(norms[0], norms[1], paths, lambda: passes.cosine)


def _cosine_of(mine: Any, golden: Any, paths: Paths, cosine: Callable[[], Any]) -> Cell:
    if mine <= TINY and golden < TINY:
        return Cell("1.0")
    for norm, path in ((mine, paths.mine), (golden, paths.golden)):
        if np.sqrt(norm) <= TINY:
            return Cell(NOT_COMPUTED, ALL_ZERO % path)
    return Cell(_six(min(cosine(), 1.0)))


def _max_absolute(passes: Passes, _: Paths) -> Cell:
    return Cell(_six(passes.max_difference))


def _accumulated_relative(passes: Passes, _: Paths) -> Cell:
    return Cell(_six(passes.relative))


def _relative_euclidean(passes: Passes, _: Paths) -> Cell:
    # Asked in this order because a power of numpy's numbers takes longer than a pass over a small tensor.
    if passes.golden.squares < SMALLEST_SQUARES and passes.golden.squares**0.5 <= TINY:
        return Cell(_six(0.0))
    return Cell(_six((passes.squared_difference / passes.golden.squares) ** 0.5))


def _divergence(passes: Passes, paths: Paths) -> Cell:
    found = passes.divergence
    if abs(found) < TINY:
        return Cell(_six(0.0))
    remark = f"Cannot compare by KL Divergence. The data contains 0 in {paths.golden!r}." if found == np.inf else ""
    return Cell(_six(found), remark)


def _standard_deviation(passes: Passes, _: Paths) -> Cell:
    return Cell(",".join(f"({_three(side.mean)};{_deviation(side)})" for side in (passes.mine, passes.golden)))


def _deviation(side: Side) -> str:
    """Three decimals are mostly certain without going through the values once more."""
    if not len(side.values) or not np.isfinite(side.squares):
        return _three(side.deviation)
    low, high = (_three(bound) for bound in side.deviation_bounds)
    return low if low == high else _three(side.deviation)


def _three(value: Any) -> str:
    return f"{0.0 if abs(value) < SMALL else value:.3f}"


def _mean_absolute(passes: Passes, _: Paths) -> Cell:
    return Cell(_six(_mean(passes.difference, passes)))


def _root_mean_square(passes: Passes, _: Paths) -> Cell:
    return Cell(_six(np.sqrt(_mean(passes.squared_difference, passes))))


def _max_relative(passes: Passes, _: Paths) -> Cell:
    return Cell(_six(passes.max_relative))


def _mean_relative(passes: Passes, _: Paths) -> Cell:
    return Cell(_six(_mean(passes.relative, passes)))


def _mean(total: np.float32, passes: Passes) -> np.float32:
    """Divided in float64 and rounded, as numpy does."""
    return np.float32(total / np.intp(passes.count))


def _six(value: Any) -> str:
    return f"{value:.6f}"


def _is_cosine(column: Column) -> bool:
    return column.number == 0


_SCALAR = Cell("1.000000", "This tensor is scalar.")

COLUMNS: tuple[Column, ...] = (
    Column(
        "CosineSimilarity",
        0,
        "Σ (x / √Σ x²) · (y / √Σ y²)",
        "At most 1; 1.000000 for a scalar, 1.0 when both are zero, NaN when one is. Squares above 3.4e38 overflow: the "
        "cosine of such values is printed as 0.000000 or nan.",
        2,
        _cosine,
    ),
    Column("MaxAbsoluteError", 1, "max |x − y|", "The largest difference.", 1, _max_absolute, needs_values=True),
    Column(
        "AccumulatedRelativeError",
        2,
        "Σ |x / y − 1|",
        "Grows with the number of values. Where |y| ≤ 2.2e−16, nothing is added.",
        1,
        _accumulated_relative,
    ),
    Column(
        "RelativeEuclideanDistance",
        3,
        "√(Σ (x − y)² / Σ y²)",
        "0 when y is all zero, whatever x is.",
        1,
        _relative_euclidean,
    ),
    Column(
        "KullbackLeiblerDivergence",
        4,
        "Σ p · ln(p / q)",
        "p and q are x and y, brought between 0 and 1 by their own smallest and largest value, raised to at least "
        "1.2e−7 and divided by their sum. It sees neither a factor nor an offset: x = 2y and x = y + 1 give 0.",
        3,
        _divergence,
        needs_values=True,
    ),
    Column(
        "StandardDeviation",
        5,
        "(mean x;√Σ (x − mean x)² / n),(mean y;…)",
        "No comparison: mean and standard deviation of each side. Below 0.001 they are printed as zero.",
        1,
        _standard_deviation,
    ),
    Column("MeanAbsoluteError", 6, "Σ |x − y| / n", "The average difference.", 1, _mean_absolute),
    Column("RootMeanSquareError", 7, "√(Σ (x − y)² / n)", "In the unit of the tensor.", 1, _root_mean_square),
    Column(
        "MaxRelativeError",
        8,
        "max |x / y − 1|",
        "Where |y| ≤ 2.2e−16, the error counts as 0.",
        1,
        _max_relative,
        needs_values=True,
    ),
    Column(
        "MeanRelativeError",
        9,
        "Σ |x / y − 1| / n",
        "Where |y| ≤ 2.2e−16, the error counts as 0 and the value is still counted in n.",
        1,
        _mean_relative,
    ),
)

# What `file_compare` prints.
FILE_COLUMNS: tuple[Column, ...] = tuple(column for column in COLUMNS if column.number not in (4, 5))
