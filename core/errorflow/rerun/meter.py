"""Two files between two processes: how far one is, and whether the other still wants it."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from errorflow.progress import Cancelled, Progress

METER, STOP = "meter", "stop"
# Seconds until a process that was asked to stop is ended.
PATIENCE = 0.4


class Meter:
    """On the side that works: `step` tells how far it is, and raises `Cancelled` if nobody wants it any more."""

    def __init__(self, folder: Path) -> None:
        self._stop = folder / STOP
        self._file = os.open(folder / METER, os.O_CREAT | os.O_WRONLY, 0o600)

    def step(self, done: int, total: int) -> None:
        os.pwrite(self._file, b"%10d %10d" % (done, total), 0)
        if self._stop.exists():
            raise Cancelled


@dataclass(slots=True)
class Watch:
    """On the side that waits, as a progress. A cancel is told first, so that what was found so far is kept."""

    progress: Progress
    folder: Path
    text: str
    _asked: float | None = None

    def step(self, done: int, total: int, text: str) -> None:  # noqa: ARG002 - as every progress is called
        done, total = self._read()
        try:
            self.progress.step(done, total, self.text)
        except Cancelled:
            if self._asked is None:
                self._asked = monotonic()
                (self.folder / STOP).touch()
            elif monotonic() - self._asked > PATIENCE:
                raise

    def _read(self) -> tuple[int, int]:
        with suppress(OSError, ValueError):  # the process has not begun yet
            done, total = (self.folder / METER).read_bytes().split()
            return int(done), int(total)
        return 0, 0

    def reset(self) -> None:
        for name in (METER, STOP):
            (self.folder / name).unlink(missing_ok=True)
