"""One run of the app, from the first object to the last."""

import importlib
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QSettings, QStandardPaths, QTimer
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

import errorflow
from errorflow.progress import Progress
from errorflow.scenarios.setup import Setup
from errorflow_viewer import icons
from errorflow_viewer.about import diagnostics
from errorflow_viewer.banner import Notice
from errorflow_viewer.crash import CrashReporter, RunMark
from errorflow_viewer.jobs import ignore_failure
from errorflow_viewer.logs import Logs
from errorflow_viewer.settings import Settings
from errorflow_viewer.signals import QuitOnSignal
from errorflow_viewer.single import Listener, Reply, first_or_hand_over
from errorflow_viewer.style import Appearance
from errorflow_viewer.window import MainWindow

LOG = logging.getLogger(__name__)
APP_ID = "io.github.errorflow.Errorflow"
# Not needed for a window, but soon after; imported when the first frame is on the screen.
WARM = (
    "onnx",
    "onnx.shape_inference",
    "errorflow.scenarios.prepare",
    "errorflow.scenarios.measure",
    "errorflow.evidence.look",
    "errorflow.evidence.figures",
    "errorflow_viewer.panels.inspector.content",
)
WARM_AFTER = 400
BUSY = Notice(
    "info",
    "Another Errorflow is open but does not answer, so this is a window of its own.",
    "It may be busy with a large model.",
    key="busy",
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


class Run:
    """All that lives as long as the app does."""

    def __init__(self, app: Application) -> None:
        self.logs = Logs(state_folder())
        self.logs.start()
        LOG.info("Errorflow %s starts, process %s", errorflow.__version__, os.getpid())
        self.settings = Settings(QSettings())
        self.appearance = Appearance(app, self.settings.theme)
        self.reporter = CrashReporter(self._facts)
        self.reporter.install()
        self._mark = RunMark(state_folder(), os.getpid())
        self._died = self._mark.set()
        self.window = MainWindow(self.settings, self.appearance, self.logs.file)
        app.opener = self.window
        # A crash window may be the last one that is open; the app ends with its main window all the same.
        self.window.closed.connect(app.quit)
        self._signals = QuitOnSignal(app)

    def show(self, files: Sequence[Path]) -> None:
        self.window.show()
        if files:
            self.window.open_all(files)
        if not self.window.session_files.offer_recovered() and self._died:
            self.window.banners.show_notice(self._death_notice())
        QTimer.singleShot(WARM_AFTER, self.window, self._warm)

    def take_over(self, files: list[Path]) -> None:
        """Another start hands its files to this one."""
        self.window.come_to_front()
        if files:
            self.window.open_all(files)

    def end(self) -> None:
        """Takes everything down while Qt is still there."""
        self.window.close()
        self.window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        self._signals.remove()
        self._mark.clear()
        self.reporter.remove()
        LOG.info("Errorflow ends")
        self.logs.stop()

    def _facts(self) -> str:
        return diagnostics(self.appearance.choice, str(self.logs.file))

    def _warm(self) -> None:
        self.window.jobs.start("warm", "Loading libraries", _import_all, lambda _: None, ignore_failure, shown=False)

    def _death_notice(self) -> Notice:
        return Notice(
            "info",
            "Errorflow did not end properly last time.",
            "If it happens again, send the log with a description of what you did.",
            key="died",
            button="Show log folder",
            pressed=self.window.support.show_log_folder,
        )


def state_folder() -> Path:
    """Where logs and marks of this user lie."""
    folder = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.StateLocation))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        LOG.warning("no folder for logs: %s", error)
    return folder


def _import_all(progress: Progress) -> None:
    for name in WARM:
        progress.step(0, 0, "Loading libraries")
        importlib.import_module(name)


def _test(this: Run) -> None:
    from errorflow_viewer.self_test import SelfTest

    SelfTest(this.window, lambda: this.reporter.last).start()


def run(files: Sequence[Path], where: str | None, busy: bool, self_test: bool, setup: Setup | None = None) -> int:
    """Shows the window until it is closed, or hands the files to the one that is open.

    `where`: the address of the first start; None: this one is on its own. `busy`: as the first one does not answer.
    `setup`: what is to be compared.
    """
    app = Application(sys.argv[:1])
    listener: Listener | None = None
    if where is not None:
        first = first_or_hand_over(where, files, setup)
        if first is Reply.TAKEN:
            return 0
        listener, busy = (None, True) if isinstance(first, Reply) else (first, False)
    this = Run(app)
    if listener is not None:
        listener.received.connect(this.take_over)
        listener.asked.connect(this.window.comparisons.ask_or_start)
    this.show(files)
    if setup is not None:
        this.window.comparisons.ask_or_start(setup)
    if busy:
        this.window.banners.show_notice(BUSY)
    if not files and setup is None and listener is not None:
        this.window.reopen_last()
    if self_test:
        _test(this)
    code = app.exec()
    if listener is not None:
        listener.close()
    this.end()
    return code
