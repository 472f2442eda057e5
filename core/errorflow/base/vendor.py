"""What vendors bring to the tables of the engine, which imports none of them: `errorflow` itself hands them in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar, overload

from errorflow import known_vendors
from errorflow.base.errors import UsageError

# Gives rows of one table; imports what they need when it is called.
Part = Callable[[], Sequence[Any]]


def _no_rows() -> tuple[()]:
    return ()


@dataclass(frozen=True, slots=True)
class Vendor:
    """A vendor's room: a part for each table of the engine that it has rows for."""

    key: str
    # Tables that its tools wrote, and files that its tools take: `Importer` and `Toolchain`.
    results: Part = _no_rows
    toolchains: Part = _no_rows


class Ranked(Protocol):
    """A row; in its table the smaller rank stands before the larger, and equal ones as the vendors do."""

    @property
    def key(self) -> str: ...
    @property
    def rank(self) -> int: ...


Row = TypeVar("Row", bound=Ranked)


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
        for row in self:
            if row.key == key:
                return row
        raise UsageError(unknown, f"Choose one of {', '.join(row.key for row in self)}.")

    @cached_property
    def _rows(self) -> tuple[Row, ...]:
        found = [*self._own, *(row for vendor in known_vendors() for row in self._part(vendor)())]
        wrong = [row for row in found if not isinstance(row, self._kind)]
        if wrong:
            raise TypeError(self._kind, wrong)
        return tuple(sorted(found, key=lambda row: row.rank))
