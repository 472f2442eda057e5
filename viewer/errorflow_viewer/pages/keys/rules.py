"""Which keys a command may have: not those that text fields and menus need, and whose they are now."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

from errorflow_viewer.commands.api import MENUS, Action, CommandTable
from errorflow_viewer.kit.keymap import combinations, native, portable

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
    """What was pressed, as it is kept; "": not a whole key yet."""
    if key in _MODIFIERS or key <= 0:
        return ""
    held = modifiers & ~_PAD
    # Shift that was needed to write the sign is part of the sign.
    if text and text.isprintable() and not text.isalpha() and not text.isspace():
        held &= ~_SHIFT
    return portable(QKeySequence(held.value | key).toString(QKeySequence.SequenceFormat.PortableText))


def refusal(row: Action[Any], keys: str) -> str:
    """Why a command cannot have them, with a way out; "": it can."""
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
    """What would not have them any more: the names of commands, or of what the graph does while no command has them."""
    others = [other.name for other in owners(table, row, keys)]
    is_new = keys not in map(portable, table.keys(row))
    return others or ([_IN_GRAPH[keys]] if is_new and keys in _IN_GRAPH else [])


def take_over(table: CommandTable, row: Action[Any], keys: str, *, instead: bool) -> None:
    """Gives a command keys, which no other has then. `instead` of those that it had."""
    for other in owners(table, row, keys):
        table.give(other, [each for each in table.keys(other) if portable(each) != keys])
    table.give(row, (*(() if instead else table.keys(row)), keys))
