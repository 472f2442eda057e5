"""What a side's part took is measured; one that fails is told and the others go on."""

import os
import subprocess
import sys

import numpy as np
import pytest
from rerun_peers.work import EQUAL, Meter, children, spread, sqnr


def test_memory_is_what_a_part_needs_at_most() -> None:
    meter = Meter()
    meter.take("large", lambda: np.ones(25_000_000).sum(), times=1)
    meter.take("small", lambda: 0, times=1)
    assert meter.rows["large"]["memory"] > 150_000_000
    assert meter.rows["small"]["memory"] < meter.rows["large"]["memory"] / 2


def test_seconds_are_those_of_one_of_what_was_found() -> None:
    meter = Meter()
    assert meter.take("ten", lambda: [0] * 10 if sum(range(3_000_000)) else []) == [0] * 10
    assert 0 < meter.rows["ten"]["cpu"] < meter.rows["ten"]["wall"] * 10


def test_a_part_that_fails_is_told_in_one_line() -> None:
    meter = Meter()

    def fails() -> None:
        raise ValueError("no such\n   operator")

    assert meter.take("part", fails, times=1) is None
    assert meter.rows["part"] == {"failed": "ValueError: no such operator"}


def test_processes_that_were_started_count() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert process.pid in children()
        assert os.getpid() not in children()
        process.communicate(b"\n")


@pytest.mark.parametrize(
    ("golden", "mine", "want"),
    [
        ([[3.0, 4.0]], [[3.0, 4.5]], 20.0),
        ([[3.0, 4.0], [1.0]], [[3.0, 4.0], [1.1]], 20.0),
        ([[3.0, 4.0]], [[3.0, 4.0]], EQUAL),
        ([[0.0]], [[1.0]], -EQUAL),
    ],
)
def test_the_worst_output_gives_the_decibels(golden: list[list[float]], mine: list[list[float]], want: float) -> None:
    assert sqnr(map(np.array, golden), map(np.array, mine)) == pytest.approx(want)


@pytest.mark.parametrize(("count", "want"), [(2, ["a", "c"]), (9, ["a", "b", "c", "d", "e"]), (0, [])])
def test_names_are_taken_evenly(count: int, want: list[str]) -> None:
    assert spread(list("abcde"), count) == want if count else not spread([], 3)
