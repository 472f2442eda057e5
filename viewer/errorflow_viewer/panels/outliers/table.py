"""The rows for Qt: numbers on the right, and what each column says at its head."""

from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QStyleOptionViewItem

from errorflow_viewer.panels.lines.table import Index, LineTable
from errorflow_viewer.panels.lines.view import LineCells, LineView
from errorflow_viewer.panels.outliers.rows import (
    CHANNELS,
    COLUMNS,
    FIRST,
    MEDIAN,
    MOST,
    SPARSE,
    TIPS,
    TYPE,
    Line,
    OutlierRows,
)

_TABULAR = QFont.Tag("tnum")
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
# Logical px: of each column of numbers, and of types at most.
WIDTHS = {CHANNELS: 76, SPARSE: 64, MEDIAN: 72, MOST: 72}
SHARE, NARROW, WIDEST = 52, 48, 140
# In less room than this, these columns give way to the names.
GIVING_WAY = ((760, (FIRST + 1, FIRST + 2)), (520, (TYPE, SPARSE)))


class OutlierModel(LineTable[OutlierRows, Line]):
    def __init__(self, parent: QObject) -> None:
        super().__init__(COLUMNS, parent)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if index.column() >= CHANNELS else None
        return super().data(index, role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and 0 <= section < len(TIPS):
            if role == Qt.ItemDataRole.ToolTipRole:
                return TIPS[section]
            if role == Qt.ItemDataRole.TextAlignmentRole and section >= CHANNELS:
                return _RIGHT
            if role == Qt.ItemDataRole.InitialSortOrderRole and section >= CHANNELS:
                return Qt.SortOrder.DescendingOrder
        return super().headerData(section, orientation, role)


class Cells(LineCells):
    """Digits below digits."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if index.column() >= CHANNELS:
            option.font.setFeature(_TABULAR, 1)


class OutlierView(LineView):
    """Names take what numbers leave, and numbers are whole."""

    def __init__(self, table: OutlierModel) -> None:
        super().__init__(table, "outliers", several=False)
        self.cells = Cells(table.columns, self)
        self.setItemDelegate(self.cells)

    def fit(self, room: int) -> None:
        """In so many logical px."""
        header = self.horizontalHeader()
        header.resizeSection(TYPE, min(max(self.sizeHintForColumn(TYPE), NARROW), WIDEST))
        for column in range(CHANNELS, len(COLUMNS.titles)):
            header.resizeSection(column, WIDTHS.get(column, SHARE))
        for least, columns in GIVING_WAY:
            for column in columns:
                self.setColumnHidden(column, room < least)
