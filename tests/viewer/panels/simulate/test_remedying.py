"""Steps before quantization in the window."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from errorflow.quant.steps import CorrectBiases, Equalize, Smooth, find
from errorflow_viewer.panels.simulate.panel import SimulatePanel
from errorflow_viewer.panels.simulate.remedying import ANEW, KEY, can_correct, corrected_for
from errorflow_viewer.panels.simulate.smoothing import SmoothDialog
from errorflow_viewer.window.actions import ACTIONS
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import FEW, open_model, outcome, seen_through, simulate, simulation

BY_KEY = {action.key: action for action in ACTIONS}


@pytest.fixture
def alone(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """For what somebody puts into the form."""
    open_model(window, qtbot)
    simulate(window, qtbot)
    return window


@pytest.fixture
def simulated(lent_window: MainWindow) -> MainWindow:
    return lent_window


def test_equalizing_is_a_step_that_can_be_undone(simulated: MainWindow, qtbot: QtBot) -> None:
    before = simulation(simulated).plan
    action = BY_KEY["remedy.equalize"]
    action.run(simulated)
    assert simulation(simulated).plan == before.with_step(Equalize())
    found = seen_through(simulated, qtbot)
    assert found.plan.steps == (Equalize(),)
    assert action.checked is not None and action.checked(simulated)
    simulated.document.undo()
    assert seen_through(simulated, qtbot).plan == before
    action.run(simulated)
    action.run(simulated)
    assert simulation(simulated).plan == before


def test_the_graph_on_view_stays_the_same(simulated: MainWindow, qtbot: QtBot) -> None:
    model = simulated.document.model
    BY_KEY["remedy.equalize"].run(simulated)
    seen_through(simulated, qtbot)
    assert simulated.document.model is model
    findings = simulated.document.state.findings
    assert findings is not None and findings.blame is not None


def test_smoothing_is_asked_for(simulated: MainWindow, qtbot: QtBot) -> None:
    BY_KEY["remedy.smooth"].run(simulated)
    (dialog,) = [each for each in QApplication.topLevelWidgets() if isinstance(each, SmoothDialog)]
    assert (dialog.strength.value(), dialog.threshold.value()) == (0.6, 0.2)
    dialog.strength.setValue(0.5)
    dialog.threshold.setValue(0.0)
    dialog.smooth.click()
    assert find(simulation(simulated).plan.steps, Smooth) == Smooth(0.5, 0.0)
    seen_through(simulated, qtbot)


def test_nodes_that_were_put_in_are_on_view_and_gone_afterwards(simulated: MainWindow, qtbot: QtBot) -> None:
    model = simulated.document.model
    assert model is not None
    plan = simulation(simulated).plan
    simulated.studies.simulating.edit("Smooth", plan.with_step(Smooth(0.5, 0.0)))
    seen_through(simulated, qtbot)
    bench = simulated.studies.simulating.bench
    shown = simulated.document.model
    assert bench is not None and shown is not None
    assert (shown is not model) == bench.has_more_nodes
    simulated.document.undo()
    seen_through(simulated, qtbot)
    assert simulated.document.graph is not None
    assert simulated.document.graph.node_names == model.graph.node_names
    simulated.document.redo()
    assert seen_through(simulated, qtbot).plan.steps == (Smooth(0.5, 0.0),)
    simulated.studies.simulating.leave()
    qtbot.waitUntil(lambda: simulated.document.graph is not None and len(simulated.document.graph) == len(model.graph))
    assert simulated.document.session.model == model.path


def test_biases_are_measured_in_the_background(simulated: MainWindow, qtbot: QtBot) -> None:
    assert can_correct(simulated)
    BY_KEY["remedy.biases"].run(simulated)
    qtbot.waitUntil(lambda: not simulated.jobs.running(KEY), timeout=30_000)
    assert find(simulation(simulated).plan.steps, CorrectBiases) is not None
    found = seen_through(simulated, qtbot)
    assert simulated.document.session.trials[-1].plan == found.plan
    BY_KEY["remedy.biases"].run(simulated)
    assert not simulation(simulated).plan.steps


def test_shifts_of_another_bench_are_not_taken(simulated: MainWindow, qtbot: QtBot) -> None:
    """It has the same names and the same plan: only the samples are others."""
    plan, bench = simulation(simulated).plan, simulated.studies.simulating.bench
    assert bench is not None
    BY_KEY["remedy.biases"].run(simulated)
    holds, wish = corrected_for(simulated).holds, simulated.derived.running(KEY)
    assert wish == (bench, plan) and holds(wish, simulated.document.state)
    simulated.studies.simulating.start(replace(FEW, samples=6), plan)
    simulated.derived.stop(KEY)
    qtbot.waitUntil(lambda: simulated.studies.simulating.bench is not bench, timeout=30_000)
    assert not holds(wish, simulated.document.state) and seen_through(simulated, qtbot).plan == plan


def test_nothing_is_measured_on_for_a_model_that_was_closed(simulated: MainWindow) -> None:
    BY_KEY["remedy.biases"].run(simulated)
    simulated.close_model()
    assert not simulated.jobs.running(KEY)


def test_a_dropped_correction_is_told(simulated: MainWindow) -> None:
    plan = simulation(simulated).plan.with_step(CorrectBiases((("probabilities", (0.0,) * 10),)))
    simulated.studies.simulating.edit("Correct biases", plan)
    BY_KEY["remedy.equalize"].run(simulated)
    assert simulation(simulated).plan.steps == (Equalize(),)
    assert simulated.status.currentMessage() == ANEW


def test_smoothing_is_taken_back_where_it_is_asked_for(simulated: MainWindow, qtbot: QtBot) -> None:
    before = simulation(simulated).plan
    simulated.studies.simulating.edit("Smooth", before.with_step(Smooth(0.5, 0.0)))
    seen_through(simulated, qtbot)
    BY_KEY["remedy.smooth"].run(simulated)
    (dialog,) = [each for each in QApplication.topLevelWidgets() if isinstance(each, SmoothDialog)]
    dialog.no_more.click()
    assert simulation(simulated).plan == before and simulated.document.undo_text == "Do not smooth outliers"


def test_what_is_being_typed_into_a_remedy_stays(alone: MainWindow) -> None:
    alone.panels.show("simulate")
    panel = next(each for each in alone.findChildren(SimulatePanel))
    box = panel.form.steps
    box.smooth.click()
    box.strength.setFocus()
    box.strength.lineEdit().selectAll()
    QTest.keyClicks(box.strength.lineEdit(), "0.7")
    alone.jobs.changed.emit(())
    QTest.keyClicks(box.strength.lineEdit(), "5")
    QTest.keyClick(box.strength.lineEdit(), Qt.Key.Key_Return)
    assert box.strength.value() == 0.75
    assert panel.draft.plan is not None and find(panel.draft.plan.steps, Smooth) == Smooth(0.75, 0.2)
    count = panel.form.division.samples
    count.setFocus()
    count.lineEdit().selectAll()
    QTest.keyClicks(count.lineEdit(), "2")
    panel.form.edited.emit(panel.draft)
    QTest.keyClicks(count.lineEdit(), "0")
    QTest.keyClick(count.lineEdit(), Qt.Key.Key_Return)
    assert panel.draft.basis.samples == 20


def test_the_panel_says_that_biases_must_be_corrected_anew(alone: MainWindow) -> None:
    alone.panels.show("simulate")
    panel = next(each for each in alone.findChildren(SimulatePanel))
    box, plan = panel.form.steps, simulation(alone).plan
    box.show_steps(plan.with_step(CorrectBiases((("probabilities", (0.0,) * 10),))), can_correct=True)
    assert "corrected" in box.corrected.said
    box.smooth.click()
    assert box.corrected.said == ANEW
    box.show_steps(plan.with_step(CorrectBiases()), can_correct=True)
    assert box.corrected.said != ANEW


def test_the_panel_says_what_they_did(alone: MainWindow, qtbot: QtBot) -> None:
    alone.panels.show("simulate")
    panel = next(each for each in alone.findChildren(SimulatePanel))
    box = panel.form.steps
    qtbot.waitUntil(lambda: not panel.lack)  # it looks at the model first
    box.equalize.click()
    assert panel.draft.plan is not None and panel.draft.plan.steps == (Equalize(),)
    panel.start()
    seen_through(alone, qtbot)
    qtbot.waitUntil(lambda: "Equalized: " in box.told.said, timeout=10_000)
    assert not box.table.isHidden()
    qtbot.waitUntil(lambda: not panel.lack)
    box.equalize.click()
    panel.start()
    seen_through(alone, qtbot)
    qtbot.waitUntil(lambda: box.told.said == "", timeout=10_000)


def test_nothing_is_offered_before_something_is_simulated(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    assert outcome(window) is None
    assert not any(BY_KEY[f"remedy.{key}"].enabled(window) for key in ("smooth", "equalize", "biases"))
