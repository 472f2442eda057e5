"""The rows for Qt: asks for the text of a cell when it is painted, never before."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from errorflow.base.arrays import Ints
from errorflow.base.language import Verbatim, joined, said
from errorflow.explain.findings.columns import sorted_by
from errorflow_viewer.commands.copy_save.cells import EXACT_ROLE
from errorflow_viewer.panels.lines.rows import UNMEASURED, Choice, Errors, LineRows

Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()
# Whether a cell steps back, and whether it stands out.
MUTED_ROLE = Qt.ItemDataRole.UserRole + 1
STRONG_ROLE = Qt.ItemDataRole.UserRole + 2
# How bad the number in the cell is, 0 to 1; NaN: it is none. None: nothing is to be said.
BADNESS_ROLE = Qt.ItemDataRole.UserRole + 3
# A name from long to short.
FORMS_ROLE = Qt.ItemDataRole.UserRole + 4
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_Order = Qt.SortOrder
R = TypeVar("R", bound=LineRows[Any])
L = TypeVar("L")


@dataclass(frozen=True, slots=True)
class Columns:
    """What stands beside each other in a list."""

    titles: tuple[str, ...]
    # Those that need the room, and of them those with names, which give way in the middle.
    wide: tuple[int, ...]
    names: tuple[int, ...]
    # The one with the error, whose title is the metric's; what else is to be said of it, and while there is none.
    error: int
    note: str
    none: str
    # The one that also says why an error lacks; -1: none does.
    reasons: int = -1


class LineTable(QAbstractTableModel, Generic[R, L]):
    """The rows that match the filter, in the order that was asked for."""

    def __init__(self, columns: Columns, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = columns
        self.rows: R | None = None
        self.errors: Errors | None = None
        self._text = ""
        self._choice: Choice[R] | None = None
        self._column, self._descending = -1, False
        self._shown: Ints = np.zeros(0, np.int32)

    def show_rows(self, rows: R | None, errors: Errors | None = None) -> None:
        self.beginResetModel()
        self.rows, self.errors = rows, errors
        self._arrange()
        self.endResetModel()

    def show_errors(self, errors: Errors | None) -> bool:
        """Other numbers for the same rows; whether rows may have moved."""
        before, self.errors = self.errors, errors
        column = self.columns.error
        moves = self._column == column and not _same_order(before, errors)
        if moves:
            self.show_rows(self.rows, errors)
        elif len(self._shown):
            self.dataChanged.emit(self.index(0, column), self.index(len(self._shown) - 1, column))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, column, column)
        return moves

    def filter(self, text: str, choice: Choice[R] | None = None) -> None:
        self.beginResetModel()
        self._text, self._choice = text, choice
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = _Order.AscendingOrder) -> None:
        """Column -1 is the order of the list itself."""
        self.beginResetModel()
        self._column = column
        self._descending = column >= 0 and order == _Order.DescendingOrder
        self._arrange()
        self.endResetModel()

    def number_at(self, row: int) -> int | None:
        """Which line is shown there."""
        return int(self._shown[row]) if self.rows is not None and 0 <= row < len(self._shown) else None

    def line_at(self, row: int) -> L | None:
        number = self.number_at(row)
        if number is None or self.rows is None:
            return None
        line: L = self.rows.lines[number]
        return line

    def row_of(self, line: int) -> int | None:
        """Where a line is shown."""
        found = np.flatnonzero(self._shown == line)
        return int(found[0]) if len(found) else None

    def rowCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self.columns.titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            named = section == self.columns.error and self.errors is not None
            return self.errors.scale.label if named and self.errors is not None else self.columns.titles[section]
        return self._error_head(role) if section == self.columns.error else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.number_at(index.row()), index.column()
        if row is None or self.rows is None:
            return None
        if column == self.columns.error:
            return self._error(row, role)
        if role == Qt.ItemDataRole.DisplayRole:
            text = self.rows.shown(row, column)
            if column == self.columns.reasons and not text:
                return self._reason(row)
            return Verbatim(text) if column in self.columns.names else text
        if role == Qt.ItemDataRole.ToolTipRole:
            return joined("\n", map(said, filter(None, (self.rows.tip(row), self._reason(row)))))
        if role == EXACT_ROLE:
            return self.rows.exact(row, column)
        if role == FORMS_ROLE:
            return self.rows.forms(row, column) if column in self.columns.names else None
        if role == MUTED_ROLE:
            return self.rows.steps_back(row, column)
        return self.rows.stands_out(row, column) if role == STRONG_ROLE else None

    def _error(self, row: int, role: int) -> Any:
        errors = self.errors
        if role == Qt.ItemDataRole.DisplayRole:
            return UNMEASURED if errors is None else errors.text(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(filter(None, (self._about_error(), self._reason(row))))
        if role == EXACT_ROLE:
            return "" if errors is None else errors.exact(row)
        if role == BADNESS_ROLE:
            return None if errors is None else errors.badness(row)
        return _RIGHT if role == Qt.ItemDataRole.TextAlignmentRole else None

    def _reason(self, row: int) -> str:
        """Why a row was not measured, as far as that is known."""
        return "" if self.errors is None else self.errors.notes.get(row, "")

    def _error_head(self, role: int) -> Any:
        if role == Qt.ItemDataRole.InitialSortOrderRole:
            large = self.errors is None or self.errors.worst_is_large
            return _Order.DescendingOrder if large else _Order.AscendingOrder
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT
        if role == EXACT_ROLE:
            return None if self.errors is None else self.errors.title
        return self._about_error() if role == Qt.ItemDataRole.ToolTipRole else None

    def _about_error(self) -> str:
        return self.columns.none if self.errors is None else f"{self.errors.about}\n{self.columns.note}"

    def _arrange(self) -> None:
        rows = self.rows
        if rows is None:
            self._shown = np.zeros(0, np.int32)
            return
        keep = rows.search(self._text)
        if self._choice is not None:
            keep = keep & self._choice.holds(rows)
        by_error = self._column == self.columns.error
        if by_error and self.errors is not None:
            found = np.flatnonzero(keep).astype(np.int32)
            self._shown = found[sorted_by(self.errors.keys[found], descending=self._descending)]
        elif self._column < 0 or by_error:
            self._shown = np.flatnonzero(keep).astype(np.int32)
        else:
            order = rows.order(self._column)
            found = order[keep[order]]
            self._shown = found[::-1] if self._descending else found


def _same_order(one: Errors | None, other: Errors | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one.keys, other.keys, equal_nan=True)
