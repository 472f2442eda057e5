"""Several works in one process, each in a thread: one at a time, but while ONNX Runtime runs for them.

What threads share needs no locks of its own then, and no two of them snatch the interpreter from each other between
two short steps, which takes longer than the steps. Runs a process of its own.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from types import TracebackType
from typing import Self

Work = Callable[[], None]


class SharedTurn:
    """Turn of a thread: the one that is in it may touch what is shared."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Lends the turn to another one meanwhile."""
        self._lock.release()
        try:
            yield
        finally:
            self._lock.acquire()


def abreast(works: Sequence[Work], threads: int, turn: SharedTurn) -> None:
    """Does all of it. After an error what has not begun is left, and what has is waited for."""

    def taken(work: Work) -> None:
        with turn:
            work()

    if min(len(works), threads) < 2:
        for work in works:
            taken(work)
        return
    with ThreadPoolExecutor(min(len(works), threads)) as pool:
        futures = [pool.submit(taken, work) for work in works]
        try:
            for future in futures:
                future.result()
        except BaseException:  # whatever it is, the others need not begin; it goes on
            pool.shutdown(cancel_futures=True)
            raise


class Beside:
    """Does one work after the other in a thread of its own, at most one behind the one that gives them."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1)
        self._before: Future[None] | None = None

    def __enter__(self) -> Self:
        return self

    def take(self, work: Work) -> None:
        self._wait()
        self._before = self._pool.submit(work)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._wait()
        finally:
            self._pool.shutdown()

    def _wait(self) -> None:
        if self._before is not None:
            self._before.result()


class Here:
    """The same at once."""

    def __enter__(self) -> Self:
        return self

    def take(self, work: Work) -> None:
        work()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass
