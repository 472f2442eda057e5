"""Gives the keyboard to a widget wherever it is: a panel in a window of its own keeps it otherwise.

A list that it comes to says at which row that is: where none is current, readers say nothing at all.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import shiboken6
from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QDockWidget, QLineEdit, QMainWindow, QTableView, QWidget

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


# A list of what is in the graph: a row that the keyboard only came to is chosen as soon as its user asks for it.

_Key = Qt.Key
_PLAIN = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier
_CHOOSING = _Key.Key_Space, _Key.Key_Return, _Key.Key_Enter
# Of these, some stay where they are at the ends of the list.
_MOVING = (
    *(_Key.Key_Up, _Key.Key_Down, _Key.Key_Left, _Key.Key_Right),
    *(_Key.Key_Home, _Key.Key_End, _Key.Key_PageUp, _Key.Key_PageDown),
)


class Mirror(QTableView):
    """Qt tells of rows that become the current one. One that is it already may still be none that the graph has
    selected: Tab came to it, or something else was selected in the graph since."""

    # A click or a key on the row that was the current one before.
    asked_again = Signal(QModelIndex)

    def reset(self) -> None:
        """Qt forgets with its rows that a list waits for keys."""
        super().reset()
        if not self.currentIndex().isValid():
            wait_for_keys(self)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if comes_by_key(self, event.reason()):
            go_to_first_row(self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        before, index = self.currentIndex().row(), self.indexAt(event.position().toPoint())
        pressed = index.row()
        super().mousePressEvent(event)
        # With Ctrl, a click takes back what was selected.
        if 0 <= pressed == before and self.selectionModel().isRowSelected(pressed):
            self.asked_again.emit(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.chooses(event):
            return
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        moving = event.key() in _MOVING and event.modifiers() in _PLAIN
        if moving and 0 <= before == self.currentIndex().row():
            self._choose()

    def chooses(self, event: QKeyEvent) -> bool:
        """Whether a key is used up by choosing the row one has come to: Space is, Enter leads on from there.

        Where something is selected, these keys are about that.
        """
        meant = event.key() in _CHOOSING and event.modifiers() in _PLAIN
        if not meant or not self.currentIndex().isValid() or self.selectionModel().hasSelection():
            return False
        self._choose()
        return event.key() == _Key.Key_Space

    def _choose(self) -> None:
        index, selection, flags = self.currentIndex(), self.selectionModel(), QItemSelectionModel.SelectionFlag
        if not selection.isRowSelected(index.row()):
            selection.select(index, flags.ClearAndSelect | flags.Rows)
        self.asked_again.emit(index)


# Tab goes past panels that lie behind others: Qt moves these out of sight, and takes them for visible all the same.

# The mark by which Qt knows what is hidden. It is set alone, and for a moment: really hidden, a panel loses its place.
_HIDDEN = Qt.WidgetAttribute.WA_WState_Hidden


def is_covered(window: QMainWindow, dock: QDockWidget) -> bool:
    """Whether another panel of its tabs lies over it."""
    if dock.isHidden() or dock.isFloating() or not dock.visibleRegion().isEmpty():
        return False
    return any(not other.isHidden() for other in window.tabifiedDockWidgets(dock))


@contextmanager
def passing_covered(window: QMainWindow) -> Iterator[None]:
    """Meanwhile Qt looks for the next widget elsewhere."""
    covered = [dock for dock in window.findChildren(QDockWidget) if is_covered(window, dock)]
    for dock in covered:
        dock.setAttribute(_HIDDEN, True)
    try:
        yield
    finally:
        for dock in covered:
            dock.setAttribute(_HIDDEN, False)
