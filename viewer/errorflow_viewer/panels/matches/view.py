"""How the table of matches looks."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from errorflow_viewer.look import ROW
from errorflow_viewer.panels.matches.rows import CANDIDATE, NOTE, REFERENCE, RULE_COLUMN
from errorflow_viewer.panels.matches.table import MUTED_ROLE, MatchTable

# Logical px of the columns beside the names, at most.
_OTHERS = 150


def match_view(table: MatchTable) -> QTableView:
    """Rows of which several can be selected; sorted by a click on a column, and by a third one as they were."""
    view = QTableView()
    view.setModel(table)
    view.setAccessibleName("Matches")
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setItemDelegate(_Cells(view))
    view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)
    view.setCornerButtonEnabled(False)
    rows, columns = view.verticalHeader(), view.horizontalHeader()
    rows.setAccessibleName("Rows of matches")
    columns.setAccessibleName("Columns of matches, sort by one with a click")
    rows.hide()
    rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    rows.setDefaultSectionSize(ROW)
    columns.setHighlightSections(False)
    columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    for column in (CANDIDATE, REFERENCE):
        columns.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
    columns.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    columns.setSortIndicatorClearable(True)
    view.setSortingEnabled(True)
    return view


def share_width(view: QTableView, width: int) -> None:
    """Rules and notes have a part of it, and no more than they need; the names share the rest."""
    for column in (RULE_COLUMN, NOTE):
        view.horizontalHeader().resizeSection(column, min(_OTHERS, width // 5))


class _Cells(QStyledItemDelegate):
    """Names give way in the middle."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        if index.data(MUTED_ROLE):
            option.textElideMode = Qt.TextElideMode.ElideRight
            option.palette.setBrush(QPalette.ColorRole.Text, option.palette.placeholderText())
