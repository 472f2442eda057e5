"""A list of what is in the graph: a row that the keyboard only came to is chosen as soon as its user asks for it."""

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QTableView

from errorflow_viewer.kit.accessible.keyboard import comes_by_key, go_to_first_row, wait_for_keys

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
