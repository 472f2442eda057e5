"""Gives the keyboard to a widget wherever it is: a panel in a window of its own keeps it otherwise.

A list that it comes to says at which row that is: where none is current, readers say nothing at all.
"""

import shiboken6
from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLineEdit, QWidget

_KEYS = Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason
# A property of what is given the keyboard by a key and has to wait until its window has it.
_COMING = "comingByKey"
_USABLE = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


def give(widget: QWidget, reason: Qt.FocusReason = Qt.FocusReason.ShortcutFocusReason) -> None:
    """Gives the keyboard, from another window of this app too, but never from another app."""
    active = QApplication.activeWindow()
    if active is not None and active is not widget.window():
        widget.setProperty(_COMING, reason in _KEYS)
        widget.window().activateWindow()
    if isinstance(widget, QLineEdit) and reason is Qt.FocusReason.ShortcutFocusReason:
        # For this reason Qt selects the text before it says who has the keyboard, and Orca names nobody whose text
        # changes first.
        widget.setFocus(Qt.FocusReason.OtherFocusReason)
        widget.selectAll()
    else:
        widget.setFocus(reason)


def comes_by_key(widget: QWidget, reason: Qt.FocusReason) -> bool:
    """Not where its window comes to the front with all that was in it, unless a key brought it there to get here."""
    coming = bool(widget.property(_COMING))
    widget.setProperty(_COMING, False)
    return reason in _KEYS or (coming and reason is Qt.FocusReason.ActiveWindowFocusReason)


def go_to_first_row(view: QAbstractItemView) -> None:
    """Goes to the first row on view, where none is current. It is not selected, and only readers hear of it: what is
    selected in the graph stays so until a key moves through the list.
    """
    selection, first = view.selectionModel(), view.indexAt(QPoint(1, 1))
    if view.currentIndex().isValid() or not first.isValid() or first.flags() & _USABLE != _USABLE:
        return
    with QSignalBlocker(selection):
        selection.setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)
    view.viewport().update()
    if QAccessible.isActive():
        QTimer.singleShot(0, view, lambda: _tell(view))  # after the list itself, which Qt tells of last


def wait_for_keys(view: QAbstractItemView) -> None:
    """Else Qt makes a row the current one as soon as the list has the keyboard, as if its user had gone there."""
    view.setCurrentIndex(QModelIndex())


def _tell(view: QAbstractItemView) -> None:
    if not shiboken6.isValid(view) or not view.hasFocus():
        return
    face = QAccessible.queryAccessibleInterface(view)
    cell = None if face is None else face.focusChild()
    if cell is not None:
        QAccessible.updateAccessibility(QAccessibleEvent(cell, QAccessible.Event.Focus))
