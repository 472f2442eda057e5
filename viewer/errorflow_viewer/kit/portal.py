"""Portal of a Linux desktop: what it says of itself, behind its bus, and whenever that changes."""

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import SLOT, QObject

if TYPE_CHECKING:
    from PySide6.QtDBus import QDBusConnection

_PORTAL = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings"
# Milliseconds that it has to answer.
_WAIT = 2000
# The place and the name of something one can ask for.
Question = tuple[str, str]
Heard = Callable[[str, str, object], None]


def listen(questions: Sequence[Question], heard: Heard, parent: QObject) -> None:
    """`heard` gets the place, the name and the value of each, None: there is none; as long as `parent` lives."""
    if not has_bus():
        return
    try:
        from PySide6.QtDBus import QDBusConnection
    except ImportError:  # left out of this installation
        return
    bus = QDBusConnection.sessionBus()
    if not bus.isConnected():
        return
    for question in questions:
        _ask(bus, question, heard, parent)
    _follow(bus, frozenset(questions), heard, parent)


def _ask(bus: "QDBusConnection", question: Question, heard: Heard, parent: QObject) -> None:
    from PySide6.QtDBus import QDBusMessage, QDBusPendingCallWatcher

    message = QDBusMessage.createMethodCall(*_PORTAL, "ReadOne")
    message.setArguments(list(question))
    waiting = QDBusPendingCallWatcher(bus.asyncCall(message, _WAIT), parent)

    def answered(call: QDBusPendingCallWatcher) -> None:
        given = call.reply().arguments() if call.isValid() else []
        heard(*question, value_of(given[0]) if given else None)
        call.deleteLater()

    waiting.finished.connect(answered)


def _follow(bus: "QDBusConnection", questions: frozenset[Question], heard: Heard, parent: QObject) -> None:
    from PySide6.QtCore import Slot
    from PySide6.QtDBus import QDBusMessage

    class Ear(QObject):
        """Receiver that the bus calls."""

        @Slot(QDBusMessage)
        def changed(self, message: QDBusMessage) -> None:
            match message.arguments():
                case [str(place), str(name), value] if (place, name) in questions:
                    heard(place, name, value_of(value))

    service, path, interface = _PORTAL
    slot: Any = SLOT("changed(QDBusMessage)")  # a text; Qt says that it must be bytes, and takes none
    bus.connect(service, path, interface, "SettingChanged", Ear(parent), slot)


def value_of(given: object) -> object:
    """An answer is a value in a box."""
    return given.variant() if hasattr(given, "variant") else given


def has_bus() -> bool:
    if sys.platform in ("win32", "darwin"):
        return False
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    is_there = bool(runtime) and os.path.exists(f"{runtime}/bus")  # noqa: PTH110 - Path.exists raises where nobody may look
    return is_there or bool(os.environ.get("DBUS_SESSION_BUS_ADDRESS"))
