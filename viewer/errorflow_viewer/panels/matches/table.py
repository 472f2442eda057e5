"""The rows for Qt: asks for the text of a cell when it is painted, never before."""

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from errorflow.arrays import Ints
from errorflow_viewer.panels.matches.rows import CHOICES, COLUMNS, NOTE, RULE_COLUMN, Choice, Line, MatchRows, tip

Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()
# Whether a cell steps back.
MUTED_ROLE = Qt.ItemDataRole.UserRole + 1


class MatchTable(QAbstractTableModel):
    """The rows that match the filter, in the order that was asked for."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: MatchRows | None = None
        self._text = ""
        self._choice = CHOICES[0]
        self._column, self._descending = -1, False
        self._shown: Ints = np.zeros(0, np.int32)

    @property
    def rows(self) -> MatchRows | None:
        return self._rows

    def show_rows(self, rows: MatchRows | None) -> None:
        self.beginResetModel()
        self._rows = rows
        self._arrange()
        self.endResetModel()

    def filter(self, text: str, choice: Choice) -> None:
        self.beginResetModel()
        self._text, self._choice = text, choice
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Column -1 is the order of the match."""
        self.beginResetModel()
        self._column = column
        self._descending = column >= 0 and order == Qt.SortOrder.DescendingOrder
        self._arrange()
        self.endResetModel()

    def line_at(self, row: int) -> Line | None:
        if self._rows is None or not 0 <= row < len(self._shown):
            return None
        return self._rows.lines[int(self._shown[row])]

    def row_of(self, line: int) -> int | None:
        """Where a line of the match is shown."""
        found = np.flatnonzero(self._shown == line)
        return int(found[0]) if len(found) else None

    def rowCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        line = self.line_at(index.row())
        if line is None or self._rows is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._rows.cell(int(self._shown[index.row()]), index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(line)
        if role == MUTED_ROLE:
            return index.column() in (RULE_COLUMN, NOTE) or line.empty
        return None

    def _arrange(self) -> None:
        rows = self._rows
        if rows is None:
            self._shown = np.zeros(0, np.int32)
            return
        keep = rows.search(self._text, self._choice)
        if self._column < 0:
            self._shown = np.flatnonzero(keep).astype(np.int32)
            return
        order = rows.order(self._column)
        found = order[keep[order]]
        self._shown = found[::-1] if self._descending else found
