"""A log file for the day something goes wrong; what Qt has to say ends there as well."""

import contextlib
import logging
import sys
from collections import deque
from collections.abc import Callable
from datetime import datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from errorflow.base.values import dataclass
from errorflow_viewer.kit.run_record import is_of_display

SIZE, KEPT = 1_000_000, 3
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
# Lines that are kept to be shown, and letters of one.
MOST_LINES, MOST_LETTERS = 5000, 10_000
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


@dataclass(frozen=True, slots=True)
class LogLine:
    """One thing that happened; `seconds` since the epoch."""

    seconds: float
    level: int
    text: str


class Recent(logging.Handler):
    """The last lines of this run; whichever thread they come from."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: deque[LogLine] = deque(maxlen=MOST_LINES)
        # How many there ever were: who shows them sees by it whether there are new ones.
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(LogLine(record.created, record.levelno, self.format(record)[:MOST_LETTERS]))
        self.count += 1

    def lines(self) -> tuple[LogLine, ...]:
        """The oldest first."""
        self.acquire()
        try:
            return tuple(self._lines)
        finally:
            self.release()

    def clear(self) -> None:
        self.acquire()
        try:
            self._lines.clear()
            self.count += 1
        finally:
            self.release()


# One for the process, as the loggers are; it hears nothing before `Logs.start`.
RECENT = Recent()


def recent_text(most: int = 200) -> str:
    """The last lines of this run, as they stand in the log."""
    lines = RECENT.lines()[-most:]
    return "\n".join(f"{datetime.fromtimestamp(line.seconds):%H:%M:%S} {line.text}" for line in lines)


class Logs:
    """The log files of this run. Where none can be written, the app works all the same and tells warnings to stderr.

    `last`: who is told what Qt says before it ends the process.
    """

    def __init__(self, folder: Path, last: Callable[[str], None] = lambda _: None) -> None:
        self.file = folder / "errorflow.log"
        self._last = last
        self._handler: logging.Handler = logging.NullHandler()
        self._before: Callable[..., None] | None = None
        self._raises = logging.raiseExceptions

    def start(self) -> None:
        self._handler = self._make_handler()
        self._handler.setFormatter(logging.Formatter(FORMAT))
        # Else each line that finds the disk full is a traceback on the terminal.
        self._raises, logging.raiseExceptions = logging.raiseExceptions, False
        root = logging.getLogger()
        root.addHandler(self._handler)
        root.addHandler(RECENT)
        root.setLevel(logging.INFO)
        self._before = qInstallMessageHandler(self._from_qt)

    def stop(self) -> None:
        qInstallMessageHandler(self._before)
        logging.getLogger().removeHandler(self._handler)
        logging.getLogger().removeHandler(RECENT)
        with contextlib.suppress(OSError):  # the disk is full
            self._handler.close()
        logging.raiseExceptions = self._raises

    def _make_handler(self) -> logging.Handler:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            return RotatingFileHandler(self.file, maxBytes=SIZE, backupCount=KEPT, encoding="utf-8")
        except OSError:
            handler = logging.StreamHandler(sys.stderr)
            handler.setLevel(logging.ERROR)
            return handler

    def _from_qt(self, kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        if kind == QtMsgType.QtFatalMsg or is_of_display(message):
            self._last(f"Qt: {message}")
        logging.getLogger(f"qt.{context.category}").log(_LEVELS.get(kind, logging.WARNING), message)
