"""Filter and table; a row leads to its nodes in both graphs."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QWidget

from errorflow.graph.model import Graph
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import offer_table
from errorflow_viewer.document.derived_table import listed
from errorflow_viewer.document.state import State
from errorflow_viewer.kit.layouts import fill, pages
from errorflow_viewer.panels.differences.rows import CHOICES, COLUMNS, ERROR, KIND, DifferenceRows, Line
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.lines.page import LinePage
from errorflow_viewer.panels.lines.rows import Errors
from errorflow_viewer.panels.lines.table import LineTable

if TYPE_CHECKING:
    from errorflow.explain.difference.model import Side
    from errorflow.explain.difference.table import Differences
    from errorflow.explain.stages.model import Stages

_KEY = "difference rows"
WILL_BE = "What was merged, split, inserted, removed or changed between two forms of a model is listed here."
SHOW = "Show the second graph"
OPEN = "Open a second model…"
NO_FAULT = "No tensor was found at which quantization or deployment is at fault."
NONE = "Both graphs are the same: nothing was merged, inserted, removed or changed."
_Wish = tuple["Differences | None", "Side", "Stages | None", Graph]
_WIDTHS = {KIND: 120, ERROR: 90}


class DifferencesPanel(QWidget):
    """Nothing is listed before one can see it."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._second = desk.pair.second
        self._syncing = False
        self.table: LineTable[DifferenceRows, Line] = LineTable(COLUMNS, self)
        self.page = LinePage(self.table, CHOICES, "differences", "Filter nodes, types and changes")
        self.page.narrowed.connect(self._on_narrowed)
        self.view = self.page.view
        offer_table(desk, self.view, "differences")
        for column, width in _WIDTHS.items():
            self.view.horizontalHeader().resizeSection(column, width)
        self.view.selectionModel().currentRowChanged.connect(self._on_row)
        self.view.asked_again.connect(self._on_asked_again)
        self.view.activated.connect(lambda _: desk.focus_graph())
        self.nothing = Empty(WILL_BE, "Open a model…", desk.ask_for_file)
        self.alone = Empty(WILL_BE, SHOW, self._show_second)
        self.linking = Empty("Both graphs are being compared.")
        self.same = Empty(NONE)
        self.no_fault = Empty(NO_FAULT, SHOW, self._show_second)
        self._lay_out()
        self._document.changed.connect(self._on_changed)
        self._second.changed.connect(lambda _: self._on_linked())
        self._second.document.changed.connect(self._on_second)
        work, drop = lambda wish: DifferenceRows.of(*wish).prepare(), lambda: self.table.show_rows(None, None)
        row = listed(_KEY, "Listing differences", ("case",), self._wished, work, self._take, drop)
        desk.derived.add(row, widget=self)
        self._show_page()

    def _lay_out(self) -> None:
        self.stack = pages(self.page, self.nothing, self.alone, self.linking, self.same, self.no_fault)
        fill(self, self.stack)

    def _show_second(self) -> None:
        if self._second.proposed is None:
            self._desk.pair.ask()
        else:
            self._document.edit("Show the second graph beside", pairing="side")

    # Showing

    def _on_changed(self, fields: Collection[str]) -> None:
        if {"model", "case", "session.pairing"} & set(fields):
            self._show_page()
        if {"findings", "session.painting"} & set(fields):
            self._show_errors()
        if "node" in fields:
            self._mark_selected()

    def _on_second(self, fields: Collection[str]) -> None:
        if "findings" in fields:
            self._show_errors()
        if "node" in fields:
            self._mark_selected()

    @property
    def _stages(self) -> "Stages | None":
        compared = self._document.state.case
        return None if compared is None else compared.stages

    def _on_linked(self) -> None:
        self._desk.derived.follow(_KEY)
        self._show_page()

    def _wished(self, state: State) -> _Wish | None:
        differences, stages = self._second.differences, self._stages
        if state.model is None or (differences is None and stages is None):
            return None
        return differences, self._second.side, stages, state.model.graph

    def _show_page(self) -> None:
        # Where the second graph is shown and empty, a model for it is missing.
        empty = bool(self._document.session.pairing) and self._second.proposed is None
        for page in (self.alone, self.no_fault):
            page.button.setText(OPEN if empty else SHOW)
        self.no_fault.button.setVisible(self._second.model is None and not self._second.opening)
        told = (NONE if self._second.differences is not None else "", NO_FAULT)
        self.no_fault.sentence.setText(" ".join(filter(None, told)))
        self.stack.setCurrentWidget(self._page())

    def _page(self) -> QWidget:
        differences, rows = self._second.differences, self.table.rows
        if self._document.model is None:
            return self.nothing
        if self._stages is not None and rows is not None and not len(rows) and not (differences and differences.rows):
            return self.no_fault
        if self._stages is not None or (differences is not None and differences.rows):
            return self.page
        if differences is not None:
            return self.same
        return self.linking if self._second.opening or self._second.model is not None else self.alone

    def _take(self, rows: DifferenceRows) -> None:
        self.table.show_rows(rows, self._errors(rows))
        self.page.refresh()
        self._show_page()
        self._tell_count()
        self._mark_selected()

    def _show_errors(self) -> None:
        self.view.cells.palette = self._document.session.painting.palette
        if self.table.show_errors(self._errors(self.table.rows)):
            self._mark_selected()

    def _errors(self, rows: DifferenceRows | None) -> Errors | None:
        main, second = self._document.state.findings, self._second.document.state.findings
        findings = main if main is not None else second
        if rows is None or findings is None:
            return None
        painting = self._document.session.painting
        scale = findings.scale(painting.metric, painting.limits)
        return None if scale is None else rows.errors(main, second, scale)

    def _on_narrowed(self) -> None:
        self._tell_count()
        self._mark_selected()

    def _tell_count(self) -> None:
        shown, total = self.table.rowCount(), 0 if self.table.rows is None else len(self.table.rows)
        differences = self._second.differences
        same = "" if differences is None or shown < total else f", {differences.same:,} nodes the same"
        self.page.count.setText(f"{shown:,} of {total:,}" if shown < total else f"{total:,} differences{same}")

    # Selecting

    def _on_row(self, index: QModelIndex) -> None:
        line = self.table.line_at(index.row())
        if line is not None and not self._syncing:
            self._syncing = True
            self._desk.pair.go(line.main, line.second)
            self._syncing = False

    def _on_asked_again(self, index: QModelIndex) -> None:
        """Unless one of the graphs has it selected."""
        line, main, second = self.table.line_at(index.row()), self._document.state, self._second.document.state
        if line is not None and main.node not in line.main and second.node not in line.second:
            self._on_row(index)

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
