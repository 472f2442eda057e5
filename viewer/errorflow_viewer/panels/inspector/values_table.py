"""The values at some places for Qt."""

import math
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from errorflow.explain.inspect.figure import short_text
from errorflow.explain.inspect.worst import Value
from errorflow_viewer.commands.copy_save.cells import EXACT_ROLE

Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()
COLUMNS = ("Index", "Ref.", "Cand.", "Error", "Relative")
_FULL = ("Index", "Reference", "Candidate", "|candidate − reference|", "|candidate − reference| / |reference|")
INDEX, REFERENCE, CANDIDATE, ABSOLUTE, RELATIVE = range(len(COLUMNS))
_TIPS = (
    "Where it is",
    "The reference's value",
    "The candidate's value",
    "|candidate − reference|",
    "|candidate − reference| / |reference|",
)


class ValuesTable(QAbstractTableModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[Value] = ()

    def show_values(self, rows: Sequence[Value]) -> None:
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def value(self, row: int) -> Value:
        return self._rows[row]

    def row_of(self, place: int) -> int | None:
        return next((row for row, value in enumerate(self._rows) if value.place == place), None)

    def rowCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole and section != INDEX:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        if role == EXACT_ROLE:
            return _FULL[section]
        texts = {Qt.ItemDataRole.DisplayRole: COLUMNS, Qt.ItemDataRole.ToolTipRole: _TIPS}.get(Qt.ItemDataRole(role))
        return None if texts is None else texts[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return cell_text(self._rows[index.row()], index.column())
        if role == EXACT_ROLE:
            return exact_text(self._rows[index.row()], index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return _exact(self._rows[index.row()])
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() != INDEX:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None


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
