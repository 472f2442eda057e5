"""Columns over numpy: many small values in little memory, read-only.

A `CodedColumn` holds few distinct values in many rows (operator types, shapes); `Ragged` holds rows of different length
(a node's inputs).
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from math import prod
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
T = TypeVar("T", bound=Hashable)
Number = TypeVar("Number", bound=np.generic)
# What NumPy can make, whatever memory there is.
MAX_RANK = 64
MAX_BYTES = 1 << 62


def frozen(values: Sequence[int] | NDArray[np.integer]) -> Ints:
    """`values` as an array of its own that cannot be written to."""
    array = np.array(values, dtype=np.int32)
    array.flags.writeable = False
    return array


def distinct(values: NDArray[Number]) -> NDArray[Number]:
    """Each of them once, in order: `np.unique` loads masked arrays, which takes longer than a small graph's layout."""
    ordered = np.sort(values)
    is_first = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    found: NDArray[Number] = ordered[is_first]
    return found


def median(values: NDArray[Any]) -> float:
    """Finds the median of at least one number, none of them NaN; `np.median` loads masked arrays as well."""
    ordered = np.sort(values)
    return float(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def is_possible(shape: Sequence[int], itemsize: int) -> bool:
    """Whether there can be an array of that shape at all: also an empty one has no sizes beyond all measure."""
    if len(shape) > MAX_RANK or min(shape, default=0) < 0:
        return False
    return prod(size for size in shape if size) * max(itemsize, 1) <= MAX_BYTES


def holds_numbers(array: NDArray[Any]) -> bool:
    """Whether it holds what can be measured, truths and complex numbers included: NumPy stores texts and dates too."""
    return array.dtype.kind in "biufc"


@dataclass(frozen=True, slots=True, eq=False)
class CodedColumn(Generic[T]):
    """A column with one value per row; equal values are stored once."""

    codes: Ints
    values: tuple[T, ...]

    @classmethod
    def of(cls, rows: Iterable[T]) -> "CodedColumn[T]":
        every = list(rows)
        known = {value: code for code, value in enumerate(dict.fromkeys(every))}
        return cls(frozen([known[value] for value in every]), tuple(known))

    def __getitem__(self, row: int) -> T:
        return self.values[int(self.codes[row])]

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[T]:
        values = self.values
        return (values[code] for code in self.codes.tolist())

    def counts(self) -> dict[T, int]:
        """Counts the rows that hold each value, most frequent first."""
        numbers = np.bincount(self.codes, minlength=len(self.values)).tolist()
        pairs = zip(self.values, numbers, strict=True)
        return dict(sorted(pairs, key=lambda pair: -pair[1]))


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """Rows of whole numbers, each as long as it likes: row i is `values[starts[i]:starts[i + 1]]`."""

    starts: Ints
    values: Ints

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]]) -> "Ragged":
        starts = [0]
        values: list[int] = []
        for row in rows:
            values.extend(row)
            starts.append(len(values))
        return cls(frozen(starts), frozen(values))

    @classmethod
    def grouped(cls, keys: Ints, values: Ints, rows: int) -> "Ragged":
        """Row k holds, in their order, the values whose key is k."""
        order = np.argsort(keys, kind="stable")
        starts = np.zeros(rows + 1, np.int64)
        np.cumsum(np.bincount(keys, minlength=rows), out=starts[1:])
        return cls(frozen(starts), frozen(values[order]))

    def __getitem__(self, row: int) -> Ints:
        return self.values[self.starts[row] : self.starts[row + 1]]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def lists(self) -> list[list[int]]:
        """Plain lists: faster where rows are walked one by one."""
        values = self.values.tolist()
        return [values[start:end] for start, end in pairwise(self.starts.tolist())]

    def owners(self) -> Ints:
        """Maps each value to the row that it is in."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.starts))


@lru_cache(maxsize=64)
def type_name(dtype: np.dtype[np.generic]) -> str:
    """numpy's name of it, which numpy makes anew each time."""
    return dtype.name
