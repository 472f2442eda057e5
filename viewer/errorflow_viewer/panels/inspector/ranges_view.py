"""The range of a tensor by every method of calibration, and the way to use another one."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QSizePolicy,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from errorflow.base import ErrorflowError, Progress
from errorflow.base.files import write_atomic
from errorflow.compare.metrics import METRICS
from errorflow.explain.inspect.figure import number_text, short_text
from errorflow.explain.inspect.figures import RangeBracket, ranges_figure
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import offer_table
from errorflow_viewer.commands.save_dialog import ask_where
from errorflow_viewer.document.derived_table import looked
from errorflow_viewer.document.state import State
from errorflow_viewer.kit.layouts import spaced, text_button, text_label
from errorflow_viewer.kit.look import GRID, PADDING
from errorflow_viewer.kit.tables.cells import CellPainter
from errorflow_viewer.kit.tables.furnish import furnish
from errorflow_viewer.kit.tables.table import Column, Listing, TableModel, by_key
from errorflow_viewer.panels.inspector.figure_view import FigureView
from errorflow_viewer.panels.inspector.view import Subject, View
from errorflow_viewer.plots.large import FigureContent, Large

if TYPE_CHECKING:
    from errorflow.explain.inspect.figure import Figure
    from errorflow.quant.assign import Assigned
    from errorflow.quant.precision import Precision
    from errorflow.run.calibrating import Calibrated
    from errorflow.study.simulate.basis import Basis
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.methods import Differing, JudgedRange
    from errorflow_viewer.document.state import Simulated

    _Wish = tuple[Bench, tuple[object, ...], tuple[Precision, ...]]


# From here on the table has the ends of ranges.
ROOMY = 400
BUSY = "Each method is calibrating on the same samples …"
IN_FLOAT = "The plan leaves this tensor in float: it needs no range."


class RangesView:
    """View whose content is found when it is first seen, for all tensors at once."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.large = Large(desk, "ranges", "Ranges")
        self.methods = Methods(desk, self._refresh)
        self._subject: Subject | None = None
        # What is to be known of all rows together.
        self._about = ""
        # Why another method for the tensor alone would change nothing.
        self._elsewhere = ""
        self.figure = FigureView(desk.appearance.theme, self.large)
        self.table = RangesTable()
        self.list = self._make_list()
        self.all, self.one = QPushButton(), QPushButton()
        self.again = QPushButton("Compare methods")
        self.every = QPushButton("All tensors…")
        self.every.setToolTip("A list of all tensors: where another method would serve better")
        self.all.clicked.connect(lambda: self._use(""))
        self.one.clicked.connect(lambda: self._use(self._tensor))
        self.again.clicked.connect(self.methods.again)
        self.every.clicked.connect(self._show_all)
        self.dialog: AllRanges | None = None
        self.widget = self._lay_out()

    def _make_list(self) -> QTableView:
        found = _List()
        furnish(found, self.table, "Methods of calibration", "Rows of methods", "Columns of methods")
        found.setItemDelegate(CellPainter(found))
        offer_table(self._desk, found, "methods")
        found.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        found.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = found.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(METHOD, QHeaderView.ResizeMode.Stretch)
        found.selectionModel().currentRowChanged.connect(lambda *_: self._draw())
        return found

    def _lay_out(self) -> QWidget:
        widget = QWidget()
        box = spaced(QVBoxLayout(widget), GRID, (0, 0, 0, GRID))
        box.addWidget(self.figure, 1)
        box.addWidget(self.list)
        for buttons in ((self.all, self.one), (self.again, self.every)):
            row = spaced(QHBoxLayout(), GRID, (PADDING, 0, PADDING, 0))
            for button in buttons:
                row.addWidget(button)
            row.addStretch(1)
            box.addLayout(row)
        return widget

    def show(self, subject: Subject | None) -> None:
        self._subject = subject
        self._refresh()

    @property
    def _tensor(self) -> str:
        return "" if self._subject is None else self._subject.choice.name

    def _refresh(self) -> None:
        simulated = self._desk.document.state.simulated
        if self._subject is None or simulated is None or simulated.outcome is None:
            self._fill((), "", "")
            self.every.setEnabled(False)
            self.figure.show_figure(None, self._desk.appearance.theme)
            self.large.show(None)
            return
        precision = self._precision(simulated)
        found = self._found(simulated, precision)
        if precision is None:
            self._fill((), "", "")
            self._draw(IN_FLOAT)
        else:
            self._show_methods(simulated, precision, found)
        self.every.setEnabled(found is not None)

    def _found(self, simulated: "Simulated", precision: "Precision | None") -> "Calibrated | None":
        """Finds what is known of all tensors; None: it is on its way, or nothing at all is coded."""
        from errorflow.study.simulate.methods import precisions_under

        assert simulated.outcome is not None
        bench, outcome = simulated.bench, simulated.outcome
        every = precisions_under(outcome.plan, outcome.assigned)
        if not outcome.assigned.activations:
            return None
        found = self.methods.known(bench, every[0] if precision is None else precision)
        if found is None:
            self.methods.ask(bench, every)
        return found

    def _precision(self, simulated: "Simulated") -> "Precision | None":
        """Finds the precision that the plan gives the tensor; None: it stays in float."""
        assert simulated.outcome is not None
        number = simulated.bench.engine.graph.tensor_index(self._tensor)
        return None if number is None else simulated.outcome.assigned.activations.get(number)

    def _show_methods(self, simulated: "Simulated", precision: "Precision", found: "Calibrated | None") -> None:
        from errorflow.study.simulate.methods import best_of, judged, method_used, set_elsewhere

        assert simulated.outcome is not None
        bench, outcome = simulated.bench, simulated.outcome
        if found is None:
            self._fill((), "", "")
            self._draw(self.methods.failure if self.methods.failure else BUSY)
            return
        tensor = next((each for each in found.tensors if each.name == self._tensor), None)
        rows = () if tensor is None else judged(found, tensor, precision)
        best = best_of(rows)
        self._elsewhere = set_elsewhere(bench, outcome.plan, outcome.assigned, self._tensor)
        self._fill(rows, "" if best is None else best.method.key, method_used(bench, self._tensor))
        samples = found.calibrations[0].samples
        self._draw(f"Codes of {precision.text}; ranges of {samples:,} samples, values of the one on view")

    def _fill(self, rows: "tuple[JudgedRange, ...]", best: str, used: str) -> None:
        chosen = self._chosen
        self.table.show_rows(rows, best, used)
        keys = [row.method.key for row in rows]
        wanted = chosen if chosen in keys else best
        if wanted in keys:
            self.list.selectRow(keys.index(wanted))
        self.list.setVisible(bool(rows))
        self.again.setVisible(bool(self.methods.failure))
        self.list.updateGeometry()
        self._say_what_buttons_do()

    @property
    def _chosen(self) -> str:
        row = self.list.currentIndex().row()
        return self.table.items[row].method.key if 0 <= row < len(self.table.items) else ""

    def _say_what_buttons_do(self) -> None:
        row = next((row for row in self.table.items if row.method.key == self._chosen), None)
        for button, text in ((self.all, "Use for all"), (self.one, "Use for this tensor")):
            button.setText(text)
            is_other = row is not None and row.method.key != self.table.used and not self._elsewhere
            button.setEnabled(row is not None if button is self.all else is_other)
            label = "the method" if row is None else row.method.label
            who = "all tensors" if button is self.all else "this tensor alone"
            button.setToolTip(f"Calibrate {who} by {label}, and simulate again")

    def _draw(self, note: str = "") -> None:
        self._say_what_buttons_do()
        self._about = note if note else self._about
        figure = self._figure(self._notes())
        self.figure.show_figure(figure, self._desk.appearance.theme)
        self.large.show(None if figure is None else FigureContent(self._tensor, lambda _: figure))
        if figure is None and note:
            self.figure.notes.setText(note)

    def _notes(self) -> tuple[str, ...]:
        """The range that is chosen, as numbers, and what the table's signs mean."""
        row = next((row for row in self.table.items if row.method.key == self._chosen), None)
        if row is None:
            return (self._about,) if self._about else ()
        chosen = f"{row.method.label}: {number_text(row.low)} … {number_text(row.high)}"
        about = f"{self._about}; bold: best, {USED}: used"
        return (chosen, about, self._elsewhere) if self._elsewhere else (chosen, about)

    def _figure(self, notes: tuple[str, ...]) -> "Figure | None":
        looked = None if self._subject is None else self._subject.looked
        if looked is None or looked.overview.values.reference is None:
            return None
        histogram, counts = looked.overview.values, looked.overview.values.reference
        brackets = [self._bracket(row) for row in self.table.items]
        return ranges_figure(self._tensor, histogram.bins, counts, brackets, notes)

    def _bracket(self, row: "JudgedRange") -> RangeBracket:
        """Makes a bracket; those that are neither chosen nor used go by one name together: the table tells them
        apart.
        """
        is_used = row.method.key == self.table.used
        if row.method.key == self._chosen:
            return RangeBracket(
                f"{row.method.label}, used" if is_used else row.method.label, row.low, row.high, "candidate"
            )
        label = f"{row.method.label}, used" if is_used else "Other methods"
        return RangeBracket(label, row.low, row.high, "strong" if is_used else "quiet")

    def _use(self, tensor: str) -> None:
        from errorflow.study.simulate.methods import with_method

        simulation, key = self._desk.document.session.simulation, self._chosen
        if simulation is not None and key:
            self._desk.studies.simulating.start(with_method(simulation.basis, key, tensor), simulation.plan)

    def _show_all(self) -> None:
        simulated = self._desk.document.state.simulated
        if simulated is None or simulated.outcome is None:
            return
        found = self._found(simulated, self._precision(simulated))
        if found is None:
            return
        if self.dialog is None:
            self.dialog = AllRanges(self._desk, self.widget.window())
        self.dialog.show_found(found, simulated.bench, simulated.outcome.assigned)
        self.dialog.show()
        self.dialog.raise_()


class _List(QTableView):
    """List as high as all its rows. Where there is little room the plot alone says where ranges end."""

    def sizeHint(self) -> QSize:
        rows = self.verticalHeader().length() + 2 * self.frameWidth()
        return QSize(super().sizeHint().width(), rows + self.horizontalHeader().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        for column in (LOW, HIGH):
            self.setColumnHidden(column, event.size().width() < ROOMY)
        super().resizeEvent(event)


RANGES = View("ranges", "Ranges", RangesView)


COLUMNS = ("Method", "Low", "High", "Clipped", "SQNR")


# All tensors of a simulation: where another method of calibration would serve better.

ALL_RANGES_COLUMNS = ("Tensor", "Type", "Codes", "Used", "Its SQNR", "Best", "Its SQNR", "Gain")
TENSOR, TYPE, CODES, ALL_RANGES_USED, USED_SQNR, BEST, BEST_SQNR, GAIN = range(len(ALL_RANGES_COLUMNS))
_NUMBERS = (USED_SQNR, BEST_SQNR, GAIN)

ALL_RANGES_KEY, FILE = "save methods", "calibration.csv"


class AllRangesTable(TableModel["tuple[Differing, str]"]):
    """Each tensor with the type of the node that makes it."""

    def show_rows(self, rows: "Sequence[tuple[Differing, str]]") -> None:
        self.show(Listing(rows, [_column(rows, at) for at in range(len(ALL_RANGES_COLUMNS))]))


def _column(rows: "Sequence[tuple[Differing, str]]", at: int) -> "Column[tuple[Differing, str]]":
    def text(row: "tuple[Differing, str]") -> str:
        return _text(*row, at)

    is_number = at in _NUMBERS
    return Column(
        ALL_RANGES_COLUMNS[at],
        text,
        f"Expected of codes of the tensor alone · {_SQNR.label} · {_SQNR.formula}" if is_number else "",
        is_number=is_number,
        sort=by_key(rows, lambda row: _key(*row, at)),
        exact=(lambda row: None if row[0].used is None else _key(*row, at)[0]) if is_number else None,
        cell_tip=text,
    )


def _key(row: "Differing", kind: str, column: int) -> tuple[float, str]:
    numbers = {USED_SQNR: row.used.sqnr if row.used is not None else 0.0, BEST_SQNR: row.best.sqnr, GAIN: row.gain}
    return (numbers[column], row.tensor) if column in numbers else (0.0, _text(row, kind, column))


def _text(row: "Differing", kind: str, column: int) -> str:
    used = row.used
    texts = {
        TENSOR: row.tensor,
        TYPE: kind,
        CODES: row.precision.text,
        ALL_RANGES_USED: "" if used is None else used.method.label,
        USED_SQNR: "" if used is None else _SQNR.text(used.sqnr),
        BEST: row.best.method.label,
        BEST_SQNR: _SQNR.text(row.best.sqnr),
        GAIN: _SQNR.text(row.gain),
    }
    return texts[column]


class AllRanges(QDialog):
    """A row that is selected leads to the node that makes the tensor."""

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self._desk = desk
        self._found: Calibrated | None = None
        self._bench: Bench | None = None
        self.setWindowTitle("Methods of calibration – Errorflow")
        self.text = text_label(wraps=True)
        self.table = AllRangesTable(self, moves=True)
        self.list = QTableView()
        name, columns = "Tensors by what another method would gain", "Columns of tensors, sort by one with a click"
        furnish(self.list, self.table, name, "Rows of tensors", columns, sorts=True)
        # Not the current row: that is the first one as soon as the list has the focus.
        self.list.selectionModel().selectionChanged.connect(lambda *_: self._go_to_selected())
        offer_table(desk, self.list, "methods of calibration")
        self.save = text_button("Save as CSV…", self._save)
        close = text_button("Close", self.close)
        row = QHBoxLayout()
        row.addWidget(self.save)
        row.addStretch(1)
        row.addWidget(close)
        box = QVBoxLayout(self)
        box.setContentsMargins(PADDING, PADDING, PADDING, PADDING)
        box.addWidget(self.text)
        box.addWidget(self.list, 1)
        box.addLayout(row)
        self.resize(860, 520)

    def show_found(self, found: "Calibrated", bench: "Bench", assigned: "Assigned") -> None:
        from errorflow.graph.build import counted
        from errorflow.study.simulate.methods import differing

        self._found, self._bench = found, bench
        graph = bench.engine.graph
        rows = differing(found, bench, assigned)
        self.table.show_rows([(row, _kind(graph, row.tensor)) for row in rows])
        self.list.sortByColumn(GAIN, Qt.SortOrder.DescendingOrder)
        header = self.list.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(TENSOR, QHeaderView.ResizeMode.Stretch)
        better = sum(row.gain > 1 for row in rows)
        what = counted(better, "tensor", "tensors")
        samples = counted(found.calibrations[0].samples, "sample", "samples")
        self.text.setText(f"On {samples}, another method would gain more than 1 dB in {what} of {len(rows):,}.")

    def _go_to_selected(self) -> None:
        for index in self.list.selectionModel().selectedRows():
            self._go(index.row())

    def _go(self, row: int) -> None:
        graph, document = self._desk.document.graph, self._desk.document
        item = self.table.item_at(row)
        if graph is None or item is None:
            return
        tensor = graph.tensor_index(item[0].tensor)
        node = -1 if tensor is None else int(graph.producers[tensor])
        if node >= 0:
            document.go(document.state.place, node=node)
        elif tensor is not None:
            document.go(document.state.place, tensor=tensor)

    def _save(self) -> None:
        ask_where(self, self._desk, "Save the table", FILE, ("Tables (*.csv)", "All files (*)"), self._write)

    def _write(self, path: Path) -> None:
        from errorflow.report.calibration import calibration_csv

        found, bench = self._found, self._bench
        if found is None or bench is None:
            return
        try:
            write_atomic(path, calibration_csv(found, bench.engine.graph))
        except ErrorflowError as error:
            self.text.setText(f"{error.message} {error.hint}")
        else:
            self.text.setText(f"Saved as {path}.")


def _kind(graph: Any, name: str) -> str:
    number = graph.tensor_index(name)
    node = -1 if number is None else int(graph.producers[number])
    return "input" if node < 0 else str(graph.op_types[node])


METHOD, LOW, HIGH, CLIPPED, SQNR = range(len(COLUMNS))
# Before the method that is used.
USED = "✓"
# Goes without saying before a number of per cent; in full it is in the tip.
COMMON = "Percentile "
_SQNR = next(metric for metric in METRICS if metric.key == "sqnr")
_TIPS = (
    "How the range is found",
    "Where the range begins",
    "Where the range ends",
    "The share of the values seen in calibration that lie beyond it",
    f"Expected of codes of this tensor alone, on the values seen in calibration · {_SQNR.label} · {_SQNR.formula}",
)


class RangesTable(TableModel["JudgedRange"]):
    """Table of one row per method; the best one is said, and the one that is used."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.best = self.used = ""
        self.show_rows((), "", "")

    def show_rows(self, rows: "Sequence[JudgedRange]", best: str, used: str) -> None:
        self.best, self.used = best, used
        columns = (
            self._column(METHOD, self._name, lambda row: row.method.label),
            self._column(LOW, lambda row: short_text(row.low), lambda row: row.low),
            self._column(HIGH, lambda row: short_text(row.high), lambda row: row.high),
            self._column(CLIPPED, lambda row: f"{row.clipped:.2%}", lambda row: row.clipped, "Share clipped"),
            self._column(SQNR, _sqnr, lambda row: row.sqnr, "Expected SQNR (dB)"),
        )
        self.show(Listing(rows, columns))

    def _column(
        self,
        at: int,
        text: "Callable[[JudgedRange], str]",
        exact: "Callable[[JudgedRange], object]",
        full_title: str = "",
    ) -> "Column[JudgedRange]":
        return Column(
            COLUMNS[at],
            text,
            _TIPS[at],
            full_title,
            is_number=at != METHOD,
            is_name=at == METHOD,
            exact=exact,
            cell_tip=self._tip if at == METHOD else _exact,
            strong=lambda row: row.method.key == self.best,
        )

    def _tip(self, row: "JudgedRange") -> str:
        said = [word for word, key in (("best", self.best), ("used", self.used)) if key == row.method.key]
        name = f"{row.method.label} ({', '.join(said)})" if said else row.method.label
        return f"{name}: {row.method.formula}"

    def _name(self, row: "JudgedRange") -> str:
        name = row.method.label.removeprefix(COMMON)
        return f"{USED} {name}" if row.method.key == self.used else name


def _sqnr(row: "JudgedRange") -> str:
    return "–" if row.sqnr != row.sqnr else _SQNR.text(row.sqnr)


def _exact(row: "JudgedRange") -> str:
    return f"{row.low!r} … {row.high!r}, {row.clipped:.6%} clipped, {row.sqnr!r} dB"


KEY, TEXT = "inspector.methods", "Comparing methods of calibration"
# Of so many samples and sets of precisions what was found is kept.
KEPT = 4


class Methods:
    """`told` is called when there is more to be known."""

    def __init__(self, desk: Desk, told: Callable[[], None]) -> None:
        self._document = desk.document
        self._derived = desk.derived
        self._told = told
        self._found: dict[tuple[object, ...], Calibrated] = {}
        self._asked: _Wish | None = None
        row = looked(KEY, TEXT, self._wished, _compared, self._keep, lambda _: told(), ("simulated",))
        desk.derived.add(replace(row, cancelled=self._on_cancelled, drop=lambda _: self._forget()))
        desk.document.changed.connect(self._on_changed)

    def _wished(self, state: State) -> "_Wish | None":
        """Makes the wish. What is found on a bench ends with it; what was found holds for the model."""
        asked, simulated = self._asked, state.simulated
        return None if asked is None or simulated is None or simulated.bench is not asked[0] else asked

    def _forget(self) -> None:
        self._asked = None

    def _on_changed(self, fields: Collection[str]) -> None:
        if "model" in fields and self._document.state.simulated is None:
            self._found.clear()

    def _on_cancelled(self, *_: object) -> None:
        self._told()

    @property
    def failure(self) -> str:
        """Reason why there is nothing; "": nothing went wrong."""
        error = self._derived.error(KEY)
        cancelled = "The comparison of methods was cancelled." if self._derived.was_cancelled(KEY) else ""
        return cancelled if error is None else f"{error.message} {error.hint}".strip()

    def known(self, bench: "Bench", precision: "Precision") -> "Calibrated | None":
        """Finds what judges codes of that precision, on the samples of the bench."""
        from errorflow.study.simulate.methods import plain

        fed = _fed(bench.basis)
        return next(
            (found for key, found in self._found.items() if key[0] == fed and plain(precision) in found.judges), None
        )

    def ask(self, bench: "Bench", judges: "tuple[Precision, ...]") -> None:
        """Finds it unless that is under way, or has failed."""
        self._asked = bench, _fed(bench.basis), judges
        self._derived.follow(KEY)

    def again(self) -> None:
        """Tries once more what failed or was cancelled."""
        if self.failure:
            self._derived.ask(KEY)
        self._told()

    def _keep(self, found: "Calibrated") -> None:
        self._found[() if self._asked is None else self._asked[1:]] = found
        while len(self._found) > KEPT:
            del self._found[next(iter(self._found))]
        self._told()


def _compared(wish: "_Wish", progress: Progress) -> "Calibrated":
    from errorflow.study.simulate.methods import compare_methods

    return compare_methods(wish[0], wish[2], progress)


def _fed(basis: "Basis") -> tuple[object, ...]:
    """Lists, of what a simulation stands on, what all methods see alike."""
    return repr(basis.asked), basis.samples, basis.calibrate_on, basis.others
