import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import apart
from errorflow.base.errors import ErrorflowError, FormatError, UsageError
from errorflow.base.progress import Cancelled
from errorflow.base.workers import MEMORY_BYTES, Standing, WorkerError, run_apart

MEGABYTE = 1024 * 1024


class CancelsAfter:
    """Cancels as soon as `path` is there and not empty."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def step(self, done: int, total: int, text: str) -> None:
        if self.path.exists() and self.path.read_text():
            raise Cancelled


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


class Counts:
    def __init__(self) -> None:
        self.texts: set[str] = set()

    def step(self, done: int, total: int, text: str) -> None:
        self.texts.add(text)


def test_gives_what_the_function_returns() -> None:
    assert run_apart(apart.echo, b"abc", 1, text="Echoing") == [b"cba", 2]


def test_what_runs_apart_may_run_something_apart() -> None:
    assert run_apart(apart.ask_another, b"abc", text="Asking") == [b"cba", 2]


def test_runs_in_another_process() -> None:
    assert run_apart(apart.process_id, text="Asking") != os.getpid()


def test_moves_large_values_both_ways() -> None:
    data = os.urandom(5 * MEGABYTE + 1)

    back, _ = run_apart(apart.echo, data, 1, text="Echoing")

    assert back == data[::-1]


def test_tells_what_it_is_doing() -> None:
    progress = Counts()

    run_apart(apart.echo, bytes(3 * MEGABYTE), 1, text="Echoing", progress=progress)

    assert progress.texts == {"Echoing"}


@pytest.mark.parametrize(("function", "kind"), [(apart.refuse, FormatError), (apart.refuse_usage, UsageError)])
def test_an_error_with_a_hint_is_raised_here_too(function: object, kind: type[ErrorflowError]) -> None:
    assert callable(function)
    with pytest.raises(kind) as caught:
        run_apart(function, text="Trying")
    assert caught.value.hint


def test_a_bug_stays_a_bug_and_says_where() -> None:
    with pytest.raises(RuntimeError, match=r"(?s)Trying failed.*in forget"):
        run_apart(apart.forget, text="Trying")


@pytest.mark.parametrize(
    ("function", "how"), [(apart.crash, "SIGSEGV"), (apart.be_killed, "SIGKILL"), (apart.leave, "code 3")]
)
def test_a_crash_is_a_sentence(function: object, how: str) -> None:
    assert callable(function)
    with pytest.raises(WorkerError, match=how) as caught:
        run_apart(function, text="Trying")
    assert caught.value.hint
    assert ("memory runs out" in caught.value.message) == (how == "SIGKILL")


def test_a_cancel_ends_the_process(tmp_path: Path) -> None:
    path = tmp_path / "pid"

    with pytest.raises(Cancelled):
        run_apart(apart.hang, str(path), text="Waiting", progress=CancelsAfter(path))

    assert not is_alive(int(path.read_text()))


def test_taking_too_long_ends_the_process(tmp_path: Path) -> None:
    path = tmp_path / "pid"

    with pytest.raises(WorkerError, match="too long"):
        run_apart(apart.hang, str(path), text="Waiting", timeout=2)

    assert not path.exists() or not is_alive(int(path.read_text()))


def test_too_much_memory_is_a_sentence() -> None:
    with pytest.raises(WorkerError, match="memory"):
        run_apart(apart.swallow, MEMORY_BYTES, text="Trying", memory=1024 * MEGABYTE)


def test_what_libraries_print_does_not_reach_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    run_apart(apart.shout, text="Shouting")

    assert capfd.readouterr() == ("", "")


@pytest.fixture
def standing() -> Iterator[Callable[[Callable[..., object]], Standing]]:
    """Makes processes that are ended after the test."""
    made: list[Standing] = []

    def make(function: Callable[..., object]) -> Standing:
        made.append(Standing(function, "Trying"))
        return made[-1]

    yield make
    for process in made:
        process.stop()


Make = Callable[[Callable[..., object]], Standing]


def test_a_standing_process_answers_every_call(standing: Make) -> None:
    process = standing(apart.process_id)

    assert len({process.call() for _ in range(3)}) == 1


def test_an_error_does_not_end_a_standing_process(standing: Make) -> None:
    process = standing(apart.refuse)

    for _ in range(2):
        with pytest.raises(FormatError, match="odd"):
            process.call()


@pytest.mark.parametrize("function", [apart.crash, apart.be_killed, apart.leave])
def test_after_a_crash_a_standing_process_is_replaced(standing: Make, function: Callable[..., object]) -> None:
    process = standing(function)

    for _ in range(2):
        with pytest.raises(WorkerError, match=r"crashed|ended from outside"):
            process.call()


def test_a_standing_process_that_was_ended_between_two_calls_is_replaced(standing: Make) -> None:
    process = standing(apart.process_id)
    first = process.call()
    assert isinstance(first, int)
    os.kill(first, signal.SIGKILL)
    assert apart.ends(first)

    assert process.call() not in (first, os.getpid())


def test_a_standing_process_that_keeps_too_much_is_replaced(standing: Make) -> None:
    process = standing(apart.count)

    assert [process.call() for _ in range(5)] == [1, 2, 3, 1, 2]


def test_a_process_that_runs_for_a_process_that_is_gone_ends(tmp_path: Path) -> None:
    """The one in the middle hangs in its child and is killed; the child then ends by itself."""
    path = tmp_path / "pid"
    with pytest.raises(WorkerError, match="SIGKILL"):
        run_apart(apart.be_killed_while_another_hangs, str(path), text="Trying")

    assert apart.ends(int(path.read_text()))


@pytest.mark.parametrize("function", [apart.hang_beside_another, apart.leave_another])
def test_what_a_process_started_ends_with_it(tmp_path: Path, function: Callable[..., object]) -> None:
    path = tmp_path / "pid"
    process = Standing(function, "Trying", family=True)
    with pytest.raises((Cancelled, WorkerError)):
        process.call(str(path), progress=CancelsAfter(path))

    assert apart.ends(int(path.read_text()))
