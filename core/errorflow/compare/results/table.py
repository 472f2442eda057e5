"""Result table that an importer makes of a file: its numbers stand under their own definitions."""

import math
from collections.abc import Callable, Mapping
from typing import Literal

from errorflow.base import Progress, dataclass, field
from errorflow.base.files import Source
from errorflow.compare.metrics.definitions import DEFINITIONS
from errorflow.compare.metrics.definitions.definition import Definition
from errorflow.graph.model import Problem, Shape

# What a row is about; a trial is one attempt of a search.
Subject = Literal["tensor", "node", "layer", "trial"]


@dataclass(frozen=True, slots=True)
class Column:
    """One kind of number. `key` is unique in its table; `name` is what the file calls it."""

    key: str
    name: str
    definition: Definition

    @classmethod
    def of(cls, key: str) -> "Column":
        """The column of a row of DEFINITIONS."""
        row = DEFINITIONS.by_key[key]
        return cls(key, row.name, row)

    @classmethod
    def like(cls, key: str, name: str, definition_key: str) -> "Column":
        """Makes one of several columns that share a definition."""
        return cls(key, name, DEFINITIONS.by_key[definition_key])

    @classmethod
    def plain(cls, vendor: str, name: str, formula: str) -> "Column":
        """A number that compares nothing, or one that the tool's user defined: neither way is better."""
        key = f"{vendor.lower()}.{name.lower()}".replace(" ", "-")
        return cls(key, name, Definition(key, vendor, name, formula, None, ""))


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One line. A column is in `values` or not; `states` has the word that stood in place of a number.

    A word that says the tensor itself is broken comes with NaN, which is worse than any number.
    """

    name: str
    op_type: str = ""
    shape: Shape = None
    dtype: str = ""
    values: Mapping[str, float] = field(default_factory=dict)
    states: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    # The other cells of the line, by the names of their columns.
    extra: Mapping[str, str] = field(default_factory=dict)
    # Further names under which a model may know it, the best first.
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResultTable:
    """`generation` tells which version of the tool wrote it, as far as the file shows."""

    label: str
    vendor: str
    subject: Subject
    columns: tuple[Column, ...]
    rows: tuple[ResultRow, ...]
    generation: str = ""
    # What the file says of the whole model.
    facts: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def measures(self) -> tuple[str, ...]:
        """Measures that were compared: accumulated, node, impact, recovery, local; several where the columns differ."""
        found = (column.definition.measure for column in self.columns)
        return tuple(dict.fromkeys(measure for measure in found if measure))

    @property
    def judging(self) -> tuple[Column, ...]:
        """The columns of which one way is better."""
        return tuple(column for column in self.columns if column.definition.higher_is_better is not None)

    def worst(self, column: Column, count: int) -> tuple[ResultRow, ...]:
        """Finds so many rows, the worst first; what is no number is worse than any number."""
        known = [row for row in self.rows if column.key in row.values]
        sign = 1.0 if column.definition.higher_is_better else -1.0
        return tuple(sorted(known, key=lambda row: _rank(sign * row.values[column.key]))[:count])


def _rank(value: float) -> tuple[bool, float]:
    return (False, 0.0) if math.isnan(value) else (True, value)


@dataclass(frozen=True, slots=True)
class Importer:
    """One kind of result file. Content decides; the name of a file never does."""

    key: str
    label: str
    vendor: str
    claims: Callable[[Source], bool]
    read: Callable[[Source, Progress], tuple[ResultTable, ...]]
    # How one gets such a file.
    obtain: str
    # The order of asking, the surest marks first: 10 for a database, 20 for the whole head of a table, 40 for keys of
    # JSON, 60 for words in a log.
    rank: int = 60
