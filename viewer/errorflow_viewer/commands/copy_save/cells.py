"""Cells of a table for other programs: all rows that are listed, and numbers with all their digits."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from PySide6.QtCore import Qt

from errorflow.base.values import dataclass
from errorflow_viewer.kit.tables.column import Column
from errorflow_viewer.kit.tables.table import TableModel

Row = list[str]


@dataclass(frozen=True)
class Table:
    """Names of columns, and rows of cells."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def csv(self) -> str:
        from errorflow.report.tables import csv_text

        return csv_text(self.head, self.rows)

    def tabbed(self) -> str:
        """Writes for a spreadsheet to be pasted into: a cell is one line there, and no formula."""
        from errorflow.report.tables import tame

        lines = (self.head, *(map(tame, row) for row in self.rows))
        return "".join("\t".join(" ".join(cell.split()) for cell in line) + "\n" for line in lines)


def text_of(value: object) -> str:
    """A cell of a file: numbers can be read back to the last bit."""
    if value is None:
        return ""
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        return repr(value) if math.isfinite(value) else "inf" if value > 0 else "-inf"
    return str(value)


def head_of(model: TableModel[Any]) -> Row:
    across = Qt.Orientation.Horizontal
    return [column.full_title or text_of(model.headerData(at, across)) for at, column in enumerate(model.columns)]


def row_of(model: TableModel[Any], row: int) -> Row:
    item = model.item_at(row)
    return [text_of(_held(column, item)) for column in model.columns]


def rows_of(model: TableModel[Any], rows: Sequence[int] | None = None) -> Iterator[Row]:
    """Yields all rows, or some, one by one: of a large table the window has other things to do in between."""
    return (row_of(model, row) for row in (range(model.rowCount()) if rows is None else rows))


def _held(column: Column[Any], item: object) -> object:
    """Reads a cell in full, else as it is shown."""
    exact = None if column.exact is None else column.exact(item)
    return column.text(item) if exact is None else exact
