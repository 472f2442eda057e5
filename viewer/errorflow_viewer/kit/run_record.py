"""Record that a run leaves behind while it lasts, from which the next one reads how it ended.

Of each run there are `run-PID.lock`, which only a living process holds, `run-PID.json` with what it was about, and
`run-PID.trace`, into which Python writes all stacks when the process dies. A run that ends well takes them away. Where
nothing can be written, nothing is left, and no error is shown.
"""

import contextlib
import faulthandler
import logging
import re
import time
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TextIO

from PySide6.QtCore import QLockFile, QSysInfo

import errorflow
from errorflow.base.codec import Codec, Each, as_json, parsed
from errorflow.base.values import dataclass, field, replace

LOG = logging.getLogger(__name__)
# How a run ended: by a fault of native code, by an error of ours while it started or ended, with its display, with
# the machine, for want of memory, or because something outside ended it.
Kind = Literal["crash", "error", "display", "machine", "memory", "killed"]
# Of the stacks, so many bytes are read, and of the log so many lines.
MOST_TRACE, MOST_LINES = 64 * 1024, 200
_LOG_END = 128 * 1024
# What Qt says when its connection to the screen ends, upon which it ends the process.
_DISPLAY = re.compile(r"(X11|Wayland) connection broke|compositor d(ie|isappear)|X server die", re.IGNORECASE)
_COUNTER = Path("/proc/vmstat")


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts of a run, written when it begins and when it opens something."""

    version: str = ""
    began: float = 0.0
    # Which time the machine was started, and how many processes it had ended for want of memory by then.
    boot: str = ""
    starved: int = -1
    # What is being opened, and did not show yet that it does no harm.
    opening: Each[tuple[str, ...]] = ()
    # When that was begun; 0: nobody knows.
    since: float = 0.0


@dataclass(frozen=True, slots=True)
class Death:
    """A run that did not end as it should."""

    kind: Kind
    facts: Facts = field(default_factory=Facts)
    # The stacks of all threads, or what was said last; "" if nothing was.
    trace: str = ""
    # The end of the log.
    log: str = ""


class LastWords:
    """Record of this run, and of those that died before it."""

    def __init__(self, folder: Path, pid: int) -> None:
        self._folder = folder
        self._own = folder / f"run-{pid}.lock"
        self._lock = QLockFile(str(self._own))
        self._lock.setStaleLockTime(0)
        self._trace: TextIO | None = None
        self._left = False
        # There is nothing any more on which anything could be shown.
        self.lost_display = False
        self._facts = Facts(errorflow.__version__, time.time(), _boot(), _starved())

    def begin(self, log: Path) -> tuple[Death, ...]:
        """Begins this run; how those ended that did not end well, the latest first. `log` is theirs."""
        deaths = [death for path in self._found() if (death := self._take(path, log)) is not None]
        self._lock.tryLock(0)
        self._write_facts()
        try:
            self._trace = self._own.with_suffix(".trace").open("w", encoding="utf-8", errors="backslashreplace")
            faulthandler.enable(self._trace)
        except OSError as error:
            LOG.info("no file for last words: %s", error)
        return tuple(sorted(deaths, key=lambda death: -death.facts.began))

    def opening(self, paths: Iterable[Path]) -> None:
        """Notes what is opened from now on; none: what was opened does no harm."""
        opening = tuple(map(str, paths))
        if opening != self._facts.opening:
            self._facts = replace(self._facts, opening=opening, since=time.time())
            self._write_facts()

    def say(self, text: str) -> None:
        """Says something after which the process may not get to say anything more."""
        self.lost_display |= is_of_display(text)
        if self._trace is not None:
            with contextlib.suppress(OSError, ValueError):
                self._trace.write(text.rstrip() + "\n")
                self._trace.flush()

    def end(self) -> None:
        """Ends well, and leaves nothing; or with what it leaves."""
        self._close()
        if not (self._left or self.lost_display):
            _remove(self._own)
        self._lock.unlock()

    def leave(self, text: str) -> None:
        """Leaves an error, of which the next run tells."""
        if not self._left:
            self.say(_ERROR)
        self._left = True
        self.say(text)

    def _close(self) -> None:
        if self._trace is not None:
            faulthandler.disable()
            with contextlib.suppress(OSError):  # on a full disk
                self._trace.close()
            self._trace = None

    def _found(self) -> list[Path]:
        """The locks of all runs that left anything, whether the lock itself is there or not."""
        try:
            return sorted({path.with_suffix(".lock") for path in self._folder.glob("run-*.*")})
        except OSError:
            return []

    def _take(self, path: Path, log: Path) -> Death | None:
        """Takes a dead run's record; None: it lives."""
        lock = QLockFile(str(path))
        lock.setStaleLockTime(0)
        # An earlier process had the number of this one, or could still let go of the lock.
        if path != self._own and path.exists() and not lock.removeStaleLockFile():
            return None
        facts, trace = _facts_of(path.with_suffix(".json")), _end_of(path.with_suffix(".trace"), MOST_TRACE)
        _remove(path)
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        return Death(kind_of(facts, trace, _boot(), _starved()), facts, trace, last_lines(log))

    def _write_facts(self) -> None:
        try:
            self._own.with_suffix(".json").write_text(as_json(self._facts), "utf-8")
        except OSError as error:
            LOG.info("no file for what is open: %s", error)


# The first line of what a run says itself that ended with an error.
_ERROR = "Ended with an error"


def kind_of(facts: Facts, trace: str, boot: str, starved: int) -> Kind:
    """Finds what ended a run, as far as one can tell; `boot` and `starved` are those of now."""
    if trace.startswith(_ERROR):
        return "error"
    if "Fatal Python error" in trace or "Windows fatal exception" in trace:
        return "crash"
    if _DISPLAY.search(trace):
        return "display"
    if boot and facts.boot and boot != facts.boot:
        return "machine"
    if 0 <= facts.starved < starved:
        return "memory"
    return "killed"


def last_lines(log: Path, most: int = MOST_LINES) -> str:
    return "\n".join(deque(_end_of(log, _LOG_END).splitlines(), maxlen=most))


def is_of_display(text: str) -> bool:
    """Whether Qt says that there is no screen any more."""
    return _DISPLAY.search(text) is not None


def _end_of(path: Path, most: int) -> str:
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - most))
            return file.read(most).decode("utf-8", "replace")
    except OSError:
        return ""


def _facts_of(path: Path) -> Facts:
    """Rubbish counts as nothing known."""
    try:
        facts: Facts = Codec().read(Facts, parsed(path.read_bytes()[:MOST_TRACE]), notes=[])
    except (OSError, ValueError):
        return Facts()
    return facts if facts.since else replace(facts, since=facts.began)  # an older version does not say it


def _remove(lock: Path) -> None:
    for ending in (".json", ".trace"):
        with contextlib.suppress(OSError):
            lock.with_suffix(ending).unlink(missing_ok=True)


def _boot() -> str:
    """Differs after each start of the machine; "" where no system tells."""
    return bytes(QSysInfo.bootUniqueId().data()).decode("ascii", "replace")


def _starved() -> int:
    """Counts the processes that this machine has ended for want of memory since its start; -1 where that is unknown."""
    try:
        with _COUNTER.open(encoding="ascii") as file:
            return next((int(line.split()[1]) for line in file if line.startswith("oom_kill ")), -1)
    except (OSError, ValueError):
        return -1
