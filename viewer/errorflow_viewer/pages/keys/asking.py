"""Where the keys of one command are changed: press them; whose they are is said, and they can be taken over."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from errorflow.base.language import translated
from errorflow_viewer.commands.api import Action, CommandTable
from errorflow_viewer.kit.keymap import native
from errorflow_viewer.kit.layouts import clear_layout, spaced, text_button, text_label
from errorflow_viewer.kit.look import GAP, GRID, PADDING
from errorflow_viewer.pages.keys.rules import losers, owners, pressed, refusal, take_over

CHOOSE = "Select a command to change its keys."
PRESS = "Press the keys"
# No command can have them alone.
_YES = ("Return", "Enter")


class KeyField(QLineEdit):
    """Takes what is pressed in place of writing it, until one leaves."""

    taken = Signal(str)
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setPlaceholderText(PRESS)
        self.setAccessibleName(PRESS)
        self.setToolTip("Press the keys that the command shall have; Esc leaves them as they are")
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setFixedHeight(24)
        self.setFixedWidth(180)
        self.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled, False)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride:  # no command may run instead
            event.accept()
            return True
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            self._press(event)
            return True
        return super().event(event)

    def _press(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.left.emit()
        elif keys := pressed(event.key(), event.modifiers(), event.text()):
            self.setText(native(keys))
            self.taken.emit(keys)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason):
            self.left.emit()


class Asking(QFrame):
    """Below the list. `done` when the keyboard is to go back to it."""

    done = Signal()

    def __init__(self, table: CommandTable) -> None:
        super().__init__()
        self.setProperty("role", "sheet")
        self._table = table
        self._row: Action[Any] | None = None
        self._instead = True
        self._wanted = ""
        self.name = text_label(CHOOSE, plain=True)
        self.shown = QWidget()
        self._chips = spaced(QHBoxLayout(self.shown), GRID)
        self.field = KeyField()
        self.set = _button("Change…", "Press new keys in place of those that it has", lambda: self.ask(instead=True))
        self.add = _button("Add another…", "Press keys that it has as well", lambda: self.ask(instead=False))
        self.reset = _button("Reset", "Give it its own keys again", self._reset)
        self.note = text_label(wraps=True)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.take = _button("Take it over", "Take the keys from the other command", self._take_over)
        self._lay()
        self.field.taken.connect(self._on_keys)
        self.field.left.connect(self._on_left)
        table.keymap.changed.connect(self._show)
        self.show_row(None)

    def _lay(self) -> None:
        first, second, box = QHBoxLayout(), QHBoxLayout(), QVBoxLayout(self)
        box.setContentsMargins(GAP, PADDING, GAP, PADDING)
        box.setSpacing(GRID)
        for row in (first, second):
            row.setSpacing(PADDING)
            box.addLayout(row)
        first.addWidget(self.name)
        first.addWidget(self.shown)
        first.addWidget(self.field)
        first.addStretch(1)
        for button in (self.set, self.add, self.reset):
            first.addWidget(button)
        second.addWidget(self.note, 1)
        second.addWidget(self.take)

    def show_row(self, row: Action[Any] | None) -> None:
        self._row = row
        self._end()
        self._show()

    def _show(self) -> None:
        """What the command has now; each key can be taken from it."""
        row, asks = self._row, self.field.isVisibleTo(self)
        clear_layout(self._chips)
        keys = () if row is None else self._table.keys(row)
        for each in keys:
            self._chips.addWidget(self._chip(each))
        self.name.setText(CHOOSE if row is None else row.name.removesuffix("…"))
        self.name.setProperty("role", "" if row is None else "strong")
        self.name.style().unpolish(self.name)
        self.name.style().polish(self.name)
        can = row is not None and row.entries is None
        self.set.setVisible(can and not asks)
        self.add.setVisible(can and bool(keys) and not asks)
        self.shown.setVisible(bool(keys) and not asks)
        self.reset.setVisible(row is not None and self._table.is_changed(row) and not asks)
        if row is not None and row.entries is not None:
            self._say("It opens a list, and has no keys of its own.")

    def _chip(self, keys: str) -> QPushButton:
        found = text_button(f"{native(keys)}  ×", lambda: self._remove(keys), f"Take away {native(keys)}")
        found.setProperty("chip", True)
        found.setAccessibleName(f"Take away {native(keys)}")
        return found

    # Changing

    def ask(self, *, instead: bool) -> None:
        """Waits for keys."""
        if self._row is None or self._row.entries is not None:
            return
        self._instead, self._wanted = instead, ""
        self.field.clear()
        self.field.show()
        self._say("")
        self._show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_keys(self, keys: str) -> None:
        row = self._row
        if row is None:
            return
        if self._wanted and keys in _YES:
            self._take_over()
            return
        self._wanted = ""
        self.take.hide()
        if why := refusal(row, keys):
            self._say(why)
            return
        others = losers(self._table, row, keys)
        if others:
            self._wanted = keys
            self._say(f"{native(keys)} is “{translated(others[0])}” now. Enter takes it over.", warns=True)
            self.take.show()
            return
        self._give(keys)

    def _take_over(self) -> None:
        if self._wanted:
            self._give(self._wanted)

    def _give(self, keys: str) -> None:
        row = self._row
        assert row is not None, "it was asked for one"
        lost = [translated(name) for name in losers(self._table, row, keys)]
        self._end()
        take_over(self._table, row, keys, instead=self._instead)
        self._say(f"“{lost[0]}” has lost {native(keys)}." if lost else "")
        self.done.emit()

    def _remove(self, keys: str) -> None:
        row = self._row
        if row is not None:
            self._table.give(row, [each for each in self._table.keys(row) if each != keys])
            self.done.emit()

    def _reset(self) -> None:
        row = self._row
        if row is None:
            return
        for keys in row.shortcuts:  # another command may have them by now
            for other in owners(self._table, row, keys):
                self._table.give(other, [each for each in self._table.keys(other) if each != keys])
        self._table.keymap.reset(row.key)
        self.done.emit()

    def _on_left(self) -> None:
        if self.field.isVisibleTo(self) and not self.take.hasFocus():
            self._end()
            self._show()
            self.done.emit()

    def _end(self) -> None:
        self.field.hide()
        self.take.hide()
        self._say("")

    def _say(self, text: str, *, warns: bool = False) -> None:
        self.note.setText(text)
        self.note.setProperty("muted", not warns)
        self.note.style().unpolish(self.note)
        self.note.style().polish(self.note)
        self.note.setVisible(bool(text))


def _button(text: str, tip: str, pressed: Callable[[], None]) -> QPushButton:
    return text_button(text, lambda: pressed(), tip)
