"""Vendors and what they bring to the tables of the engine, which imports none of them."""

from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from typing import Protocol, TypeVar, overload

from errorflow.base.errors import UsageError
from errorflow.base.values import dataclass


class Ranked(Protocol):
    """A row. In its table the smallest rank stands first; of equal ones the first vendor's, the engine's own last."""

    @property
    def key(self) -> str: ...
    @property
    def rank(self) -> int: ...


# Gives rows of one kind or a few, and imports what they need when it is called.
Part = Callable[[], tuple[Ranked, ...]]


def _no_rows() -> tuple[Ranked, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Vendor:
    """A vendor's room: a part for each table of the engine that it has rows for."""

    key: str
    # What its tools leave behind, and what the numbers in that are: `Format`, `Folder`, `Importer`, `Definition`.
    formats: Part = _no_rows
    folders: Part = _no_rows
    results: Part = _no_rows
    definitions: Part = _no_rows
    # Its tools that compare, whose tables are made here too: `Comparer`.
    comparers: Part = _no_rows
    # How its tools quantize, how models hold that, and files that its tools take: `Preset`, `Kind`, `Toolchain`.
    presets: Part = _no_rows
    readback: Part = _no_rows
    toolchains: Part = _no_rows
    # Its method, step by step, and what leads to it: `Flow`, the `Answer` to where a model runs, `Question`.
    guide: Part = _no_rows


Row = TypeVar("Row", bound=Ranked)


def _known() -> Sequence[Vendor]:
    # By name: with an import every room would know all vendors. A bundle holds all of errorflow, imported or not.
    vendors: Sequence[Vendor] = import_module("errorflow.vendors").VENDORS
    return vendors


class Rows(Sequence[Row]):
    """A table of the engine: its own rows and those of all vendors, by rank, gathered at the first look."""

    def __init__(self, kind: type[Row], part: Callable[[Vendor], Part], own: Sequence[Row] = ()) -> None:
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
        brought = (row for vendor in _known() for row in self._part(vendor)() if isinstance(row, self._kind))
        return tuple(sorted((*brought, *self._own), key=lambda row: row.rank))
