"""The list of all nodes on view, with a search field; what is selected here is selected in the graph."""

from collections.abc import Collection
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
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

from errorflow.graph.model import Graph
from errorflow_viewer import icons
from errorflow_viewer.desk import Desk
from errorflow_viewer.jobs import ignore_failure
from errorflow_viewer.look import PADDING, ROW
from errorflow_viewer.node_rows import COLUMNS, NAME, OUTPUT, NodeRows, rows_of
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.node_columns import ROOM, needed, shares
from errorflow_viewer.panels.node_table import MUTED_ROLE, NodeTable
from errorflow_viewer.panels.panel import Panel
from errorflow_viewer.panels.sections import counted
from errorflow_viewer.panels.short_names import shortened
from errorflow.findings.text_index import TextIndex

_SEARCH_KEYS = (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)
# The graph is painted first; nobody types within a moment of opening.
CALM = 700
# So many rows tell how wide columns need to be; beside them is the scroll bar.
MEASURED, BAR = 300, 14
UNDRAWN = "What only makes constants is drawn with the node that reads it; conversions are as far as they are hidden."
HINT = (
    'Searches names, types and tensors. Also: type:Conv, type:"Conv" for exactly that, name:layer3, tensor:mask, '
    "attr:pads"
)


class NodesPanel(QWidget):
    """Search field, count, table."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._syncing = False
        self._path: Path | None = None
        # How wide columns need to be for all rows, and for all but a few.
        self._needs = self._usual = dict.fromkeys(range(len(COLUMNS)), 0)
        self._fitting = self._own_columns = False
        self._calm = QTimer(self)
        self._calm.setSingleShot(True)
        self._calm.setInterval(CALM)
        self._calm.timeout.connect(self._prepare)
        self.table = NodeTable(self)
        self.search = self._make_search()
        self.count = QLabel()
        self.count.setProperty("role", "label")
        self.view = self._make_view()
        self.nothing = Empty("The nodes of a model are listed here.", "Open a model…", desk.ask_for_file)
        self.no_match = Empty("No node matches the search.", "Clear search", self.search.clear)
        self.stack = QStackedWidget()
        for widget in (self.view, self.nothing, self.no_match):
            self.stack.addWidget(widget)
        self._lay_out()
        self.table.modelReset.connect(self._mark_selected)
        self._document.changed.connect(self._on_changed)
        self._on_changed({"model"})

    def focus_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def step(self, step: int) -> None:
        """Goes to the next or a previous node of those listed, round the end, while the keyboard stays where it is."""
        count, node = self.table.rowCount(), self._document.state.node
        if count:
            row = None if node is None else self.table.row_of(node)
            start = (-1 if step > 0 else count) if row is None else row
            found = self.table.node_at((start + step) % count)
            assert found is not None, "a row of the table"
            self._document.show(found)

    def show_selected(self) -> None:
        """Brings the selected node into view, and gives the list the keyboard; a search that hides it ends."""
        node = self._document.state.node
        if node is not None and self.table.row_of(node) is None:
            self.search.clear()
        self._mark_selected()
        self.view.scrollTo(self.view.currentIndex(), QAbstractItemView.ScrollHint.PositionAtCenter)
        self.view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Down goes from the search field into the list, Enter to the next hit, with Shift to the one before."""
        if watched is self.search and isinstance(event, QKeyEvent) and event.key() in _SEARCH_KEYS:
            clears = event.key() == Qt.Key.Key_Escape
            if clears and not self.search.text() and self._desk.jobs.steps:
                return False  # Esc stops what is running, as everywhere
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self._on_search_key(event)
                return True
        return super().eventFilter(watched, event)

    def _on_search_key(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not self.search.text():
            self._desk.focus_graph()
        elif event.key() == Qt.Key.Key_Escape:
            self.search.clear()
        elif event.key() == Qt.Key.Key_Down:
            self._enter_list()
        else:
            self.step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)

    def _make_search(self) -> QLineEdit:
        search = QLineEdit()
        search.setPlaceholderText("Search nodes")
        search.setToolTip(HINT)
        search.setAccessibleName("Search nodes")
        search.setAccessibleDescription(HINT)
        search.setFixedHeight(28)
        search.setAcceptDrops(False)  # a dropped file is opened, not typed
        glass = search.addAction(icons.themed("search"), QLineEdit.ActionPosition.LeadingPosition)
        icons.follow(glass, "search")
        clear = search.addAction(icons.themed("close"), QLineEdit.ActionPosition.TrailingPosition)
        icons.follow(clear, "close")
        clear.setToolTip("Clear the search")
        clear.setVisible(False)
        clear.triggered.connect(search.clear)
        search.textChanged.connect(lambda text: clear.setVisible(bool(text)))
        search.textChanged.connect(self._document.search_for)
        search.installEventFilter(self)
        return search

    def _make_view(self) -> "_List":
        view = _List()
        view.setHorizontalHeader(_Header())
        view.setModel(self.table)
        view.setAccessibleName("Nodes")
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setItemDelegate(_Cells(view))
        view.setShowGrid(False)
        view.setWordWrap(False)
        view.setTabKeyNavigation(False)
        view.setCornerButtonEnabled(False)
        rows, columns = view.verticalHeader(), view.horizontalHeader()
        rows.setAccessibleName("Rows")
        columns.setAccessibleName("Columns, sort by one with a click")
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(ROW)
        columns.setHighlightSections(False)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        columns.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        columns.sectionResized.connect(self._on_column)
        columns.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        columns.setSortIndicatorClearable(True)
        view.setSortingEnabled(True)
        view.selectionModel().currentRowChanged.connect(self._on_row)
        view.activated.connect(self._on_activated)
        return view

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Until someone moves them, columns take what they need."""
        if not self._own_columns:
            header = self.view.horizontalHeader()
            sorts = header.sortIndicatorSection() == OUTPUT
            self._fitting = True
            for column, width in shares(self._needs, self._usual, self.width() - BAR, keep_output=sorts).items():
                header.setSectionHidden(column, width == 0)
                if width:
                    header.resizeSection(column, width)
            self._fitting = False

    def _measure(self, rows: NodeRows | None) -> None:
        """Finds what the first rows need."""
        metrics = self.fontMetrics()
        count = min(self.table.total - self.table.constants, MEASURED)
        nodes = [] if rows is None else rows.natural[:count].tolist()
        texts = [[rows.cell(node, column) for node in nodes if rows is not None] for column in range(len(COLUMNS))]
        self._needs, self._usual = needed(COLUMNS, texts, metrics.horizontalAdvance)

    def _on_column(self, column: int, old: int, new: int) -> None:
        # Names also change when they take what the others leave; hiding, which Qt tells late, is not moving either.
        self._own_columns |= column != NAME and not self._fitting and min(old, new) > 0

    def _lay_out(self) -> None:
        head = QVBoxLayout()
        head.setContentsMargins(PADDING, 0, PADDING, 4)
        head.setSpacing(4)
        head.addWidget(self.search)
        head.addWidget(self.count)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addLayout(head)
        box.addWidget(self.stack, 1)

    def _on_changed(self, fields: Collection[str]) -> None:
        if "search" in fields and self.search.text() != self._document.state.search:
            self.search.setText(self._document.state.search)
        if {"model", "place"} & set(fields):
            self._show_graph(self._document.graph)
        elif {"search", "hits"} & set(fields):
            self.table.filter(self._document.state.search)
        if {"model", "place", "search"} & set(fields):
            self._learn()
        if "node" in fields:
            self._mark_selected()
        if {"model", "place", "search", "hits", "redrawn", "node"} & set(fields):
            self._tell_count()

    def _show_graph(self, graph: Graph | None) -> None:
        rows = None if graph is None else rows_of(graph)
        self._desk.jobs.cancel("attributes")  # those of the graph before
        path = None if self._document.model is None else self._document.model.path
        if path != self._path:
            self._path = path
            self.view.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.table.show_rows(rows, self._document.state.search)
        self._measure(rows)
        self._fit_columns()
        self.search.setEnabled(graph is not None)
        self._calm.start()

    def _prepare(self) -> None:
        """Makes the first search and sort as quick as the later ones."""
        graph = self._document.graph
        if graph is not None:
            prepare = rows_of(graph).prepare
            self._desk.jobs.start(
                "nodes", "Preparing the search", lambda _: prepare(), lambda _: None, ignore_failure, shown=False
            )

    def _learn(self) -> None:
        """Reads the attributes when a search first asks for them."""
        graph = self._document.graph
        rows = None if graph is None else rows_of(graph)
        if rows is None or not rows.lacks_attributes(self._document.state.search):
            self._desk.jobs.cancel("attributes")
        elif not self._desk.jobs.running("attributes"):
            self._desk.jobs.start(
                "attributes", "Reading attributes", rows.read_attributes, partial(self._learned, rows), ignore_failure
            )

    def _learned(self, rows: NodeRows, index: TextIndex) -> None:
        rows.take_attributes(index)
        self._document.search_again()

    def _mark_selected(self) -> None:
        """Moves the list to the node that is selected elsewhere."""
        node = self._document.state.node
        row = None if node is None else self.table.row_of(node)
        self._syncing = True
        if row is None:
            self.view.clearSelection()
            self.view.setCurrentIndex(QModelIndex())
        elif self.table.node_at(self.view.currentIndex().row()) != node or not self.view.selectedIndexes():
            self.view.selectRow(row)
            self.view.scrollTo(self.table.index(row, NAME))
        self._syncing = False

    def _tell_count(self) -> None:
        """Of the model, or of the body on view, and how many of them the picture shows or the search finds."""
        shown, total = self.table.rowCount(), self.table.total
        drawn = self._desk.selection.drawn_nodes
        narrowed = f"{shown:,} of {counted(total, 'node')}{self._stop()}"
        self.count.setText(narrowed if shown < total else counted(total, "node", drawn))
        self.count.setToolTip("" if drawn in (None, total) else UNDRAWN)
        self.count.setVisible(total > 0)
        if self._document.model is None:
            self.stack.setCurrentWidget(self.nothing)
        else:
            self.stack.setCurrentWidget(self.no_match if shown == 0 and total > 0 else self.view)

    def _stop(self) -> str:
        """At which of those that are listed one is."""
        node = self._document.state.node
        row = None if node is None else self.table.row_of(node)
        return "" if row is None else f", at {row + 1:,}"

    def _on_row(self, current: QModelIndex) -> None:
        node = self.table.node_at(current.row())
        if not self._syncing and node is not None:
            self._document.show(node, walking=self.view.by_key)

    def _on_activated(self, index: QModelIndex) -> None:
        node = self.table.node_at(index.row())
        if node is not None:
            self._document.show(node)
            self._desk.focus_graph()

    def _enter_list(self) -> None:
        if self.table.rowCount():
            if not self.view.currentIndex().isValid():
                self.view.selectRow(0)
            self.view.setFocus(Qt.FocusReason.TabFocusReason)


class _Cells(QStyledItemDelegate):
    """Long names leave out scopes and then give way in the middle, types at their end."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        name = index.column() == NAME
        option.textElideMode = Qt.TextElideMode.ElideMiddle if name else Qt.TextElideMode.ElideRight
        if name:
            room, metrics = option.rect.width() - ROOM, option.fontMetrics
            option.text = shortened(option.text, lambda text: metrics.horizontalAdvance(text) <= room)
        if index.data(MUTED_ROLE):
            option.palette.setBrush(QPalette.ColorRole.Text, option.palette.placeholderText())


class _List(QTableView):
    """Knows whether it is a key that moves through it."""

    def __init__(self) -> None:
        super().__init__()
        self.by_key = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.by_key = True
        super().keyPressEvent(event)
        self.by_key = False


class _Header(QHeaderView):
    """Takes quick clicks one by one; the second of a double click would be lost otherwise."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setSectionsClickable(True)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.cursor().shape() == Qt.CursorShape.SplitHCursor:  # on the edge: fits the column to its contents
            super().mouseDoubleClickEvent(event)
        else:
            self.mousePressEvent(event)


NODES = Panel("nodes", "Nodes", Qt.DockWidgetArea.LeftDockWidgetArea, True, NodesPanel)
