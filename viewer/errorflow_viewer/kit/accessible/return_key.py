"""Return presses the button that has the keyboard, as Space does: Qt leaves it to the desktop, and few have it so."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton

_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def press_held(event: QKeyEvent) -> bool:
    """Whether a key that was not taken is one that presses, on a button."""
    held = QApplication.focusWidget()
    is_plain = event.key() in _KEYS and event.modifiers() in (
        Qt.KeyboardModifier.NoModifier,
        Qt.KeyboardModifier.KeypadModifier,
    )
    if not is_plain or event.isAutoRepeat() or not isinstance(held, QPushButton | QToolButton):
        return False
    if isinstance(held, QToolButton) and held.popupMode() is QToolButton.ToolButtonPopupMode.InstantPopup:
        held.showMenu()
    else:
        held.click()
    return True
