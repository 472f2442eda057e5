"""What is kept of each plan that was seen through."""

import pytest
from pytestqt.qtbot import QtBot

from errorflow.case.session.model import Session
from errorflow.quant.plan import Plan
from errorflow.study.simulate.trial import Trial
from errorflow_viewer.document.runs import delete
from errorflow_viewer.document.simulation_work import noted, with_trial
from errorflow_viewer.window.window import MainWindow
from viewer.lending import SHARED
from viewer.simulated import CULPRIT, outcome, seen_through, simulation


@SHARED
def test_a_plan_is_worked_out_once_however_many_steps_there_are(window: MainWindow, qtbot: QtBot) -> None:
    first = seen_through(window, qtbot)
    bench = window.studies.simulating.bench
    assert bench is not None
    trial = noted(first, bench)
    window.studies.simulating.edit("Keep it in float", simulation(window).plan.keeping_float(CULPRIT))
    seen_through(window, qtbot)
    window.document.undo()
    assert outcome(window) is first
    assert noted(first, bench) is trial


@SHARED
def test_a_run_that_was_deleted_is_back_as_a_new_one(window: MainWindow, qtbot: QtBot) -> None:
    plan = seen_through(window, qtbot).plan
    window.studies.simulating.edit("Keep it in float", plan.keeping_float(CULPRIT))
    seen_through(window, qtbot)
    assert delete(window.document, ["Run 1"]) == ""
    window.studies.simulating.edit("As before", plan)
    assert seen_through(window, qtbot).plan == plan
    assert [(trial.name, trial.plan == plan) for trial in window.document.session.trials] == [
        ("Run 2", False),
        ("Run 3", True),
    ]


@pytest.mark.parametrize(
    ("names", "fresh"),
    [
        ((), "Run 1"),
        (("Run 1", "Run 2", "As it ships"), "Run 4"),
        (("Run 7",), "Run 8"),
        (("Run 2 again", "Run x"), "Run 3"),
    ],
)
def test_no_number_is_given_twice(names: tuple[str, ...], fresh: str) -> None:
    trials = tuple(Trial(name, Plan().keeping_float(name)) for name in names)
    assert with_trial(Session(trials=trials), Trial("", Plan())).trials[-1].name == fresh
