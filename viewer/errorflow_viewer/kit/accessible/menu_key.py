"""Shift+F10 opens the context menu of what has the keyboard, F10 the menus of the window, on every system."""

import sys

from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QMainWindow, QPushButton, QToolButton, QWidget

KEY = "Shift+F10"
BAR_KEY = "F10"


def add_menu_key(window: QWidget) -> None:
    QShortcut(QKeySequence(KEY), window).activated.connect(open_menu)


def add_bar_key(window: QMainWindow) -> None:
    if sys.platform not in ("win32", "darwin"):  # Windows has it by itself, macOS its own
        QShortcut(QKeySequence(BAR_KEY), window).activated.connect(lambda: enter_bar(window))


def enter_bar(window: QMainWindow) -> None:
    """Opens the first menu; from there arrows lead to the others."""
    bar = window.menuBar()
    first = next((action for action in bar.actions() if action.isEnabled() and action.isVisible()), None)
    if first is not None:
        bar.setActiveAction(first)


def open_menu() -> None:
    """Opens the menu where one would type."""
    widget = QApplication.focusWidget()
    if widget is None:
        return
    spot = widget.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle).center()
    spot = spot.toPoint() if hasattr(spot, "toPoint") else spot
    spot = spot if isinstance(spot, QPoint) and widget.rect().contains(spot) else widget.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, spot, widget.mapToGlobal(spot))
    QCoreApplication.sendEvent(widget, event)


# Return presses the button that has the keyboard, as Space does: Qt leaves it to the desktop, and few have it so.

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
