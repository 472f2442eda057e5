"""The context menu of what is laid out of labels: a table that is no view, facts, a card."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QMenu, QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.cells import Table
from errorflow_viewer.commands.copy_save.tables import add_read
from errorflow_viewer.commands.copy_save.texts import COPY

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
