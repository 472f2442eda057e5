"""How a list of lines looks."""

from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from errorflow.case.session.model import Palette
from errorflow_viewer.kit.accessible.mirror import Mirror
from errorflow_viewer.kit.look import ROW
from errorflow_viewer.panels.lines.table import BADNESS_ROLE, FORMS_ROLE, MUTED_ROLE, STRONG_ROLE, Columns, LineTable
from errorflow_viewer.panels.node_columns import ROOM
from errorflow_viewer.panels.short_names import fitting
from errorflow_viewer.panels.swatch import paint_swatch

_TABULAR = QFont.Tag("tnum")
Index = QModelIndex | QPersistentModelIndex


class LineCells(QStyledItemDelegate):
    """Names give way in the middle, all else at its end; a swatch stands beside each error."""

    def __init__(self, columns: Columns, parent: QWidget) -> None:
        super().__init__(parent)
        self._columns = columns
        self.palette: Palette = "ember"

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        middle = index.column() in self._columns.names
        option.textElideMode = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
        forms = index.data(FORMS_ROLE)
        if forms is not None:
            room, metrics = option.rect.width() - ROOM, option.fontMetrics
            option.text = fitting(forms, lambda text: metrics.horizontalAdvance(text) <= room)
        if index.data(MUTED_ROLE):
            option.palette.setBrush(QPalette.ColorRole.Text, option.palette.placeholderText())
        if index.data(STRONG_ROLE):
            option.font.setWeight(QFont.Weight.DemiBold)
        if index.column() == self._columns.error:
            option.font.setFeature(_TABULAR, 1)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        badness = index.data(BADNESS_ROLE)
        if badness is not None:
            paint_swatch(painter, option.rect, badness, self.palette, option.palette)


class LineView(Mirror):
    """Sorted by a click on a column, and by a third one as it was."""

    def __init__(self, table: LineTable[Any, Any], things: str, several: bool) -> None:
        super().__init__()
        modes = QAbstractItemView.SelectionMode
        self.cells = LineCells(table.columns, self)
        self.setModel(table)
        self.setItemDelegate(self.cells)
        self.setAccessibleName(things.capitalize())
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(modes.ExtendedSelection if several else modes.SingleSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self._make_headers(table.columns, things)
        self.setSortingEnabled(True)

    def _make_headers(self, parts: Columns, things: str) -> None:
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        rows.setAccessibleName(f"Rows of {things}")
        columns.setAccessibleName(f"Columns of {things}, sort by one with a click")
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(ROW)
        columns.setHighlightSections(False)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column in parts.wide:
            columns.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        columns.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        columns.setSortIndicatorClearable(True)
