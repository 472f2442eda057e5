"""The context menu of a table: its rows to the clipboard, or as CSV."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QMenu, QWidget

from errorflow.base.values import dataclass
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.writing import write
from errorflow_viewer.commands.save_dialog import ask_where
from errorflow_viewer.kit.tables.table import Column, TableModel

# Cells of a table for other programs: all rows that are listed, and numbers with all their digits.

Row = list[str]


@dataclass(frozen=True)
class Table:
    """Names of columns, and rows of cells."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def csv(self) -> str:
        from errorflow.report.tables import csv_text

        return csv_text(self.head, self.rows)

    def tabbed(self) -> str:
        """Writes for a spreadsheet to be pasted into: a cell is one line there, and no formula."""
        from errorflow.report.tables import tame

        lines = (self.head, *(map(tame, row) for row in self.rows))
        return "".join("\t".join(" ".join(cell.split()) for cell in line) + "\n" for line in lines)


def text_of(value: object) -> str:
    """A cell of a file: numbers can be read back to the last bit."""
    if value is None:
        return ""
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        return repr(value) if math.isfinite(value) else "inf" if value > 0 else "-inf"
    return str(value)


def head_of(model: TableModel[Any]) -> Row:
    across = Qt.Orientation.Horizontal
    return [column.full_title or text_of(model.headerData(at, across)) for at, column in enumerate(model.columns)]


def row_of(model: TableModel[Any], row: int) -> Row:
    item = model.item_at(row)
    return [text_of(_held(column, item)) for column in model.columns]


def rows_of(model: TableModel[Any], rows: Sequence[int] | None = None) -> Iterator[Row]:
    """Yields all rows, or some, one by one: of a large table the window has other things to do in between."""
    return (row_of(model, row) for row in (range(model.rowCount()) if rows is None else rows))


def _held(column: Column[Any], item: object) -> object:
    """Reads a cell in full, else as it is shown."""
    exact = None if column.exact is None else column.exact(item)
    return column.text(item) if exact is None else exact


# Of a frame, so much is taken, in seconds.
_SLICE = 0.02


class Collecting(QObject):
    """A table that changes meanwhile is read anew, chosen rows of it are given up. It ends with its model."""

    def __init__(self, model: TableModel[Any], done: Callable[[Table], None], rows: Sequence[int] | None) -> None:
        super().__init__(model)
        self._model, self._done, self._chosen = model, done, rows
        self._rows: list[Row] = []
        self._left: Iterator[Row] = iter(())
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._go_on)
        for signal in (model.modelReset, model.layoutChanged, model.rowsInserted, model.rowsRemoved):
            signal.connect(self._begin if rows is None else self._give_up)
        self._begin()

    def start(self) -> None:
        """Small tables are done when this returns."""
        self._go_on()

    def _begin(self) -> None:
        self._rows, self._left = [], rows_of(self._model, self._chosen)

    def _give_up(self) -> None:
        self._timer.stop()
        self.deleteLater()

    def _go_on(self) -> None:
        end = time.monotonic() + _SLICE
        for row in self._left:
            self._rows.append(row)
            if time.monotonic() > end:
                self._timer.start()
                return
        self._timer.stop()
        found = Table(head_of(self._model), self._rows)
        self.deleteLater()
        self._done(found)


def collect(model: TableModel[Any], done: Callable[[Table], None], rows: Sequence[int] | None = None) -> None:
    """Hands over all rows, or some."""
    Collecting(model, done, rows).start()


COPY_ROWS, COPY_TABLE, SAVE_TABLE = "Copy rows", "Copy table", "Save table as CSV…"
# Reads a whole table, and hands it over when it is read.
Read = Callable[[Callable[[Table], None]], None]


def offer_table(desk: Desk, view: QAbstractItemView, what: str) -> None:
    """A view that has no menu of its own. `what`: its rows in a word for the name of a file, such as "nodes"."""

    def show(spot: QPoint) -> None:
        menu = QMenu(view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        add_table(menu, desk, view, what)
        menu.popup(view.viewport().mapToGlobal(spot))

    view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    view.customContextMenuRequested.connect(show)


def add_table(menu: QMenu, desk: Desk, view: QAbstractItemView, what: str) -> None:
    """The same rows at the end of a menu that is there."""
    model = view.model()
    assert isinstance(model, TableModel), "a list without groups"
    rows = sorted({index.row() for index in view.selectedIndexes()})
    if menu.actions():
        menu.addSeparator()
    copied = menu.addAction(COPY_ROWS, lambda: collect(model, lambda table: _copy(desk, table), rows))
    copied.setEnabled(bool(rows))
    add_read(menu, desk, lambda done: collect(model, done), what, enabled=model.rowCount() > 0)


def add_read(menu: QMenu, desk: Desk, read: Read, what: str, enabled: bool = True) -> None:
    """Adds what is read in a way of its own."""
    menu.addAction(COPY_TABLE, lambda: read(lambda table: _copy(desk, table))).setEnabled(enabled)
    menu.addAction(SAVE_TABLE, lambda: ask_to_save(desk, menu, read, what)).setEnabled(enabled)


def ask_to_save(desk: Desk, menu: QMenu, read: Read, what: str) -> None:
    """The rows are those that are listed when one asked."""
    parent, kinds = window_of(menu), ("Tables (*.csv)", "All files (*)")

    def ask(table: Table) -> None:
        ask_where(parent, desk, "Save the table", name_of(desk, what), kinds, lambda to: write_table(desk, to, table))

    read(ask)


def window_of(menu: QMenu) -> QWidget:
    parent = menu.parentWidget()
    return menu if parent is None else parent.window()


def write_table(desk: Desk, path: Path, table: Table) -> None:
    write(desk, path, table.csv)


def name_of(desk: Desk, what: str, ending: str = ".csv") -> str:
    model = desk.document.model
    stem = "" if model is None else f"{model.path.stem}-"
    return f"{stem}{what.replace(' ', '-')}{ending}"


def _copy(desk: Desk, table: Table) -> None:
    QGuiApplication.clipboard().setText(table.tabbed())
    desk.say("1 row is on the clipboard" if len(table.rows) == 1 else f"{len(table.rows):,} rows are on the clipboard")
