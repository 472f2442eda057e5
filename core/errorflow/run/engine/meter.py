"""Two files between two processes: how far one is, and whether the other still wants it."""

from contextlib import suppress
from pathlib import Path
from time import monotonic

from errorflow.base.progress import Cancelled, Progress
from errorflow.base.values import dataclass

METER, STOP = "meter", "stop"
# Seconds until a process that was asked to stop is ended.
PATIENCE = 0.4


class EngineMeter:
    """Meter on the side that works: `step` tells how far it is, and raises `Cancelled` if the work is wanted no
    more.
    """

    def __init__(self, folder: Path) -> None:
        self._stop = folder / STOP
        self._file = (folder / METER).open("wb", buffering=0)

    def step(self, done: int, total: int) -> None:
        self._file.seek(0)
        self._file.write(_written(done, total))
        if self._stop.exists():
            raise Cancelled

    def close(self) -> None:
        self._file.close()


@dataclass(slots=True)
class StepCounter:
    """Counts the steps of several that go abreast."""

    meter: EngineMeter
    total: int
    done: int = 0

    def step(self, _: int) -> None:
        self.meter.step(self.done, self.total)
        self.done += 1

    def skip(self, steps: int) -> None:
        """Skips so many that need not be told one by one."""
        self.meter.step(self.done, self.total)
        self.done += steps


@dataclass(slots=True)
class Watch:
    """Meter on the side that waits, as a progress. A cancel is told first, so that what was found so far is kept."""

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
        """Resets before a call. The other process has the file of the meter open, so that it stays."""
        (self.folder / STOP).unlink(missing_ok=True)
        if (self.folder / METER).exists():
            with (self.folder / METER).open("r+b") as file:
                file.write(_written(0, 0))


@dataclass(frozen=True, slots=True)
class Share:
    """A progress for some of many things of the same kind."""

    progress: Progress
    before: int
    count: int
    total: int
    text: str

    def step(self, done: int, total: int, text: str) -> None:  # noqa: ARG002 - as every progress is called
        self.progress.step(self.before + done * self.count // max(total, 1), self.total, self.text)


def _written(done: int, total: int) -> bytes:
    """Always as long, so that no digits of an older one are left."""
    return b"%12d %12d" % (done, total)
