"""Work in the background, and what reaches the window of it."""

import gc
import sys
import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import Cancelled, Progress
from errorflow_viewer.kit.jobs import Give, Jobs, Step


@pytest.fixture
def jobs(qapp: object) -> Iterator[Jobs]:
    jobs = Jobs()
    yield jobs
    assert jobs.stop()


def fail_test(error: ErrorflowError) -> None:
    pytest.fail(f"not expected: {error}")


def test_a_result_is_delivered_on_the_gui_thread(qtbot: QtBot, jobs: Jobs) -> None:
    seen: list[tuple[int, str]] = []
    jobs.start("a", "A", lambda _: 42, lambda value: seen.append((value, threading.current_thread().name)), fail_test)
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == [(42, threading.main_thread().name)]
    assert not jobs.running("a")


def test_an_error_of_the_user_is_handed_to_failed(qtbot: QtBot, jobs: Jobs) -> None:
    def work(_: Progress) -> None:
        raise ErrorflowError("The file is broken.", "Get another.")

    errors: list[ErrorflowError] = []
    jobs.start("a", "A", work, lambda _: None, errors.append)
    qtbot.waitUntil(lambda: bool(errors))
    assert errors[0].message == "The file is broken."


def test_running_out_of_memory_is_an_error_with_a_hint(qtbot: QtBot, jobs: Jobs) -> None:
    def work(_: Progress) -> None:
        raise MemoryError

    errors: list[ErrorflowError] = []
    jobs.start("a", "A", work, lambda _: None, errors.append)
    qtbot.waitUntil(lambda: bool(errors))
    assert errors[0].hint


def test_a_bug_goes_to_the_hook_of_the_crash_window(qtbot: QtBot, jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    caught: list[BaseException] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: caught.append(error))
    jobs.start("a", "A", lambda _: 1 // 0, lambda _: None, fail_test)
    qtbot.waitUntil(lambda: bool(caught))
    assert isinstance(caught[0], ZeroDivisionError)


def test_nothing_comes_from_a_cancelled_job(qtbot: QtBot, jobs: Jobs) -> None:
    begun, may_go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def work(progress: Progress) -> str:
        begun.set()
        may_go_on.wait()
        try:
            progress.step(1, 2, "on")
        finally:
            ended.set()
        return "late"

    seen: list[str] = []
    jobs.start("a", "A", work, seen.append, fail_test)
    begun.wait()
    jobs.cancel("a")
    may_go_on.set()
    qtbot.waitUntil(ended.is_set)
    jobs.start("b", "B", lambda _: "b", seen.append, fail_test)
    qtbot.waitUntil(lambda: "b" in seen)
    assert seen == ["b"]


def test_a_result_that_is_queued_when_the_cancel_comes_is_not_delivered(qtbot: QtBot, jobs: Jobs) -> None:
    seen: list[str] = []
    jobs.start("a", "A", lambda _: "a", seen.append, fail_test)
    for thread in threading.enumerate():
        if thread.name == "job a":
            thread.join()
    jobs.cancel("a")
    jobs.start("b", "B", lambda _: "b", seen.append, fail_test)
    qtbot.waitUntil(lambda: "b" in seen)
    assert seen == ["b"]


@pytest.mark.parametrize("end", ["cancel", "stop"])
def test_what_has_to_be_closed_is_handed_over_when_it_comes_too_late(qtbot: QtBot, jobs: Jobs, end: str) -> None:
    lost: list[str] = []
    seen: list[str] = []

    def work(_: Progress, __: Give[str]) -> str:
        return "a"

    jobs.start_in_parts("a", "A", work, seen.append, seen.append, fail_test, lambda: None, lost.append)
    for thread in threading.enumerate():
        if thread.name == "job a":
            thread.join()
    if end == "cancel":
        jobs.cancel("a")
    else:
        jobs.stop()
    qtbot.waitUntil(lambda: lost == ["a"])
    assert not seen


def test_the_latest_job_of_a_key_wins(qtbot: QtBot, jobs: Jobs) -> None:
    gate = threading.Event()
    seen: list[int] = []

    def slow(progress: Progress) -> int:
        gate.wait()
        progress.step(0, 1, "")
        return 1

    jobs.start("a", "A", slow, seen.append, fail_test)
    jobs.start("a", "A", lambda _: 2, seen.append, fail_test)
    gate.set()
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == [2]


def test_progress_reaches_the_window(qtbot: QtBot, jobs: Jobs) -> None:
    gate = threading.Event()

    def work(progress: Progress) -> None:
        progress.step(3, 4, "Reading")
        gate.wait()

    steps: list[tuple[Step, ...]] = []
    jobs.changed.connect(steps.append)
    jobs.start("a", "A", work, lambda _: None, fail_test)
    qtbot.waitUntil(lambda: (Step("a", "Reading", 3, 4),) in steps)
    gate.set()
    qtbot.waitUntil(lambda: steps[-1] == ())


def test_progress_is_thinned_out(qtbot: QtBot, jobs: Jobs) -> None:
    def work(progress: Progress) -> str:
        for i in range(100_000):
            progress.step(i, 100_000, "Counting")
        return "done"

    steps: list[object] = []
    seen: list[str] = []
    jobs.changed.connect(steps.append)
    jobs.start("a", "A", work, seen.append, fail_test)
    qtbot.waitUntil(lambda: bool(seen))
    assert len(steps) < 1000


def test_a_quiet_job_shows_no_progress(qtbot: QtBot, jobs: Jobs) -> None:
    seen: list[int] = []
    jobs.start("a", "A", lambda _: 1, seen.append, fail_test, shown=False)
    assert jobs.steps == ()
    qtbot.waitUntil(lambda: bool(seen))


def test_stop_ends_all_threads(qapp: object) -> None:
    jobs = Jobs()

    def work(progress: Progress) -> None:
        while True:
            progress.step(0, 0, "for ever")

    for key in "abc":
        jobs.start(key, key, work, lambda _: None, fail_test)
    assert jobs.stop()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("job ")]


def test_stop_ends_what_is_begun_because_of_a_cancel(qapp: object) -> None:
    jobs = Jobs()
    may_end = threading.Event()

    def begin_another() -> None:
        jobs.start("other", "Other", lambda _: may_end.wait(20), lambda _: None, fail_test)
        may_end.set()

    jobs.start_in_parts(
        "k", "K", lambda _, give: may_end.wait(20), lambda _: None, lambda _: None, fail_test, begin_another
    )
    assert jobs.stop(20.0)
    assert not jobs.running("other")


def test_python_looks_for_garbage_in_no_thread(qtbot: QtBot, jobs: Jobs) -> None:
    gc.enable()  # as a library might
    seen: list[bool] = []
    jobs.start("a", "A", lambda _: gc.isenabled(), seen.append, fail_test)
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == [False]
    assert not gc.isenabled()


def test_garbage_waits_for_a_thread_that_does_not_end_in_time(qtbot: QtBot) -> None:
    jobs, may_end = Jobs(), threading.Event()
    jobs.start("a", "A", lambda _: may_end.wait(), lambda _: None, fail_test)
    assert not jobs.stop(seconds=0)
    assert jobs.garbage.waits
    may_end.set()
    qtbot.waitUntil(lambda: not jobs.garbage.waits)


def test_a_job_that_notices_its_cancel_is_no_error(qtbot: QtBot, jobs: Jobs) -> None:
    def work(_: Progress) -> None:
        raise Cancelled

    steps: list[tuple[Step, ...]] = []
    jobs.changed.connect(steps.append)
    jobs.start("a", "A", work, lambda _: None, fail_test)
    qtbot.waitUntil(lambda: steps[-1:] == [()])
