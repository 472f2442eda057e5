"""The range of a tensor by every method of calibration, and the way to use another one."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QSizePolicy,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from errorflow.explain.inspect.figure import number_text
from errorflow.explain.inspect.ranges_figure import Bracket, ranges_figure
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import offer_table
from errorflow_viewer.kit.layouts import spaced
from errorflow_viewer.kit.look import GRID, PADDING
from errorflow_viewer.kit.tables.cells import CellPainter
from errorflow_viewer.kit.tables.furnish import furnish
from errorflow_viewer.panels.inspector.all_ranges import AllRanges
from errorflow_viewer.panels.inspector.figure_view import FigureView
from errorflow_viewer.panels.inspector.methods import Methods
from errorflow_viewer.panels.inspector.ranges_table import HIGH, LOW, METHOD, USED, RangesTable
from errorflow_viewer.panels.inspector.view import Subject, View
from errorflow_viewer.plots.content import FigureContent
from errorflow_viewer.plots.large import Large

if TYPE_CHECKING:
    from errorflow.explain.inspect.figure import Figure
    from errorflow.quant.precision import Precision
    from errorflow.run.calibrating import Calibrated
    from errorflow.study.simulate.methods import Judged
    from errorflow_viewer.document.state import Simulated

# From here on the table has the ends of ranges.
ROOMY = 400
BUSY = "Each method is calibrating on the same samples …"
IN_FLOAT = "The plan leaves this tensor in float: it needs no range."


class RangesView:
    """What it shows is found when it is first seen, for all tensors at once."""

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
        """What is known of all tensors; None: it is asked for, or nothing at all is coded."""
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
        """That the plan gives the tensor; None: it stays in float."""
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

    def _fill(self, rows: "tuple[Judged, ...]", best: str, used: str) -> None:
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

    def _bracket(self, row: "Judged") -> Bracket:
        """Those that are neither chosen nor used go by one name together: the table tells them apart."""
        is_used = row.method.key == self.table.used
        if row.method.key == self._chosen:
            return Bracket(f"{row.method.label}, used" if is_used else row.method.label, row.low, row.high, "candidate")
        label = f"{row.method.label}, used" if is_used else "Other methods"
        return Bracket(label, row.low, row.high, "strong" if is_used else "quiet")

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
    """As high as all its rows. Where there is little room the plot alone says where ranges end."""

    def sizeHint(self) -> QSize:
        rows = self.verticalHeader().length() + 2 * self.frameWidth()
        return QSize(super().sizeHint().width(), rows + self.horizontalHeader().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        for column in (LOW, HIGH):
            self.setColumnHidden(column, event.size().width() < ROOMY)
        super().resizeEvent(event)


RANGES = View("ranges", "Ranges", RangesView)
