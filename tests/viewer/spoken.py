"""What of a window a reader is told, and what of it takes the mouse."""

from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSplitterHandle,
    QTabBar,
    QTextEdit,
    QWidget,
)

TAKERS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QTextEdit,
    QPlainTextEdit,
    QTabBar,
    QSplitterHandle,
)


class Told(NamedTuple):
    """As a reader has it."""

    widget: QWidget
    name: str
    role: QAccessible.Role

    def __str__(self) -> str:
        way = []
        widget: QWidget | None = self.widget
        while widget is not None:
            way.append(type(widget).__name__)
            widget = widget.parentWidget()
        return f"{self.role.name} {self.name!r}: {' < '.join(way[:5])}"


def told(widget: QWidget) -> Told:
    face = QAccessible.queryAccessibleInterface(widget)
    assert face is not None
    name = face.text(QAccessible.Text.Name)
    if isinstance(widget, QComboBox):  # what is chosen, on this system
        name = widget.accessibleName()
    return Told(widget, name, face.role())


def tabbed(widget: QWidget) -> bool:
    return bool(widget.focusPolicy().value & Qt.FocusPolicy.TabFocus.value)


def takes_mouse(widget: QWidget) -> bool:
    if isinstance(widget, TAKERS):
        return True
    if isinstance(widget, QLabel):
        linked = widget.textInteractionFlags() & Qt.TextInteractionFlag.LinksAccessibleByMouse
        return "<a " in widget.text() and bool(linked)
    events = ("mousePressEvent", "mouseReleaseEvent", "mouseDoubleClickEvent")
    ours = (each for each in type(widget).__mro__ if each.__module__.startswith("errorflow_viewer"))
    return any(event in each.__dict__ for each in ours for event in events)


def of_use(root: QWidget) -> Iterator[QWidget]:
    """What is seen and takes the mouse or the keyboard."""
    for widget in (root, *root.findChildren(QWidget)):
        if isinstance(widget, QTabBar) and not widget.count():
            continue  # kept by Qt for later
        if widget.isVisible() and (takes_mouse(widget) or tabbed(widget)):
            yield widget


def has_way(widget: QWidget) -> bool:
    """Whether Tab comes to it, or to what does its work."""
    proxy = widget.focusProxy()
    if tabbed(widget) or (proxy is not None and tabbed(proxy)):
        return True
    if isinstance(widget, QHeaderView):  # Ctrl+H does what it does
        return True
    parent = widget.parentWidget()
    # The cross in a field is a key away; the handle's keys ask for the number.
    return isinstance(parent, QLineEdit) or type(widget).__name__ == "_Number"
