"""Tab leads from what is told of to the words about it, and Shift+Tab past all their buttons from these to the graph.

The keyboard is moved when it is asked for: an order of all widgets, made anew, would have to name those of Qt as well.
"""

from functools import partial

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from errorflow_viewer.window.tour.coach import Coach

_FORWARD = {Qt.Key.Key_Tab: True, Qt.Key.Key_Backtab: False}


def take(event: QKeyEvent, coach: Coach, thing: QRect | None, graph: QWidget) -> bool:
    """Whether the key is done with. `thing`: what is told of, in coordinates of the window."""
    forward, held = _FORWARD.get(Qt.Key(event.key())), QApplication.focusWidget()
    is_plain = not event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier
    if forward is None or not is_plain or held is None or not graph.isVisible():
        return False
    is_in_graph = thing is None or _place(graph).contains(thing.center())
    if is_in_graph and (held is graph if forward else coach.begins_at(held)):
        return _give(event, coach.first() if forward else graph)
    leaves = forward and event.type() == QEvent.Type.KeyPress and not coach.isAncestorOf(held)
    if leaves and thing is not None and thing.contains(_place(held)):
        QTimer.singleShot(0, coach, partial(_come, coach, thing))  # Qt, or the widget itself, knows what comes next
    return False


def _give(event: QKeyEvent, to: QWidget) -> bool:
    """The key comes as the question whether it is taken before."""
    event.accept()
    if event.type() == QEvent.Type.KeyPress:
        to.setFocus(Qt.FocusReason.TabFocusReason)
    return event.type() == QEvent.Type.KeyPress


def _come(coach: Coach, thing: QRect) -> None:
    """Comes after the last widget of what is told of."""
    held = QApplication.focusWidget()
    if held is None or held.window() is not coach.window() or coach.isAncestorOf(held):
        return
    if not thing.contains(_place(held)):
        coach.first().setFocus(Qt.FocusReason.TabFocusReason)


def _place(widget: QWidget) -> QRect:
    """Finds a place in coordinates of its window."""
    return QRect(widget.mapTo(widget.window(), QPoint(0, 0)), widget.size())
