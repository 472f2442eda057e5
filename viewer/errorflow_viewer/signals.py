"""Ends the app in good order when the system or a terminal asks for it."""

import signal
import socket

from PySide6.QtCore import QCoreApplication, QObject, QSocketNotifier

# The last where there is one: the terminal that it was started from is closed.
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class QuitOnSignal(QObject):
    """Qt's loop does not run Python code while it waits, so signals wake it through a socket."""

    def __init__(self, app: QCoreApplication) -> None:
        super().__init__()
        self._app = app
        self._reader, self._writer = socket.socketpair()
        for end in (self._reader, self._writer):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._wake)
        self._old_fd = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        self._old = {number: signal.signal(number, lambda *_: None) for number in _SIGNALS}

    def remove(self) -> None:
        signal.set_wakeup_fd(self._old_fd)
        for number, handler in self._old.items():
            signal.signal(number, handler)
        self._notifier.setEnabled(False)
        self._reader.close()
        self._writer.close()

    def _wake(self) -> None:
        self._reader.recv(64)
        self._app.quit()
