"""The context menu of a table: its rows to the clipboard, or as CSV."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QAbstractItemModel, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QMenu, QWidget

from errorflow_viewer.desk import Desk
from errorflow_viewer.giving.cells import Table
from errorflow_viewer.giving.collecting import collect
from errorflow_viewer.giving.writing import write
from errorflow_viewer.save_dialog import ask_where

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
    rows = sorted({index.row() for index in view.selectedIndexes()})
    if menu.actions():
        menu.addSeparator()
    copied = menu.addAction(COPY_ROWS, lambda: collect(model, lambda table: _copy(desk, table), rows))
    copied.setEnabled(bool(rows))
    add_read(menu, desk, lambda done: collect(model, done), what, enabled=_has_rows(model))


def add_read(menu: QMenu, desk: Desk, read: Read, what: str, enabled: bool = True) -> None:
    """What is read in a way of its own."""
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


def _has_rows(model: QAbstractItemModel) -> bool:
    return model.rowCount() > 0
