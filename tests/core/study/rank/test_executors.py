"""Plans run by workers with an engine each: processes of this machine, and a real Dask scheduler with two of them."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errorflow.base.progress import Cancelled
from errorflow.base.sample import SAMPLES
from errorflow.compare.executors import Cluster, ClusterError
from errorflow.quant.steps import Smooth
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.rank.executors import CrewError, LocalCrew, PlanExecutor, end_engine
from errorflow.study.rank.model import Question, Ranking
from errorflow.study.rank.ranking import rank
from errorflow.study.rank.worker_folder import Shared
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.floated import floated
from rankings_made import Seen, same

TESTS = Path(__file__).parents[3]
SAMPLE = next(sample for sample in SAMPLES if sample.key == "node_fault")
QUESTION = Question(measures=("impact", "recovery"))


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with (
        floated(SAMPLE.model) as model,
        Bench.open(model, Basis(SampleSpec((str(SAMPLE.calibration),)), samples=12)) as opened,
    ):
        yield opened


@pytest.fixture(scope="module")
def local(bench: Bench) -> Ranking:
    return rank(bench.engine, bench.plan, QUESTION)


def test_processes_find_what_one_process_finds(bench: Bench, local: Ranking, tmp_path: Path) -> None:
    with Shared(bench, tmp_path, 2) as shared, LocalCrew(shared.site, 2) as crew:
        assert same(rank(bench.engine, bench.plan, QUESTION, crew=crew), local)
    assert not list(tmp_path.iterdir()), "what workers needed is gone"


def test_a_model_that_steps_made_ranks_the_same_over_processes(tmp_path: Path) -> None:
    loud = next(sample for sample in SAMPLES if sample.key == "loud_channel")
    basis, question = Basis(SampleSpec((str(loud.calibration),)), samples=12), replace(QUESTION, samples=(0, 1))
    with floated(loud.model) as model, Bench.open(model, basis) as plain:
        before = rank(plain.engine, plain.plan, question)
        with Bench.open(model, basis, replace(plain.plan, steps=(Smooth(),))) as smooth:
            here = rank(smooth.engine, smooth.plan, question)
            with Shared(smooth, tmp_path, 2) as shared, LocalCrew(shared.site, 2) as crew:
                assert same(rank(smooth.engine, smooth.plan, question, crew=crew), here)
    assert not np.array_equal(here.whole, before.whole), "the step does something to this model"


@dataclass
class KillOne:
    """Ends one worker of a pool while it works."""

    crew: LocalCrew
    killed: int = 0

    def step(self, done: int, total: int, text: str) -> None:
        workers = list(getattr(self.crew._pool, "_processes", None) or {})
        if not self.killed and workers and "part" in text:
            self.killed = workers[0]
            os.kill(self.killed, signal.SIGKILL)


@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by a signal")
def test_the_work_of_a_killed_worker_is_taken_up(bench: Bench, local: Ranking, tmp_path: Path) -> None:
    with Shared(bench, tmp_path, 2) as shared:
        pool = LocalCrew(shared.site, 2)
        with pool as crew:
            killer = KillOne(pool)
            found = rank(bench.engine, bench.plan, QUESTION, crew=crew, progress=killer)
    assert killer.killed
    assert same(found, local)


def test_a_cancel_keeps_what_workers_found(bench: Bench, local: Ranking, tmp_path: Path) -> None:
    seen = Seen(0.4)
    with Shared(bench, tmp_path, 2) as shared, LocalCrew(shared.site, 2) as crew:
        with pytest.raises(Cancelled):
            rank(bench.engine, bench.plan, QUESTION, give=seen.give, progress=seen, crew=crew)
        kept = seen.pictures[-1]
        assert not kept.complete
        assert same(rank(bench.engine, bench.plan, QUESTION, known=kept, crew=crew), local)


def test_any_executor_will_do(bench: Bench, local: Ranking, tmp_path: Path) -> None:
    with Shared(bench, tmp_path) as shared, ThreadPoolExecutor(2) as executor:
        try:
            assert same(rank(bench.engine, bench.plan, QUESTION, crew=PlanExecutor(executor, shared.site, 2)), local)
        finally:
            end_engine(shared.site.key)


def test_what_a_worker_cannot_do_is_a_sentence(bench: Bench, tmp_path: Path) -> None:
    with Shared(bench, tmp_path) as shared, ThreadPoolExecutor(1) as executor:
        crew = PlanExecutor(executor, shared.site, 1)
        try:
            with pytest.raises(CrewError, match="no sample 100"):
                list(crew.run_many([bench.plan], bench.engine.outputs, [99]))
        finally:
            end_engine(shared.site.key)


@dataclass
class Running:
    address: str
    scheduler: subprocess.Popen[str]
    workers: list[subprocess.Popen[str]]


def _start(*arguments: str) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": str(TESTS), "PYTHONWARNINGS": "ignore"}
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]],
        env=environment,
        text=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def _address(scheduler: subprocess.Popen[str]) -> str:
    assert scheduler.stderr is not None
    for line in scheduler.stderr:
        if found := re.search(r"Scheduler at:\s*(tcp://\S+)", line):
            return found.group(1)
    raise AssertionError("the scheduler did not start")


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    assert process.stderr is not None
    process.stderr.close()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Running]:
    scheduler = _start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    workers: list[subprocess.Popen[str]] = []
    try:
        address = _address(scheduler)
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(tmp_path / "dask"))
        workers += [_start("dask_worker", address, "--host", "127.0.0.1", *options) for _ in range(2)]
        import distributed

        connect: Any = distributed.Client
        with connect(address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        yield Running(address, scheduler, workers)
    finally:
        for process in (*workers, scheduler):
            _end(process)


@pytest.mark.parametrize("kills", [False, True])
def test_a_cluster_gives_the_identical_table(
    bench: Bench, local: Ranking, cluster: Running, tmp_path: Path, kills: bool
) -> None:
    killed: list[int] = []

    class KillOne:
        def step(self, done: int, total: int, text: str) -> None:
            if kills and not killed and done > 0 and "part" in text:
                killed.append(done)
                cluster.workers[0].send_signal(signal.SIGKILL)

    (tmp_path / "out").mkdir()
    with Cluster(cluster.address) as connection, Shared(bench, tmp_path / "out") as shared:
        executor, size, lost = connection.hired([shared.site.folder])
        assert size == 2
        crew = PlanExecutor(executor, shared.site, size, lost=lost)
        found = rank(bench.engine, bench.plan, QUESTION, crew=crew, progress=KillOne())
        connection.everywhere(end_engine, shared.site.key)
        executor.shutdown(wait=False)
    assert bool(killed) == kills
    assert same(found, local)


def test_what_a_worker_does_not_see_is_a_sentence(cluster: Running) -> None:
    with Cluster(cluster.address) as connection, pytest.raises(ClusterError, match="does not see /nowhere"):
        connection.hired(["/nowhere"], "Elsewhere.")
