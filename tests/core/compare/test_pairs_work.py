"""Pairs measured by several processes: the same rows in the same order, whatever happens to the processes."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

import apart
from errorflow.base.allowance import USUAL_MEMORY
from errorflow.base.progress import Cancelled
from errorflow.compare import Comparison, compare_match
from errorflow.compare.executors import MOST_ON_WINDOWS, Alone, NoProcessError, Others, PairExecutor, Processes
from errorflow.compare.match.model import Listed, Match, Pair
from errorflow.compare.measure import Fault, unmeasured
from errorflow.compare.model import Options, Row
from errorflow.compare.pairs import BATCH_BYTES, DIED, batches, rows_of, size_of
from errorflow.vendors.ascend.comparers.printing import MsaccucmpPrinter, custom_columns
from stored_tensors import Made, deadly_pair, faulty_pair, made_match, made_pair


@pytest.fixture(scope="module")
def match() -> Match:
    return made_match(70)


@pytest.fixture(scope="module")
def expected(match: Match) -> Comparison:
    return compare_match(match, crew=Alone())


def test_processes_find_what_one_alone_finds(match: Match, expected: Comparison) -> None:
    assert compare_match(match, crew=Processes(2)) == expected


def test_a_pair_that_ends_its_process_gets_a_note_and_no_other_is_lost(match: Match, expected: Comparison) -> None:
    pairs = (*match.pairs[:5], deadly_pair(), *match.pairs[5:])

    rows = compare_match(Match(pairs), crew=Processes(2)).rows

    assert rows[5].note == DIED
    assert (*rows[:5], *rows[6:]) == expected.rows


def test_a_process_that_was_ended_once_costs_nothing(tmp_path: Path) -> None:
    rows = compare_match(Match((made_pair(1), deadly_pair(str(tmp_path / "once")))), crew=Processes(1)).rows

    assert [row.note for row in rows] == ["", ""]


@pytest.mark.parametrize("crew", [Alone, lambda: Processes(2)], ids=["alone", "processes"])
def test_a_mistake_of_ours_costs_one_row_and_is_told_to_the_log(
    match: Match, expected: Comparison, crew: Callable[[], PairExecutor], caplog: pytest.LogCaptureFixture
) -> None:
    rows = compare_match(Match((*match.pairs[:5], faulty_pair(), *match.pairs[5:])), crew=crew()).rows

    assert rows[5].note.startswith("measuring it failed inside Errorflow (ZeroDivisionError: ")
    assert (*rows[:5], *rows[6:]) == expected.rows
    assert "stored_tensors.py" in caplog.text


def test_a_pair_that_cannot_be_sent_costs_one_row(match: Match, expected: Comparison) -> None:
    class Local(Made):
        """Of a class that other processes do not find."""

    unsendable = Pair("local", Local(1), Local(2), rule="tensor-name")

    rows = compare_match(Match((*match.pairs[:5], unsendable, *match.pairs[5:])), crew=Processes(2)).rows

    assert "failed inside Errorflow" in rows[5].note
    assert (*rows[:5], *rows[6:]) == expected.rows


class BrittleError(RuntimeError):
    """What an executor raises for a worker that died, as a cluster's does."""


class Cluster(ThreadPoolExecutor):
    """Loses whoever works on a deadly pair, and goes on with the others."""

    def submit(self, fn: Any, /, pairs: Sequence[Pair], options: Options) -> Future[Any]:  # type: ignore[override] # the one call that is made
        def work() -> Any:
            if any(pair.tensor == "deadly" for pair in pairs):
                raise BrittleError
            return fn(pairs, options)

        return super().submit(work)


def test_a_lost_worker_of_a_cluster_costs_the_pair_that_it_was_lost_with(match: Match, expected: Comparison) -> None:
    pairs = (*match.pairs[:5], deadly_pair(), *match.pairs[5:])

    with Cluster(2) as executor:
        rows = compare_match(Match(pairs), crew=Others(executor, 2, lost=(BrittleError,))).rows

    assert rows[5].note == DIED
    assert (*rows[:5], *rows[6:]) == expected.rows


UNGUARDED = """
from errorflow.compare import compare_match
from errorflow.compare.executors import Processes
from stored_tensors import made_match
compare_match(made_match(2), crew=Processes(1))
"""


def test_a_script_that_its_processes_cannot_import_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "unguarded.py"
    script.write_text(UNGUARDED)
    where = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    ended = subprocess.run([sys.executable, script], env=where, capture_output=True, text=True, check=False)

    assert ended.returncode == 1
    assert NoProcessError.__name__ in ended.stderr.splitlines()[-1]
    assert '`if __name__ == "__main__":`' in ended.stderr


def test_windows_waits_for_no_more_than_61_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")

    assert Processes(100).most == 2 * MOST_ON_WINDOWS


def test_rows_that_are_known_are_not_measured_again(match: Match, expected: Comparison) -> None:
    new: list[int] = []

    rows = rows_of(
        match.pairs,
        Options(),
        Alone(),
        known=dict(enumerate(expected.rows[:60])),
        on_row=lambda number, _: new.append(number),
    )

    assert tuple(rows) == expected.rows
    assert new == list(range(60, 70))


def test_a_cancel_strikes_while_processes_are_at_work_and_leaves_none_behind() -> None:
    class Impatient:
        def step(self, done: int, total: int, text: str) -> None:
            if active_children():
                raise Cancelled

    with pytest.raises(Cancelled):
        compare_match(Match((made_pair(1, 30_000_000),)), crew=Processes(1), progress=Impatient())

    assert active_children() == []


def test_a_cancel_strikes_while_code_of_the_user_hangs_and_ends_it(tmp_path: Path) -> None:
    (tmp_path / "algorithm").mkdir()
    (tmp_path / "algorithm" / "alg_Hang.py").write_text(
        """
import os, pathlib
def compare(mine, golden, args):
    pathlib.Path(__file__).with_name("pid").write_text(str(os.getpid()))
    while True:
        pass
"""
    )
    path = tmp_path / "algorithm" / "pid"

    class Impatient:
        def step(self, done: int, total: int, text: str) -> None:
            if path.exists() and path.read_text():
                raise Cancelled

    pair = replace(made_pair(1), listed=Listed(0, "Relu", "a", "a", "a:output:0"))
    with pytest.raises(Cancelled):
        compare_match(
            Match((pair,)), Options(MsaccucmpPrinter(custom_columns(tmp_path)), str(tmp_path)), progress=Impatient()
        )

    assert active_children() == []
    assert apart.ends(int(path.read_text()))


def test_small_pairs_travel_together_up_to_a_number() -> None:
    pairs = [made_pair(seed, 10) for seed in range(10)]

    assert [batch.numbers for batch in batches(pairs, range(1, 10), most=4)] == [(1, 2, 3, 4), (5, 6, 7, 8), (9,)]


def test_large_pairs_travel_alone() -> None:
    pairs = [made_pair(seed, BATCH_BYTES // 8) for seed in range(3)]

    assert [batch.numbers for batch in batches(pairs, range(3), most=32)] == [(0,), (1,), (2,)]


def test_the_need_of_a_batch_is_that_of_its_largest_pair() -> None:
    pairs = [made_pair(1, 10), made_pair(2, 30), made_pair(3, 20)]

    assert [batch.need for batch in batches(pairs, range(3), most=32)] == [240]


class Slow:
    """Finishes what it was given only when it is asked how far it is; knows how much it had in hand at most."""

    most = 4
    together = 1
    lost: tuple[type[Exception], ...] = ()

    def __init__(self) -> None:
        self.in_hand: dict[Future[list[Row | Fault]], Sequence[Pair]] = {}
        self.peak = 0

    def submit(self, pairs: Sequence[Pair], options: Options) -> Future[list[Row | Fault]]:
        future: Future[list[Row | Fault]] = Future()
        self.in_hand[future] = pairs
        self.peak = max(self.peak, sum(size_of(pair) for given in self.in_hand.values() for pair in given))
        return future

    def step(self, done: int, total: int, text: str) -> None:
        for future, pairs in list(self.in_hand.items())[:1]:
            del self.in_hand[future]
            future.set_result([unmeasured(pair, "slow") for pair in pairs])

    def restart(self) -> bool:
        return False

    def stop(self) -> None:
        pass


@pytest.mark.parametrize(
    ("share", "peak"),
    [(0.1, 0.4), (0.4, 0.8), (0.6, 0.6), (3, 3)],
    ids=["small", "half", "more than half", "too large"],
)
def test_pairs_are_measured_side_by_side_only_as_far_as_memory_goes(share: float, peak: float) -> None:
    size = int(share * USUAL_MEMORY / 8)
    crew = Slow()

    rows = rows_of([made_pair(seed, size) for seed in range(6)], Options(), crew, progress=crew)

    assert len(rows) == 6
    assert crew.peak == pytest.approx(peak * USUAL_MEMORY, rel=1e-6)
