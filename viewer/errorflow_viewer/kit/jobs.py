"""Work in the background. The only file with threads.

A job captures what it needs before it starts and touches nothing shared; its result is delivered on the GUI thread.
A new job under the key of a running one cancels that one, and what is delivered is asked once more whether it is
still wanted.
"""

import ctypes
import gc
import linecache
import logging
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from errorflow.base.errors import ErrorflowError, of_machine
from errorflow.base.progress import Cancelled, Progress
from errorflow.base.values import dataclass, field

LOG = logging.getLogger(__name__)
STEP_SECONDS = 1 / 20
# Parts of a result come at most this often: whoever takes one derives a lot from it.
PART_SECONDS = 1 / 5
T = TypeVar("T")
P = TypeVar("P")
Give = Callable[[P], None]


def ignore_failure(error: ErrorflowError) -> None:
    """Ignores a failure, for work whose result is a nicety: the log is enough."""
    LOG.info("background work gave up: %s", error)


@dataclass(frozen=True, slots=True)
class Step:
    """Progress of a job. `total` 0: unknown."""

    key: str
    text: str
    done: int = 0
    total: int = 0


@dataclass(eq=False)
class _Job:
    key: str
    text: str
    work: Callable[[Progress], Any]
    done: Callable[[Any], None]
    failed: Callable[[ErrorflowError], None]
    shown: bool
    # Of one that gives parts: who takes them, who is told of a cancel, the last part, and whether it is announced.
    part: Callable[[Any], None] | None = None
    dropped: Callable[[], None] | None = None
    # Who ends what was made and is not wanted any more.
    lost: Callable[[Any], None] | None = None
    latest: Any = None
    announced: bool = False
    next_part: float = 0.0
    cancelled: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None
    result: Any = None
    error: BaseException | None = None

    def lose(self) -> None:
        """Loses what it brought: it comes too late."""
        if self.lost is not None and self.result is not None:
            self.lost(self.result)
        self.let_go()

    def let_go(self) -> None:
        """Lets go of what it brought and what it knows of itself, so that no garbage collection is needed."""
        self.work, self.result, self.latest, self.error = _done_with, None, None, None


def _done_with(_: object) -> None:
    """Stands in place of work that is over, and of receivers that need no result."""


class _Throttle:
    """The `Progress` of one job: at most 20 steps a second reach the window, and here a cancel strikes."""

    def __init__(self, job: _Job, report: Callable[[Step], None]) -> None:
        self._job = job
        self._report = report
        self._next = 0.0

    def step(self, done: int, total: int, text: str) -> None:
        if self._job.cancelled.is_set():
            raise Cancelled
        now = time.monotonic()
        if now >= self._next:
            self._next = now + STEP_SECONDS
            self._report(Step(self._job.key, text, done, total))


class Jobs(QObject):
    """Starts jobs, knows those that run, and delivers what they bring."""

    # The steps of the jobs that are to be shown, oldest first; empty when nothing runs.
    changed = Signal(object)
    _stepped = Signal(object)
    _gave = Signal(object)
    _ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.garbage = Garbage(self)
        self._running: dict[str, _Job] = {}
        self._steps: dict[str, Step] = {}
        # Cancelled ones that have not noticed yet.
        self._leaving: set[_Job] = set()
        self._stepped.connect(self._show_step, Qt.ConnectionType.QueuedConnection)
        self._gave.connect(self._take_part, Qt.ConnectionType.QueuedConnection)
        self._ended.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def start(
        self,
        key: str,
        text: str,
        work: Callable[[Progress], T],
        done: Callable[[T], None],
        failed: Callable[[ErrorflowError], None],
        shown: bool = True,
    ) -> None:
        """Runs `work` in a thread, then `done` or `failed` here; neither of them after a cancel."""
        self._start(_Job(key, text, work, done, failed, shown))

    def quietly(
        self, key: str, text: str, work: Callable[[Progress], T], done: Callable[[T], None] = _done_with
    ) -> None:
        """Runs work whose result is a nicety: the window does not show that, and only the log says why it failed."""
        self.start(key, text, work, done, ignore_failure, shown=False)

    def start_in_parts(
        self,
        key: str,
        text: str,
        work: Callable[[Progress, Give[P]], T],
        part: Callable[[P], None],
        done: Callable[[T], None],
        failed: Callable[[ErrorflowError], None],
        dropped: Callable[[], None],
        lost: Callable[[T], None] | None = None,
        shown: bool = True,
    ) -> None:
        """The same for work that gives what it knows so far: `part` gets the last of it, at most five times a second.

        Nothing comes after a cancel but one call of `dropped`, and no part after the end. A result that was there
        already when the cancel came goes to `lost`, for what has to be closed.
        """
        job = _Job(key, text, lambda progress: work(progress, partial(self._give, job)), done, failed, shown)
        job.part, job.dropped, job.lost = part, dropped, lost
        self._start(job)

    def _start(self, job: _Job) -> None:
        key, text, shown = job.key, job.text, job.shown
        self.cancel(key)
        job.thread = threading.Thread(target=self._run, args=(job,), name=f"job {key}", daemon=True)
        self._running[key] = job
        if shown:
            self._steps[key] = Step(key, text)
            self._tell()
        self.garbage.pause()
        job.thread.start()

    def cancel(self, key: str) -> None:
        """Cancels: nothing more comes from that job; it ends at its next step."""
        job = self._running.pop(key, None)
        if job is None:
            return
        job.cancelled.set()
        self._leaving.add(job)
        if self._steps.pop(key, None) is not None:
            self._tell()
        if job.dropped is not None:
            job.dropped()

    def cancel_all(self) -> None:
        """Also what is begun because something was cancelled."""
        while self._running:
            self.cancel(next(iter(self._running)))

    def stop(self, seconds: float = 3.0) -> bool:
        """Cancels everything and waits for the threads; False: one of them did not end in time."""
        self.cancel_all()
        end = time.monotonic() + seconds
        for job in tuple(self._leaving):
            if job.thread is not None:
                job.thread.join(max(0.0, end - time.monotonic()))
        left = [job.key for job in self._leaving if job.thread is not None and job.thread.is_alive()]
        for job in self._leaving:
            if job.key not in left:
                job.lose()
        self._leaving.clear()
        if not left:
            self.garbage.go_on()
        return not left

    def running(self, key: str) -> bool:
        return key in self._running

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(self._steps.values())

    def _run(self, job: _Job) -> None:
        try:
            job.result = job.work(_Throttle(job, self._stepped.emit))
        except BaseException as error:  # noqa: BLE001 - the end of the thread; `_deliver` sorts it out on the GUI thread
            job.error = error
        try:
            self._ended.emit(job)
        except RuntimeError:  # the window is gone and with it whoever waited
            LOG.debug("nobody waits for job %s any more", job.key)

    def _give(self, job: _Job, part: object) -> None:
        """Gives a part, in the thread of the job."""
        job.latest = part
        if not job.announced:
            job.announced = True
            self._gave.emit(job)

    def _take_part(self, job: _Job) -> None:
        wait = job.next_part - time.monotonic()
        if wait > 0:
            # By its key: a job that is over by then is not kept alive for it.
            QTimer.singleShot(int(1000 * wait) + 1, self, partial(self._take_late, job.key))
        elif self._running.get(job.key) is job and job.part is not None:
            job.next_part = time.monotonic() + PART_SECONDS
            # First this: what is given from now on is announced anew.
            job.announced = False
            job.part(job.latest)

    def _take_late(self, key: str) -> None:
        job = self._running.get(key)
        if job is not None and job.announced:
            self._take_part(job)

    def _show_step(self, step: Step) -> None:
        if step.key in self._steps:
            self._steps[step.key] = step
            self._tell()

    def _deliver(self, job: _Job) -> None:
        wanted = self._running.get(job.key) is job and not job.cancelled.is_set()
        self._leaving.discard(job)
        if job.thread is not None:
            job.thread.join()  # it has nothing left to do but to end
        if wanted:
            del self._running[job.key]
            if self._steps.pop(job.key, None) is not None:
                self._tell()
        if not self._running and not self._leaving:
            self.garbage.go_on()
        if wanted:
            self._hand_over(job)
            job.let_go()
        else:
            job.lose()

    def _hand_over(self, job: _Job) -> None:
        error = job.error
        if error is None:
            job.done(job.result)
        elif (said := of_machine(error)) is not None:
            LOG.warning("%s failed: %s", job.text, said)
            job.failed(said)
        elif not isinstance(error, Cancelled):
            # A bug: to the crash window, as from any slot.
            sys.excepthook(type(error), error, error.__traceback__)

    def _tell(self) -> None:
        self.changed.emit(self.steps)


# When garbage is collected: never by itself, never while jobs run, unless one of them does not end, and never through
# all that they brought while anybody works.
#
# By itself Python looks for garbage wherever something is made, also in the middle of what Qt does, and in threads. Up
# to
# 3.11 that may end in a lock that nobody opens, if it finds a connection while Qt deletes an object. So it is done
# here
# only, between two events (docs/decisions/0013).
#
# It looks through everything that is new when so much of it is there, and through all there is now and then. A large
# comparison is a million things, which takes a third of a second in which the window stands still.
#
# What then is free goes back to the system.

# So many new things are looked through within a frame; and so many are gigabytes, which do not wait for anybody.
MUCH, MOST = 100_000, 10_000_000
# New things that are worth a look; how often the number is asked for, in seconds. After so many looks there may be much
# garbage in what outlived the first one.
FEW_NEW, PULSE, LOOKS = 10_000, 2.0, 20
# Seconds without a key or a pointer after which nobody minds; how often that is looked at.
QUIET, EVERY = 20.0, 2.0
# Seconds after which a shorter rest will do, and how short: somebody may work for hours.
LONG, BREATH = 300.0, 3.0
# Of mallopt, as malloc.h has it, and of how many stores the C library of most Linux systems takes memory. It would make
# one for nearly every thread, eight for each core; what lies about in each of them is in the way of the others: after
# a hundred models and comparisons it was half as much as all that was in use.
_STORES, FEW = -8, 2
_TOUCHES = frozenset(
    (
        QEvent.Type.MouseMove,
        QEvent.Type.MouseButtonPress,
        QEvent.Type.Wheel,
        QEvent.Type.KeyPress,
        QEvent.Type.NativeGesture,
        QEvent.Type.TouchUpdate,
    )
)


class Garbage(QObject):
    """Garbage that was made in the background is set aside, and looked through when the user rests."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        _ask_allocator("mallopt", _STORES, FEW)  # before there is a thread that wants one
        gc.disable()
        # A thread is at work.
        self.waits = False
        # New things that are set aside and were not looked through.
        self._aside = 0
        # Something is set aside; of what was looked through a part may be garbage by now.
        self._keeps = False
        self.touched = self._since = 0.0
        self._resting = QTimer(self)
        self._resting.setInterval(int(1000 * EVERY))
        self._resting.timeout.connect(self._look_whether_quiet)
        # Until work counts as such that never ends: a drive may not answer all day.
        self._patience = QTimer(self, singleShot=True, interval=int(1000 * LONG))
        self._patience.timeout.connect(self._look_meanwhile)
        self.pulse = QTimer(self)
        self.pulse.setInterval(int(1000 * PULSE))
        self.pulse.timeout.connect(self._look_through_new)
        self.pulse.start()

    @property
    def due(self) -> bool:
        """Whether it is waited for a rest, to look through all that is set aside."""
        return self._resting.isActive()

    def pause(self) -> None:
        """Pauses: what jobs make is kept by them, or is much; it is looked through when they are over."""
        self.waits = True
        gc.disable()  # whoever may have switched it on: a thread that collects what holds widgets would crash Qt
        if not self._patience.isActive():
            self._patience.start()

    def go_on(self) -> None:
        """No thread goes on."""
        self.waits = False
        self._patience.stop()
        if gc.get_count()[0] > MUCH:
            self._set_aside()
            self.touched = time.monotonic()
        self._sweep_in_time()

    def _sweep_in_time(self) -> None:
        if self._aside > MOST:
            self.sweep()
        else:
            self.look_later()

    def look_later(self) -> None:
        """Looks later: what is set aside may have become garbage, of which the collector would never hear."""
        if self._keeps and not self.due:
            self.touched = self._since = time.monotonic()
            self._resting.start()

    def sweep(self) -> None:
        """Looks through everything."""
        self._resting.stop()
        for window in QGuiApplication.topLevelWindows():
            window.removeEventFilter(self)
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._keeps, self._aside = True, 0
        if self.waits:
            self._patience.start()
        # PySide looks into the source of each module that is imported, and Python keeps all that was read.
        linecache.clearcache()
        _ask_allocator("malloc_trim", 0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _TOUCHES:
            self.touched = time.monotonic()
        return super().eventFilter(watched, event)

    def _set_aside(self) -> None:
        self._aside += gc.get_count()[0]
        self._keeps = True
        gc.freeze()

    def _look_through_new(self) -> None:
        """Looks through what is new, as Python would by itself if it were let."""
        new, _, looks = gc.get_count()
        if self.waits or new < FEW_NEW:
            return
        if new > MUCH:
            self._set_aside()
        else:
            gc.collect(1)
            self._keeps = self._keeps or looks >= LOOKS
        self._sweep_in_time()

    def _look_meanwhile(self) -> None:
        """Here, in the thread of the widgets, that does no harm whatever goes on in others."""
        self._keeps = True
        self.look_later()

    def _look_whether_quiet(self) -> None:
        for window in QGuiApplication.topLevelWindows():
            window.installEventFilter(self)  # of one that has it already there is no second one
        now = time.monotonic()
        quiet = QUIET if now - self._since < LONG else BREATH
        may = not self.waits or not self._patience.isActive()
        if may and now - self.touched >= quiet:
            self.sweep()


def _ask_allocator(name: str, *numbers: int) -> None:
    with suppress(OSError, AttributeError, TypeError):  # other systems
        getattr(ctypes.CDLL(None), name)(*numbers)
