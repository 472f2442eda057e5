"""The canvas from the keyboard: what is no command, whose keys are given in the table of actions or by the user."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from errorflow_viewer.canvas.walk import Way

if TYPE_CHECKING:
    from errorflow_viewer.canvas.view import Canvas

_ZOOM = 1.25
# Of the width or height, for each press of an arrow, and of a key for a page.
_PAN, _PAGE = 0.15, 0.85

_ARROWS = {
    Qt.Key.Key_Down: (Way.DOWN, 0, -1),
    Qt.Key.Key_Up: (Way.UP, 0, 1),
    Qt.Key.Key_Left: (Way.LEFT, 1, 0),
    Qt.Key.Key_Right: (Way.RIGHT, -1, 0),
}

_KEYS: dict[int, Callable[["Canvas"], None]] = {
    Qt.Key.Key_Plus: lambda canvas: canvas.zoom_by(_ZOOM),
    Qt.Key.Key_Equal: lambda canvas: canvas.zoom_by(_ZOOM),
    Qt.Key.Key_Minus: lambda canvas: canvas.zoom_by(1 / _ZOOM),
    Qt.Key.Key_0: lambda canvas: canvas.zoom_to(1.0),
    Qt.Key.Key_F: lambda canvas: canvas.fit(),
    Qt.Key.Key_PageUp: lambda canvas: canvas.pan(0, canvas.height() * _PAGE),
    Qt.Key.Key_PageDown: lambda canvas: canvas.pan(0, -canvas.height() * _PAGE),
    Qt.Key.Key_Home: lambda canvas: canvas.pick_end(first=True),
    Qt.Key.Key_End: lambda canvas: canvas.pick_end(first=False),
}
_SHIFT, _PAD = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.KeypadModifier
_IGNORED = ~(_SHIFT | _PAD)


def press(canvas: "Canvas", event: QKeyEvent) -> bool:
    """Does what the key asks for; whether it is one of ours."""
    key = event.key()
    if event.modifiers() & _IGNORED or _is_of_command(canvas, event):
        return False
    if key in _ARROWS:
        _arrow(canvas, key, bool(event.modifiers() & _SHIFT))
        return True
    if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        return canvas.go_in()
    if key == Qt.Key.Key_Escape:
        return canvas.go_out()
    if key not in _KEYS:
        return False
    _KEYS[key](canvas)
    return True


def _is_of_command(canvas: "Canvas", event: QKeyEvent) -> bool:
    """Whether the user gave it to a command, which has it also while it cannot be done."""
    held = event.modifiers() & ~_PAD
    # Shift may be needed to write a sign.
    ways = (held,) if event.key() == Qt.Key.Key_F else (held, held & ~_SHIFT)
    pressed = [QKeySequence(QKeyCombination(way, Qt.Key(event.key()))) for way in ways]
    around = canvas if canvas.commands is None else canvas.commands
    return any(keys in pressed for action in around.actions() for keys in action.shortcuts())


def _arrow(canvas: "Canvas", key: int, shift: bool) -> None:
    """Walks the graph; without a selection, or with Shift, moves the view."""
    way, right, down = _ARROWS[Qt.Key(key)]
    if canvas.selected() is None or shift:
        canvas.pan(right * canvas.width() * _PAN, down * canvas.height() * _PAN)
    else:
        canvas.walk(way)
