"""When garbage is collected: never while jobs run, unless one of them does not end, and never through all that they
brought while anybody works.

Python looks through everything that is new when so much of it is there, and through all there is now and then. A large
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
# New things until Python looks by itself, instead of 700. It may do so while Qt deletes an object, which up to 3.11
# ends in a lock that nobody opens if a connection is garbage as well; and so many are looked through within a frame.
SELDOM = 50_000
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
        gc.set_threshold(SELDOM, *gc.get_threshold()[1:])
        # New things that were not looked through: those that are not set aside, and those that are.
        self._made = self._aside = 0
        # Something is set aside; of what was looked through a part may be garbage by now.
        self._keeps = False
        self.touched = self._since = 0.0
        self._resting = QTimer(self)
        self._resting.setInterval(int(1000 * EVERY))
        self._resting.timeout.connect(self._look_whether_quiet)
        # Until work counts as such that never ends: a drive may not answer all day.
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(int(1000 * LONG))
        self._patience.timeout.connect(self._look_meanwhile)

    @property
    def due(self) -> bool:
        """Whether it is waited for a rest, to look through all that is set aside."""
        return self._resting.isActive()

    def pause(self) -> None:
        """Garbage that holds widgets must not be collected by a thread: Qt would crash."""
        gc.disable()
        if not self._patience.isActive():
            self._patience.start()

    def go_on(self) -> None:
        """No thread goes on."""
        self._made += gc.get_count()[0]
        if self._made + self._aside > MOST:
            self.sweep()
        else:
            if self._made > MUCH:
                self._set_aside()
                self.touched = time.monotonic()
            self.look_later()
        self._patience.stop()
        gc.enable()

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
        self._set_aside()
        self._aside = 0
        if not gc.isenabled():
            self._patience.start()
        _ask_allocator("malloc_trim", 0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _TOUCHES:
            self.touched = time.monotonic()
        return super().eventFilter(watched, event)

    def _set_aside(self) -> None:
        self._aside, self._made = self._aside + self._made, 0
        self._keeps = True
        gc.freeze()

    def _look_meanwhile(self) -> None:
        """Here, in the thread of the widgets, that does no harm whatever goes on in others."""
        self._keeps = True
        self.look_later()

    def _look_whether_quiet(self) -> None:
        for window in QGuiApplication.topLevelWindows():
            window.installEventFilter(self)  # of one that has it already there is no second one
        now = time.monotonic()
        quiet = QUIET if now - self._since < LONG else BREATH
        may = gc.isenabled() or not self._patience.isActive()
        if may and now - self.touched >= quiet:
            self.sweep()


def _ask_allocator(name: str, *numbers: int) -> None:
    with suppress(OSError, AttributeError, TypeError):  # other systems
        getattr(ctypes.CDLL(None), name)(*numbers)
