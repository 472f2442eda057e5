"""Rows of a list: lines to search and sort, and the error that was measured of each."""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.base.values import dataclass, field
from errorflow.compare.metrics.metric import badness
from errorflow.explain.findings.distinct import NameForms
from errorflow.explain.findings.text_index import TextIndex

if TYPE_CHECKING:
    from errorflow.compare.metrics.metric import Scale

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
# What stands where nothing was measured.
UNMEASURED = "–"
# Names of so many lines are told apart.
_NAMED = 5000
_NUMBER = re.compile(r"\d+")
_LARGEST = np.finfo(np.float64).max
L = TypeVar("L")
R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class LineRows(ABC, Generic[L]):
    """Rows in which nothing changes, so a job may make them and fill the caches."""

    lines: tuple[L, ...]
    _orders: dict[int, Ints] = field(default_factory=dict)
    _names: dict[int, NameForms] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lines)

    @abstractmethod
    def cell(self, row: int, column: int) -> str:
        """Writes what it is sorted by, and shows unless `shown` says more."""

    @abstractmethod
    def words(self, line: L) -> str:
        """Writes what is searched."""

    @abstractmethod
    def tip(self, row: int) -> str:
        """Writes all of a line in full."""

    def shown(self, row: int, column: int) -> str:
        return self.cell(row, column)

    def exact(self, row: int, column: int) -> float | str | None:  # noqa: ARG002 - other lists look at the place
        """The number in a cell with all its digits; None: it holds none."""
        return None

    def forms(self, row: int, column: int) -> tuple[str, ...]:
        """Lists what a cell shows, from long to short, each unlike all others of its column; of very many only
        itself.
        """
        text = self.shown(row, column)
        if len(self) > _NAMED:
            return (text,)
        if column not in self._names:
            self._names[column] = NameForms([self.shown(each, column) for each in range(len(self))])
        return self._names[column].forms(text)

    @abstractmethod
    def steps_back(self, row: int, column: int) -> bool:
        """Whether a cell is written in a quiet colour."""

    def stands_out(self, row: int, column: int) -> bool:  # noqa: ARG002 - other lists look at the place
        """Whether a cell is written bold."""
        return False

    def search(self, text: str) -> Bools:
        """Every word of the text stands in one of the cells."""
        keep = np.ones(len(self), bool)
        for word in text.split():
            keep &= self._index.containing(word)
        return keep

    def order(self, column: int) -> Ints:
        """Sorts all rows by a column; numbers in it count as such, and empty cells come last."""
        if column not in self._orders:
            keys = [_NUMBER.sub(_padded, self.cell(row, column).lower()) for row in range(len(self))]
            order = sorted(range(len(keys)), key=lambda row: (not keys[row], keys[row]))
            self._orders[column] = np.array(order, np.int32)
        return self._orders[column]

    @cached_property
    def _index(self) -> TextIndex:
        return TextIndex([self.words(line) for line in self.lines])


@dataclass(frozen=True, slots=True)
class RowChoice(Generic[R]):
    """Choice of the rows that are shown."""

    text: str
    holds: Callable[[R], Bools]
    # What is said where none is; "": there is no more to say than that.
    none: str = ""


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors of the rows by one metric."""

    scale: "Scale"
    values: Floats  # NaN also where nothing was measured
    measured: Bools
    measure: str = "accumulated"
    # Why some rows could not be measured.
    notes: Mapping[int, str] = field(default_factory=dict)

    def exact(self, row: int) -> float | str:
        return float(self.values[row]) if self.measured[row] else ""

    @property
    def title(self) -> str:
        """Measure, metric and unit."""
        unit = f" ({self.scale.unit})" if self.scale.unit else ""
        return f"{self.measure} · {self.scale.label}{unit}"

    def text(self, row: int) -> str:
        return self.scale.text(float(self.values[row])) if self.measured[row] else UNMEASURED

    def badness(self, row: int) -> float | None:
        """0 (good) … 1 (bad), NaN for a value that is none; None: not measured."""
        value = float(self.values[row])
        if not self.measured[row]:
            return None
        return math.nan if math.isnan(value) else badness(self.scale, value)

    @property
    def about(self) -> str:
        """Measure, metric and formula."""
        return f"{self.measure} · {self.scale.label} · {self.scale.formula}"

    @property
    def worst_is_large(self) -> bool:
        return not self.scale.higher_is_better

    @cached_property
    def keys(self) -> Floats:
        """Sort keys: NaN where nothing was measured; a value that is none is at the bad end."""
        worst = np.inf if self.worst_is_large else -np.inf
        values = np.where(np.isnan(self.values), worst, np.clip(self.values, -_LARGEST, _LARGEST))
        return np.where(self.measured, values, np.nan)


def _padded(found: re.Match[str]) -> str:
    return found[0].zfill(10)
