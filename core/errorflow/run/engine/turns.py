"""Turns of speaking to the engine's process: one at a time, in the order in which they came."""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Seconds between two looks at whether the wish still stands.
_LOOK = 0.02


class Turns:
    """A lock that is fair: one that asks again and again does not keep others from theirs."""

    def __init__(self) -> None:
        self._queue: deque[object] = deque()
        self._changed = threading.Condition()

    @contextmanager
    def turn(self, check: Callable[[], None]) -> Iterator[None]:
        """Waits for one's turn. `check` is called meanwhile, and may raise."""
        ticket = object()
        with self._changed:
            self._queue.append(ticket)
        try:
            self._wait(ticket, check)
            yield
        finally:
            with self._changed:
                self._queue.remove(ticket)
                self._changed.notify_all()

    def _wait(self, ticket: object, check: Callable[[], None]) -> None:
        while True:
            with self._changed:
                if self._queue[0] is ticket or self._changed.wait_for(lambda: self._queue[0] is ticket, _LOOK):
                    return
            check()
