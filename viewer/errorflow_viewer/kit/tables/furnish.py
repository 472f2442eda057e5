"""Furnishing of lists' views: names for readers, whole rows, no grid, rows of one height."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QTreeView

from errorflow_viewer.kit.look import ROW
from errorflow_viewer.kit.tables.cells import TallCells
from errorflow_viewer.kit.tables.table import TableModel
from errorflow_viewer.kit.tables.tree import TreeModel

_Modes = QAbstractItemView.SelectionMode


def furnish(
    view: QTableView,
    table: TableModel[Any],
    name: str,
    rows: str,
    columns: str,
    *,
    several: bool = False,
    sorts: bool = False,
) -> None:
    """`rows` and `columns` are what readers call the headers. `sorts`: by a click, a third one as it was."""
    view.setModel(table)
    view.setAccessibleName(name)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(_Modes.ExtendedSelection if several else _Modes.SingleSelection)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)
    view.setCornerButtonEnabled(False)
    down, across = view.verticalHeader(), view.horizontalHeader()
    down.setAccessibleName(rows)
    across.setAccessibleName(columns)
    down.hide()
    down.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    down.setDefaultSectionSize(ROW)
    across.setHighlightSections(False)
    across.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    if sorts:
        across.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        across.setSortIndicatorClearable(True)
        view.setSortingEnabled(True)


def furnish_tree(view: QTreeView, model: TableModel[Any] | TreeModel[Any], name: str, columns: str) -> None:
    """Furnishes a view with groups, or boxes to tick. `columns`: what readers call the header."""
    view.setModel(model)
    view.setItemDelegate(TallCells(view))
    view.setAccessibleName(name)
    view.header().setAccessibleName(columns)
    view.setUniformRowHeights(True)


def share_columns(view: QTreeView, *wide: int) -> None:
    """Some columns share the room, the others are as wide as what is in them."""
    header = view.header()
    header.setStretchLastSection(False)
    for column in range(header.count()):
        mode = QHeaderView.ResizeMode.Stretch if column in wide else QHeaderView.ResizeMode.ResizeToContents
        header.setSectionResizeMode(column, mode)
