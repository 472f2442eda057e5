"""Notices that another version of the app took its place on the disk while it runs.

What a run has not loaded yet it would load from the other version, and so would the processes that it starts: an old
half and a new half that do not know each other. So it asks to be started again, which loses nothing.
"""

import logging
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

import errorflow
from errorflow_viewer.kit.banner import Notice
from errorflow_viewer.kit.emergency import of_others

LOG = logging.getLogger(__name__)
# Milliseconds between two looks, and until what has changed counts as complete.
EVERY, SETTLED = 20_000, 3000
KEY = "replaced"
NOTICE = Notice(
    "warning",
    "Errorflow was updated while it was open.",
    "Start it again before you go on: until then old and new parts mix. What is open comes back as it is now.",
    key=KEY,
    button="Save and start again",
)


def own_mark() -> Path:
    """A file that no other version has the same: of a bundle the program, which has all modules in it."""
    return Path(sys.executable if getattr(sys, "frozen", False) else errorflow.__file__)


class Replaced(QObject):
    """Watch over the files of one run. `mark` is looked at now and then, and when the user comes back to the window."""

    def __init__(
        self, mark: Path, notify: Callable[[Notice], None], again: Callable[[], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._mark = mark
        self._notify = notify
        self._again = again
        self._own = _stamp(mark)
        # What was there at the last look.
        self._last = self._own
        self.is_due = False
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.VeryCoarseTimer)
        self._timer.setInterval(EVERY)
        self._timer.timeout.connect(self.look)
        self._settling = QTimer(self, singleShot=True, interval=SETTLED)
        self._settling.timeout.connect(self.look)
        application = QGuiApplication.instance()
        if self._own and isinstance(application, QGuiApplication):
            self._timer.start()
            application.applicationStateChanged.connect(self._on_state)

    def _on_state(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self.look()

    def look(self) -> None:
        """Tells when something else is there that does not change any more: half of a version cannot be started."""
        last, self._last = self._last, _stamp(self._mark)
        if self.is_due or self._last in ("", self._own):
            return
        if self._last != last:
            self._settling.start()
        if self._settling.isActive():
            return
        self.is_due = True
        self._timer.stop()
        LOG.warning("another version is at %s by now", self._mark)
        self._notify(replace(NOTICE, pressed=self._again))


def start_again(arguments: Sequence[str]) -> None:
    """Starts a process that has nothing to do with this one, which is at its end."""
    import subprocess

    from errorflow_viewer.kit.desktop_entry.program import program

    environment = of_others(os.environ)
    # Else a bundle takes the folder of the one that started it for its own.
    environment["PYINSTALLER_RESET_ENVIRONMENT"] = "1"
    try:
        subprocess.Popen(
            [*program(), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        LOG.error("not started again: %s", error)


def _stamp(path: Path) -> str:
    """Empty: it is not there, as in the midst of an update."""
    try:
        found = path.stat()
    except OSError:
        return ""
    return f"{found.st_size} {found.st_mtime_ns}"
