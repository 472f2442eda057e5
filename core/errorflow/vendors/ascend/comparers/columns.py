"""The columns of msaccucmp's table, to the last digit as version 26.2.0 prints them.

They are computed in float32 and in the tool's own order of operations, which is not how one would measure: for that
there is `errorflow.compare.metrics.METRICS`. Both sides are as the tool has them: x is mine (the candidate), y golden.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base import UsageError, dataclass, field
from errorflow.compare.comparer import Cells
from errorflow.compare.metrics.halves import to_singles
from errorflow.compare.metrics.pieces import Rooms, rooms

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
    """Names of the two files in what the tool prints."""

    mine: str
    golden: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A value, and the tool's remark on it."""

    value: str
    message: str = ""


# What the columns of msaccucmp are made of: at most three passes over both tensors in float32, as the tool computes.
#
# Each number has the very bits of the tool's. The tool makes a new array for every step; here all steps of a piece are
# made while it is in the cache.

# Sums in the order in which numpy adds a whole array up, piece by piece and without making the whole array.
# numpy halves an array of floats, each time at a multiple of 8, until 128 values or fewer are left, and adds the two
# halves. Cut at the same places, pieces that fit into the cache give the same sum to the last bit.
Doubles = NDArray[np.float64]
# Some sums of one piece, of any float types.
Parts = tuple[NDArray[np.floating[Any]], ...]

# The largest piece: the four float32 arrays that are at work on it stay in the cache of a core. At least 128.
LEAF = 1 << 16
# numpy casts an array that it adds up in another type in chunks of this size, and adds their sums one after the other.
CHUNK = 8192


def folded(count: int, piece: Callable[[int, int], Parts]) -> Parts:
    """The sums that `piece(start, stop)` gives of the pieces of an array of `count` values, added up in that order."""
    return _folded(0, count, piece)


def _folded(start: int, count: int, piece: Callable[[int, int], Parts]) -> Parts:
    if count <= LEAF:
        return piece(start, start + count)
    half = count // 2
    half -= half % 8
    left, right = _folded(start, half, piece), _folded(start + half, count - half, piece)
    return tuple(one + other for one, other in zip(left, right, strict=True))


@dataclass(slots=True)
class CastSum:
    """Sum that `np.add.reduce(values, dtype=np.float64)` gives of the narrower values that were fed, piece by piece."""

    total: np.float64 = field(default_factory=np.float64)
    _chunk: Doubles = field(default_factory=lambda: np.empty(CHUNK))
    _filled: int = 0

    def feed(self, values: NDArray[Any]) -> None:
        while len(values):
            taken = min(CHUNK - self._filled, len(values))
            self._chunk[self._filled : self._filled + taken] = values[:taken]
            self._filled += taken
            values = values[taken:]
            if self._filled == CHUNK:
                self._add()

    def end(self) -> np.float64:
        if self._filled:
            self._add()
        return self.total

    def _add(self) -> None:
        self.total = self.total + np.add.reduce(self._chunk[: self._filled])
        self._filled = 0


Singles = NDArray[np.float32]
# References closer to zero have no relative error.
TINY = np.float32(np.finfo(np.float64).eps)
# As an array: numpy compares two arrays ten times faster than an array and a number.
FLOOR = np.full(LEAF, np.finfo(np.float32).eps)
FLOOR.flags.writeable = False
# Tensors up to this size are converted and brought between 0 and 1 once, larger ones in each pass anew.
KEPT = 1 << 21
# More than a float32 sum of squares is off by: some forty roundings, one after the other, whatever the size.
ROUNDING = 40 * 2.0**-23


@dataclass(slots=True)
class ToolSide:
    """One tensor, converted to float32 where and when a piece of it is needed."""

    values: NDArray[Any]
    rooms: Rooms
    # Its rooms are not those of the other.
    name: str
    squares: np.float32 = field(default_factory=np.float32)
    low: np.float32 = field(default_factory=lambda: np.float32(np.inf))
    high: np.float32 = field(default_factory=lambda: np.float32(-np.inf))
    # In float64.
    mean: np.float64 = field(default_factory=np.float64)
    # Of the values between 0 and 1 that the divergence is computed from.
    share_sum: np.float32 = field(default_factory=np.float32)
    # Whether they are float32 as they lie in memory.
    single: bool = field(init=False)

    def __post_init__(self) -> None:
        if self.values.dtype != np.float32 and len(self.values) <= KEPT:
            whole = np.empty(len(self.values), np.float32)
            for start in range(0, len(whole), LEAF):
                self._convert(self.values[start : start + LEAF], whole[start : start + LEAF])
            self.values = whole
        values = self.values
        self.single = values.dtype == np.float32 and values.dtype.isnative and values.flags.aligned

    def piece(self, start: int, stop: int) -> Singles:
        """Valid until the next one is asked for; not to be written to."""
        values = self.values[start:stop]
        if self.single:
            return values
        return self._convert(values, self.rooms.get(f"{self.name} single", len(values), np.float32))

    def _convert(self, values: NDArray[Any], room: Singles) -> Singles:
        if values.dtype == np.float16:
            to_singles(values, room)
        else:
            # Of complex numbers the tool compares the real parts.
            np.copyto(room, values.real, casting="unsafe")
        return room

    def shares(self, x: Singles, room: Singles) -> Singles:
        """The piece brought between 0 and 1."""
        spread = self.high - self.low
        if spread != 0:
            np.subtract(x, self.low, out=room)
            np.divide(room, spread, out=room)
            x = room
        return np.maximum(x, FLOOR[: len(x)], out=room)

    @property
    def deviation(self) -> np.float64:
        """The standard deviation, in one more pass of its own."""

        def piece(start: int, stop: int) -> Parts:
            d = self.rooms.get("double", stop - start, np.float64)
            np.copyto(d, self.piece(start, stop))
            np.subtract(d, self.mean, out=d)
            return (np.atleast_1d(_sum(np.square(d, out=d))),)

        ((squares,),) = folded(len(self.values), piece)
        return np.float64(np.sqrt(squares / np.intp(len(self.values))))

    @property
    def deviation_bounds(self) -> tuple[float, float]:
        """Bounds of the standard deviation, known from the squares without another pass."""
        # Plain floats: with numbers of numpy's this takes longer than a pass over a small tensor.
        squares, square = float(self.squares) / len(self.values), float(self.mean) * float(self.mean)
        low, high = squares * (1 - ROUNDING) - square, squares * (1 + ROUNDING) - square
        return math.sqrt(max(low, 0.0)), math.sqrt(max(high, 0.0))


@dataclass(slots=True)
class Passes:
    """Filled pass by pass; each needs the one before."""

    mine: ToolSide
    golden: ToolSide
    rooms: Rooms
    difference: np.float32 = field(default_factory=np.float32)
    squared_difference: np.float32 = field(default_factory=np.float32)
    max_difference: np.float32 = field(default_factory=lambda: np.float32(-np.inf))
    relative: np.float32 = field(default_factory=np.float32)
    max_relative: np.float32 = field(default_factory=lambda: np.float32(-np.inf))
    # Σ (x / |x|) · (y / |y|)
    cosine: np.float32 = field(default_factory=np.float32)
    divergence: np.float32 = field(default_factory=np.float32)

    @property
    def count(self) -> int:
        return len(self.mine.values)

    def _room(self, size: int) -> Singles:
        return self.rooms.get("room", size, np.float32)

    def _more(self, size: int) -> Singles:
        return self.rooms.get("more", size, np.float32)

    def _shares(self, start: int, stop: int) -> tuple[Singles, Singles]:
        """Places the shares of a piece of mine and golden."""
        if self.count > KEPT:
            return self._room(stop - start), self._more(stop - start)
        mine, golden = (self.rooms.get(name, self.count, np.float32) for name in ("mine shares", "golden shares"))
        return mine[start:stop], golden[start:stop]

    def run(self, number: int) -> None:
        """The first `number` passes."""
        if not self.count:
            self.mine.mean = self.golden.mean = np.float64(np.nan)
            return
        for each in (self._differences, self._directions, self._divergence)[:number]:
            each()

    def _differences(self) -> None:
        means = _Mean(self.mine), _Mean(self.golden)

        def piece(start: int, stop: int) -> Parts:
            x, y = self.mine.piece(start, stop), self.golden.piece(start, stop)
            for side, values, mean in ((self.mine, x, means[0]), (self.golden, y, means[1])):
                side.low = np.minimum(side.low, np.minimum.reduce(values))
                side.high = np.maximum(side.high, np.maximum.reduce(values))
                mean.feed(values)
            return (np.array([*self._squares(x, y), *self._distances(x, y), self._relative(x, y)], np.float32),)

        (found,) = folded(self.count, piece)
        self.mine.squares, self.golden.squares, self.difference, self.squared_difference, self.relative = found
        self.mine.mean, self.golden.mean = (mean.end() for mean in means)

    def _squares(self, x: Singles, y: Singles) -> tuple[np.float32, np.float32]:
        room = self._room(len(x))
        return _sum(np.square(x, out=room)), _sum(np.square(y, out=room))

    def _distances(self, x: Singles, y: Singles) -> tuple[np.float32, np.float32]:
        d = np.subtract(x, y, out=self._room(len(x)))
        np.abs(d, out=d)
        self.max_difference = np.maximum(self.max_difference, np.maximum.reduce(d))
        return _sum(d), _sum(np.square(d, out=d))

    def _relative(self, x: Singles, y: Singles) -> np.float32:
        room = self._room(len(x))
        counted = np.abs(y, out=room) > TINY
        r = np.divide(x, y, out=room)
        np.subtract(r, np.float32(1), out=r)
        np.abs(r, out=r)
        if not counted.all():  # all bits of the others are cleared: ten times faster than to choose value by value
            mask = self.rooms.get("mask", len(x), np.int32)
            np.copyto(mask, np.negative(counted.view(np.int8)))
            bits = r.view(np.int32)
            np.bitwise_and(bits, mask, out=bits)
        self.max_relative = np.maximum(self.max_relative, np.maximum.reduce(r))
        total: np.float32 = _sum(r)
        return total

    def _directions(self) -> None:
        norms = np.sqrt(self.mine.squares), np.sqrt(self.golden.squares)

        def piece(start: int, stop: int) -> Parts:
            x, y = self.mine.piece(start, stop), self.golden.piece(start, stop)
            room, more = self._room(len(x)), self._more(len(x))
            product = np.multiply(np.divide(x, norms[0], out=room), np.divide(y, norms[1], out=more), out=room)
            p, q = self._shares(start, stop)
            sums = [_sum(product), _sum(self.mine.shares(x, p)), _sum(self.golden.shares(y, q))]
            return (np.array(sums, np.float32),)

        ((self.cosine, self.mine.share_sum, self.golden.share_sum),) = folded(self.count, piece)

    def _divergence(self) -> None:
        def piece(start: int, stop: int) -> Parts:
            p, q = self._shares(start, stop)
            if self.count > KEPT:  # else they are there still
                self.mine.shares(self.mine.piece(start, stop), p)
                self.golden.shares(self.golden.piece(start, stop), q)
            np.divide(p, self.mine.share_sum, out=p)
            np.divide(q, self.golden.share_sum, out=q)
            np.log(np.divide(p, q, out=q), out=q)
            return (np.array([_sum(np.multiply(p, q, out=p))], np.float32),)

        ((self.divergence,),) = folded(self.count, piece)


@dataclass(slots=True)
class _Mean:
    """Mean in float64 of the values in float32: what is there as such is added up by numpy itself."""

    side: ToolSide
    _cast: CastSum = field(default_factory=CastSum)

    def feed(self, values: Singles) -> None:
        if not self.side.single:
            self._cast.feed(values)

    def end(self) -> np.float64:
        side = self.side
        total = np.add.reduce(side.values, dtype=np.float64) if side.single else self._cast.end()
        return np.float64(total / np.intp(len(side.values)))


def _sum(values: NDArray[Any]) -> Any:
    return np.add.reduce(values)


@dataclass(frozen=True, slots=True)
class MsaccucmpColumn:
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
    """Makes cells by the names of their columns; the tool joins the remarks by commas."""
    messages = tuple(cell.message for cell in found.values() if cell.message)
    return Cells({name: cell.value for name, cell in found.items()}, messages)


def cells(
    mine: NDArray[Any],
    golden: NDArray[Any],
    *,
    columns: Sequence[MsaccucmpColumn] | None = None,
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


def _row(
    x: NDArray[Any], y: NDArray[Any], columns: Sequence[MsaccucmpColumn], scalar: bool, paths: Paths
) -> dict[str, Cell]:
    if x.dtype == np.bool_ and y.dtype == np.bool_:
        return {column.name: _of_booleans(column, x, y, scalar, paths) for column in columns}
    # What overflows or is not a number is meant to be: it shows in the cell.
    with np.errstate(all="ignore"), rooms() as free:
        passes = Passes(ToolSide(x, free, "mine"), ToolSide(y, free, "golden"), free)
        passes.run(max((0 if scalar and _is_cosine(column) else column.passes for column in columns), default=0))
        return {column.name: _of_numbers(column, passes, scalar, paths) for column in columns}


def is_scalar(shape: Sequence[int]) -> bool:
    """The tool's rule: no dimension, all of them 1, or others whose sum happens to be their number."""
    return sum(shape) == len(shape)


def chosen(text: str) -> tuple[MsaccucmpColumn, ...]:
    """The columns that `-alg` asks for: `all`, or names and numbers separated by commas, in that order."""
    if text.strip().lower() == "all":
        return COLUMNS
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise UsageError("No algorithm is selected.", f"Take `all`, or some of: {_names()}.")
    return tuple(dict.fromkeys(_column(word) for word in words))


def _column(word: str) -> MsaccucmpColumn:
    found = next((column for column in COLUMNS if word in (column.name, str(column.number))), None)
    if found is None:
        raise UsageError(f"There is no algorithm “{word}”.", f"These are known, by name or number: {_names()}.")
    return found


def _names() -> str:
    return ", ".join(f"{column.number} {column.name}" for column in COLUMNS)


def _of_numbers(column: MsaccucmpColumn, passes: Passes, scalar: bool, paths: Paths) -> Cell:
    if scalar and _is_cosine(column):
        return _SCALAR
    if column.needs_values and not passes.count:
        return Cell(NOT_COMPUTED, FAILED % (column.name, EMPTY_MAX))
    return column.of(passes, paths)


def _of_booleans(
    column: MsaccucmpColumn, x: NDArray[np.bool_], y: NDArray[np.bool_], scalar: bool, paths: Paths
) -> Cell:
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


def _deviation(side: ToolSide) -> str:
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


def _is_cosine(column: MsaccucmpColumn) -> bool:
    return column.number == 0


_SCALAR = Cell("1.000000", "This tensor is scalar.")

COLUMNS: tuple[MsaccucmpColumn, ...] = (
    MsaccucmpColumn(
        "CosineSimilarity",
        0,
        "Σ (x / √Σ x²) · (y / √Σ y²)",
        "At most 1; 1.000000 for a scalar, 1.0 when both are zero, NaN when one is. Squares above 3.4e38 overflow: the "
        "cosine of such values is printed as 0.000000 or nan.",
        2,
        _cosine,
    ),
    MsaccucmpColumn(
        "MaxAbsoluteError", 1, "max |x − y|", "The largest difference.", 1, _max_absolute, needs_values=True
    ),
    MsaccucmpColumn(
        "AccumulatedRelativeError",
        2,
        "Σ |x / y − 1|",
        "Grows with the number of values. Where |y| ≤ 2.2e−16, nothing is added.",
        1,
        _accumulated_relative,
    ),
    MsaccucmpColumn(
        "RelativeEuclideanDistance",
        3,
        "√(Σ (x − y)² / Σ y²)",
        "0 when y is all zero, whatever x is.",
        1,
        _relative_euclidean,
    ),
    MsaccucmpColumn(
        "KullbackLeiblerDivergence",
        4,
        "Σ p · ln(p / q)",
        "p and q are x and y, brought between 0 and 1 by their own smallest and largest value, raised to at least "
        "1.2e−7 and divided by their sum. It sees neither a factor nor an offset: x = 2y and x = y + 1 give 0.",
        3,
        _divergence,
        needs_values=True,
    ),
    MsaccucmpColumn(
        "StandardDeviation",
        5,
        "(mean x;√Σ (x − mean x)² / n),(mean y;…)",
        "No comparison: mean and standard deviation of each side. Below 0.001 they are printed as zero.",
        1,
        _standard_deviation,
    ),
    MsaccucmpColumn("MeanAbsoluteError", 6, "Σ |x − y| / n", "The average difference.", 1, _mean_absolute),
    MsaccucmpColumn("RootMeanSquareError", 7, "√(Σ (x − y)² / n)", "In the unit of the tensor.", 1, _root_mean_square),
    MsaccucmpColumn(
        "MaxRelativeError",
        8,
        "max |x / y − 1|",
        "Where |y| ≤ 2.2e−16, the error counts as 0.",
        1,
        _max_relative,
        needs_values=True,
    ),
    MsaccucmpColumn(
        "MeanRelativeError",
        9,
        "Σ |x / y − 1| / n",
        "Where |y| ≤ 2.2e−16, the error counts as 0 and the value is still counted in n.",
        1,
        _mean_relative,
    ),
)

# What `file_compare` prints.
FILE_COLUMNS: tuple[MsaccucmpColumn, ...] = tuple(column for column in COLUMNS if column.number not in (4, 5))
