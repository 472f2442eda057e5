"""Change of one command's keys: press them; whose they are is said, and they can be taken over."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from errorflow.base.language import translated
from errorflow_viewer.commands.api import MENUS, Action, CommandTable
from errorflow_viewer.kit.keymap import combinations, native, portable
from errorflow_viewer.kit.layouts import clear_layout, spaced, text_button, text_label
from errorflow_viewer.kit.look import GAP, GRID, PADDING

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


class KeyQuestion(QFrame):
    """Part below the list. `done` when the keyboard is to go back to it."""

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
        """Shows what the command has now; each key can be taken from it."""
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


# Which keys a command may have: not those that text fields and menus need, and whose they are now.

_NO, _SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
_CTRL, _ALT, _PAD = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.KeypadModifier,
)
_KEY = Qt.Key
_MODIFIERS = frozenset(
    {_KEY.Key_Shift, _KEY.Key_Control, _KEY.Key_Alt, _KEY.Key_AltGr, _KEY.Key_Meta, _KEY.Key_Super_L, _KEY.Key_Super_R}
    | {_KEY.Key_CapsLock, _KEY.Key_NumLock, _KEY.Key_ScrollLock, _KEY.Key_unknown}
)
# By which one moves about, everywhere.
_MOVING = frozenset(
    {_KEY.Key_Tab, _KEY.Key_Backtab, _KEY.Key_Return, _KEY.Key_Enter, _KEY.Key_Escape}
    | {_KEY.Key_Up, _KEY.Key_Down, _KEY.Key_Left, _KEY.Key_Right}
    | {_KEY.Key_Home, _KEY.Key_End, _KEY.Key_PageUp, _KEY.Key_PageDown}
)
# What the graph does with plain keys, while no command has them.
_IN_GRAPH = {"0": "Actual size", "F": "Fit graph", "+": "Zoom in", "=": "Zoom in", "-": "Zoom out"}
# By which one writes, with Ctrl.
_WRITING = frozenset(
    {"Ctrl+A", "Ctrl+C", "Ctrl+V", "Ctrl+X", "Ctrl+Z", "Ctrl+Y", "Ctrl+Shift+Z", "Ctrl+Backspace", "Ctrl+Del"}
    | {"Ctrl+Left", "Ctrl+Right", "Ctrl+Home", "Ctrl+End", "Ctrl+Shift+Left", "Ctrl+Shift+Right"}
)


def pressed(key: int, modifiers: Qt.KeyboardModifier, text: str) -> str:
    """Writes what was pressed, as it is kept; "": not a whole key yet."""
    if key in _MODIFIERS or key <= 0:
        return ""
    held = modifiers & ~_PAD
    # Shift that was needed to write the sign is part of the sign.
    if text and text.isprintable() and not text.isalpha() and not text.isspace():
        held &= ~_SHIFT
    return portable(QKeySequence(held.value | key).toString(QKeySequence.SequenceFormat.PortableText))


def refusal(row: Action[Any], keys: str) -> str:
    """Says why a command cannot have them, with a way out; "": it can."""
    if keys in map(portable, row.shortcuts):
        return ""
    combination = combinations(QKeySequence(keys))[0]
    key, held = combination.key(), combination.keyboardModifiers()
    plain = held in (_NO, _SHIFT)
    if plain and key in _MOVING:
        return f"{native(keys)} moves through panels and fields. Add Ctrl or Alt."
    if plain and row.graph_only:
        return ""
    if plain and not Qt.Key.Key_F1 <= key <= Qt.Key.Key_F35:
        return f"{native(keys)} is needed where one writes. Add Ctrl or Alt, or take a function key."
    if keys in _WRITING and not row.graph_only:
        return f"{native(keys)} is needed where one writes. Press another key."
    menu = next((menu for menu in MENUS if held == _ALT and key == ord(menu[0])), "")
    return f"{native(keys)} opens the menu {menu}. Press another key." if menu else ""


def owners(table: CommandTable, row: Action[Any], keys: str) -> list[Action[Any]]:
    """The other commands that have them now."""
    return [other for other in table.rows if other.key != row.key and keys in map(portable, table.keys(other))]


def losers(table: CommandTable, row: Action[Any], keys: str) -> list[str]:
    """Names what would lose them: commands, or what the graph does while no command has them."""
    others = [other.name for other in owners(table, row, keys)]
    is_new = keys not in map(portable, table.keys(row))
    return others or ([_IN_GRAPH[keys]] if is_new and keys in _IN_GRAPH else [])


def take_over(table: CommandTable, row: Action[Any], keys: str, *, instead: bool) -> None:
    """Gives a command keys, which no other has then. `instead` of those that it had."""
    for other in owners(table, row, keys):
        table.give(other, [each for each in table.keys(other) if portable(each) != keys])
    table.give(row, (*(() if instead else table.keys(row)), keys))
