"""Run of the app, from the first object to the last."""

import gc
import importlib
import logging
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QMessageLogContext,
    QObject,
    QSettings,
    QSocketNotifier,
    QStandardPaths,
    QTimer,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
)
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication, QWidget

import errorflow
from errorflow.base.progress import Progress
from errorflow.base.values import word_list
from errorflow.case.scenarios.setup import Setup
from errorflow_viewer.app.crash import CrashReporter
from errorflow_viewer.app.recovery import Recovery
from errorflow_viewer.app.replaced import Replaced, own_mark, start_again
from errorflow_viewer.app.safe_start import BlankSettings
from errorflow_viewer.app.single import Listener, Reply, first_or_hand_over
from errorflow_viewer.document.opening import Opening
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.banner import Notice
from errorflow_viewer.kit.crashing_files import Troubles
from errorflow_viewer.kit.logs import Logs
from errorflow_viewer.kit.run_record import LastWords
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.kit.taking_effect import kept_notice, take_effect
from errorflow_viewer.window.support import diagnostics
from errorflow_viewer.window.window import MainWindow

# While Qt looks for a screen: what it says before it gives up becomes a sentence, instead of an abort.
# What is kept of what Qt says, in lines.
MOST = 100


class PlatformWatch:
    """Around the making of the application. Qt ends the process when it finds no screen; then this ends it first."""

    def __init__(self) -> None:
        # The latest last.
        self.said: list[str] = []
        self._before: Callable[..., None] | None = None

    def __enter__(self) -> "PlatformWatch":
        self._before = qInstallMessageHandler(self._hear)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        qInstallMessageHandler(self._before)

    def _hear(self, kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        self.said = [*self.said, message][-MOST:]
        if kind == QtMsgType.QtFatalMsg:
            from errorflow_viewer.kit import emergency, obstacles

            os._exit(emergency.tell(obstacles.of_platform(self.said, os.environ)))


# Ends the app in good order when the system or a terminal asks for it.
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


LOG = logging.getLogger(__name__)
APP_ID = "io.github.errorflow.Errorflow"
# Not needed for a window, but soon after; imported when the first frame is on the screen.
WARM = word_list(
    "onnx onnx.shape_inference errorflow.case.preparing errorflow.case.measuring errorflow.explain.inspect.look "
    "errorflow.explain.inspect.figures errorflow_viewer.panels.inspector.content"
)
WARM_AFTER = 400
BUSY = Notice(
    "info",
    "Another Errorflow is open but does not answer, so this is a window of its own.",
    "It may be busy with a large model.",
    key="busy",
)
SAFE = Notice(
    "info",
    "This is a safe start: without your settings, what was open last, and additions of the desktop.",
    "What you set now is gone when it ends.",
    key="safe",
)


class Application(QApplication):
    """Knows who it is; on macOS files come as events."""

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self.opener: MainWindow | None = None
        self.setOrganizationName("Errorflow")
        self.setOrganizationDomain("errorflow.github.io")
        self.setApplicationName("errorflow")
        self.setApplicationDisplayName("Errorflow")
        self.setDesktopFileName(APP_ID)
        self.setWindowIcon(icons.app_icon())

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and self.opener is not None and event.file():
            self.opener.open_all([Path(event.file())])
            return True
        return super().event(event)


class AppRun:
    """Everything that lives as long as the app does."""

    def __init__(self, app: Application, words: LastWords, safe: bool = False) -> None:
        folder = state_folder()
        self.logs = Logs(folder, words.say)
        deaths = words.begin(self.logs.file)
        self.logs.start()
        LOG.info("Errorflow %s starts, process %s", errorflow.__version__, os.getpid())
        for death in deaths:
            LOG.error("an earlier run did not end well: %s\n%s", death.kind, death.trace)
        self._blank = BlankSettings() if safe else None
        self.settings = Settings(QSettings() if self._blank is None else self._blank.store)
        take_effect(self.settings)
        self.appearance = Appearance(app, self.settings.theme, self.settings.text_size)
        self.reporter = CrashReporter(self._facts, words.leave)
        self.reporter.install()
        self._words = words
        self.window = MainWindow(self.settings, self.appearance, self.logs.file)
        app.opener = self.window
        self.recovery = Recovery(deaths, Troubles(folder), words, self.window.banners, self._facts, self.window)
        opening = self.window.findChild(Opening)
        assert opening is not None, "the window makes it"
        self.recovery.watch(opening, self.window.jobs)
        # A crash window may be the last one that is open; the app ends with its main window all the same.
        self.window.closed.connect(app.quit)
        self._signals = QuitOnSignal(app)
        view = self.window.view
        # What was on view when it was asked to be started again; None: nobody asked.
        self.goes_on_with: str | None = None
        self.replaced = Replaced(own_mark(), self.window.banners.show_notice, self._start_again, self.window)
        self.first = FirstFrame(self.window, view, lambda: view.has_graph)
        self.first.seen.connect(self._begin_rest)

    def show(self, files: Sequence[Path]) -> None:
        self.window.show()
        if files:
            self.window.open_all(files)
        if self._blank is not None:
            self.window.banners.show_notice(SAFE)
        if (notice := kept_notice(self.settings)) is not None:
            self.window.banners.show_notice(notice)
        self.died = self.recovery.offer(self.window.session_files)

    def take_over(self, files: list[Path]) -> None:
        """Takes over files that another start hands to this one."""
        self.window.come_to_front()
        if files:
            self.window.open_all(files)

    def _start_again(self) -> None:
        self.goes_on_with = self.window.windowFilePath()
        self.window.close()

    def end(self) -> None:
        """Takes everything down while Qt is still there."""
        self.reporter.end()
        if self._words.lost_display:
            self.window.session_files.keep()
            self.window.jobs.stop()
            self._finish()
            os._exit(1)  # Qt would fail to take windows from a screen that is gone
        self.window.close()
        self.window.jobs.stop()  # what was begun since the window was closed: it would tell one that is gone
        self.window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        self._signals.remove()
        self._finish()

    def _finish(self) -> None:
        self.reporter.remove()
        if self._blank is not None:
            self._blank.end()
        LOG.info("Errorflow ends")
        self.logs.stop()
        self._words.end()

    def _facts(self) -> str:
        found = diagnostics(self.appearance.choice, str(self.logs.file))
        return f"{found}\nAnother version took its place while it ran." if self.replaced.is_due else found

    def _begin_rest(self) -> None:
        """The window is there. What was made for it stays, so no search for garbage needs to look through it."""
        gc.freeze()
        self.window.session_files.look_ahead()
        self._warm()

    def _warm(self) -> None:
        jobs, docks = self.window.jobs, self.window.panels
        if jobs.steps:  # first of all what was asked for
            QTimer.singleShot(WARM_AFTER, self.window, self._warm)
            return
        jobs.quietly("warm", "Loading libraries", _import_all, lambda _: docks.make_rest())


def state_folder() -> Path:
    """Finds where logs and marks of this user lie."""
    folder = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.StateLocation))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        LOG.info("no folder for logs: %s", error)
    return folder


def _import_all(progress: Progress) -> None:
    for name in WARM:
        progress.step(0, 0, "Loading libraries")
        importlib.import_module(name)


def _test(this: AppRun) -> None:
    from errorflow_viewer.app.self_test import SelfTest

    SelfTest(this.window, lambda: this.reporter.last).start()


def _begun(app: Application, watch: PlatformWatch, safe: bool) -> AppRun:
    """Begins a run; what fails is told at the next start as well."""
    words = LastWords(state_folder(), os.getpid())
    try:
        this = AppRun(app, words, safe)
    except Exception:
        words.leave(traceback.format_exc())
        raise
    for text in watch.said:
        LOG.info("Qt at its start: %s", text)
    return this


def run(
    files: Sequence[Path],
    where: str | None,
    busy: bool,
    self_test: bool,
    setup: Setup | None = None,
    safe: bool = False,
    guide: bool = False,
) -> int:
    """Shows the window until it is closed, or hands the files to the one that is open.

    `where`: the address of the first start; None: this one is on its own. `busy`: as the first one does not answer.
    `setup`: what is to be compared. `safe`: without settings and what was open. `guide`: it is shown.
    """
    with PlatformWatch() as watch:
        app = Application(sys.argv[:1])
    listener: Listener | None = None
    if where is not None:
        first = first_or_hand_over(where, files, setup, guide)
        if first is Reply.TAKEN:
            return 0
        listener, busy = (None, True) if isinstance(first, Reply) else (first, False)
    this = _begun(app, watch, safe)
    if listener is not None:
        listener.received.connect(this.take_over)
        listener.asked.connect(this.window.comparisons.ask_or_start)
        listener.guide_asked.connect(this.window.guide)
        # Whoever comes from now on opens a window of their own: this one is not seen any more.
        this.window.closing.connect(listener.close)
    this.show(files)
    if setup is not None:
        this.window.comparisons.ask_or_start(setup)
    if guide:
        this.window.guide()
    if busy:
        this.window.banners.show_notice(BUSY)
    if not files and setup is None and not guide and listener is not None and not this.died:
        this.window.reopen_last()
    if self_test:
        _test(this)
    code = app.exec()
    _end(this, listener, safe)
    return code


def _end(this: AppRun, listener: Listener | None, safe: bool) -> None:
    """Ends a run; one that is started again finds no listener."""
    if listener is not None:
        listener.close()
    this.end()
    if this.goes_on_with is not None:
        start_again(_arguments(this.goes_on_with, listener is None, safe, this.settings.reopens))


def _arguments(file: str, alone: bool, safe: bool, reopens: bool) -> tuple[str, ...]:
    """Makes the arguments of the next start. What was open comes back by itself; without that habit its file is named,
    and so in a window that is not the one that remembers.
    """
    options = {"--safe": safe, "--new-instance": alone}
    names = (file,) if file and (alone or not reopens) else ()
    return (*(name for name, on in options.items() if on), *names)


class FirstFrame(QObject):
    """Each is told once. The lines of the log say what the start took; `benchmarks/start.py` reads them."""

    seen = Signal()

    def __init__(self, window: QWidget, canvas: QWidget, has_graph: Callable[[], bool]) -> None:
        super().__init__(window)
        self._window, self._canvas, self._has_graph = window, canvas, has_graph
        window.installEventFilter(self)
        canvas.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            if watched is self._window:
                self._window.removeEventFilter(self)
                QTimer.singleShot(0, self, self._tell_frame)  # when it is painted
            elif watched is self._canvas and self._has_graph():
                self._canvas.removeEventFilter(self)
                QTimer.singleShot(0, self, lambda: _say("graph"))
        return False

    def _tell_frame(self) -> None:
        _say("frame")
        self.seen.emit()


def _say(what: str) -> None:
    LOG.info("first %s after %.3f s of the processor", what, time.process_time())
