"""What a table holds, for other programs: all rows that are listed, and numbers with all their digits."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt

from errorflow_viewer.kit.tables.column import EXACT_ROLE

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
        """For a spreadsheet to be pasted into: a cell is one line there, and no formula."""
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


def head_of(model: QAbstractItemModel) -> Row:
    return [_title(model, column) for column in range(model.columnCount())]


def row_of(model: QAbstractItemModel, row: int) -> Row:
    return [_cell(model.index(row, column)) for column in range(model.columnCount())]


def rows_of(model: QAbstractItemModel, rows: Sequence[int] | None = None) -> Iterator[Row]:
    """All, or some, one by one: of a large table the window has other things to do in between."""
    return (row_of(model, row) for row in (range(model.rowCount()) if rows is None else rows))


def _title(model: QAbstractItemModel, column: int) -> str:
    across = Qt.Orientation.Horizontal
    exact = model.headerData(column, across, EXACT_ROLE)
    return text_of(model.headerData(column, across) if exact is None else exact)


def _cell(index: QModelIndex) -> str:
    exact = index.data(EXACT_ROLE)
    return text_of(index.data() if exact is None else exact)
