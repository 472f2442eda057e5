"""The run as deployed, from the menu to the panel, with the real ONNX Runtime."""

import multiprocessing
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from bare_models import bare
from errorflow.compare.metrics import METRICS
from errorflow.quant.plan import FLOAT
from errorflow.quant.presets import preset
from errorflow_viewer.document.deploying import KEY, TEXT, deployed
from errorflow_viewer.document.simulation_work import KEY as SIMULATING
from errorflow_viewer.kit.banner import Notice
from errorflow_viewer.panels.runs.panel import RunsPanel
from errorflow_viewer.panels.simulate.panel import TELLING, SimulatePanel
from errorflow_viewer.panels.simulate.result_box import DeployedBox
from errorflow_viewer.window.actions import ACTIONS
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import CULPRIT, open_model, seen_through, simulate, simulation

COMMAND = next(action for action in ACTIONS if action.key == "simulate.deployed")
X86 = preset("onnxruntime-x86").plan
SQNR = next(metric for metric in METRICS if metric.key == "sqnr")


@pytest.fixture
def shown(panel: SimulatePanel, window: MainWindow, qtbot: QtBot) -> MainWindow:
    open_model(window, qtbot)
    simulate(window, qtbot, plan=X86)
    return window


@pytest.fixture
def box(shown: MainWindow, panel: SimulatePanel) -> DeployedBox:
    return panel.form.result.deployed


def ended(window: MainWindow, qtbot: QtBot) -> None:
    """The run is over, and the panel says what is known."""
    qtbot.waitUntil(lambda: not (window.jobs.running(KEY) or window.jobs.running(TELLING)))


def deploy(window: MainWindow, qtbot: QtBot) -> None:
    COMMAND.run(window)
    assert window.jobs.running(KEY)
    ended(window, qtbot)


def notices(window: MainWindow) -> list[Notice]:
    return [row.notice for row in window.banners.rows if row.notice.key == KEY]


def test_it_is_offered_when_something_is_known_of_the_plan(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    assert not COMMAND.enabled(window)
    assert COMMAND.lack
    simulate(window, qtbot, plan=X86)
    assert COMMAND.enabled(window)
    window.studies.simulating.edit("Keep it in float", simulation(window).plan.keeping_float(CULPRIT))
    assert not COMMAND.enabled(window)
    seen_through(window, qtbot)
    assert COMMAND.enabled(window)


def test_outputs_are_told_against_float_and_the_simulation(shown: MainWindow, box: DeployedBox, qtbot: QtBot) -> None:
    assert box.isHidden()
    deploy(shown, qtbot)
    assert not box.isHidden()
    bench, simulated = shown.studies.simulating.bench, shown.document.state.simulated
    assert bench is not None and simulated is not None and simulated.outcome is not None
    found = deployed(bench, simulation(shown).plan)
    assert found is not None and found.samples == bench.engine.samples
    (output,) = found.outputs
    (row,) = [row for row in simulated.outcome.comparison.rows if row.tensor == output.tensor]
    own, planned = SQNR.text(output.reference.pooled()["sqnr"]), SQNR.text(row.values["sqnr"])
    assert f"{output.tensor}: SQNR {own}, simulated {planned}. Against the simulation: " in box.text
    if output.simulated.same:
        assert "bit for bit the same" in box.text
    else:
        assert f"{output.steps:.3g} step" in box.text
        assert bench.evaluated.name(output.sample) in box.text
    ran = found.quantized
    assert f"ONNX Runtime {ran.version}, optimisation all: {ran.before} nodes became {ran.after}, among" in box.text
    assert re.search(r"\d+ QLinearConv", box.text)


def test_weights_that_the_runtime_makes_codes_are_a_warning(
    shown: MainWindow, box: DeployedBox, qtbot: QtBot, tmp_path: Path
) -> None:
    bench = shown.studies.simulating.bench
    assert bench is not None
    bench.engine.export(replace(X86, weights=FLOAT), tmp_path / "qdq.onnx")
    open_model(shown, qtbot, bare(tmp_path / "qdq.onnx"))
    simulate(shown, qtbot)
    deploy(shown, qtbot)
    assert box.told is not None and "made codes of" in box.told.warning
    assert box.warning.said == box.told.warning


def test_it_is_that_of_its_plan_and_comes_back_with_it(shown: MainWindow, box: DeployedBox, qtbot: QtBot) -> None:
    deploy(shown, qtbot)
    before = box.text
    shown.studies.simulating.edit("Keep it in float", simulation(shown).plan.keeping_float(CULPRIT))
    seen_through(shown, qtbot)
    ended(shown, qtbot)
    assert box.isHidden() and not box.text
    shown.document.undo()
    seen_through(shown, qtbot)
    ended(shown, qtbot)
    assert not box.isHidden() and box.text == before
    assert not shown.jobs.running(KEY)


def test_a_change_of_the_plan_meanwhile_keeps_it_for_its_own(shown: MainWindow, box: DeployedBox, qtbot: QtBot) -> None:
    COMMAND.run(shown)
    shown.studies.simulating.edit("Keep it in float", simulation(shown).plan.keeping_float(CULPRIT))
    seen_through(shown, qtbot)
    ended(shown, qtbot)
    assert box.isHidden()
    shown.document.undo()
    ended(shown, qtbot)
    qtbot.waitUntil(lambda: not box.isHidden())


def test_a_cancel_leaves_all_as_it_was(shown: MainWindow, panel: SimulatePanel, box: DeployedBox, qtbot: QtBot) -> None:
    COMMAND.run(shown)
    assert not panel.foot.stop.isHidden()
    panel.foot.stop.click()
    assert not shown.jobs.running(KEY)
    assert panel.foot.stop.isHidden()
    assert box.isHidden() and not notices(shown)
    deploy(shown, qtbot)
    assert not box.isHidden()


def test_a_crash_is_a_sentence_with_a_way_to_try_again(shown: MainWindow, box: DeployedBox, qtbot: QtBot) -> None:

    def has_crashed() -> bool:
        for child in multiprocessing.active_children():
            if child.name == TEXT:
                child.kill()
        return bool(notices(shown))

    COMMAND.run(shown)
    qtbot.waitUntil(has_crashed)
    (notice,) = notices(shown)
    assert "was ended from outside" in notice.text
    assert notice.button == "Try again" and notice.pressed is not None
    assert shown.document.state.simulated is not None and box.isHidden()
    (row,) = [row for row in shown.banners.rows if row.notice is notice]
    button = next(each for each in row.buttons() if each.text() == "Try again")
    button.click()
    ended(shown, qtbot)
    assert not box.isHidden() and not notices(shown)


def test_without_a_bench_nobody_waits_for_it(shown: MainWindow, box: DeployedBox) -> None:
    COMMAND.run(shown)
    shown.studies.simulating.leave()
    assert not shown.jobs.running(KEY)
    assert box.isHidden() and not notices(shown)


def test_the_result_offers_it(shown: MainWindow, panel: SimulatePanel, box: DeployedBox, qtbot: QtBot) -> None:
    ended(shown, qtbot)
    panel.form.result.deploy.emit()
    assert shown.jobs.running(KEY)
    ended(shown, qtbot)
    assert not box.isHidden()
    assert not shown.jobs.running(SIMULATING)


def test_the_list_of_runs_has_it_in_its_tooltips(shown: MainWindow, qtbot: QtBot) -> None:
    runs = shown.panels.by_key["runs"].content
    assert isinstance(runs, RunsPanel)
    shown.panels.show("runs")
    tip = Qt.ItemDataRole.ToolTipRole
    assert "as deployed" not in runs.table.data(runs.table.index(0, 0), tip)
    deploy(shown, qtbot)
    assert " as deployed: SQNR " in runs.table.data(runs.table.index(0, 0), tip)
