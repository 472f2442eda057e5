"""Crash window for faults of the app itself: a report, instead of silence or a terminal full of text."""

import logging
import re
import sys
import threading
import traceback
from collections.abc import Callable
from datetime import datetime
from enum import Enum, auto
from types import TracebackType
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication

from errorflow_viewer.kit import emergency
from errorflow_viewer.kit.logs import recent_text
from errorflow_viewer.kit.report_window import ReportWindow

LOG = logging.getLogger(__name__)
# Errors shown in one window, and kinds of them that are told apart; a paint handler may fail a hundred times a second.
MOST, MOST_KINDS = 10, 1000
# Numbers and addresses, by which the same error differs from one time to the next.
_NUMBERS = re.compile(r"0x[0-9a-fA-F]+|\d+")
Hook = Callable[[type[BaseException], BaseException, TracebackType | None], Any]


class Fate(Enum):
    """Fate of an error."""

    SHOWN = auto()
    # There is no window any more.
    LATE = auto()
    # It was told already, or there are too many.
    COUNTED = auto()


class CrashReporter(QObject):
    """Catches what no other handler caught, in any thread, and shows each kind of it once.

    `late`: who is told of what came up when there was no window any more.
    """

    _arrived = Signal(str)

    def __init__(self, describe: Callable[[], str], late: Callable[[str], None] = lambda _: None) -> None:
        super().__init__()
        self._describe = describe
        self._late = late
        self._seen: dict[str, int] = {}
        self._old: tuple[Hook, Any, Any] | None = None
        # What is on its way to the window; None: it would not arrive any more.
        self._waiting: list[str] | None = []
        self.window: CrashWindow | None = None
        # What happened last, "" if nothing did.
        self.last = ""
        # The log before the first of what the window tells; None: it tells of nothing yet.
        self._log: str | None = None
        # Several threads may fail at once, and an object that is collected meanwhile in the same. Nothing is logged
        # while it is held: a handler may fail as well.
        self._lock = threading.RLock()
        self._arrived.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        self._old = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        sys.excepthook = self._on_error
        threading.excepthook = self._on_thread_error
        sys.unraisablehook = self._on_unraisable

    def end(self) -> None:
        """Windows are not shown any more: what comes from now on is told on the terminal, and at the next start."""
        with self._lock:
            waiting, self._waiting = self._waiting, None
        for text in () if waiting is None else waiting:
            self._tell_late(text)

    def remove(self) -> None:
        self.end()
        if self._old is not None:
            sys.excepthook, threading.excepthook, sys.unraisablehook = self._old
            self._old = None

    def _on_error(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        self._report("".join(traceback.format_exception(kind, error, trace)), _kind_of(error, trace))

    def _on_thread_error(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._on_error(args.exc_type, args.exc_value, args.exc_traceback)

    def _on_unraisable(self, args: "sys.UnraisableHookArgs") -> None:
        if args.exc_value is not None:
            self._on_error(args.exc_type, args.exc_value, args.exc_traceback)

    def _report(self, text: str, kind: str) -> None:
        self.last = text
        times, fate = self._take(text, kind, recent_text() if kind not in self._seen else "")
        if times == 1:
            LOG.error("unexpected error\n%s", text)
        elif times in (10, 100, 1000, 10_000, 100_000):
            LOG.error("the same error %s times: %s", times, text.rstrip().rpartition("\n")[2])
        if fate is Fate.SHOWN:
            self._arrived.emit(text)
        elif fate is Fate.LATE:
            self._tell_late(text)

    def _take(self, text: str, kind: str, log: str) -> tuple[int, Fate]:
        """Takes an error; returns how often it came up, 0 if it is counted no more; and what becomes of it."""
        with self._lock:
            if kind not in self._seen and len(self._seen) >= MOST_KINDS:
                return 0, Fate.COUNTED
            times = self._seen[kind] = self._seen.get(kind, 0) + 1
            if times > 1 or len(self._seen) > MOST:
                return times, Fate.COUNTED
            if self._waiting is None:
                return times, Fate.LATE
            if self._log is None:
                self._log = log  # without the error itself, which stands above it
            self._waiting.append(text)
            return times, Fate.SHOWN

    def _show(self, text: str) -> None:
        if self._waiting is None:
            return  # it was told already
        self._waiting.remove(text)
        try:
            self._add(text)
        except Exception:
            self._forget_window()
            emergency.write(f"{text}\nThe window for this could not be shown:\n{traceback.format_exc()}")
            LOG.exception("no window for an error")

    def _add(self, text: str) -> None:
        if self.window is None:
            self.window = CrashWindow(self._header(), self._log or "")
            self.window.finished.connect(self._forget_window)
        self.window.add(text)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()

    def _tell_late(self, text: str) -> None:
        emergency.write(text)
        self._late(text)

    def _forget_window(self) -> None:
        if self.window is not None:
            self.window.deleteLater()
            self.window = None
        with self._lock:
            if not self._waiting:
                self._log = None

    def _header(self) -> str:
        try:
            facts = self._describe()
        except Exception as error:  # noqa: BLE001 - the report must appear whatever is broken
            facts = f"(no versions: {error!r})\n"
        return f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S %z}\n{facts}"


def _kind_of(error: BaseException, trace: TracebackType | None) -> str:
    """The same for an error that comes again and again: where it came up, and what it says but for numbers."""
    # The innermost alone: the same painting is called by a loop now and by a click then.
    where = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(trace)[-1:]]
    try:
        said = _NUMBERS.sub("#", str(error))
    except Exception:  # noqa: BLE001 - an error that cannot even be told
        said = ""
    return "\n".join((*where, type(error).__name__, said))


class CrashWindow(ReportWindow):
    """The report, and what to do with it."""

    def __init__(self, header: str, log: str = "") -> None:
        super().__init__(
            "Something went wrong in Errorflow",
            "This is a fault of the app, not of your model or of anything you did. You can go on; if it behaves oddly, "
            "start it again. A ticket with this report helps to repair it.",
            header,
            log,
        )
        self.setWindowTitle("Something went wrong – Errorflow")
        self.quit = self.add_button("Quit", self._quit)
        self.go_on = self.add_button("Continue", self.accept, first=True)

    def _quit(self) -> None:
        self.accept()
        QApplication.quit()
