"""One engine works out what is derived from what, in the background."""

import gc
import threading
import weakref
from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import Progress
from errorflow_viewer.document.derived import Derived, Deriving
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.state import State
from errorflow_viewer.kit.banner import Notice
from errorflow_viewer.kit.jobs import Give, Jobs
from viewer.models import branching_model

PATIENCE = 20.0


class Bench:
    """An engine with one row, whose work waits until the test lets it go on; what is searched for is the input."""

    def __init__(self) -> None:
        self.document, self.jobs = Document(), Jobs()
        self.notices: list[Notice] = []
        self.dismissed: list[str] = []
        self.derived = Deriving(self.document, self.jobs, (), self.notices.append, self.dismissed.append, self.jobs)
        self.begun: list[str] = []
        self.kept: list[str] = []
        self.parts: list[str] = []
        self.dropped = 0
        self.gates: dict[str, threading.Event] = {}
        self.row: Derived[str, str] = Derived(
            name="value",
            text=lambda wish: f"Working on {wish}",
            reads=("search",),
            wish=lambda state: state.search or None,
            work=self.work,
            keep=lambda _, __, value: self.kept.append(value),
            part=lambda _, __, value: self.parts.append(value),
            drop=lambda _: self.drop(),
        )

    def work(self, wish: str, progress: Progress, give: Give[str]) -> str:
        self.begun.append(wish)
        if wish.endswith("?"):
            raise AssertionError(wish)
        if wish.endswith("!"):
            raise ErrorflowError(f"{wish} is wrong.", "Search for something else.")
        give(f"half of {wish}")
        if wish in self.gates:
            assert self.gates[wish].wait(PATIENCE)
            progress.step(1, 2, "On")
        return f"all of {wish}"

    def gate(self, wish: str) -> threading.Event:
        return self.gates.setdefault(wish, threading.Event())

    def drop(self) -> None:
        self.dropped += 1


def press(notice: Notice) -> None:
    assert notice.pressed is not None
    notice.pressed()


@pytest.fixture
def bench(qapp: object) -> Iterator[Bench]:
    bench = Bench()
    yield bench
    for gate in bench.gates.values():
        gate.set()
    assert bench.jobs.stop()


def test_a_value_follows_what_it_reads(bench: Bench, qtbot: QtBot) -> None:
    bench.derived.add(bench.row)
    bench.document.search_for("a")
    qtbot.waitUntil(lambda: bench.kept == ["all of a"])
    bench.document.search_for("b")
    qtbot.waitUntil(lambda: bench.kept == ["all of a", "all of b"])


def test_what_was_decided_before_the_row_was_there_is_found(bench: Bench, qtbot: QtBot) -> None:
    bench.document.search_for("a")
    bench.derived.add(bench.row)
    qtbot.waitUntil(lambda: bench.kept == ["all of a"])


def test_the_latest_wish_wins(bench: Bench, qtbot: QtBot) -> None:
    gate = bench.gate("a")
    bench.derived.add(bench.row)
    bench.document.search_for("a")
    qtbot.waitUntil(lambda: bench.begun == ["a"])
    bench.document.search_for("b")
    assert bench.derived.running("value") == "b"
    gate.set()
    qtbot.waitUntil(lambda: bench.kept == ["all of b"])
    qtbot.waitUntil(lambda: not bench.jobs._leaving)
    assert bench.kept == ["all of b"], "what comes too late is not applied"


def test_it_is_cancelled_when_there_is_nothing_left_to_derive_it_from(bench: Bench, qtbot: QtBot) -> None:
    gate = bench.gate("a")
    bench.derived.add(bench.row)
    bench.document.search_for("a")
    qtbot.waitUntil(lambda: bench.begun == ["a"])
    before = bench.dropped
    bench.document.search_for("")
    assert bench.derived.running("value") is None and not bench.jobs.running("value")
    assert bench.dropped == before + 1 and not bench.derived.was_cancelled("value")
    gate.set()
    qtbot.waitUntil(lambda: not bench.jobs._leaving)
    assert bench.kept == []


def test_the_same_wish_is_not_begun_twice(bench: Bench, qtbot: QtBot) -> None:
    bench.derived.add(bench.row)
    bench.document.search_for("a")
    bench.derived.follow("value")
    qtbot.waitUntil(lambda: bench.kept == ["all of a"])
    bench.derived.follow("value")
    bench.document.open(branching_model())  # with which every row is looked at
    assert bench.derived.running("value") is None or bench.begun == ["a"]
    bench.document.search_for("b")
    qtbot.waitUntil(lambda: bench.kept[-1:] == ["all of b"])
    assert bench.begun == ["a", "b"]


def test_another_field_is_nothing_to_it(bench: Bench, qtbot: QtBot) -> None:
    asked: list[str] = []

    def wish(state: State) -> str | None:
        asked.append(state.search)
        return None

    bench.derived.add(replace(bench.row, wish=wish))
    asked.clear()
    bench.document.note_redrawn()
    assert asked == []
    bench.document.search_for("a")
    assert asked == ["a"]


def test_parts_come_before_the_end(bench: Bench, qtbot: QtBot) -> None:
    gate = bench.gate("a")
    bench.derived.add(bench.row)
    bench.document.search_for("a")
    qtbot.waitUntil(lambda: bench.parts == ["half of a"])
    assert bench.kept == []
    gate.set()
    qtbot.waitUntil(lambda: bench.kept == ["all of a"])


@pytest.mark.parametrize(("keeps", "kept"), [(True, ["half of a"]), (False, [])])
def test_a_cancel_keeps_what_is_known_where_that_is_of_use(
    bench: Bench, qtbot: QtBot, keeps: bool, kept: list[str]
) -> None:
    bench.gate("a")
    bench.derived.add(replace(bench.row, keeps_parts=keeps))
    bench.document.search_for("a")
    qtbot.waitUntil(lambda: bench.parts == ["half of a"])
    bench.jobs.cancel("value")
    assert bench.kept == kept and bench.derived.was_cancelled("value")
    bench.derived.follow("value")
    assert bench.derived.running("value") is None, "the user does not want to wait for it"
    bench.gates["a"].set()
    bench.derived.ask("value")
    assert not bench.derived.was_cancelled("value")
    qtbot.waitUntil(lambda: bench.kept[-1:] == ["all of a"])


def test_of_a_cancel_one_is_told_with_a_way_to_go_on(bench: Bench, qtbot: QtBot) -> None:
    bench.gate("a")
    row = replace(bench.row, cancelled=lambda wish, part, press: Notice("info", f"{wish}: {part}", pressed=press))
    bench.derived.add(row)
    bench.document.search_for("a")
    qtbot.waitUntil(lambda: bench.parts == ["half of a"])
    bench.jobs.cancel("value")
    assert [notice.text for notice in bench.notices] == ["a: half of a"]
    bench.gates["a"].set()
    press(bench.notices[0])
    qtbot.waitUntil(lambda: bench.kept == ["all of a"])
    assert len(bench.notices) == 1


def test_a_failure_is_told_once_with_another_try(bench: Bench, qtbot: QtBot) -> None:
    bench.derived.add(bench.row)
    bench.document.search_for("a!")
    qtbot.waitUntil(lambda: bool(bench.notices))
    bench.derived.follow("value")
    told = bench.notices[0]
    assert (told.kind, told.text, told.button) == ("error", "a! is wrong.", "Try again") and bench.begun == ["a!"]
    error = bench.derived.error("value")
    assert error is not None and error.message == "a! is wrong."
    press(told)
    qtbot.waitUntil(lambda: len(bench.notices) == 2)
    bench.document.search_for("b")
    qtbot.waitUntil(lambda: bench.kept == ["all of b"])
    assert bench.derived.error("value") is None and len(bench.notices) == 2


def test_a_failure_that_is_told_elsewhere_is_in_no_banner(bench: Bench, qtbot: QtBot) -> None:
    told: list[ErrorflowError] = []
    bench.derived.add(replace(bench.row, reports="value", failed=told.append))
    bench.document.search_for("a!")
    qtbot.waitUntil(lambda: len(told) == 1)
    assert bench.notices == []


def test_what_was_told_of_a_failure_goes_with_the_next_wish(bench: Bench, qtbot: QtBot) -> None:
    bench.derived.add(replace(bench.row, notice="told"))
    bench.document.search_for("a!")
    qtbot.waitUntil(lambda: bool(bench.notices))
    assert bench.dismissed == []
    bench.document.search_for("b")
    assert bench.dismissed == ["told"]
    qtbot.waitUntil(lambda: bench.kept == ["all of b"])
    bench.document.search_for("c")
    assert bench.dismissed == ["told"], "of another key nothing was told since"


def test_what_failed_is_tried_again_with_a_model_that_is_read_again(bench: Bench, qtbot: QtBot) -> None:
    bench.derived.add(bench.row)
    bench.document.search_for("a!")
    qtbot.waitUntil(lambda: len(bench.notices) == 1)
    bench.document.open(branching_model())
    bench.document.search_for("a!")
    qtbot.waitUntil(lambda: len(bench.notices) == 2)
    bench.document.renew(branching_model())
    qtbot.waitUntil(lambda: len(bench.notices) == 3)


def test_what_comes_too_late_and_has_to_be_ended_is_ended(bench: Bench, qtbot: QtBot) -> None:
    lost: list[str] = []
    bench.derived.add(replace(bench.row, lost=lost.append))
    bench.document.search_for("a")
    qtbot.waitUntil(lambda: bench.begun == ["a"])
    bench.document.search_for("b")
    qtbot.waitUntil(lambda: bench.kept == ["all of b"])
    qtbot.waitUntil(lambda: not bench.jobs._leaving)
    assert lost in ([], ["all of a"]) and "all of a" not in bench.kept


@pytest.mark.parametrize("way", ["cancel", "fail"])
def test_a_wish_that_comes_to_nothing_can_be_taken_back(bench: Bench, qtbot: QtBot, way: str) -> None:
    """Only that of the user: what is overtaken is wanted no more anyway."""
    wish = "a" if way == "cancel" else "a!"
    gate, vain = bench.gate("a"), []
    bench.gate("c")

    def take_back(document: Document, wish: str) -> None:
        vain.append(wish)
        document.search_for("")

    bench.derived.add(replace(bench.row, in_vain=take_back))
    bench.document.search_for("c")
    bench.document.search_for(wish)
    qtbot.waitUntil(lambda: wish in bench.begun)
    if way == "cancel":
        bench.jobs.cancel("value")
    qtbot.waitUntil(lambda: vain == [wish])
    assert bench.document.state.search == "" and bench.derived.running("value") is None
    gate.set()


def test_it_is_told_when_something_else_came_on_view_meanwhile(bench: Bench, qtbot: QtBot) -> None:
    told: list[bool] = []
    bench.gate("a")
    row = replace(
        bench.row,
        by_itself=False,
        holds=lambda wish, state: state.search == wish,
        overtaken=lambda: told.append(bench.jobs.running("value")),
    )
    bench.derived.add(row)
    bench.document.search_for("a")
    bench.derived.ask("value")
    bench.derived.ask("value")
    assert told == []
    bench.document.search_for("b")
    assert told == [False]


def test_what_waits_for_it_is_tried_again_with_it(bench: Bench, qtbot: QtBot) -> None:
    bench.gate("a")
    bench.derived.add(bench.row, replace(bench.row, name="second", after=("value",)))
    bench.document.search_for("a!")
    qtbot.waitUntil(lambda: len(bench.notices) == 2)
    bench.derived.ask("value")
    qtbot.waitUntil(lambda: len(bench.notices) == 4)
    assert bench.begun == ["a!"] * 4


def test_after_a_bug_the_next_wish_is_worked_out(bench: Bench, qtbot: QtBot) -> None:
    bench.derived.add(replace(bench.row, in_turn=lambda _, __: True))
    with qtbot.capture_exceptions() as raised:
        bench.document.search_for("a?")
        qtbot.waitUntil(lambda: bool(raised))
    assert bench.derived.running("value") is None
    bench.document.search_for("b")
    qtbot.waitUntil(lambda: bench.kept == ["all of b"])


def test_it_waits_for_another_job(bench: Bench, qtbot: QtBot) -> None:
    gate = threading.Event()
    bench.jobs.start("first", "First", lambda _: gate.wait(PATIENCE), lambda _: None, lambda _: None)
    bench.derived.add(replace(bench.row, after=("first",)))
    bench.document.search_for("a")
    qtbot.waitUntil(lambda: bench.derived.waits("value"))
    assert bench.begun == []
    gate.set()
    qtbot.waitUntil(lambda: bench.kept == ["all of a"])
    assert not bench.derived.waits("value")


def test_what_is_asked_for_begins_when_it_can(bench: Bench, qtbot: QtBot) -> None:
    bench.derived.add(replace(bench.row, by_itself=False, holds=lambda wish, state: state.search == wish))
    bench.document.search_for("a")
    assert bench.derived.running("value") is None
    bench.document.search_for("")
    bench.derived.ask("value")
    assert bench.derived.waits("value")
    bench.document.search_for("b")
    qtbot.waitUntil(lambda: bench.kept == ["all of b"])
    assert bench.begun == ["b"] and not bench.derived.waits("value")


def test_who_waits_can_be_told_that_it_does_not_come(bench: Bench, qtbot: QtBot) -> None:
    bench.derived.add(replace(bench.row, by_itself=False, holds=lambda wish, state: state.search == wish))
    bench.derived.ask("value")
    with qtbot.waitSignal(bench.derived.changed):
        bench.derived.give_up("value")
    assert not bench.derived.waits("value")


def test_what_runs_stays_as_long_as_it_is_of_use(bench: Bench, qtbot: QtBot) -> None:
    gate = bench.gate("a1")
    row = replace(bench.row, by_itself=False, holds=lambda wish, state: state.search[:1] == wish[:1])
    bench.derived.add(row)
    bench.document.search_for("a1")
    bench.derived.ask("value")
    bench.document.search_for("a2")
    assert bench.derived.running("value") == "a1"
    bench.document.search_for("b")
    assert bench.derived.running("value") is None
    gate.set()


def test_what_runs_comes_to_its_end_where_its_turn_counts(bench: Bench, qtbot: QtBot) -> None:
    gate = bench.gate("a")
    bench.derived.add(replace(bench.row, in_turn=lambda _, __: True))
    for text in ("a", "b", "c"):
        bench.document.search_for(text)
    assert bench.derived.running("value") == "a"
    gate.set()
    qtbot.waitUntil(lambda: bench.kept == ["all of a", "all of c"])


def test_what_is_known_needs_no_work(bench: Bench) -> None:
    bench.derived.add(replace(bench.row, known=lambda _, wish: f"known of {wish}"))
    bench.document.search_for("a")
    assert (bench.kept, bench.begun) == (["known of a"], [])


def test_nothing_is_worked_out_for_a_list_that_is_not_seen(bench: Bench, qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    bench.derived.add(bench.row, widget=widget)
    bench.document.search_for("a")
    assert bench.begun == [] and bench.derived.running("value") is None
    widget.show()
    qtbot.waitUntil(lambda: bench.kept == ["all of a"])


def test_one_that_wants_calm_begins_with_the_last_of_several_wishes(bench: Bench, qtbot: QtBot) -> None:
    bench.derived.add(replace(bench.row, calm=20))
    for wish in "abc":
        bench.document.search_for(wish)
    assert bench.begun == [] and bench.derived.rests("value")
    qtbot.waitUntil(lambda: bench.kept == ["all of c"])
    assert bench.begun == ["c"] and not bench.derived.rests("value")


def test_who_asks_for_it_need_not_wait_for_calm(bench: Bench, qtbot: QtBot) -> None:
    bench.derived.add(replace(bench.row, calm=1_000_000))
    bench.document.search_for("a")
    bench.derived.ask("value")
    qtbot.waitUntil(lambda: bench.kept == ["all of a"])


def test_what_wanted_calm_and_is_wanted_no_more_does_not_begin(bench: Bench, qtbot: QtBot) -> None:
    bench.derived.add(replace(bench.row, calm=1_000_000))
    bench.document.search_for("a")
    bench.document.search_for("")
    assert not bench.derived.rests("value") and bench.begun == []


def test_a_row_that_is_taken_away_is_worked_out_no_more(bench: Bench, qtbot: QtBot) -> None:
    gate = bench.gate("a")
    bench.derived.add(bench.row)
    bench.document.search_for("a")
    qtbot.waitUntil(lambda: bench.begun == ["a"])
    bench.derived.remove("value")
    bench.document.search_for("b")
    gate.set()
    qtbot.waitUntil(lambda: not bench.jobs._leaving)
    assert bench.begun == ["a"] and bench.kept == [] and not bench.jobs.running("value")


def test_a_row_that_is_taken_away_holds_nothing_any_more(bench: Bench, qtbot: QtBot) -> None:
    class Shown:
        def keep(self, _: Document, __: str, value: str) -> None: ...

    shown = Shown()
    gone = weakref.ref(shown)
    bench.derived.add(replace(bench.row, name="picture", keep=shown.keep))
    bench.derived.remove("picture")
    del shown
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert gone() is None


def test_a_part_of_what_gives_way_is_not_kept_and_the_new_work_begins_once(bench: Bench, qtbot: QtBot) -> None:
    """Also where a part changes what the row itself reads."""

    def take(document: Document, wish: str, value: str) -> None:
        bench.parts.append(value)
        document.learn(coupled=None, taken=None)

    gates = [bench.gate(wish) for wish in "ab"]
    bench.derived.add(replace(bench.row, reads=("search", "taken"), keeps_parts=True, part=take))
    bench.document.search_for("a")
    qtbot.waitUntil(lambda: bench.parts == ["half of a"])
    bench.document.search_for("b")
    qtbot.waitUntil(lambda: bench.parts == ["half of a", "half of b"])
    assert bench.kept == [] and bench.begun == ["a", "b"]
    assert bench.derived.running("value") == "b" and not bench.derived.was_cancelled("value")
    bench.document.search_for("")
    assert bench.derived.running("value") is None and not bench.jobs.running("value")
    for gate in gates:
        gate.set()
    assert bench.kept == []


def test_nothing_begins_any_more_when_the_window_is_closed(bench: Bench, qtbot: QtBot) -> None:
    gate = bench.gate("a")
    bench.derived.add(
        bench.row, replace(bench.row, name="calm", calm=20), replace(bench.row, name="late", after=("value",))
    )
    bench.document.search_for("a")
    qtbot.waitUntil(lambda: bench.begun == ["a"])
    bench.derived.end()
    gate.set()
    assert bench.jobs.stop()
    assert not bench.derived.rests("calm")
    bench.derived.follow("late")
    assert not bench.jobs.running("late") and bench.begun == ["a"]
