"""The rows of the node list for Qt: asks for the text of a cell when it is painted, never before."""

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from errorflow.base.arrays import Ints
from errorflow.base.language import joined, say
from errorflow.explain.findings.columns import COLUMNS as FOUND
from errorflow.explain.findings.columns import NodeColumn, Sheet, sorted_by
from errorflow_viewer.commands.copy_save.cells import EXACT_ROLE
from errorflow_viewer.document.node_rows import COLUMNS, NAME, NodeRows

Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()
# Whether a cell steps back: of a node that is not drawn, or beside the name.
MUTED_ROLE = Qt.ItemDataRole.UserRole + 1
# How bad the number in the cell is, 0 to 1; NaN: it is none. None: nothing is to be said.
BADNESS_ROLE = Qt.ItemDataRole.UserRole + 2
# A name from long to short, each form of it apart from those of all other nodes.
FORMS_ROLE = Qt.ItemDataRole.UserRole + 4
# Whether the pointer is on the node, here or elsewhere.
POINTED_ROLE = Qt.ItemDataRole.UserRole + 3
# Whether the user wrote a note on the node.
NOTED_ROLE = Qt.ItemDataRole.UserRole + 5
# The first column of those that a comparison fills, which has the metric on view.
ACCUMULATED = len(COLUMNS)
COUNT = len(COLUMNS) + len(FOUND)
KEYS = ("name", "type", "output", *(column.key for column in FOUND))
SHARE = KEYS.index("share")
_PRECISION = KEYS.index("precision")
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_Order = Qt.SortOrder


class NodeTable(QAbstractTableModel):
    """The nodes that match the search, in the order that was asked for."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: NodeRows | None = None
        self.sheet: Sheet | None = None
        self.pointed: int | None = None
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

    def show_rows(self, rows: NodeRows | None, query: str = "", sheet: Sheet | None = None) -> None:
        self.beginResetModel()
        self._rows, self._query, self.sheet = rows, query, sheet
        self._arrange()
        self.endResetModel()

    def show_sheet(self, sheet: Sheet | None) -> None:
        """What is known of the nodes by now, or by another metric or other limits."""
        old, self.sheet = self.sheet, sheet
        # Limits change colours only.
        same = (
            old is not None
            and sheet is not None
            and old.findings is sheet.findings
            and (old.computed is sheet.computed or self._column != _PRECISION)
        )
        if not same or _key(old) != _key(sheet):
            self.beginResetModel()
            self._arrange()
            self.endResetModel()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, ACCUMULATED, COUNT - 1)

    def filter(self, query: str) -> None:
        self.beginResetModel()
        self._query = query
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = _Order.AscendingOrder) -> None:
        """Column -1 is the order in which the nodes run."""
        self.beginResetModel()
        self._column = column
        self._descending = column >= 0 and order == _Order.DescendingOrder
        self._arrange()
        self.endResetModel()

    def worst_order(self, column: int) -> Qt.SortOrder:
        """The way round in which the worst nodes come first."""
        found = found_column(column)
        large = found is not None and found.worst_is_large(self.sheet)
        return _Order.DescendingOrder if large else _Order.AscendingOrder

    @property
    def worst_column(self) -> int:
        """What the list is sorted by until the user sorts: who is to blame, else how bad nodes are; -1: not known."""
        if self.sheet is None:
            return -1
        return SHARE if self.sheet.blames else ACCUMULATED

    def node_at(self, row: int) -> int | None:
        return int(self._shown[row]) if 0 <= row < len(self._shown) else None

    def row_of(self, node: int) -> int | None:
        rows = np.flatnonzero(self._shown == node)
        return int(rows[0]) if len(rows) else None

    def text(self, node: int, column: int) -> str:
        """What a cell says."""
        found = found_column(column)
        if found is not None:
            return "" if self.sheet is None else found.text(self.sheet, node)
        return "" if self._rows is None else self._rows.cell(node, column)

    def rowCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else COUNT

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | int | Qt.SortOrder | None:
        found = found_column(section)
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.InitialSortOrderRole:
            return self.worst_order(section)
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section] if found is None else found.title_on(self.sheet)
        if role == EXACT_ROLE and section == ACCUMULATED:
            return _full_title(self.sheet)
        if found is None:
            return None
        return found.tip_on(self.sheet) if role == Qt.ItemDataRole.ToolTipRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        node, column = self.node_at(index.row()), index.column()
        if node is None or self._rows is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(node, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(node)
        if role == FORMS_ROLE:
            return self._rows.name_forms(node) if column == NAME else None
        if role == EXACT_ROLE and found_column(column) is not None:
            return self._exact(node, column)
        if role == MUTED_ROLE:
            return not bool(self._rows.drawn[node]) or column not in (NAME, ACCUMULATED)
        if role == BADNESS_ROLE:
            return self._badness(node) if column == ACCUMULATED else None
        if role == POINTED_ROLE:
            return node == self.pointed
        if role == NOTED_ROLE:
            return bool(self._rows.note(node))
        found = found_column(column)
        return _RIGHT if role == Qt.ItemDataRole.TextAlignmentRole and found is not None and found.is_number else None

    def _exact(self, node: int, column: int) -> float | str:
        found = found_column(column)
        return "" if found is None or self.sheet is None else found.exact(self.sheet, node)

    def _badness(self, node: int) -> float | None:
        sheet = self.sheet
        if sheet is None or not sheet.measured[node]:
            return None
        return float("nan") if np.isnan(sheet.values[node]) else float(sheet.badness[node])

    def _tip(self, node: int) -> str:
        """All of the node, and below it what was found, each number by its name."""
        if self._rows is None or self.sheet is None:
            return "" if self._rows is None else self._rows.tip(node)
        found = ((column.title_on(self.sheet), column.tip_text(self.sheet, node)) for column in FOUND)
        return joined("\n", [self._rows.tip(node), *(say("{}: {}", say(title), text) for title, text in found if text)])

    def _arrange(self) -> None:
        rows = self._rows
        if rows is None:
            self._shown = np.zeros(0, np.int32)
            return
        keep = np.zeros(len(rows), bool)
        keep[rows.search(self._query)] = True
        found = found_column(self._column)
        if found is not None and self.sheet is not None:
            order = rows.natural[keep[rows.natural]]
            self._shown = order[sorted_by(found.keys(self.sheet)[order], descending=self._descending)]
            return
        order = rows.natural if self._column < 0 or found is not None else rows.order(self._column)
        shown = order[keep[order]]
        self._shown = shown[::-1] if self._descending and found is None else shown


def found_column(column: int) -> NodeColumn | None:
    """That column, if it is one of those that a comparison fills."""
    return FOUND[column - ACCUMULATED] if ACCUMULATED <= column < COUNT else None


def _full_title(sheet: Sheet | None) -> str | None:
    """The name of the metric with its measure and unit."""
    if sheet is None or sheet.scale is None:
        return None
    unit = say(" ({})", sheet.scale.unit) if sheet.scale.unit else ""
    return say("{} · {}{}", sheet.findings.measured(sheet.scale).measure, sheet.scale.label, unit)


def _key(sheet: Sheet | None) -> str:
    return "" if sheet is None or sheet.scale is None else sheet.scale.key
