"""Tables of plans over several executors: any of `concurrent.futures`, whose workers have an engine each.

The numbers are those of the engine of this process, bit for bit. What a worker had in hand when it died is done again
by another one. It serves all that has many plans: rankings, curves, searches.
"""

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import suppress
from itertools import count
from multiprocessing.util import Finalize
from pathlib import Path
from types import TracebackType

from errorflow import __version__
from errorflow.base.errors import ErrorflowError, UsageError
from errorflow.base.progress import SILENT, Cancelled, Progress
from errorflow.base.values import dataclass, replace
from errorflow.base.workers import end_with_parent
from errorflow.quant.plan import Plan
from errorflow.run.engine.engine import Engine
from errorflow.run.engine.table import Table
from errorflow.run.engine.turns import Turns
from errorflow.study.rank.worker_folder import Site, engine_at

# Plans that travel together, at most: a cancel is heard between two of an engine's steps anyway.
_TOGETHER = 8
# How often the same plans may lose their worker.
_MOST_LOST = 3
# Seconds between two looks at how far it is.
_LOOK = 0.05


class CrewError(ErrorflowError):
    """Workers died, or cannot do their work."""


@dataclass(frozen=True, slots=True)
class Task:
    """Some plans for one worker."""

    site: Site
    plans: tuple[Plan, ...]
    tensors: tuple[str, ...]
    samples: tuple[int, ...]
    exactly: bool
    # Its file in the folder of the site says that nobody wants it any more.
    stop: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A sentence instead of tables."""

    message: str
    hint: str


Answer = list[Table] | Failed | None


class PlanExecutor:
    """Workers of an executor from outside; `size`: how many plans it runs at a time."""

    def __init__(
        self,
        executor: Executor,
        site: Site,
        size: int,
        lost: tuple[type[Exception], ...] = (BrokenExecutor,),
        renew: Callable[[], Executor] | None = None,
    ) -> None:
        """`lost`: what a future raises whose worker died. `renew` gives an executor in place of a broken one."""
        self._executor, self._site, self._size, self._lost, self._renew = executor, site, size, lost, renew
        self._runs = count()

    def run_many(
        self,
        plans: Sequence[Plan],
        tensors: Sequence[str],
        samples: Sequence[int],
        *,
        exactly: bool = True,
        text: str = "",
        progress: Progress = SILENT,
    ) -> Iterator[Table]:
        """Runs as `Engine.run_many` does, but tables have no other tensors."""
        most = max(1, min(_TOGETHER, -(-len(plans) // (2 * self._size))))
        stop = f"stop-{next(self._runs)}"
        tasks = [
            Task(self._site, tuple(plans[at : at + most]), tuple(tensors), tuple(samples), exactly, stop)
            for at in range(0, len(plans), most)
        ]
        run = _Run(self, deque(tasks), len(plans), text, progress)
        try:
            yield from run.tables()
        finally:
            run.end()
            if not run.is_done:
                with suppress(OSError):  # the folder is gone, and with it whoever reads there
                    (Path(self._site.folder) / stop).touch()

    def submit(self, task: Task) -> "Future[Answer]":
        try:
            return self._executor.submit(work, task)
        except self._lost:
            self.begin_anew()
            return self._executor.submit(work, task)

    def begin_anew(self) -> bool:
        """Whether all that was under way is lost, since the executor is another one."""
        if self._renew is None:
            return False
        self._executor = self._renew()
        return True

    @property
    def most(self) -> int:
        """Number of tasks under way at a time: enough that no worker waits for the next."""
        return 2 * self._size

    def is_lost(self, error: BaseException) -> bool:
        return isinstance(error, self._lost)


class _Run:
    """The tasks of one call, whose tables come in their order."""

    def __init__(self, crew: PlanExecutor, tasks: deque[Task], total: int, text: str, progress: Progress) -> None:
        self._crew, self._waiting, self._total, self._text, self._progress = crew, tasks, total, text, progress
        self._under_way: deque[tuple[Task, Future[Answer], int]] = deque()
        self._done = 0

    @property
    def is_done(self) -> bool:
        return self._done == self._total

    def tables(self) -> Iterator[Table]:
        while self._waiting or self._under_way:
            while self._waiting and len(self._under_way) < self._crew.most:
                task = self._waiting.popleft()
                self._under_way.append((task, self._crew.submit(task), 0))
            tables = self._first()
            if tables is not None:
                self._under_way.popleft()
                self._done += len(tables)
                yield from tables

    def _first(self) -> list[Table] | None:
        """Finds what the first task gives; None: it is done again."""
        _, future, lost = self._under_way[0]
        while not wait([future], _LOOK).done:
            ready = sum(len(each.plans) for each, other, _ in self._under_way if other.done())
            self._progress.step(self._done + ready, self._total, self._text)
        self._progress.step(self._done, self._total, self._text)
        error = future.exception()
        if error is None:
            return _tables_of(future.result())
        if not self._crew.is_lost(error):
            raise error
        if lost + 1 >= _MOST_LOST:
            raise CrewError(
                f"A worker died {_MOST_LOST} times over the same plans.",
                "There may be too little memory: take fewer workers, or leave out --workers and --scheduler.",
            ) from error
        self._again(lost + 1)
        return None

    def _again(self, lost: int) -> None:
        """The first task, and all others that were lost with it."""
        everyone = self._crew.begin_anew()
        for place, (task, future, before) in enumerate(self._under_way):
            failed = future.done() and not future.cancelled() and future.exception() is not None
            kept = future.done() and not future.cancelled() and future.exception() is None
            if place == 0 or failed or (everyone and not kept):
                self._under_way[place] = (task, self._crew.submit(task), lost if place == 0 else before)

    def end(self) -> None:
        for _, future, _ in self._under_way:
            future.cancel()


def _tables_of(answer: Answer) -> list[Table]:
    if answer is None:
        raise Cancelled
    if isinstance(answer, Failed):
        raise CrewError(answer.message, answer.hint)
    return answer


# From here on it is the workers' side.
@dataclass(frozen=True, slots=True)
class _Wanted:
    """A progress for as long as the result is wanted."""

    file: Path

    def step(self, done: int, total: int, text: str) -> None:  # noqa: ARG002 - as every progress is called
        if self.file.exists() or not self.file.parent.exists():
            raise Cancelled


_engines: dict[str, Engine] = {}
_turns = Turns()


def work(task: Task) -> Answer:
    """Works on a task; None: it is wanted no more."""
    wanted = _Wanted(Path(task.site.folder) / task.stop)
    try:
        wanted.step(0, 0, "")
        engine = _engine(task.site, wanted)
        names = list(task.tensors)
        tables = engine.run_many(task.plans, names, task.samples, exactly=task.exactly, progress=wanted)
        return [_only(table, task.tensors) for table in tables]
    except Cancelled:
        return None
    except ErrorflowError as error:
        return Failed(error.message, error.hint)


def _engine(site: Site, progress: Progress) -> Engine:
    """Built once in each process."""
    with _turns.turn(_patiently):
        if site.key not in _engines:
            _engines[site.key] = engine_at(site, progress)
            # Processes of a pool end without atexit.
            Finalize(None, end_engine, (site.key,), exitpriority=10)
        return _engines[site.key]


def _patiently() -> None:
    """Waits patiently for an engine."""


def end_engine(key: str) -> str:
    """Gives the version of this worker, which must be that of all."""
    with _turns.turn(_patiently):
        engine = _engines.pop(key, None)
    if engine is not None:
        engine.close()
    return __version__


def _only(table: Table, tensors: Sequence[str]) -> Table:
    """Keeps only the tensors that are wanted: tables travel."""
    places = [table.places[name] for name in tensors]
    return replace(table, tensors=tuple(tensors), rows=table.rows[:, places].copy())


def be_worker() -> None:
    """Ctrl-C is for the one who waits."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    os.environ["OMP_NUM_THREADS"] = "1"


class LocalCrew:
    """Processes of this machine, as a context manager that gives a `PlanExecutor`."""

    def __init__(self, site: Site, size: int) -> None:
        if size < 1:
            raise UsageError("A crew has at least one worker.", "Leave it out to use this process.")
        self._site, self._size = site, size
        self._pool = self._start()

    def __enter__(self) -> PlanExecutor:
        return PlanExecutor(self._pool, self._site, self._size, renew=self._renew)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _renew(self) -> Executor:
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._start()
        return self._pool

    def _start(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._size, multiprocessing.get_context("spawn"), initializer=be_worker)
