"""The list of all nodes on view, with a search field; what is selected here is selected in the graph."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QKeyCombination, QModelIndex, QObject, QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from errorflow.base.errors import ErrorflowError
from errorflow.explain.findings.columns import Sheet
from errorflow.explain.findings.complete import Offer, complete
from errorflow.explain.findings.text_index import TextIndex
from errorflow.graph.model import Graph
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import offer_table
from errorflow_viewer.commands.switching import can_switch, search_hits, selected, toggle
from errorflow_viewer.commands.worst import step_worst
from errorflow_viewer.document.derived import Derived
from errorflow_viewer.document.derived_table import listed, looked
from errorflow_viewer.document.node_rows import NAME, NodeRows, rows_of
from errorflow_viewer.document.simulation_work import computed
from errorflow_viewer.document.state import State
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.accessible.keyboard import give
from errorflow_viewer.kit.following import always, follow
from errorflow_viewer.kit.jobs import ignore_failure
from errorflow_viewer.kit.keymap import Keymap
from errorflow_viewer.kit.layouts import pages, spaced, text_label
from errorflow_viewer.kit.look import GRID, PADDING, Theme
from errorflow_viewer.kit.tables.table import Column, Index, Listing, TableModel
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.node_table import ACCUMULATED, NodeTable
from errorflow_viewer.panels.node_view import SWITCH_ALL, NodeView, Widths, columns_menu
from errorflow_viewer.panels.sections import counted

if TYPE_CHECKING:
    from errorflow.explain.findings.model import Findings

    _Wish = tuple[NodeRows, Findings | None, Mapping[str, str]]


_SEARCH_KEYS = (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)
# The graph is painted first; nobody types within a moment of opening.
CALM = 700
_COUNTED = frozenset(("model", "place", "search", "hits", "redrawn", "node", "findings"))
_KNOWN = frozenset(("findings", "session.painting", "session.notes", "session.simulation"))
# In ms: numbers are on view before columns are made as wide as they need.
SETTLED = 250
UNDRAWN = "What only makes constants is drawn with the node that reads it; conversions are as far as they are hidden."
NO_QUERY, READING = "The search makes no sense as it is.", "The attributes are being read."


class NodesPanel(QWidget):
    """Search field, count, table."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._syncing = self._sorting = False
        # Whether the user chose an order; until then the worst nodes come first as soon as they are known.
        self._own_order = False
        self._path: Path | None = None
        self._settle = QTimer(self, singleShot=True, interval=SETTLED)
        self._settle.timeout.connect(self._fit_columns)
        self.table = NodeTable(self)
        self.search = search_field()
        self.search.textChanged.connect(self._document.search_for)
        self.search.installEventFilter(self)
        self.problem = QueryProblem()
        self.count = text_label(role="label")
        self.view = self._make_view()
        offer_table(desk, self.view, "nodes")
        self._widths = Widths(self.view, self.table, desk.settings)
        self.title_buttons = (self._make_columns_button(),)
        self.nothing = Empty("The nodes of a model are listed here.", "Open a model…", desk.ask_for_file)
        self.no_match = Empty(NO_QUERY, "Clear search", self.search.clear)
        self.stack = pages(self.view, self.nothing, self.no_match)
        self._lay_out()
        self.offers = Offers(self.search, self._known_words, self)
        self.table.modelReset.connect(self._mark_selected)
        desk.derived.add(*self._rows())
        follow(
            self, self._document.changed, self._on_changed, _COUNTED | _KNOWN, always
        )  # search and graph ask its rows
        self._document.pointed.connect(self.view.point)
        self._on_changed({"model"})

    def focus_search(self) -> None:
        give(self.search)
        self.search.selectAll()

    def step(self, step: int) -> None:
        """Goes to the next or a previous node of those listed, round the end, while the keyboard stays where it is."""
        count, node = self.table.rowCount(), self._document.state.node
        if count:
            row = None if node is None else self.table.row_of(node)
            start = (-1 if step > 0 else count) if row is None else row
            found = self.table.number_at((start + step) % count)
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
        """Down goes from the search field into the list, Enter to the next hit there, with Shift to the one before.

        The keyboard goes along: in the field every letter is typed, elsewhere it is a command.
        """
        if watched is self.search and isinstance(event, QKeyEvent) and self._is_command(event):
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

    def _is_command(self, event: QKeyEvent) -> bool:
        """Space is typed, with Shift it switches what is found as soon as something is simulated."""
        shift_space = QKeyCombination(Qt.KeyboardModifier.ShiftModifier, Qt.Key.Key_Space)
        is_its_key = Keymap.of(self._desk.settings).means(event, *SWITCH_ALL)
        switches = event.keyCombination() == shift_space and is_its_key and bool(self.search.text().strip())
        return event.key() in _SEARCH_KEYS or (switches and can_switch(self._desk))

    def _on_search_key(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            toggle(self._desk, search_hits)
            return
        if event.key() == Qt.Key.Key_Escape:
            self.search.clear()
            self._desk.focus_graph()
            return
        if event.key() != Qt.Key.Key_Down:
            self.step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        self._enter_list()

    def _make_view(self) -> NodeView:
        view = NodeView(self.table, Keymap.of(self._desk.settings))
        view.selectionModel().currentRowChanged.connect(self._on_row)
        view.asked_again.connect(self._on_row)
        view.activated.connect(self._on_activated)
        view.pointed.connect(self._document.pointed)
        view.worst_wanted.connect(lambda step: step_worst(self._desk, step))
        view.switch_wanted.connect(lambda all_found: toggle(self._desk, search_hits if all_found else selected))
        header = view.horizontalHeader()
        header.sortIndicatorChanged.connect(self._on_order)
        header.customContextMenuRequested.connect(lambda spot: self._ask_columns(header.mapToGlobal(spot)))
        return view

    def _make_columns_button(self) -> QToolButton:
        button = QToolButton()
        button.setToolTip("Choose columns")
        button.setAccessibleName("Choose columns")
        icons.follow(button, "columns")
        button.clicked.connect(lambda: self._ask_columns(button.mapToGlobal(QPoint(0, button.height()))))
        return button

    def _ask_columns(self, spot: QPoint) -> None:
        menu = columns_menu(self, self._widths, self.width())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(spot)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._widths.fit(self.width())

    def _lay_out(self) -> None:
        head = spaced(QVBoxLayout(), 4, (PADDING, 0, PADDING, 4))
        head.addWidget(self.search)
        head.addWidget(self.problem)
        head.addWidget(self.count)
        box = spaced(QVBoxLayout(self))
        box.addLayout(head)
        box.addWidget(self.stack, 1)

    def _on_changed(self, fields: Collection[str]) -> None:
        if "search" in fields and self.search.text() != self._document.state.search:
            self.search.setText(self._document.state.search)
        if {"model", "place"} & set(fields):
            self._show_graph(self._document.graph)
        elif {"search", "hits"} & set(fields):
            self.table.filter(self._document.state.search)
        if not _KNOWN.isdisjoint(fields):
            self._take_findings()
        if "node" in fields:
            self._mark_selected()
        if not _COUNTED.isdisjoint(fields):
            self._tell_count()

    def _show_graph(self, graph: Graph | None) -> None:
        rows = None if graph is None else rows_of(graph)
        path = None if self._document.model is None else self._document.model.path
        if path != self._path:
            self._path, self._own_order = path, False
            self._sort_by(-1)
            self.view.scrollToTop()
        sheet = self._sheet()
        if rows is not None:
            self._know(rows, sheet)
        self.table.show_rows(rows, self._document.state.search, sheet)
        self._order_by_worst()
        self._widths.measure(rows)
        self._widths.fit(self.width())
        self.search.setEnabled(graph is not None)

    # What was found

    def _know(self, rows: NodeRows, sheet: Sheet | None) -> bool:
        findings = None if sheet is None else sheet.findings
        return rows.know(findings, self._document.session.notes, computed(self._document))

    def _findings(self) -> "Findings | None":
        """If they are about the graph on view: while that is read again, they may be about another one."""
        graph, findings = self._document.graph, self._document.state.findings
        return findings if graph is not None and findings is not None and len(findings.graph) == len(graph) else None

    def _sheet(self) -> Sheet | None:
        findings, painting = self._findings(), self._document.session.painting
        return None if findings is None else Sheet(findings, painting.metric, painting.limits, computed(self._document))

    def _take_findings(self) -> None:
        """The rows stay where they are as far as their order is the same; the selected one in sight stays in sight."""
        graph, sheet = self._document.graph, self._sheet()
        rows = None if graph is None else rows_of(graph)
        old, bar, seen = self.table.sheet, self.view.verticalScrollBar().value(), self.view.sees_current()
        self.view.cells.palette = self._document.session.painting.palette
        news = rows is not None and self._know(rows, sheet)
        worst = self.table.worst_order(ACCUMULATED)
        self.table.show_sheet(sheet)
        self._order_by_worst(worst)
        begins = old is None and sheet is not None and not self._own_order and self._document.state.node is None
        self.view.verticalScrollBar().setValue(0 if begins else bar)
        if seen:
            self.view.scrollTo(self.view.currentIndex())
        self.view.viewport().update()
        if (old is None) != (sheet is None) or self._titles(old) != self._titles(sheet):
            self._fit_columns()
        elif news:
            self._settle.start()
        if news and rows is not None and rows.follows_findings(self._document.state.search):
            self._document.search_again()

    def _fit_columns(self) -> None:
        self._settle.stop()
        graph = self._document.graph
        self._widths.measure(None if graph is None else rows_of(graph))
        self._widths.fit(self.width())

    def _titles(self, sheet: Sheet | None) -> tuple[object, ...]:
        return () if sheet is None or sheet.scale is None else (sheet.scale.label, sheet.blame is None, sheet.blames)

    def _order_by_worst(self, worst_before: Qt.SortOrder | None = None) -> None:
        """Orders by worst until the user sorts; and where worst first was chosen of another metric, it is of this
        one.
        """
        header, worst = self.view.horizontalHeader(), self.table.worst_order(ACCUMULATED)
        known = self.table.sheet is not None
        if not self._own_order:
            self._sort_by(self.table.worst_column)
        elif known and header.sortIndicatorSection() == ACCUMULATED and worst_before not in (None, worst):
            first = header.sortIndicatorOrder() == worst_before
            other = (
                Qt.SortOrder.AscendingOrder if worst == Qt.SortOrder.DescendingOrder else Qt.SortOrder.DescendingOrder
            )
            self._sort_by(ACCUMULATED, worst if first else other)

    def _sort_by(self, column: int, order: Qt.SortOrder | None = None) -> None:
        """Sorts without being told to by the user."""
        header = self.view.horizontalHeader()
        self._sorting = True
        header.setSortIndicator(column, self.table.worst_order(column) if order is None else order)
        self._sorting = False

    def _on_order(self) -> None:
        self._own_order |= not self._sorting

    def _known_words(self) -> tuple[Mapping[str, Sequence[str]], bool]:
        """Lists what can be offered while the user types, and whether there is a comparison."""
        graph = self._document.graph
        if graph is None:
            return {}, False
        return {
            "type": graph.op_types.values,
            "dtype": tuple(filter(None, graph.dtypes.values)),
        }, self._findings() is not None

    def _rows(self) -> "tuple[Derived[_Wish, None], Derived[NodeRows, TextIndex]]":
        """Makes rows of what the first search and sort would wait for, and attributes when a search needs them."""
        reads = ("place", "findings", "session.notes", "session.simulation")
        ready = listed("nodes", "Preparing the search", reads, self._to_prepare, lambda wish: prepare(*wish[:2]))
        text, read, fail = "Reading attributes", NodeRows.read_attributes, ignore_failure
        attributes = looked("attributes", text, self._to_read, read, self._learned, fail, ("place", "search"))
        return replace(ready, calm=CALM), attributes

    def _to_prepare(self, state: State) -> "_Wish | None":
        graph = self._document.graph
        return None if graph is None else (rows_of(graph), self._findings(), state.session.notes)

    def _to_read(self, state: State) -> NodeRows | None:
        graph = self._document.graph
        rows = None if graph is None else rows_of(graph)
        return rows if rows is not None and rows.lacks_attributes(state.search) else None

    def _learned(self, index: TextIndex) -> None:
        graph = self._document.graph
        if graph is not None:
            rows_of(graph).take_attributes(index)
            self._document.search_again()

    def _mark_selected(self) -> None:
        """Moves the list to the node that is selected elsewhere."""
        node = self._document.state.node
        row = None if node is None else self.table.row_of(node)
        self._syncing = True
        if row is None:
            self.view.clearSelection()
            self.view.setCurrentIndex(QModelIndex())
        elif self.table.number_at(self.view.currentIndex().row()) != node or not self.view.selectedIndexes():
            self.view.selectRow(row)
            self.view.scrollTo(self.table.index(row, NAME))
        self._syncing = False

    def _tell_count(self) -> None:
        """Tells the count of the model, or of the body on view, and how many of them the picture shows or the search
        finds.
        """
        shown, total = self.table.rowCount(), self.table.total
        drawn = self._desk.selection.drawn_nodes
        narrowed = f"{shown:,} of {counted(total, 'node')}{self._stop()}"
        self.count.setText(narrowed if shown < total else counted(total, "node", drawn))
        self.count.setToolTip("" if drawn in (None, total) else UNDRAWN)
        self.count.setVisible(total > 0)
        problem = self._problem()
        self.problem.show_problem(problem, self._desk.appearance.theme)
        if self._document.model is None:
            self.stack.setCurrentWidget(self.nothing)
            return
        found_none = shown == 0 and total > 0
        if found_none:
            self.no_match.sentence.setText(self._why_nothing(problem))
        self.stack.setCurrentWidget(self.no_match if found_none else self.view)

    def _why_nothing(self, problem: ErrorflowError | None) -> str:
        """Explains why nothing is found; attributes may have to be read before that is known."""
        graph, search = self._document.graph, self._document.state.search
        if problem is not None or graph is None:
            return NO_QUERY
        rows = rows_of(graph)
        return READING if rows.lacks_attributes(search) else rows.why_nothing(search)

    def _problem(self) -> ErrorflowError | None:
        graph, search = self._document.graph, self._document.state.search
        return None if graph is None or not search.strip() else rows_of(graph).problem(search)

    def _stop(self) -> str:
        """Says at which of those that are listed one is."""
        node = self._document.state.node
        row = None if node is None else self.table.row_of(node)
        return "" if row is None else f", at {row + 1:,}"

    def _on_row(self, current: QModelIndex) -> None:
        node = self.table.number_at(current.row())
        if not self._syncing and node is not None and node != self._document.state.node:
            self._document.show(node, walking=self.view.by_key)

    def _on_activated(self, index: QModelIndex) -> None:
        node = self.table.number_at(index.row())
        if node is not None:
            self._document.show(node)
            self._desk.focus_graph()

    def _enter_list(self) -> None:
        if self.table.rowCount():
            self.view.begin()
            self.view.setFocus(Qt.FocusReason.TabFocusReason)


def prepare(rows: NodeRows, findings: "Findings | None") -> None:
    """Fills what the first search and the first sort would wait for."""
    rows.prepare()
    if findings is not None:
        findings.prepare()


# The field in which one searches for nodes: offers what may come next, and says below it what makes no sense.

HINT = (
    'Searches names, types and tensors. Also: type:Conv, type:"Conv" for exactly that, name:layer3, tensor:mask, '
    "attr:pads; a or b, -a for without. After a comparison: cos<0.99, verdict:origin, overflow:yes. "
    "Tab takes what is offered."
)
# Rows of the list that are seen at once, and how high one is.
ROWS, ROW_HEIGHT = 8, 22
# What its frame takes of the height.
FRAME = 8
_COLUMNS: tuple[Column[Offer], ...] = (
    Column("", lambda offer: f"{offer.text}   {offer.what}", cell_tip=lambda offer: offer.what),
)


def search_field() -> QLineEdit:
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
    return search


class QueryProblem(QWidget):
    """Problem in one sentence below the field, while there is something to say."""

    def __init__(self) -> None:
        super().__init__()
        self._mark = QLabel()
        self.text = text_label(role="label", wraps=True)
        self.text.setAccessibleName("What is wrong with the search")
        row = spaced(QHBoxLayout(self), GRID)
        row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.text, 1)
        self.hide()

    def show_problem(self, problem: ErrorflowError | None, theme: Theme) -> None:
        self.setVisible(problem is not None)
        if problem is not None:
            self._mark.setPixmap(icons.pixmap("problems", theme.warning.mark, 16, self.devicePixelRatioF()))
            self.text.setText(problem.message)
            self.text.setToolTip(problem.hint)


class Offers(QFrame):
    """A list under the field, over whatever is below; the keyboard stays in the field."""

    def __init__(
        self, field: QLineEdit, known: Callable[[], tuple[Mapping[str, Sequence[str]], bool]], home: QWidget
    ) -> None:
        super().__init__(home)
        self.setProperty("role", "popup")
        self._field = field
        self._known = known
        self._home = home
        self.table: TableModel[Offer] = TableModel(self, _COLUMNS)
        self.list = QListView()
        self.list.setModel(self.table)
        self.list.setItemDelegate(_Low(self.list))
        self.list.setAccessibleName("What may come next in the search")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setUniformItemSizes(True)
        self.list.clicked.connect(lambda _: self._take())
        box = QVBoxLayout(self)
        box.setContentsMargins(1, 1, 1, 1)
        box.addWidget(self.list)
        self.hide()
        field.textEdited.connect(lambda _: self._offer())
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self.hide()
        elif isinstance(event, QKeyEvent) and self.isVisible():
            return self._on_key(event)
        return super().eventFilter(watched, event)

    def _on_key(self, event: QKeyEvent) -> bool:
        """Up and Down choose, Tab takes, Enter takes what was chosen, Esc closes; all else goes on to the field."""
        key, row = event.key(), self.list.currentIndex().row()
        step = {Qt.Key.Key_Down.value: 1, Qt.Key.Key_Up.value: -1}.get(key, 0)
        takes = key == Qt.Key.Key_Tab or (key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row >= 0)
        if not (takes or step or key == Qt.Key.Key_Escape):
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
        elif event.type() == QEvent.Type.KeyPress:
            if takes:
                self._take()
            elif key == Qt.Key.Key_Escape:
                self.hide()
            else:
                # From no row at all, down goes to the first and up to the last.
                next_row = (row + step if row >= 0 else (step - 1) // 2) % self.table.rowCount()
                self.list.setCurrentIndex(self.table.index(next_row, 0))
        return True

    def _offer(self) -> None:
        text = self._field.text()
        words, findings = self._known()
        # Only at the end: elsewhere one corrects what is there.
        at_end = self._field.cursorPosition() == len(text)
        found = complete(text, words, findings=findings) if at_end else ()
        self.table.show(Listing(found, _COLUMNS))
        self.setVisible(bool(found))
        if found:
            self._place()

    def _place(self) -> None:
        rows = min(self.table.rowCount(), ROWS)
        corner = self._field.mapTo(self._home, QPoint(0, self._field.height() + 2))
        self.setGeometry(corner.x(), corner.y(), self._field.width(), rows * ROW_HEIGHT + FRAME)
        self.raise_()

    def _take(self) -> None:
        offer = self.table.items[max(self.list.currentIndex().row(), 0)]
        # A value is written to its end; a name waits for what follows.
        done = "" if offer.text[-1] in "<>:" else " "
        self._field.setText(f"{self._field.text()[: offer.start]}{offer.text}{done}")
        self._offer()


class _Low(QStyledItemDelegate):
    """More rows in the same room, and none that is wider than the field."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(0, ROW_HEIGHT)
