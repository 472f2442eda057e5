"""Buttons that show an action.

In Qt 6.11 such a button begins to listen to its action anew at each change of it, in case it is given a menu later,
and never stops: after a day, each change is heard by ten thousand listeners, and their memory is gone. Ours have their
menus from the beginning.
"""

from PySide6.QtCore import SIGNAL, QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton

_CHANGED = SIGNAL("changed()")


def listen_no_more(action: QAction) -> None:
    """What a button shows is told it by an event, not by the signal."""
    for bearer in action.associatedObjects():
        if isinstance(bearer, QToolButton):
            QObject.disconnect(action, _CHANGED, bearer, None)  # type: ignore[call-overload]  # None: whatever it does
