"""Work that gives what it knows so far."""

import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import Progress
from errorflow_viewer.kit.jobs import Give, Jobs


@pytest.fixture
def jobs(qapp: object) -> Iterator[Jobs]:
    jobs = Jobs()
    yield jobs
    assert jobs.stop()


def fail_test(error: ErrorflowError) -> None:
    pytest.fail(f"not expected: {error}")


class Taker:
    """Takes everything down, with the thread that it came in."""

    def __init__(self) -> None:
        self.parts: list[int] = []
        self.done: list[int] = []
        self.dropped = 0
        self.threads: set[str] = set()

    def take(self, part: int) -> None:
        self.parts.append(part)
        self.threads.add(threading.current_thread().name)

    def drop(self) -> None:
        self.dropped += 1


def test_parts_come_while_the_work_goes_on_and_the_end_comes_last(qtbot: QtBot, jobs: Jobs) -> None:
    taker, go_on = Taker(), threading.Event()

    def work(_: Progress, give: Give[int]) -> int:
        give(1)
        assert go_on.wait(20)
        return 9

    jobs.start_in_parts("a", "A", work, taker.take, taker.done.append, fail_test, taker.drop)
    qtbot.waitUntil(lambda: taker.parts == [1])
    assert taker.done == []
    go_on.set()
    qtbot.waitUntil(lambda: taker.done == [9])
    assert (taker.parts, taker.dropped) == ([1], 0)
    assert taker.threads == {threading.main_thread().name}


def test_of_many_parts_the_last_one_counts_and_few_are_delivered(qtbot: QtBot, jobs: Jobs) -> None:
    taker, go_on = Taker(), threading.Event()

    def work(_: Progress, give: Give[int]) -> int:
        for part in range(10_000):
            give(part)
        assert go_on.wait(20)
        return 9

    jobs.start_in_parts("a", "A", work, taker.take, taker.done.append, fail_test, taker.drop)
    qtbot.waitUntil(lambda: 9_999 in taker.parts)
    assert len(taker.parts) < 50
    assert taker.parts == sorted(taker.parts)
    go_on.set()
    qtbot.waitUntil(lambda: bool(taker.done))


def test_nothing_comes_after_a_cancel_but_that_it_was_one(qtbot: QtBot, jobs: Jobs) -> None:
    taker, given, go_on = Taker(), threading.Event(), threading.Event()

    def work(_: Progress, give: Give[int]) -> int:
        give(1)
        given.set()
        assert go_on.wait(20)
        return 9

    jobs.start_in_parts("a", "A", work, taker.take, taker.done.append, fail_test, taker.drop)
    assert given.wait(20)
    jobs.cancel("a")
    go_on.set()
    marks: list[int] = []
    jobs.start("b", "B", lambda _: 1, marks.append, fail_test)
    qtbot.waitUntil(lambda: bool(marks))
    assert (taker.parts, taker.done, taker.dropped) == ([], [], 1)


def test_a_part_of_the_old_work_does_not_reach_the_new_one(qtbot: QtBot, jobs: Jobs) -> None:
    old, new, given, go_on = Taker(), Taker(), threading.Event(), threading.Event()

    def first(_: Progress, give: Give[int]) -> int:
        give(1)
        given.set()
        assert go_on.wait(20)
        return 1

    jobs.start_in_parts("a", "A", first, old.take, old.done.append, fail_test, old.drop)
    assert given.wait(20)

    def second(_: Progress, give: Give[int]) -> int:
        give(2)
        return 2

    jobs.start_in_parts("a", "A", second, new.take, new.done.append, fail_test, new.drop)
    go_on.set()
    qtbot.waitUntil(lambda: new.done == [2])
    assert (old.parts, old.done, old.dropped) == ([], [], 1)
