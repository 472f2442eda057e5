"""Executors of measuring: this process, processes of ours, or an executor that is handed in."""

import multiprocessing
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self
from urllib.parse import urlsplit

from errorflow import __version__
from errorflow.base.allowance import cores
from errorflow.base.errors import ErrorflowError, UsageError
from errorflow.base.workers import end_with_parent
from errorflow.compare.match.model import Match, Pair
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


# Measuring on several machines, by a Dask scheduler that is running already: the extra `cluster` brings the library.
# The files of both runs must be reachable under the same paths from every worker. A worker that dies costs the work
# that
# it had in hand, which another one takes up.

# Seconds to find the scheduler in, and for each worker to answer.
PATIENCE = 10


class ClusterError(ErrorflowError):
    """The cluster cannot be reached, is not ready, or does not see the files."""


def _silent(address: str) -> ClusterError:
    return ClusterError(
        f"No Dask scheduler answers at {address}.",
        "Start one with `dask scheduler` and pass the address that it prints, such as tcp://host:8786.",
    )


def _check(address: str) -> None:
    """A client of Dask waits long for what is no address at all, and complains again when it is thrown away."""
    try:
        parts = urlsplit(address if "://" in address else f"tcp://{address}")
        if parts.scheme in ("tcp", "tls") and not (parts.hostname and parts.port):
            raise _silent(address)
    except ValueError as error:
        raise _silent(address) from error


class Cluster:
    """A connection to a scheduler, for a `with` statement; `crew` measures with all of its workers."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._client: Any = None

    def __enter__(self) -> Self:
        try:
            import distributed
        except ImportError as error:
            raise UsageError(
                "Comparing on several machines needs the library Dask, which is not installed.",
                "Install it with `pip install errorflow[cluster]`, or leave out --scheduler.",
            ) from error
        _check(self.address)
        try:
            client: Any = distributed.Client
            self._client = client(self.address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise _silent(self.address) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with closing(self._client):
            self._client = None
        if isinstance(error, CancelledError | OSError):
            raise ClusterError(
                f"The connection to the scheduler at {self.address} was lost.",
                "Start it again and go on with --resume: what was measured is kept.",
            ) from error

    def crew(self, match: Match) -> Others:
        """Takes all workers, after each said that it has this version and sees the files."""
        executor, count, lost = self.hired(_folders(match))
        return Others(executor, count, lambda: executor.shutdown(wait=False), lost=lost)

    def everywhere(self, function: Callable[..., object], *arguments: object) -> None:
        """Called once in each worker."""
        self._client.run(function, *arguments)

    def hired(
        self,
        folders: Sequence[str],
        hint: str = "Put both runs on a drive that all machines reach under the same path.",
    ) -> tuple[Any, int, tuple[type[Exception], ...]]:
        """An executor, how many workers it has, and what a future raises whose worker died; `hint`: to find files."""
        answers: dict[str, tuple[str, list[str]]] = self._client.run(_look, folders)
        if not answers:
            raise ClusterError(
                f"The scheduler at {self.address} has no workers.", f"Start some with `dask worker {self.address}`."
            )
        for worker, (version, missing) in answers.items():
            if version != __version__:
                raise ClusterError(
                    f"The worker {worker} has Errorflow {version}, and this is {__version__}.",
                    "Install the same version everywhere: results of different versions must not be mixed.",
                )
            if missing:
                raise ClusterError(f"The worker {worker} does not see {missing[0]}.", hint)
        from distributed.scheduler import KilledWorker

        return self._client.get_executor(pure=False), len(answers), (KilledWorker,)


def _folders(match: Match) -> list[str]:
    sides = [side for pair in match.pairs for side in (pair.candidate, pair.reference) if side is not None]
    return sorted({str(Path(side.path).parent) for side in sides})


def _look(folders: Sequence[str]) -> tuple[str, list[str]]:
    """Asked of every worker."""
    return __version__, [folder for folder in folders if not Path(folder).is_dir()]
