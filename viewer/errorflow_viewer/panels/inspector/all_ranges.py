"""All tensors of a simulation: where another method of calibration would serve better."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
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
from errorflow_viewer.commands.copy_save.cells import EXACT_ROLE
from errorflow_viewer.commands.copy_save.tables import offer_table
from errorflow_viewer.commands.save_dialog import ask_where
from errorflow_viewer.kit.layouts import text_button, text_label
from errorflow_viewer.kit.look import PADDING, ROW

if TYPE_CHECKING:
    from errorflow.quant.assign import Assigned
    from errorflow.run.calibrating import Calibrated
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.methods import Differing

Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()
COLUMNS = ("Tensor", "Type", "Codes", "Used", "Its SQNR", "Best", "Its SQNR", "Gain")
TENSOR, TYPE, CODES, USED, USED_SQNR, BEST, BEST_SQNR, GAIN = range(len(COLUMNS))
_NUMBERS = (USED_SQNR, BEST_SQNR, GAIN)
_SQNR = next(metric for metric in METRICS if metric.key == "sqnr")
KEY, FILE = "save methods", "calibration.csv"


class AllRangesTable(QAbstractTableModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: Sequence[tuple[Differing, str]] = ()

    def show_rows(self, rows: "Sequence[tuple[Differing, str]]") -> None:
        """Each with the type of the node that makes the tensor."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.ToolTipRole and section in _NUMBERS:
            return f"Expected of codes of the tensor alone · {_SQNR.label} · {_SQNR.formula}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return COLUMNS[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return _text(*self.rows[index.row()], index.column())
        if role == EXACT_ROLE and index.column() in _NUMBERS and self.rows[index.row()][0].used is not None:
            return _key(*self.rows[index.row()], index.column())[0]
        return _alignment(index.column()) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.layoutAboutToBeChanged.emit()
        down = order == Qt.SortOrder.DescendingOrder
        self.rows = sorted(self.rows, key=lambda row: _key(row[0], row[1], column), reverse=down)
        self.layoutChanged.emit()


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


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in _NUMBERS else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


class AllRanges(QDialog):
    """A row that is selected leads to the node that makes the tensor."""

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self._desk = desk
        self._found: Calibrated | None = None
        self._bench: Bench | None = None
        self.setWindowTitle("Methods of calibration – Errorflow")
        self.text = text_label(wraps=True)
        self.table = AllRangesTable(self)
        self.list = QTableView()
        self.list.setModel(self.table)
        self.list.setAccessibleName("Tensors by what another method would gain")
        self.list.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setShowGrid(False)
        self.list.setSortingEnabled(True)
        self.list.verticalHeader().hide()
        self.list.verticalHeader().setDefaultSectionSize(ROW)
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
        if graph is None or not 0 <= row < len(self.table.rows):
            return
        tensor = graph.tensor_index(self.table.rows[row][0].tensor)
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
