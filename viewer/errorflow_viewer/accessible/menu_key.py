"""Shift+F10 opens the context menu of what has the keyboard, on every system."""

from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QWidget

KEY = "Shift+F10"


def add_menu_key(window: QWidget) -> QShortcut:
    shortcut = QShortcut(QKeySequence(KEY), window)
    shortcut.activated.connect(open_menu)
    return shortcut


def open_menu() -> None:
    """Where one would type."""
    widget = QApplication.focusWidget()
    if widget is None:
        return
    spot = widget.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle).center()
    spot = spot.toPoint() if hasattr(spot, "toPoint") else spot
    spot = spot if isinstance(spot, QPoint) and widget.rect().contains(spot) else widget.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, spot, widget.mapToGlobal(spot))
    QCoreApplication.sendEvent(widget, event)
