"""One window for many tests, for what takes long until it is on view: each finds what had been decided at first.

A test may select, decide and ask for what it likes: that is taken back after it. If it took away what all tests share -
the model, or what simulates it - the next one gets a window anew.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QSettings
from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

from errorflow_viewer.document.document import Undo
from errorflow_viewer.document.state import State
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.plots.window import PlotWindow
from errorflow_viewer.window.window import MainWindow

# In ms, more than any test takes: panels that nobody sees are made when a test asks for them, not while it waits.
LATER = 10_000_000
Prepare = Callable[[MainWindow, QtBot], object]
# Most that a window is waited for.
SECONDS = 30.0
# For a test that finds in its `window` what others do.
SHARED = pytest.mark.usefixtures("lent_window")


def made_window(settings: Settings, appearance: Appearance, log: Path, qtbot: QtBot) -> MainWindow:
    """The main window of a first start."""
    settings.switch("still", True)
    window = MainWindow(settings, appearance, log)
    window.panels.soon.setInterval(LATER)
    window.resize(1280, 720)
    window.show()
    qtbot.waitExposed(window)
    return window


def end_window(window: MainWindow) -> None:
    window.close()
    window.deleteLater()
    window.appearance.choose("light")


class Lending:
    """Lends a window to one test after another. `prepare` shows in it what all of them need."""

    def __init__(self, folder: Path, appearance: Appearance, prepare: Prepare) -> None:
        self._folder, self._appearance, self._prepare = folder, appearance, prepare
        self._window: MainWindow | None = None
        self._state, self._undo, self._notices = State(), Undo(), list[str]()

    @property
    def widgets(self) -> set[QWidget]:
        """What may be left open after a test."""
        return set() if self._window is None else {self._window}

    def lend(self, qtbot: QtBot) -> MainWindow:
        if self._window is None:
            settings = Settings(QSettings(str(self._folder / "settings.ini"), QSettings.Format.IniFormat))
            window = made_window(settings, self._appearance, self._folder / "errorflow.log", qtbot)
            self._prepare(window, qtbot)
            self._window, self._state = window, window.document.state
            LENT.add(self)
            self._undo, self._notices = _same(window.document._undo), _told(window)
        self._window.activateWindow()
        qtbot.waitUntil(self._window.isActiveWindow)
        return self._window

    def take_back(self, qtbot: QtBot) -> None:
        assert self._window is not None
        window, document = self._window, self._window.document
        for opened in (*window.findChildren(QDialog), *window.findChildren(PlotWindow)):
            opened.close()
        window.appearance.choose("light")
        if not window.jobs.stop() or self._is_used_up:
            self.end()
            return
        document._replace(_as_before(document.state, self._state))
        document._undo = _same(self._undo)
        for track in window.derived._tracks.values():
            if not track.row.by_itself:
                track.asked = False
                window.derived._leave(track)
        for key in [key for key in _told(window) if key not in self._notices]:
            window.banners.dismiss(key)
        window.status.clearMessage()
        window.resize(1280, 720)
        if (focused := window.focusWidget()) is not None:
            focused.clearFocus()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        self.settle()
        assert document.session == self._state.session
        assert _told(window) == self._notices, "a message is gone that others may need"

    def settle(self) -> None:
        """Waits for the jobs of the window, also for one that a timer began after it was taken back."""
        window, end = self._window, time.monotonic() + SECONDS
        while window is not None and (window.jobs._running or window.jobs._leaving):
            assert time.monotonic() < end, "a job does not end"
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 10)
        for thread in threading.enumerate():
            if window is not None and thread.name.startswith(
                "job "
            ):  # what it found is handed over: it is about to end
                thread.join(SECONDS)

    def end(self) -> None:
        LENT.discard(self)
        if self._window is not None:
            end_window(self._window)
            self._window = None

    @property
    def _is_used_up(self) -> bool:
        assert self._window is not None
        now, before = self._window.document.state, self._state
        return self._window.isHidden() or now.model is not before.model or now.bench is not before.bench


# Those whose window is there, also while a test goes on that has no use for it.
LENT: set[Lending] = set()


def _same(steps: Undo) -> Undo:
    same = Undo()
    same._done, same._undone = list(steps._done), list(steps._undone)
    return same


def _told(window: MainWindow) -> list[str]:
    return [row.notice.key or row.notice.text for row in window.banners.rows]


def _as_before(now: State, before: State) -> State:
    """What was decided and selected, and nothing known of other plans; what was found out follows from that."""
    decided = replace(now, session=before.session, simulated=before.simulated, place=before.place, coming=None)
    selected = replace(decided, node=before.node, tensor=before.tensor, group=before.group, search=before.search)
    asked = replace(selected, curves=(), coupled=None, taken=None, before=None)
    return replace(asked, back=before.back, forward=before.forward, arrival=before.arrival)
