"""Searching the smallest set, with a real engine."""

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from errorflow.case.session.model import Searched
from errorflow.study.search.asked import Sought
from errorflow.study.search.model import Search
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.document.searching import KEY, KNOWN, known_searches, with_search
from errorflow_viewer.window.window import MainWindow
from viewer.lending import SHARED
from viewer.simulated import CULPRIT, FEW, open_model, seen_through, simulate, simulation

RAISING = """
def evaluate(run):
    print("looking at all samples")
    raise ValueError("the labels are gone")


def good_enough(original, new):
    return True, 0.0
"""


def searched(window: MainWindow, qtbot: QtBot) -> Search:
    """What is known when it has ended."""
    qtbot.waitUntil(lambda: not window.studies.searching.busy and not window.studies.searching.waits, timeout=60_000)
    found = window.studies.searching.found
    assert found is not None
    return found


@SHARED
def test_the_culprit_is_found_its_plan_taken_and_taken_back(window: MainWindow, qtbot: QtBot) -> None:
    before = seen_through(window, qtbot)
    window.studies.searching.find()
    assert window.studies.searching.busy and window.jobs.running(KEY)
    found = searched(window, qtbot)
    best = found.best
    assert found.complete and best is not None and best.good
    assert CULPRIT in found.chosen(best)[0][0].nodes
    assert window.document.undo_text == "Simulate", "what was found out is no step"
    assert [each.search for each in window.document.session.searches] == [found]

    assert window.studies.searching.take(best).startswith("Take the plan with 1 in float")
    after = seen_through(window, qtbot)
    assert after.plan == window.studies.searching.plan_of(best) and window.studies.searching.is_of_plan
    first, second = window.document.session.trials
    assert first.plan == before.plan and first.verdict.startswith("Node error")
    assert not second.verdict.startswith("Node error") and "good" in second.verdict.lower()
    window.document.undo()
    assert simulation(window).plan == found.plan and window.studies.searching.found is found


@SHARED
def test_after_a_plan_was_taken_the_next_search_counts_from_the_one_before(window: MainWindow, qtbot: QtBot) -> None:
    before = seen_through(window, qtbot).plan
    window.studies.searching.find()
    first = searched(window, qtbot)
    assert first.best is not None
    window.studies.searching.take(first.best)
    taken = seen_through(window, qtbot).plan
    window.studies.searching.choose("Ask for more", replace(window.studies.searching.sought, limit=1e-6))
    window.studies.searching.find()
    more = searched(window, qtbot)
    assert more.plan == before and window.studies.searching.is_of_plan
    assert more.best is not None and len(more.best.choice) > len(first.best.choice)
    window.studies.searching.choose("Ask for less", replace(window.studies.searching.sought, limit=0.9))
    window.studies.searching.find()
    less = searched(window, qtbot)
    assert less.whole is not None and not less.whole.good, "as it is, it is not the plan that was taken"
    assert simulation(window).plan == taken


@SHARED
@pytest.mark.parametrize("way_out", ["undo", "form", "simulation"])
def test_an_error_goes_with_what_it_was_about(window: MainWindow, qtbot: QtBot, way_out: str) -> None:
    window.studies.searching.choose("Count answers", Sought("top1", "relative"))
    window.studies.searching.find()
    qtbot.waitUntil(lambda: not window.studies.searching.busy, timeout=60_000)
    assert window.studies.searching.error is not None
    if way_out == "undo":
        window.document.undo()
    elif way_out == "form":
        window.studies.searching.choose("Something else", Sought("cosine"))
    else:
        window.studies.simulating.leave()
    assert window.studies.searching.error is None


def test_without_a_simulation_one_is_asked_for_first(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    with qtbot.waitSignal(window.studies.simulating.asked):
        window.studies.searching.find()
    assert window.studies.searching.waits
    window.studies.simulating.start(FEW)
    qtbot.waitUntil(lambda: window.document.session.simulation is not None, timeout=30_000)
    assert searched(window, qtbot).met


@SHARED
def test_a_cancelled_search_keeps_what_was_tried_and_goes_on_from_there(window: MainWindow, qtbot: QtBot) -> None:
    window.studies.searching.choose("Ask for more", Sought(limit=1e-9, strategy="greedy"))

    def stop() -> None:
        found = window.studies.searching.found
        if window.studies.searching.busy and found is not None and len(found.tried) >= 2:
            window.studies.searching.stop()

    window.studies.searching.changed.connect(stop)
    window.studies.searching.find()
    qtbot.waitUntil(lambda: not window.studies.searching.busy, timeout=60_000)
    window.studies.searching.changed.disconnect(stop)
    known = window.studies.searching.found
    assert known is not None and not known.complete and len(known.tried) >= 2
    assert window.studies.searching.can_go_on
    window.studies.searching.choose("Ask for a few", replace(window.studies.searching.sought, most=len(known.tried)))
    window.studies.searching.find()
    found = searched(window, qtbot)
    assert [each.known for each in found.tried[: len(known.tried)]] == [True] * len(known.tried)
    assert [each.value for each in found.tried[: len(known.tried)]] == [each.value for each in known.tried]


@SHARED
def test_what_is_asked_is_a_step_and_ends_what_runs(window: MainWindow, qtbot: QtBot) -> None:
    window.studies.searching.find()
    window.studies.searching.choose("Look for tensors", Sought(kind="tensor"))
    assert not window.studies.searching.busy and window.document.undo_text == "Look for tensors"
    window.document.undo()
    assert window.studies.searching.sought == Sought()


def test_an_evaluator_that_raises_is_told_with_file_and_line(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(RAISING)
    open_model(window, qtbot)
    simulate(window, qtbot)
    window.studies.searching.choose("Measure it", Sought(evaluator=file))
    with caplog.at_level("INFO"):
        window.studies.searching.find()
        qtbot.waitUntil(lambda: not window.studies.searching.busy, timeout=60_000)
    error = window.studies.searching.error
    assert error is not None and window.studies.searching.found is None
    assert "mine.py" in error.message and "line 4" in error.message and "the labels are gone" in error.message
    assert any("mine.py: looking at" in record.getMessage() for record in caplog.records)


def test_only_the_newest_searches_are_remembered(window: MainWindow) -> None:
    session = window.document.session
    plan = _empty()
    for count in range(KNOWN + 3):
        session = with_search(session, Searched(Basis(samples=count + 1), Sought(), plan))
    assert len(session.searches) == KNOWN
    assert known_searches(session, Basis(samples=KNOWN + 3), Sought()) == [plan]


def _empty() -> Search:
    from errorflow.quant.plan import Plan
    from errorflow.study.search.model import SearchRequest

    return Search(SearchRequest(), Plan(), "top-1", "at least 0.9", higher_is_better=True)
