"""Vendors and what they bring to the tables of the engine, which imports none of them."""

from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Literal, Protocol, TypeVar, overload

from errorflow.base.errors import UsageError


class Ranked(Protocol):
    """A row. In its table the smallest rank stands first; of equal ones the first vendor's, the engine's own last."""

    @property
    def key(self) -> str: ...
    @property
    def rank(self) -> int: ...


# Modules of a vendor's room that have rows for tables of the engine, in `ROWS`; no room has all of them.
Part = Literal[
    # What its tools leave behind, and what the numbers in that are: `Format`, `Folder`, `Importer`, `Definition`.
    "formats",
    "folders",
    "results",
    "definitions",
    # Its tools that compare, whose tables are made here too: `Comparer`.
    "comparers",
    # How its tools quantize, how models hold that, and files that its tools take: `Preset`, `Kind`, `Toolchain`.
    "presets",
    "readback",
    "toolchains",
    # A search as the files that its own tool leaves: `SearchTool`.
    "searches",
    # Its packages that a file of the user's imports: `StandIn`.
    "stand_ins",
    # What to do where its tools bring the error: `VendorAdvice`.
    "advice",
    # Its method, step by step, and what leads to it: `Flow`, `Check`, the `Answer` to where a model runs.
    "guide",
]
Row = TypeVar("Row", bound=Ranked)
# By name: with an import every room would know all vendors. A bundle holds all of errorflow, imported or not.
_VENDORS = "errorflow.vendors"


def rows_of(vendor: str, part: Part) -> Sequence[Ranked]:
    """Imports a part of a vendor's room; there are no rows where it lacks that."""
    name = f"{_VENDORS}.{vendor}.{part}"
    found = find_spec(name)
    # A folder that an earlier version left is no part.
    rows: Sequence[Ranked] = () if found is None or found.origin is None else import_module(name).ROWS
    return rows


class Rows(Sequence[Row]):
    """A table of the engine: its own rows and those of all vendors, by rank, gathered at the first look."""

    def __init__(self, kind: type[Row], part: Part, own: Sequence[Row] = ()) -> None:
        self._kind, self._part, self._own = kind, part, own

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def named(self, key: str, unknown: str) -> Row:
        """The row of that key; a `UsageError` that begins with `unknown` and lists the keys there are."""
        found = self.by_key.get(key)
        if found is None:
            raise UsageError(unknown, f"Choose one of {', '.join(self.by_key)}.")
        return found

    @cached_property
    def by_key(self) -> dict[str, Row]:
        return {row.key: row for row in self}

    @cached_property
    def _rows(self) -> tuple[Row, ...]:
        vendors = import_module(_VENDORS).VENDORS
        brought = (row for each in vendors for row in rows_of(each, self._part) if isinstance(row, self._kind))
        return tuple(sorted((*brought, *self._own), key=lambda row: row.rank))
