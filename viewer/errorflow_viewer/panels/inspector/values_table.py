"""The values at some places as the model of lists has them."""

import math
from collections.abc import Sequence
from functools import partial

from errorflow.explain.inspect.figure import short_text
from errorflow.explain.inspect.worst import Value
from errorflow_viewer.kit.tables.column import Column, Listing
from errorflow_viewer.kit.tables.table import TableModel

COLUMNS = ("Index", "Ref.", "Cand.", "Error", "Relative")
INDEX, REFERENCE, CANDIDATE, ABSOLUTE, RELATIVE = range(len(COLUMNS))
_ERRORS = ("|candidate − reference|", "|candidate − reference| / |reference|")
_FULL = ("Index", "Reference", "Candidate", *_ERRORS)
_TIPS = ("Where it is", "The reference's value", "The candidate's value", *_ERRORS)


class ValuesTable(TableModel[Value]):
    def show_values(self, rows: Sequence[Value]) -> None:
        self.show(Listing(rows, [_column(at) for at in range(len(COLUMNS))], _exact))

    def row_at(self, place: int) -> int | None:
        """Of a place in memory."""
        return next((row for row, value in enumerate(self.items) if value.place == place), None)


def _column(at: int) -> Column[Value]:
    return Column(
        COLUMNS[at],
        partial(cell_text, column=at),
        _TIPS[at],
        _FULL[at],
        is_number=at != INDEX,
        exact=partial(exact_text, column=at),
    )


def cell_text(value: Value, column: int) -> str:
    """Short: the tooltip has all digits."""
    if column == INDEX:
        return _index_text(value)
    number = _number(value, column)
    if column == RELATIVE and math.isfinite(number):
        return f"{short_text(100 * number)}%"
    return short_text(number)


def exact_text(value: Value, column: int) -> str:
    """For a file or another program."""
    return _index_text(value) if column == INDEX else repr(_number(value, column))


def _index_text(value: Value) -> str:
    return ",".join(map(str, value.index)) if value.index else "–"


def _number(value: Value, column: int) -> float:
    return (value.reference, value.candidate, value.absolute, value.relative)[column - 1]


def _exact(value: Value) -> str:
    at = f"[{', '.join(map(str, value.index))}], value {value.place:,} in memory"
    told = (("Reference", value.reference), ("Candidate", value.candidate), ("Error", value.absolute))
    return "\n".join([at, *(f"{word} {number!r}" for word, number in told if number == number)])
