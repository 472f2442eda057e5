"""What the window does not look through while anybody works."""

import gc
import itertools
import linecache
import weakref
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from errorflow.base.errors import ErrorflowError
from errorflow.base.sample import SAMPLES
from errorflow_viewer.kit import jobs as garbage
from errorflow_viewer.kit.jobs import Garbage, Give, Jobs
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.window import MainWindow


class Ring:
    """Held by itself alone."""

    def __init__(self) -> None:
        self.itself = self


def is_gone(ring: "weakref.ref[Ring]") -> bool:
    return ring() is None


def fail(error: ErrorflowError) -> None:
    pytest.fail(error.message)


def set_aside_again() -> None:
    """What thousands of other tests are made of was set aside when they had been collected: no look goes through it."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


@pytest.fixture
def heap(qapp: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[Garbage]:
    """One that sets aside whatever is new."""
    monkeypatch.setattr(garbage, "MUCH", -1)
    yield Garbage()
    set_aside_again()


def test_little_is_left_to_the_collector(qapp: object) -> None:
    gc.collect()
    before, heap = gc.get_freeze_count(), Garbage()
    heap.pause()
    heap.go_on()
    assert gc.get_freeze_count() == before
    assert not heap.due


def test_python_never_looks_by_itself(qapp: object) -> None:
    gc.enable()
    heap = Garbage()
    assert not gc.isenabled()
    heap.pause()
    heap.go_on()
    assert not gc.isenabled()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever is new is looked through a hundred times a second, and by nobody else: not by a window that tests lend
    each other, nor by what an earlier test left.
    """
    others = [
        each for each in gc.get_objects() if isinstance(each, Garbage) and isValid(each) and each.pulse.isActive()
    ]
    for other in others:
        other.pulse.stop()
    monkeypatch.setattr(garbage, "PULSE", 0.01)
    monkeypatch.setattr(garbage, "FEW_NEW", 0)
    yield
    for other in (each for each in others if isValid(each)):
        other.pulse.start()


@pytest.mark.usefixtures("quick")
def test_what_is_new_is_looked_through_between_events(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "LOOKS", 1_000_000)
    heap = Garbage()
    ring = weakref.ref(Ring())
    qtbot.waitUntil(lambda: ring() is None)
    assert not heap.due


@pytest.mark.usefixtures("quick")
def test_what_is_new_waits_for_the_jobs(qtbot: QtBot) -> None:
    heap = Garbage()
    heap.pause()
    ring, pulses = weakref.ref(Ring()), list[None]()
    heap.pulse.timeout.connect(lambda: pulses.append(None))
    qtbot.waitUntil(lambda: len(pulses) > 2)
    assert ring() is not None
    heap.go_on()
    qtbot.waitUntil(lambda: ring() is None)


@pytest.mark.usefixtures("heap", "quick")
def test_much_that_is_new_is_set_aside(qtbot: QtBot) -> None:
    working, ring = Garbage(), weakref.ref(Ring())
    qtbot.waitUntil(lambda: working.due)
    gc.collect()
    assert ring() is not None


@pytest.mark.usefixtures("heap", "quick")
def test_so_much_that_is_new_is_looked_through_at_once(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "MOST", 0)
    working, ring = Garbage(), weakref.ref(Ring())
    qtbot.waitUntil(lambda: ring() is None)
    assert not working.due


@pytest.mark.usefixtures("quick")
def test_after_many_looks_everything_is_looked_through(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "LOOKS", 2)
    gc.collect()
    heap = Garbage()
    qtbot.waitUntil(lambda: heap.due)


def test_much_is_set_aside(heap: Garbage) -> None:
    heap.pause()
    ring = weakref.ref(Ring())
    heap.go_on()
    gc.collect()
    assert ring() is not None
    assert heap.due


def test_what_is_set_aside_is_looked_through_in_the_end(heap: Garbage) -> None:
    heap.pause()
    ring = weakref.ref(Ring())
    heap.go_on()
    heap.sweep()
    assert ring() is None
    assert not heap.due


def test_it_is_looked_through_when_nobody_works(heap: Garbage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "QUIET", 0.0)
    monkeypatch.setattr(garbage, "EVERY", 0.01)
    resting = Garbage()
    resting.pause()
    ring = weakref.ref(Ring())
    resting.go_on()
    qtbot.waitUntil(lambda: not resting.due)
    assert ring() is None


def test_work_that_never_ends_keeps_no_garbage(heap: Garbage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in {"QUIET": 0.0, "BREATH": 0.0, "LONG": 0.0, "EVERY": 0.01}.items():
        monkeypatch.setattr(garbage, name, seconds)
    resting = Garbage()
    resting.pause()
    for _ in range(2):
        ring = weakref.ref(Ring())
        qtbot.waitUntil(partial(is_gone, ring))
    assert resting.waits
    resting.go_on()
    assert not resting.waits


def test_a_pointer_that_moves_puts_it_off(heap: Garbage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "EVERY", 0.01)
    resting, widget = Garbage(), QWidget()
    qtbot.addWidget(widget)
    widget.show()
    resting.pause()
    resting.go_on()
    touched, spots = resting.touched, itertools.cycle((QPoint(5, 5), QPoint(6, 6)))

    def is_put_off() -> bool:  # as soon as it has begun to listen
        QTest.mouseMove(widget.windowHandle(), next(spots))
        return resting.touched > touched

    qtbot.waitUntil(is_put_off)
    assert resting.due


def test_what_was_looked_through_is_so_again_after_more_work(heap: Garbage, monkeypatch: pytest.MonkeyPatch) -> None:
    heap.pause()
    kept = Ring()
    heap.go_on()
    heap.sweep()
    monkeypatch.setattr(garbage, "MUCH", 1_000_000_000)
    ring = weakref.ref(kept)
    del kept
    heap.pause()
    heap.go_on()
    assert heap.due
    heap.sweep()
    assert ring() is None


def test_who_works_for_hours_rests_for_a_breath(heap: Garbage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "EVERY", 0.01)
    for name, seconds in (("QUIET", 1e9), ("LONG", 0.0), ("BREATH", 0.0)):
        monkeypatch.setattr(garbage, name, seconds)
    resting = Garbage()
    resting.pause()
    resting.go_on()
    assert resting.due
    qtbot.waitUntil(lambda: not resting.due)


def test_sources_that_were_read_are_given_back(heap: Garbage) -> None:
    assert linecache.getlines(__file__)
    heap.sweep()
    assert __file__ not in linecache.cache


def test_a_closed_model_needs_no_collector(window: MainWindow, qtbot: QtBot) -> None:
    window.open(SAMPLES[0].model)
    qtbot.waitUntil(lambda: window.document.state.findings is not None and not window.jobs.steps)
    window.document.search_for("conv")
    graph = window.document.graph
    assert graph is not None
    kept = weakref.ref(graph)
    del graph
    gc.collect()
    gc.freeze()  # nobody looks for garbage
    window.close_model()
    try:
        qtbot.waitUntil(lambda: kept() is None)
    finally:
        set_aside_again()


def test_gigabytes_wait_for_nobody(heap: Garbage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "MOST", 0)
    heap.pause()
    ring = weakref.ref(Ring())
    heap.go_on()
    assert ring() is None
    assert not heap.due


def test_a_job_keeps_nothing_of_what_it_brought(qtbot: QtBot) -> None:
    class Part:
        """Held by the job alone."""

    jobs, seen, ends = Jobs(), list[weakref.ref[Part]](), list[bool]()

    def take(part: Part) -> None:
        seen.append(weakref.ref(part))

    def work(_: object, give: Give[Part]) -> Part:
        give(Part())
        return Part()

    jobs.start_in_parts("a", "A", work, take, take, fail, lambda: None)
    jobs.start("b", "B", lambda _: None, lambda _: ends.append(True), fail)
    qtbot.waitUntil(lambda: bool(seen and ends) and not jobs.running("a"))
    assert [part() for part in seen] == [None] * len(seen)
    assert jobs.stop()


def opened_and_closed(window: MainWindow, qtbot: QtBot) -> "tuple[weakref.ref[Any], ...]":
    window.show()
    window.open(SAMPLES[0].model)
    qtbot.waitUntil(lambda: window.document.state.findings is not None and not window.jobs.steps)
    window.close()
    window.deleteLater()
    return weakref.ref(window.document.model), weakref.ref(window.derived)


def test_a_closed_window_is_gone_with_all_that_it_knew(
    settings: Settings, appearance: Appearance, tmp_path: Path, qtbot: QtBot
) -> None:
    """A connection to a function that holds one of its parts would keep it."""
    known = opened_and_closed(MainWindow(settings, appearance, tmp_path / "errorflow.log"), qtbot)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert [each() for each in known] == [None, None]
