"""When the app itself is wrong: one window with a report, instead of silence or a terminal full of text."""

import hashlib
import logging
import sys
import threading
import traceback
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from PySide6.QtCore import QLockFile, QObject, Qt, Signal
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
)

from errorflow.errors import ErrorflowError
from errorflow.files import write_atomic
from errorflow_viewer.look import GAP, PADDING

LOG = logging.getLogger(__name__)
# Errors shown in one window; a paint handler may fail a hundred times a second.
MOST = 10
Hook = Callable[[type[BaseException], BaseException, TracebackType | None], Any]


class CrashReporter(QObject):
    """Catches what nobody else caught, in any thread, and shows each kind of it once."""

    _arrived = Signal(str)

    def __init__(self, describe: Callable[[], str]) -> None:
        super().__init__()
        self._describe = describe
        self._seen: dict[str, int] = {}
        self._old: tuple[Hook, Any, Any] | None = None
        self.window: CrashWindow | None = None
        # What happened last, "" if nothing did.
        self.last = ""
        self._arrived.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        self._old = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        sys.excepthook = self._on_error
        threading.excepthook = self._on_thread_error
        sys.unraisablehook = self._on_unraisable

    def remove(self) -> None:
        if self._old is not None:
            sys.excepthook, threading.excepthook, sys.unraisablehook = self._old
            self._old = None

    def _on_error(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        self._report("".join(traceback.format_exception(kind, error, trace)))

    def _on_thread_error(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._on_error(args.exc_type, args.exc_value, args.exc_traceback)

    def _on_unraisable(self, args: "sys.UnraisableHookArgs") -> None:
        if args.exc_value is not None:
            self._on_error(args.exc_type, args.exc_value, args.exc_traceback)

    def _report(self, text: str) -> None:
        LOG.error("unexpected error\n%s", text)
        self.last = text
        key = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        self._seen[key] = self._seen.get(key, 0) + 1
        if self._seen[key] == 1 and len(self._seen) <= MOST:
            self._arrived.emit(text)

    def _show(self, text: str) -> None:
        if self.window is None:
            self.window = CrashWindow(self._header())
            self.window.finished.connect(self._forget_window)
        self.window.add(text)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()

    def _forget_window(self) -> None:
        if self.window is not None:
            self.window.deleteLater()
            self.window = None

    def _header(self) -> str:
        try:
            facts = self._describe()
        except Exception as error:  # noqa: BLE001 - the report must appear whatever is broken
            facts = f"(no versions: {error!r})\n"
        return f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S %z}\n{facts}"


class CrashWindow(QDialog):
    """The report, and what to do with it."""

    def __init__(self, header: str) -> None:
        super().__init__()
        self.setWindowTitle("Something went wrong – Errorflow")
        title = QLabel("Something went wrong in Errorflow")
        title.setProperty("role", "title")
        advice = QLabel(
            "This is a fault of the app, not of your model or of anything you did. You can go on; if it behaves oddly, "
            "start it again. A ticket with this report helps to repair it."
        )
        advice.setWordWrap(True)
        self.report = QPlainTextEdit(header)
        self.report.setReadOnly(True)
        self.report.setFont(
            QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        )  # tracebacks point with spaces
        self.report.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.report.setAccessibleName("Report")
        self.said = QLabel()
        self.said.setProperty("muted", True)
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 16, 16, 12)
        box.setSpacing(PADDING)
        for widget in (title, advice):
            box.addWidget(widget)
        box.addWidget(self.report, 1)
        box.addLayout(self._make_buttons())
        self.resize(720, 460)
        self.go_on.setFocus(Qt.FocusReason.OtherFocusReason)  # Enter takes it, so it must look so

    def add(self, text: str) -> None:
        """Another error that came while the window is open."""
        self.report.appendPlainText(f"\n{text}")

    def _make_buttons(self) -> QHBoxLayout:
        self.copy = QPushButton("Copy for ticket")
        self.save = QPushButton("Save report…")
        self.quit = QPushButton("Quit")
        self.go_on = QPushButton("Continue")
        self.go_on.setProperty("primary", True)
        self.go_on.setDefault(True)
        self.copy.clicked.connect(self._copy)
        self.save.clicked.connect(self._save)
        self.quit.clicked.connect(self._quit)
        self.go_on.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.setSpacing(PADDING)
        row.setContentsMargins(0, GAP - PADDING, 0, 0)
        row.addWidget(self.copy)
        row.addWidget(self.save)
        row.addWidget(self.said, 1)
        row.addWidget(self.quit)
        row.addWidget(self.go_on)
        return row

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report.toPlainText())
        self.said.setText("Copied.")

    def _save(self) -> None:
        path, _ = QFileDialog.getSaveFileName(self, "Save report", str(Path.home() / "errorflow-report.txt"))
        if not path:
            return
        try:
            write_atomic(Path(path), self.report.toPlainText())
            self.said.setText(f"Saved as {Path(path).name}.")
        except ErrorflowError as error:
            self.said.setText(error.message)

    def _quit(self) -> None:
        self.accept()
        QApplication.quit()


class RunMark:
    """A file that is there while the app runs; one that is left over tells of a sudden death."""

    def __init__(self, folder: Path, pid: int) -> None:
        self._folder = folder
        self._lock = QLockFile(str(folder / f"run-{pid}.lock"))
        self._lock.setStaleLockTime(0)

    def set(self) -> bool:
        """Marks this run; True: an earlier one did not end as it should."""
        died = False
        for path in self._folder.glob("run-*.lock"):
            lock = QLockFile(str(path))
            lock.setStaleLockTime(0)
            died |= lock.removeStaleLockFile()
        self._lock.tryLock(0)
        return died

    def clear(self) -> None:
        self._lock.unlock()
