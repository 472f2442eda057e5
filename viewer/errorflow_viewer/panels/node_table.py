"""The rows of the node list for Qt: asks for the text of a cell when it is painted, never before."""

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from errorflow.arrays import Ints
from errorflow_viewer.node_rows import COLUMNS, NAME, NodeRows

Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()
# Whether a cell steps back: of a node that is not drawn, or beside the name.
MUTED_ROLE = Qt.ItemDataRole.UserRole + 1


class NodeTable(QAbstractTableModel):
    """The nodes that match the search, in the order that was asked for."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: NodeRows | None = None
        self._query = ""
        self._column = -1
        self._descending = False
        self._shown: Ints = np.zeros(0, np.int32)

    @property
    def total(self) -> int:
        return 0 if self._rows is None else len(self._rows)

    @property
    def constants(self) -> int:
        """How many of all nodes only make constants and are not drawn."""
        return 0 if self._rows is None else int(np.count_nonzero(~self._rows.drawn))

    def show_rows(self, rows: NodeRows | None, query: str = "") -> None:
        self.beginResetModel()
        self._rows, self._query = rows, query
        self._arrange()
        self.endResetModel()

    def filter(self, query: str) -> None:
        self.beginResetModel()
        self._query = query
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Column -1 is the order in which the nodes run."""
        self.beginResetModel()
        self._column = column
        self._descending = column >= 0 and order == Qt.SortOrder.DescendingOrder
        self._arrange()
        self.endResetModel()

    def node_at(self, row: int) -> int | None:
        return int(self._shown[row]) if 0 <= row < len(self._shown) else None

    def row_of(self, node: int) -> int | None:
        rows = np.flatnonzero(self._shown == node)
        return int(rows[0]) if len(rows) else None

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
        node = self.node_at(index.row())
        if node is None or self._rows is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._rows.cell(node, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._rows.tip(node)
        if role == MUTED_ROLE:
            return index.column() != NAME or not bool(self._rows.drawn[node])
        return None

    def _arrange(self) -> None:
        rows = self._rows
        if rows is None:
            self._shown = np.zeros(0, np.int32)
            return
        keep = np.zeros(len(rows), bool)
        keep[rows.search(self._query)] = True
        order = rows.natural if self._column < 0 else rows.order(self._column)
        found = order[keep[order]]
        self._shown = found[::-1] if self._descending else found
