"""Filter and table; a row leads to its nodes in both graphs."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from errorflow_viewer.desk import Desk
from errorflow_viewer.jobs import ignore_failure
from errorflow_viewer.look import GRID, PADDING, ROW
from errorflow_viewer.panels.differences.rows import (
    CANDIDATE,
    CHOICES,
    ERROR,
    KIND,
    REFERENCE,
    WHAT,
    DifferenceRows,
    Errors,
)
from errorflow_viewer.panels.differences.table import MUTED_ROLE, DifferenceTable
from errorflow_viewer.panels.empty import Empty

if TYPE_CHECKING:
    from errorflow.stages.model import Stages

_KEY = "difference rows"
WILL_BE = "What was merged, split, inserted, removed or changed between two forms of a model is listed here."
SHOW = "Show the second graph"
NONE = "Both graphs are the same: nothing was merged, inserted, removed or changed."
_WIDTHS = {KIND: 120, ERROR: 90}


class DifferencesPanel(QWidget):
    """Nothing is listed before one can see it."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._second = desk.pair.second
        self._listed: tuple[object, object] | None = None
        self._syncing = False
        self.table = DifferenceTable(self)
        self._make_head()
        self.view = _view(self.table)
        self.view.selectionModel().currentRowChanged.connect(self._on_row)
        self.view.activated.connect(lambda _: desk.focus_graph())
        self.nothing = Empty(WILL_BE, "Open a model…", desk.ask_for_file)
        self.alone = Empty(WILL_BE, SHOW, self._show_second)
        self.linking = Empty("Both graphs are being compared.")
        self.same = Empty(NONE)
        self._lay_out()
        self._document.changed.connect(self._on_changed)
        self._second.changed.connect(lambda _: self._refresh())
        self._second.document.changed.connect(self._on_second)
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    # Making

    def _make_head(self) -> None:
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter nodes, types and changes")
        self.filter.setAccessibleName("Filter differences")
        self.filter.setFixedHeight(28)
        self.filter.setClearButtonEnabled(True)
        self.filter.setAcceptDrops(False)  # a dropped file is opened, not typed
        self.filter.textChanged.connect(self._filter)
        self.choice = QComboBox()
        self.choice.setAccessibleName("Which differences are shown")
        self.choice.addItems([choice.text for choice in CHOICES])
        self.choice.view().setAccessibleName("Kinds of differences")
        self.choice.setFixedHeight(28)
        self.choice.currentIndexChanged.connect(self._filter)
        self.count = QLabel()
        self.count.setProperty("role", "label")

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(PADDING, 0, PADDING, GRID)
        head.setSpacing(PADDING)
        head.addWidget(self.filter, 1)
        head.addWidget(self.choice)
        head.addWidget(self.count)
        self.page = QWidget()
        box = QVBoxLayout(self.page)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addLayout(head)
        box.addWidget(self.view, 1)
        self.stack = QStackedWidget()
        for widget in (self.page, self.nothing, self.alone, self.linking, self.same):
            self.stack.addWidget(widget)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.stack)

    def _show_second(self) -> None:
        if self._second.proposed is None:
            self._desk.pair.ask()
        else:
            self._document.edit("Show the second graph beside", pairing="side")

    # Showing

    def _on_changed(self, fields: Collection[str]) -> None:
        if {"model", "compared", "session.pairing"} & set(fields):
            self._refresh()
        if {"findings", "session.painting"} & set(fields):
            self.table.show_errors(self._errors(self.table.rows))
        if "node" in fields:
            self._mark_selected()

    def _on_second(self, fields: Collection[str]) -> None:
        if "findings" in fields:
            self.table.show_errors(self._errors(self.table.rows))
        if "node" in fields:
            self._mark_selected()

    @property
    def _stages(self) -> "Stages | None":
        compared = self._document.state.compared
        return None if compared is None else compared.stages

    def _refresh(self) -> None:
        differences, stages = self._second.differences, self._stages
        self.stack.setCurrentWidget(self._page())
        if differences is None and stages is None:
            self._listed = None
            self._desk.jobs.cancel(_KEY)
            self.table.show_rows(None, None)
        elif self.isVisible() and self._listed != (differences, stages):
            self._listed = differences, stages
            side, graph = self._second.side, self._document.graph
            self._desk.jobs.start(
                _KEY,
                "Listing differences",
                lambda _: DifferenceRows.of(differences, side, stages, graph).prepare(),
                self._take,
                ignore_failure,
                shown=False,
            )

    def _page(self) -> QWidget:
        differences = self._second.differences
        if self._document.model is None:
            return self.nothing
        if self._stages is not None or (differences is not None and differences.rows):
            return self.page
        if differences is not None:
            return self.same
        return self.linking if self._second.opening or self._second.model is not None else self.alone

    def _take(self, rows: DifferenceRows) -> None:
        self.table.show_rows(rows, self._errors(rows))
        self._tell_count()
        self._mark_selected()

    def _errors(self, rows: DifferenceRows | None) -> Errors | None:
        main, second = self._document.state.findings, self._second.document.state.findings
        findings = main if main is not None else second
        if rows is None or findings is None:
            return None
        painting = self._document.session.painting
        scale = findings.scale(painting.metric, painting.limits)
        return None if scale is None else rows.errors(main, second, scale)

    def _filter(self) -> None:
        self.table.filter(self.filter.text(), CHOICES[self.choice.currentIndex()])
        self._tell_count()
        self._mark_selected()

    def _tell_count(self) -> None:
        shown, total = self.table.rowCount(), 0 if self.table.rows is None else len(self.table.rows)
        differences = self._second.differences
        same = "" if differences is None or shown < total else f", {differences.same:,} nodes the same"
        self.count.setText(f"{shown:,} of {total:,}" if shown < total else f"{total:,} differences{same}")

    # Selecting

    def _on_row(self, index: QModelIndex) -> None:
        line = self.table.line_at(index.row())
        if line is not None and not self._syncing:
            self._syncing = True
            self._desk.pair.go(line.main, line.second)
            self._syncing = False

    def _mark_selected(self) -> None:
        """Moves to the node that is selected elsewhere."""
        rows = self.table.rows
        if rows is None or self._syncing or not self.isVisible():
            return
        numbers = rows.rows_of(self._document.state.node, self._second.document.state.node)
        found = [row for row in map(self.table.row_of, numbers) if row is not None]
        self._syncing = True
        self.view.setCurrentIndex(self.table.index(found[0], 0) if found else QModelIndex())
        self._syncing = False


def _view(table: DifferenceTable) -> QTableView:
    """Sorted by a click on a column, and by a third one as it was."""
    view = QTableView()
    view.setModel(table)
    view.setAccessibleName("Differences")
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setItemDelegate(_Cells(view))
    view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)
    view.setCornerButtonEnabled(False)
    rows, columns = view.verticalHeader(), view.horizontalHeader()
    rows.setAccessibleName("Rows of differences")
    columns.setAccessibleName("Columns of differences, sort by one with a click")
    rows.hide()
    rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    rows.setDefaultSectionSize(ROW)
    columns.setHighlightSections(False)
    columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    for column in (REFERENCE, CANDIDATE, WHAT):
        columns.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
    for column, width in _WIDTHS.items():
        columns.resizeSection(column, width)
    columns.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    columns.setSortIndicatorClearable(True)
    view.setSortingEnabled(True)
    return view


class _Cells(QStyledItemDelegate):
    """Names give way in the middle."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        if index.column() == WHAT:
            option.textElideMode = Qt.TextElideMode.ElideRight
        if index.data(MUTED_ROLE):
            option.palette.setBrush(QPalette.ColorRole.Text, option.palette.placeholderText())
