"""The rows of a ranking for Qt."""

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from errorflow.base.language import Verbatim
from errorflow_viewer.commands.copy_save.cells import EXACT_ROLE
from errorflow_viewer.panels.ranking.rows import NAME, UNKNOWN, Numbers, RankRows

Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
# How bad a value is (NaN: none), how long its bar; whether a cell steps back; a name from long to short; whether the
# pointer is on the part.
BADNESS_ROLE = Qt.ItemDataRole.UserRole + 1
LENGTH_ROLE = Qt.ItemDataRole.UserRole + 2
MUTED_ROLE = Qt.ItemDataRole.UserRole + 3
FORMS_ROLE = Qt.ItemDataRole.UserRole + 4
POINTED_ROLE = Qt.ItemDataRole.UserRole + 5


class RankTable(QAbstractTableModel):
    """The parts that the filter leaves, in the order of a column. Numbers of parts in, numbers of parts out."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: RankRows | None = None
        self.pointed: int | None = None
        self._text = ""
        # -1: as they are ranked.
        self._column, self._descending = -1, False
        self._shown: Numbers = np.zeros(0, np.int64)

    @property
    def sorted_by(self) -> tuple[int, Qt.SortOrder]:
        """The column, -1: as they are ranked; and which way."""
        return self._column, Qt.SortOrder.DescendingOrder if self._descending else Qt.SortOrder.AscendingOrder

    @property
    def is_ranked(self) -> bool:
        """Whether rows stand as they are ranked, and all of them do."""
        return self._column < 0 and not self._text.strip()

    def show_rows(self, rows: RankRows | None, holds: bool = False) -> None:
        """`holds`: rows stay where they are, if they are the same parts; what is selected stays selected anyway.

        The same parts stay sorted as they are, by that column wherever it stands now; others stand as they are ranked.
        """
        before = self.rows
        same = before is not None and rows is not None and before.ranking.parts == rows.ranking.parts
        alike = same and before is not None and rows is not None and _titles(before) == _titles(rows)
        if not alike:
            self.beginResetModel()
            self._column = _same_column(before, rows, self._column) if same else -1
            self.rows = rows
            self._arrange()
            self.endResetModel()
        elif holds:
            self.rows = rows
            if len(self._shown):
                self.dataChanged.emit(self.index(0, 0), self.index(len(self._shown) - 1, self.columnCount() - 1))
        else:
            self._move(rows)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, max(self.columnCount() - 1, 0))

    def filter(self, text: str) -> None:
        self.beginResetModel()
        self._text = text
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Column -1 is the order of the ranking itself."""
        self._column, self._descending = column, column >= 0 and order == Qt.SortOrder.DescendingOrder
        self._move(self.rows)

    def part_at(self, row: int) -> int | None:
        return int(self._shown[row]) if 0 <= row < len(self._shown) else None

    def row_of(self, part: int) -> int | None:
        found = np.flatnonzero(self._shown == part)
        return int(found[0]) if len(found) else None

    @property
    def shown(self) -> Numbers:
        """All parts that are listed, from the top."""
        return self._shown

    def rowCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() or self.rows is None else len(self.rows.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or self.rows is None or section >= len(self.rows.columns):
            return None
        column = self.rows.columns[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.is_number else None
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip
        if role == EXACT_ROLE:
            return column.full_title
        return column.title if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        part = self.part_at(index.row())
        if part is None or self.rows is None:
            return None
        column = self.rows.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return Verbatim(column.texts[part]) if index.column() == NAME else column.texts[part]
        if role == EXACT_ROLE:
            return column.exact(part)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.rows.tip(part)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.is_number else None
        return self._look(part, index.column(), role)

    def _look(self, part: int, at: int, role: int) -> Any:
        """How a cell is painted."""
        assert self.rows is not None, "asked for a row"
        column = self.rows.columns[at]
        if role == FORMS_ROLE:
            return self.rows.forms(part) if at == NAME else None
        if role == MUTED_ROLE:
            return column.texts[part] == UNKNOWN or not self.rows.measured[part]
        if role == POINTED_ROLE:
            return part == self.pointed
        if role in (BADNESS_ROLE, LENGTH_ROLE) and column.metric is not None and column.texts[part] != UNKNOWN:
            return float((column.badness if role == BADNESS_ROLE else column.lengths)[part])
        return None

    def _move(self, rows: RankRows | None) -> None:
        """Other places for the same parts: Qt is told where each has gone."""
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        parts = [self.part_at(index.row()) for index in kept]
        self.rows = rows
        self._arrange()
        places = {part: row for row, part in enumerate(self._shown.tolist())}
        moved = [
            self.index(places[part], index.column()) if part in places else QModelIndex()
            for index, part in zip(kept, parts, strict=True)
        ]
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def _arrange(self) -> None:
        rows = self.rows
        if rows is None:
            self._shown = np.zeros(0, np.int64)
            return
        found = rows.order
        if 0 <= self._column < len(rows.columns):
            keys = rows.columns[self._column].keys
            known = ~np.isnan(keys)
            ordered = np.where(known, -keys if self._descending else keys, np.inf)
            found = np.lexsort((rows.ranks, ordered)).astype(np.int64)
        keep = rows.search(self._text)
        self._shown = found[keep[found]]


def _titles(rows: RankRows) -> list[str]:
    return [column.title for column in rows.columns]


def _same_column(before: RankRows | None, rows: RankRows | None, column: int) -> int:
    """Where the column is that one had sorted by; -1: nowhere."""
    if before is None or rows is None or column < 0:
        return -1
    title, titles = before.columns[column].title, _titles(rows)
    return titles.index(title) if title in titles else -1
