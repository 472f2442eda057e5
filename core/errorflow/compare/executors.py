"""Executors of measuring: this process, processes of ours, or an executor that is handed in."""

import multiprocessing
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from typing import Protocol

from errorflow.base.allowance import cores
from errorflow.base.errors import ErrorflowError
from errorflow.base.workers import end_with_parent
from errorflow.compare.match.model import Pair
from errorflow.compare.measure import Fault, measure_pairs
from errorflow.compare.model import Options, Row

TOGETHER = 32
# Windows waits for no more processes at a time.
MOST_ON_WINDOWS = 61


class NoProcessError(ErrorflowError):
    """No process could be started, whatever it was to measure."""


class PairExecutor(Protocol):
    """Takes pairs and gives rows later.

    `restart` says whether all that was under way is lost when a member dies, and others are there to begin it anew;
    else the other members go on.
    """

    @property
    def most(self) -> int:
        """Number of batches that are handed over at a time: enough that no worker waits for the next."""
        ...

    @property
    def lost(self) -> tuple[type[Exception], ...]:
        """Errors that a future raises whose worker died."""
        ...

    @property
    def together(self) -> int:
        """Number of pairs that travel together: sending each alone costs more than measuring a small one."""
        ...

    def submit(self, pairs: Sequence[Pair], options: Options) -> Future[list[Row | Fault]]: ...

    def restart(self) -> bool: ...

    def stop(self) -> None: ...


class Alone:
    """This process, at once: for little work, which starting processes would only delay."""

    most = 1
    together = 1
    lost: tuple[type[Exception], ...] = ()

    def submit(self, pairs: Sequence[Pair], options: Options) -> Future[list[Row | Fault]]:
        future: Future[list[Row | Fault]] = Future()
        future.set_result(measure_pairs(pairs, options))
        return future

    def restart(self) -> bool:
        return False

    def stop(self) -> None:
        pass


class Processes:
    """Processes of this machine. Who stops the work kills them: a large tensor takes longer than patience."""

    together = TOGETHER
    lost: tuple[type[Exception], ...] = (BrokenExecutor,)

    def __init__(self, size: int | None = None) -> None:
        wanted = cores() if size is None else size
        self._size = min(wanted, MOST_ON_WINDOWS) if sys.platform == "win32" else wanted
        self.most = 2 * self._size
        self._pool = self._start()
        # What the first process does: it tells one that died from one that never began.
        self._began: Future[None] | None = None

    def submit(self, pairs: Sequence[Pair], options: Options) -> Future[list[Row | Fault]]:
        if self._began is None:
            self._began = self._pool.submit(_begin)
        return self._pool.submit(measure_pairs, pairs, options)

    def restart(self) -> bool:
        self.stop()
        if self._began is not None and self._began.exception() is not None:
            raise NoProcessError(
                "The processes that measure do not start.",
                'A script must compare below `if __name__ == "__main__":`; or measure in this one, with 1 worker.',
            )
        self._pool, self._began = self._start(), None
        return True

    def stop(self) -> None:
        # Python 3.14 has kill_workers for this; before, the processes are known only by this name.
        for process in list((getattr(self._pool, "_processes", None) or {}).values()):
            process.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _start(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._size, multiprocessing.get_context("spawn"), initializer=_be_worker)


class Others:
    """An executor of `concurrent.futures` from outside, such as a cluster's."""

    together = TOGETHER

    def __init__(
        self,
        executor: Executor,
        size: int,
        on_stop: Callable[[], None] = lambda: None,
        lost: tuple[type[Exception], ...] = (BrokenExecutor,),
    ) -> None:
        self._executor = executor
        self.lost = lost
        self.most = 2 * size
        self._on_stop = on_stop

    def submit(self, pairs: Sequence[Pair], options: Options) -> Future[list[Row | Fault]]:
        return self._executor.submit(measure_pairs, pairs, options)

    def restart(self) -> bool:
        return False

    def stop(self) -> None:
        self._on_stop()


def _begin() -> None:
    """Done as soon as there is a process."""


def _be_worker() -> None:
    """Ctrl-C is for the one who waits."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
