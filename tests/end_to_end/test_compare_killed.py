"""`errorflow compare` in a process of its own that is ended in the middle: nothing half-written, and it can go on."""

import os
import signal
import subprocess
import sys
import time
from fnmatch import fnmatch
from pathlib import Path

import pytest
from compare_data import Data, write_run

from errorflow.compare.journal import NAME

COMMAND = [sys.executable, "-m", "errorflow.cli.main", "compare"]
# Seconds; generous, because machines are busy.
PATIENCE = 60


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Data:
    return write_run(tmp_path_factory.mktemp("run"), 60, 60 << 20)


def compare(data: Data, out: Path, *more: str) -> subprocess.Popen[bytes]:
    out.mkdir(exist_ok=True)
    return subprocess.Popen(
        [*COMMAND, *data.arguments, "-out", str(out), "--workers", "2", *more],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def finish(process: subprocess.Popen[bytes]) -> str:
    _, told = process.communicate(timeout=PATIENCE)
    return told.decode()


def wait_for_rows(process: subprocess.Popen[bytes], out: Path, count: int) -> None:
    """Until so many rows are safe in the journal."""
    until = time.monotonic() + PATIENCE
    while sum(path.read_bytes().count(b"\n") for path in out.glob(NAME.format("*"))) <= count:
        assert process.poll() is None, "it was too fast"
        assert time.monotonic() < until
        os.sched_yield()


def results(out: Path) -> dict[str, str]:
    """Their texts by name, less the time in it."""
    return {path.name.split("_2")[0]: path.read_text() for path in out.iterdir()}


def test_a_run_that_is_killed_leaves_no_result_and_the_next_one_goes_on(data: Data, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    finish(compare(data, whole))
    killed = compare(data, broken)
    wait_for_rows(killed, broken, 10)
    killed.send_signal(signal.SIGKILL)
    finish(killed)

    (journal,) = broken.iterdir()
    assert fnmatch(journal.name, NAME.format("*"))
    done = journal.read_bytes().count(b"\n")
    resumed = compare(data, broken, "--resume")
    finish(resumed)

    assert resumed.returncode == 2  # the input `data` has no dump, which is what the vendor's tool ends with
    assert done > 10
    assert results(broken) == results(whole)


def test_ctrl_c_ends_it_at_once_with_its_workers_and_a_sentence(data: Data, tmp_path: Path) -> None:
    import psutil

    process = compare(data, tmp_path / "out")
    wait_for_rows(process, tmp_path / "out", 3)
    workers = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    told = finish(process)

    assert process.returncode == 130
    assert "interrupted" in told
    assert all(fnmatch(path.name, NAME.format("*")) for path in (tmp_path / "out").iterdir())
    _, alive = psutil.wait_procs(workers, timeout=PATIENCE)
    assert alive == []
