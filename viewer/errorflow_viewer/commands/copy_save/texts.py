"""The context menu of a page of text: what is selected, or all of it, as text."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QMenu, QTextBrowser, QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import Table, add_read, name_of
from errorflow_viewer.commands.copy_save.writing import write
from errorflow_viewer.commands.save_dialog import ask_where

COPY, COPY_PAGE, SAVE_PAGE = "Copy", "Copy all as text", "Save as text…"


def offer_text(desk: Desk, page: QTextBrowser, what: str, text: Callable[[], str]) -> None:
    """`text`: all of the page, as it is copied."""

    def show(spot: QPoint) -> None:
        menu = QMenu(page)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(COPY, page.copy).setEnabled(page.textCursor().hasSelection())
        menu.addAction("Select all", page.selectAll)
        menu.addSeparator()
        menu.addAction(COPY_PAGE, lambda: QGuiApplication.clipboard().setText(text()))
        menu.addAction(SAVE_PAGE, lambda: _ask(desk, page, what, text()))
        menu.popup(page.viewport().mapToGlobal(spot))

    page.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    page.customContextMenuRequested.connect(show)


def write_text(desk: Desk, path: Path, text: str) -> None:
    write(desk, path, lambda: text if text.endswith("\n") else f"{text}\n")


def _ask(desk: Desk, page: QTextBrowser, what: str, text: str) -> None:
    kinds, name = ("Texts (*.txt)", "All files (*)"), name_of(desk, what, ".txt")
    ask_where(page.window(), desk, "Save as text", name, kinds, lambda path: write_text(desk, path, text))


# The context menu of what is laid out of labels: a table that is no view, facts, a card.

Fill = Callable[[QMenu], None]


def offer_labels(desk: Desk, widget: QWidget, what: str, table: Table) -> None:
    """Offers all that the labels say as a table. `what`: as for the views."""
    offer_menu(widget, lambda menu: add_read(menu, desk, lambda done: done(table), what, enabled=bool(table.rows)))


def offer_menu(widget: QWidget, fill: Fill) -> None:
    """Offers one menu for all of it, whichever label is pointed at; what is marked in that one can be copied too."""
    for label in widget.findChildren(QLabel):
        label.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)

    def show(spot: QPoint) -> None:
        menu = QMenu(widget)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        _add_marked(menu, widget.childAt(spot))
        fill(menu)
        menu.popup(widget.mapToGlobal(spot))

    widget.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    widget.customContextMenuRequested.connect(show)


def _add_marked(menu: QMenu, pointed: QWidget | None) -> None:
    if isinstance(pointed, QLabel) and pointed.hasSelectedText():
        text = pointed.selectedText()
        menu.addAction(COPY, lambda: QGuiApplication.clipboard().setText(text))
        menu.addSeparator()
