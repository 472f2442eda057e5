"""Layouts that are filled anew."""

from PySide6.QtWidgets import QLayout


def clear_layout(layout: QLayout) -> None:
    """Takes everything out; the widgets go when the event that asked for it is over."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
