"""A real Dask scheduler with two worker processes on this machine."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from errorflow.compare import compare_match
from errorflow.compare.executors import Alone, Cluster, ClusterError
from errorflow.compare.match.model import Match, Pair
from stored_tensors import Made, made_match, made_pair

TESTS = Path(__file__).parents[2]


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
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(tmp_path))
        workers += [_start("dask_worker", address, "--host", "127.0.0.1", *options) for _ in range(2)]
        _wait_for_workers(address, len(workers))
        yield Running(address, scheduler, workers)
    finally:
        for process in (*workers, scheduler):
            _end(process)


def _wait_for_workers(address: str, count: int) -> None:
    import distributed

    connect: Any = distributed.Client
    with connect(address, set_as_default=False) as client:
        client.wait_for_workers(count, timeout=60)


def test_a_cluster_finds_what_one_process_finds_although_a_worker_is_killed(cluster: Running) -> None:
    match = made_match(400)
    killed: list[int] = []

    class KillOne:
        def step(self, done: int, total: int, text: str) -> None:
            if 0 < done < total and not killed:
                killed.append(done)
                cluster.workers[0].send_signal(signal.SIGKILL)

    with Cluster(cluster.address) as connection:
        found = compare_match(match, crew=connection.crew(match), progress=KillOne())

    assert killed
    assert found == compare_match(match, crew=Alone())


def test_files_that_a_worker_does_not_see_are_a_sentence(cluster: Running) -> None:
    match = Match((Pair("t", Made(1, path="/nowhere/a.npy"), Made(1, path="/nowhere/b.npy")),))
    with Cluster(cluster.address) as connection, pytest.raises(ClusterError, match="does not see /nowhere"):
        connection.crew(match)


def test_no_scheduler_is_a_sentence() -> None:
    with pytest.raises(ClusterError, match="No Dask scheduler answers"), Cluster("tcp://127.0.0.1:1"):
        pass


def test_no_address_is_a_sentence() -> None:
    with pytest.raises(ClusterError, match="dask scheduler"), Cluster("not an address"):
        pass


@pytest.mark.parametrize(
    "address", ["nowhere", "tcp://", "tcp://:8786", "tcp://127.0.0.1:none", "tls://127.0.0.1:99999"]
)
def test_what_is_no_address_is_said_before_anybody_waits(address: str) -> None:
    with pytest.raises(ClusterError, match="No Dask scheduler answers"), Cluster(address):
        pass


def test_no_worker_is_a_sentence(cluster: Running) -> None:
    for worker in cluster.workers:
        _end(worker)
    match = Match((made_pair(1),))
    with Cluster(cluster.address) as connection, pytest.raises(ClusterError, match="no workers"):
        connection.crew(match)
