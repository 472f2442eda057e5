"""All tensors of a simulation: where another method of calibration would serve better."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import write_atomic
from errorflow.compare.metrics import METRICS
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import offer_table
from errorflow_viewer.commands.save_dialog import ask_where
from errorflow_viewer.kit.layouts import text_button, text_label
from errorflow_viewer.kit.look import PADDING
from errorflow_viewer.kit.tables.column import Column, Listing, by_key
from errorflow_viewer.kit.tables.furnish import furnish
from errorflow_viewer.kit.tables.table import TableModel

if TYPE_CHECKING:
    from errorflow.quant.assign import Assigned
    from errorflow.run.calibrating import Calibrated
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.methods import Differing

COLUMNS = ("Tensor", "Type", "Codes", "Used", "Its SQNR", "Best", "Its SQNR", "Gain")
TENSOR, TYPE, CODES, USED, USED_SQNR, BEST, BEST_SQNR, GAIN = range(len(COLUMNS))
_NUMBERS = (USED_SQNR, BEST_SQNR, GAIN)
_SQNR = next(metric for metric in METRICS if metric.key == "sqnr")
KEY, FILE = "save methods", "calibration.csv"


class AllRangesTable(TableModel["tuple[Differing, str]"]):
    """Each tensor with the type of the node that makes it."""

    def show_rows(self, rows: "Sequence[tuple[Differing, str]]") -> None:
        self.show(Listing(rows, [_column(rows, at) for at in range(len(COLUMNS))]))


def _column(rows: "Sequence[tuple[Differing, str]]", at: int) -> "Column[tuple[Differing, str]]":
    def text(row: "tuple[Differing, str]") -> str:
        return _text(*row, at)

    is_number = at in _NUMBERS
    return Column(
        COLUMNS[at],
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
        USED: "" if used is None else used.method.label,
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
