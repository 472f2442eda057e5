"""When garbage is collected: never by itself, never while jobs run, unless one of them does not end, and never through
all that they brought while anybody works.

By itself Python looks for garbage wherever something is made, also in the middle of what Qt does, and in threads. Up to
3.11 that may end in a lock that nobody opens, if it finds a connection while Qt deletes an object. So it is done here
only, between two events (docs/decisions/0013).

It looks through everything that is new when so much of it is there, and through all there is now and then. A large
comparison is a million things, which takes a third of a second in which the window stands still.

What then is free goes back to the system.
"""

import ctypes
import gc
import time
from contextlib import suppress

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QGuiApplication

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
    """What was made in the background is set aside, and looked through when the user rests."""

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
        """What jobs make is kept by them, or is much: it is looked through when they are over."""
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
        """What is set aside may have become garbage, of which the collector would never hear."""
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
        """What Python would do by itself if it were let."""
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
