"""Gives the keyboard to a widget wherever it is: a panel in a window of its own keeps it otherwise."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget


def give(widget: QWidget, reason: Qt.FocusReason = Qt.FocusReason.ShortcutFocusReason) -> None:
    """From another window of this app too, but never from another app."""
    active = QApplication.activeWindow()
    if active is not None and active is not widget.window():
        widget.window().activateWindow()
    if isinstance(widget, QLineEdit) and reason is Qt.FocusReason.ShortcutFocusReason:
        # For this reason Qt selects the text before it says who has the keyboard, and Orca names nobody whose text
        # changes first.
        widget.setFocus(Qt.FocusReason.OtherFocusReason)
        widget.selectAll()
    else:
        widget.setFocus(reason)
