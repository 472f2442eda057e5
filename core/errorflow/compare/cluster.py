"""Measuring on several machines, by a Dask scheduler that is running already: the extra `cluster` brings the library.

The files of both runs must be reachable under the same paths from every worker. A worker that dies costs the work that
it had in hand, which another one takes up.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from errorflow import __version__
from errorflow.base.errors import ErrorflowError, UsageError
from errorflow.compare.executors import Others
from errorflow.compare.match.model import Match

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
