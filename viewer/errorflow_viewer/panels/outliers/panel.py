"""The tensors whose loud channels drown the others: found in the background, listed the worst first."""

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QMenu, QWidget

from errorflow.base import Progress, dataclass, field, replace
from errorflow.graph.build import counted
from errorflow.graph.model import Graph
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import add_table
from errorflow_viewer.commands.save_dialog import ask_where
from errorflow_viewer.commands.simulation_saving import save_to
from errorflow_viewer.document.derived import Derived
from errorflow_viewer.document.simulation_work import KEY as SIMULATING
from errorflow_viewer.document.state import Place, State
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.layouts import fill, pages, text_button
from errorflow_viewer.panels.empty import Empty, NoRuns
from errorflow_viewer.panels.lines.table import LinePage, LineTable, LineView
from errorflow_viewer.panels.outliers.rows import (
    CHANNELS,
    CHOICES,
    COLUMNS,
    FIRST,
    MEDIAN,
    MOST,
    SPARSE,
    TYPE,
    OutlierLine,
    OutlierRows,
)

if TYPE_CHECKING:
    from errorflow.compare.match.model import Match
    from errorflow.explain.outliers.measure import RunTensor
    from errorflow.explain.outliers.model import OutlierTable
    from errorflow.study.simulate.bench import Bench


KEY = "outliers"
# The view of the inspector that shows channels, and the command that smooths them.
VIEW, SMOOTH = "distributions", "remedy.smooth"
WILL_BE = (
    "Tensors with channels that are much louder than the others, and what that costs under one scale, are listed here."
)
ASK = "Find outliers"
NONE = "No tensor here has channels."
FINDING = "The channels of all tensors are being looked at."
_WATCHED = frozenset(("model", "case", "simulated", "session.simulation"))


# Of which tensors the outliers can be listed: those that flow in a simulation, or those of one of two runs.

Side = Literal["reference", "candidate"]


@dataclass(frozen=True, slots=True)
class Source:
    """Two that are of the same things are of the same `key`; `text` says what is looked at."""

    key: tuple[object, ...]
    text: str = field(compare=False)
    look: Callable[[Progress], "OutlierTable"] = field(compare=False)
    # It is quickly done, as what was done before to make it.
    is_quick: bool = False


def source_of(state: State, side: Side) -> Source | None:
    """Finds the source; None: nothing is there whose channels could be looked at."""
    if state.model is None:
        return None
    if state.simulated is not None:
        return _of_bench(state.simulated.bench)
    compared = state.case
    if compared is None or compared.match is None or not compared.complete:
        return None
    return _of_runs(compared.match, state.model.graph, side)


def _of_bench(bench: "Bench") -> Source:
    count = _samples(bench)
    on = "all samples" if count is None else counted(count, "sample", "samples")
    return Source((bench,), f"in float on {on}", lambda progress: _run(bench, count, progress), True)


def _samples(bench: "Bench") -> int | None:
    """Counts those that calibrate; None: all that the simulation takes are there to be evaluated only."""
    basis = bench.basis
    has_own = basis.own and bench.floated.back is not None
    return basis.samples if has_own or basis.calibration is not None else bench.calibration.samples


def _run(bench: "Bench", count: int | None, progress: Progress) -> "OutlierTable":
    from errorflow.explain.outliers.measure import of_model

    model = bench.simulated  # also as steps of the plan, such as smoothing, have made it
    found = of_model(model.path, model.graph, bench.basis.asked, count, progress=progress)
    return replace(found, label=bench.floated.path.name)


def _of_runs(match: "Match", graph: Graph, side: Side) -> Source:
    return Source((match, side), f"of the {side} run", lambda progress: _read(match, graph, side, progress))


def _read(match: "Match", graph: Graph, side: Side, progress: Progress) -> "OutlierTable":
    from errorflow.explain.outliers.axes import Axes
    from errorflow.explain.outliers.maxima import of_weights
    from errorflow.explain.outliers.measure import of_items

    found = of_items(tuple(_items(match, side)), f"the {side} run", Axes(graph), graph, progress)
    return replace(found, rows=(*found.rows, *of_weights(graph, progress)))


def _items(match: "Match", side: Side) -> Iterator["RunTensor"]:
    from errorflow.explain.outliers.measure import RunTensor

    for pair in match.pairs:
        stored = pair.reference if side == "reference" else pair.candidate
        if stored is not None:
            yield RunTensor(pair.tensor, (stored,))


_SIDES: tuple[tuple[Side, str], ...] = (("reference", "Reference run"), ("candidate", "Candidate run"))
# Logical px, from which on there is room to count, and for every button; the menu of the list has all of them.
ROOMY, NARROW = 700, 520
# Files: a spreadsheet's, Pulsar2's, and one for programs.
TABLES = "Tables (*.csv)", "Pulsar2's table (*.txt)", "JSON (*.json)"


class OutliersPanel(QWidget):
    """Looks at nothing before one can see it; at runs, which may be large, only when it is asked to."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        # What is listed, and what the user asked for, whatever it takes.
        self._source: Source | None = None
        self._asked: Source | None = None
        self._syncing = False
        self.table: LineTable[OutlierRows, OutlierLine] = LineTable(COLUMNS, self)
        self._make_page()
        self.closed = Empty(WILL_BE, "Open a model…", desk.ask_for_file)
        self.nothing = NoRuns(desk, WILL_BE, "Compare two runs…")
        self.ready = Empty(WILL_BE, ASK, self.seek)
        self.finding = Empty(FINDING, "Cancel", self.stop)
        self.none = Empty(NONE)
        self.stack = pages(self.page, self.closed, self.nothing, self.ready, self.finding, self.none)
        fill(self, self.stack)
        follow(self, self._document.changed, self._on_changed, (*_WATCHED, "node", "tensor", "findings"))
        desk.derived.add(self._row(), widget=self)
        follow(self, desk.derived.changed, lambda _: self._show_page(), (KEY,))
        self._show_page()

    # Making

    def _make_page(self) -> None:
        self.view = OutlierView(self.table, "outliers", several=False)
        self.page = LinePage(self.table, CHOICES, "outliers", "Filter tensors and types", view=self.view)
        self.side = QComboBox()
        self.side.setAccessibleName("Run whose tensors are listed")
        self.side.view().setAccessibleName("Runs")
        for side, text in _SIDES:
            self.side.addItem(text, side)
        self.side.activated.connect(self._on_side)
        self.channels = text_button(
            "Show channels",
            self.show_channels,
            "How the values of each channel of the selected tensor are spread, in the inspector",
        )
        self.smooth = text_button(
            "Smooth…", self._smooth, "Move the loudness of activations into the weights that read them"
        )
        self.export = text_button("Export…", self.save, "The table as CSV, as Pulsar2 prints it, or as JSON")
        self.page.add_to_head(self.side, self.channels, self.smooth, self.export)
        self.page.narrowed.connect(self._on_narrowed)
        self.view.selectionModel().currentRowChanged.connect(self._on_row)
        self.view.asked_again.connect(self._on_asked_again)
        self.view.activated.connect(lambda _: self.show_channels())
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._show_menu)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Resizes; in little room, the list counts more than what can be done with it."""
        super().resizeEvent(event)
        self.view.fit(self.width())
        self.page.count.setVisible(self.width() >= ROOMY)
        self.export.setVisible(self.width() >= NARROW)

    # Finding

    def seek(self) -> None:
        """Looks at the channels of what is on view, whatever was found before."""
        self._asked = source_of(self._document.state, self._side)
        if self._asked is not None:
            self._desk.derived.ask(KEY)

    def stop(self) -> None:
        self._desk.derived.stop(KEY)

    def _row(self) -> "Derived[Source, OutlierTable]":
        return Derived(
            name=KEY,
            text="Looking for outliers",
            reads=("case", "simulated", "session.simulation"),
            wish=self._wished,
            work=lambda source, progress, _: source.look(progress),
            keep=lambda _, source, table: self._take(source, table),
            drop=lambda _: self._drop(),
            stays=False,
            after=(SIMULATING,),
            again=False,
        )

    def _wished(self, state: State) -> Source | None:
        """Makes the wish; what is quickly done begins by itself."""
        source = source_of(state, self._side)
        return source if source is not None and (source.is_quick or source == self._asked) else None

    def _on_side(self) -> None:
        self._desk.derived.follow(KEY)
        self._show_page()

    @property
    def _side(self) -> Side:
        return "candidate" if self.side.currentIndex() else "reference"

    def _take(self, source: Source, table: "OutlierTable") -> None:
        self._source = source
        graph = None if self._document.model is None else self._document.model.graph
        rows = None if graph is None else OutlierRows.of(table, graph, self._document.state.findings).prepare()
        self.table.show_rows(rows)
        self._document.take_outliers(table)
        self.page.refresh()
        self.view.fit(self.width())
        self._tell_count()
        self._mark_selected()

    def _drop(self) -> None:
        if self._source is not None:
            self._source = None
            self.table.show_rows(None)
            self._document.take_outliers(None)

    # Showing

    def _on_changed(self, fields: Collection[str]) -> None:
        if "model" in fields:
            self._asked = None
        if _WATCHED & set(fields):
            self._show_page()
        if {"node", "tensor"} & set(fields):
            self._mark_selected()
        if "findings" in fields:
            self._find_places()

    def _show_page(self) -> None:
        simulated = self._document.state.simulated is not None
        self.side.setVisible(not simulated)
        self.smooth.setVisible(simulated)
        self.stack.setCurrentWidget(self._page())

    def _page(self) -> QWidget:
        if self._document.model is None:
            return self.closed
        if self._desk.derived.running(KEY) is not None:
            return self.finding
        if self._source is not None and self.table.rows is not None:
            return self.page if len(self.table.rows) else self.none
        return self.nothing if source_of(self._document.state, self._side) is None else self.ready

    def _on_narrowed(self) -> None:
        self._tell_count()
        self._mark_selected()

    def _tell_count(self) -> None:
        rows = self.table.rows
        shown, total = self.table.rowCount(), 0 if rows is None else len(rows)
        of = "" if self._source is None else f" {self._source.text}"
        self.page.count.setText(f"{shown:,} of {total:,}" if shown < total else f"{total:,} tensors")
        self.page.count.setToolTip(f"{total:,} tensors with channels{of}")

    # Selecting

    def _find_places(self) -> None:
        """More is known of where tensors of runs are in the graph."""
        rows, model = self.table.rows, self._document.model
        if rows is not None and rows.table is not None and model is not None:
            fresh = OutlierRows.of(rows.table, model.graph, self._document.state.findings)
            if [(line.node, line.tensor) for line in fresh.lines] != [(line.node, line.tensor) for line in rows.lines]:
                self.table.show_rows(fresh.prepare())
                self._mark_selected()

    def _on_row(self, index: QModelIndex) -> None:
        line = self.table.line_at(index.row())
        self.channels.setEnabled(line is not None and line.tensor is not None)
        self._document.outlier = "" if line is None or self._syncing else line.row.tensor
        if line is not None and not self._syncing:
            self._syncing = True
            self._walk(line)
            self._syncing = False

    def _on_asked_again(self, index: QModelIndex) -> None:
        """Selects again, unless the graph has it selected, and this tensor of it is the one."""
        line, state = self.table.line_at(index.row()), self._document.state
        if line is None:
            return
        there = state.node == line.node if line.node is not None else state.tensor == line.tensor
        if state.place != Place() or not there or self._document.outlier != line.row.tensor:
            self._on_row(index)

    def _walk(self, line: OutlierLine) -> None:
        """Walks through many rows: one step back returns to where it began."""
        if self._document.state.place != Place():
            self._go(line)
        elif line.node is not None:
            self._document.walk(line.node)
        elif line.tensor is not None:
            self._document.walk(tensor=line.tensor)

    def _go(self, line: OutlierLine) -> None:
        if line.node is not None:
            self._document.go(Place(), line.node)
        elif line.tensor is not None:
            self._document.go(Place(), tensor=line.tensor)

    def _mark_selected(self) -> None:
        """Moves to the tensor that is selected elsewhere."""
        rows, state = self.table.rows, self._document.state
        if rows is None or self._syncing or state.place != Place():
            return
        line = self.table.line_at(self.view.currentIndex().row())
        if line is not None and state.node is not None and line.node == state.node:
            return  # one of several tensors of the node is selected here already
        at = rows.row_of(state.node, state.tensor)
        row = None if at is None else self.table.row_of(at)
        self._syncing = True
        self.view.setCurrentIndex(QModelIndex() if row is None else self.table.index(row, 0))
        self._syncing = False

    # Leading on

    def show_channels(self) -> None:
        """Shows the channels of the selected tensor, in the inspector."""
        line = self.table.line_at(self.view.currentIndex().row())
        if line is not None and line.tensor is not None:
            self._go(line)
            self._document.looked_for.emit(VIEW, line.row.tensor)

    def _smooth(self) -> None:
        self._desk.commands.run(SMOOTH)

    def save(self) -> None:
        """Asks where, and as what, without stopping the window."""
        model = self._document.model
        name = "outliers.csv" if model is None else f"{model.path.stem}-outliers.csv"
        ask_where(self.window(), self._desk, "Export the outlier table", name, TABLES, self.write)

    def write(self, path: Path) -> None:
        """Writes what its suffix says."""
        rows = self.table.rows
        if rows is not None and rows.table is not None:
            table = rows.table
            save_to(self._desk, path, lambda target, _: write(target, table))

    def _show_menu(self, spot: QPoint) -> None:
        self.menu().popup(self.view.viewport().mapToGlobal(spot))

    def menu(self) -> QMenu:
        """Makes the menu of what can be done with the selected row."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.channels.text(), self.show_channels).setEnabled(self.channels.isEnabled())
        menu.addAction("Find again", self.seek)
        menu.addSeparator()
        menu.addAction("Export…", self.save)
        add_table(menu, self._desk, self.view, "outliers")
        return menu


def write(path: Path, table: "OutlierTable") -> None:
    """Tables for spreadsheets unless the suffix says .txt or .json."""
    from errorflow.base.files import write_atomic
    from errorflow.report.outliers import outliers_csv, outliers_json
    from errorflow.report.outliers_boxed import outliers_boxed

    texts = {".txt": lambda: outliers_boxed(table), ".json": lambda: outliers_json(table)}
    write_atomic(path, texts.get(path.suffix.lower(), lambda: outliers_csv(table.worst))())


# Logical px: of each column of numbers, and of types at most.
WIDTHS = {CHANNELS: 76, SPARSE: 64, MEDIAN: 72, MOST: 72}
SHARE, TABLE_NARROW, WIDEST = 52, 48, 140
# In less room than this, these columns give way to the names.
GIVING_WAY = ((760, (FIRST + 1, FIRST + 2)), (520, (TYPE, SPARSE)))


class OutlierView(LineView):
    """Names take what numbers leave, and numbers are whole."""

    def fit(self, room: int) -> None:
        """Fits into so many logical px."""
        header = self.horizontalHeader()
        header.resizeSection(TYPE, min(max(self.sizeHintForColumn(TYPE), TABLE_NARROW), WIDEST))
        for column in range(CHANNELS, len(COLUMNS.titles)):
            header.resizeSection(column, WIDTHS.get(column, SHARE))
        for least, columns in GIVING_WAY:
            for column in columns:
                self.setColumnHidden(column, room < least)
