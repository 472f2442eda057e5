"""The rows for Qt: asks for the text of a cell when it is painted, never before."""

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from errorflow.arrays import Ints
from errorflow_viewer.panels.differences.rows import (
    CHOICES,
    COLUMNS,
    ERROR,
    KIND,
    WHAT,
    Choice,
    DifferenceRows,
    Errors,
    Line,
)

Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()
# Whether a cell steps back.
MUTED_ROLE = Qt.ItemDataRole.UserRole + 1
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class DifferenceTable(QAbstractTableModel):
    """The rows that match the filter, in the order that was asked for."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: DifferenceRows | None = None
        self.errors: Errors | None = None
        self._text, self._choice = "", CHOICES[0]
        self._column, self._descending = -1, False
        self._shown: Ints = np.zeros(0, np.int32)

    def show_rows(self, rows: DifferenceRows | None, errors: Errors | None) -> None:
        self.beginResetModel()
        self.rows, self.errors = rows, errors
        self._arrange()
        self.endResetModel()

    def show_errors(self, errors: Errors | None) -> None:
        """Other numbers for the same rows."""
        if self._column == ERROR:
            self.show_rows(self.rows, errors)
            return
        self.errors = errors
        if len(self._shown):
            self.dataChanged.emit(self.index(0, ERROR), self.index(len(self._shown) - 1, ERROR))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, ERROR, ERROR)

    def filter(self, text: str, choice: Choice) -> None:
        self.beginResetModel()
        self._text, self._choice = text, choice
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Column -1 is the order of the list: structure first."""
        self.beginResetModel()
        self._column = column
        self._descending = column >= 0 and order == Qt.SortOrder.DescendingOrder
        self._arrange()
        self.endResetModel()

    def line_at(self, row: int) -> Line | None:
        if self.rows is None or not 0 <= row < len(self._shown):
            return None
        return self.rows.lines[int(self._shown[row])]

    def row_of(self, line: int) -> int | None:
        """Where a line is shown."""
        found = np.flatnonzero(self._shown == line)
        return int(found[0]) if len(found) else None

    def rowCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section == ERROR:
            return _RIGHT
        return self._about_error() if role == Qt.ItemDataRole.ToolTipRole and section == ERROR else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        line = self.line_at(index.row())
        if line is None or self.rows is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text_of(int(self._shown[index.row()]), index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._about_error() if index.column() == ERROR else line.tip
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() == ERROR:
            return _RIGHT
        if role == MUTED_ROLE:
            return index.column() == WHAT or (index.column() == KIND and not line.certain)
        return None

    def _text_of(self, row: int, column: int) -> str:
        assert self.rows is not None, "a row of the table"
        if column == ERROR:
            return "–" if self.errors is None else self.errors.text(row)
        text = self.rows.cell(row, column)
        return f"{text} (a guess)" if column == KIND and not self.rows.lines[row].certain else text

    def _about_error(self) -> str:
        if self.errors is None:
            return "No two runs of the model are compared, so nothing was measured."
        scale = self.errors.scale
        return f"accumulated · {scale.label} · {scale.formula}\nThe worst of what the nodes make; –: not measured."

    def _arrange(self) -> None:
        rows = self.rows
        if rows is None:
            self._shown = np.zeros(0, np.int32)
            return
        keep = rows.search(self._text, self._choice)
        if self._column < 0 or (self._column == ERROR and self.errors is None):
            self._shown = np.flatnonzero(keep).astype(np.int32)
            return
        # Of errors the worst come first, and a second click brings the best.
        by_error = self.errors if self._column == ERROR else None
        order = rows.order(self._column) if by_error is None else np.argsort(-by_error.places, kind="stable")
        found = order[keep[order]].astype(np.int32)
        self._shown = found[::-1] if self._descending else found
