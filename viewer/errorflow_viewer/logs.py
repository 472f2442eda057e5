"""A log file for the day something goes wrong; what Qt has to say ends there as well."""

import faulthandler
import logging
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TextIO

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

SIZE, KEPT = 1_000_000, 3
# Of the stacks of a run that died, so much goes into the log of the next, in bytes.
MOST_FATAL = 64 * 1024
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
class Line:
    """One thing that happened; `seconds` since the epoch."""

    seconds: float
    level: int
    text: str


class Recent(logging.Handler):
    """The last lines of this run; whichever thread they come from."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: deque[Line] = deque(maxlen=MOST_LINES)
        # How many there ever were: who shows them sees by it whether there are new ones.
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(Line(record.created, record.levelno, self.format(record)[:MOST_LETTERS]))
        self.count += 1

    def lines(self) -> tuple[Line, ...]:
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


class Logs:
    """The log files of this run. Where none can be written, the app works all the same and logs to stderr."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "errorflow.log"
        # Python's own stacks when Qt or another library dies; the log file itself may be rotated away.
        self.fault_file = folder / "fatal.log"
        self._handler: logging.Handler = logging.NullHandler()
        self._fault: TextIO | None = None
        self._before: Callable[..., None] | None = None

    def start(self) -> None:
        self._handler = self._make_handler()
        self._handler.setFormatter(logging.Formatter(FORMAT))
        root = logging.getLogger()
        root.addHandler(self._handler)
        root.addHandler(RECENT)
        root.setLevel(logging.INFO)
        self._before = qInstallMessageHandler(_from_qt)
        try:
            self._keep_fault()
            self._fault = self.fault_file.open("w", encoding="utf-8")
            faulthandler.enable(self._fault)
        except OSError as error:
            logging.getLogger(__name__).warning("no file for fatal errors: %s", error)

    def stop(self) -> None:
        qInstallMessageHandler(self._before)
        logging.getLogger().removeHandler(self._handler)
        logging.getLogger().removeHandler(RECENT)
        self._handler.close()
        if self._fault is not None:
            faulthandler.disable()
            self._fault.close()
            self._fault = None

    def _keep_fault(self) -> None:
        """Takes over what the last run died of, before this one writes to that file."""
        if not self.fault_file.is_file():
            return
        with self.fault_file.open("rb") as file:
            found = file.read(MOST_FATAL)
        if found:
            logging.getLogger(__name__).error("an earlier run died\n%s", found.decode("utf-8", "replace"))

    def _make_handler(self) -> logging.Handler:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            return RotatingFileHandler(self.file, maxBytes=SIZE, backupCount=KEPT, encoding="utf-8")
        except OSError:
            return logging.StreamHandler(sys.stderr)


def _from_qt(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    category = context.category
    logging.getLogger(f"qt.{category}").log(_LEVELS.get(kind, logging.WARNING), message)
