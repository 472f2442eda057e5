"""The list of runs in the real window, with the real engine."""

from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow.quant.plan import Plan
from errorflow.study.simulate.trial import Trial
from errorflow_viewer.commands.worst import step_worst
from errorflow_viewer.panels.runs.panel import BEST, COMPARE, STOP, WIDEST, RunsPanel
from errorflow_viewer.panels.runs.rows import CHANGED, NAME, RunRows
from errorflow_viewer.window.window import MainWindow
from table_cells import of_cell
from viewer.simulated import CULPRIT, open_model, seen_through, simulation


def text(panel: RunsPanel, row: int, column: int) -> str:
    return str(panel.table.index(row, column).data())


def is_best(panel: RunsPanel, row: int, column: int) -> bool:
    return bool(of_cell(panel.table.index(row, column), "strong"))


def compared(panel: RunsPanel, window: MainWindow, qtbot: QtBot) -> None:
    panel.choose(["Run 1"])
    assert panel.compare.isEnabled(), panel.compare.toolTip()
    panel.compare.click()

    def is_laid_beside() -> bool:
        findings = window.document.state.findings
        return findings is not None and findings.against is not None

    qtbot.waitUntil(is_laid_beside)


def test_each_run_says_what_changed(runs: RunsPanel) -> None:
    assert text(runs, 0, CHANGED) == "ONNX Runtime QDQ"
    assert text(runs, 1, CHANGED) == f"float: {CULPRIT}"
    assert text(runs, 1, NAME) == "▶ Run 2"
    assert is_best(runs, 1, 2) and not is_best(runs, 0, 2)
    assert str(runs.table.index(1, 2).data(Qt.ItemDataRole.ToolTipRole)).startswith(BEST)
    assert f"• {CULPRIT} → float" in str(runs.table.index(1, 0).data(Qt.ItemDataRole.ToolTipRole))


def test_enter_goes_to_a_run_and_undo_comes_back(runs: RunsPanel, window: MainWindow, qtbot: QtBot) -> None:
    runs.view.selectRow(0)
    runs.view.activated.emit(runs.table.index(0, 0))
    assert simulation(window).plan == window.document.session.trials[0].plan
    assert window.document.undo_text == "Go to Run 1"
    seen_through(window, qtbot)
    assert text(runs, 0, NAME) == "▶ Run 1"
    window.document.undo()
    assert simulation(window).plan == window.document.session.trials[1].plan


def test_a_name_is_edited_in_place_and_stays_unique(runs: RunsPanel, window: MainWindow) -> None:
    cell = runs.table.index(0, NAME)
    assert runs.table.setData(cell, "As it ships")
    assert [trial.name for trial in window.document.session.trials] == ["As it ships", "Run 2"]
    assert not runs.table.setData(cell, "Run 2") and not runs.table.setData(cell, "  ")
    window.document.undo()
    assert window.document.session.trials[0].name == "Run 1"


def test_delete_takes_a_run_away_but_not_the_one_on_view(runs: RunsPanel, window: MainWindow) -> None:
    runs.view.selectAll()
    QTest.keyClick(runs.view, Qt.Key.Key_Delete)
    assert [trial.name for trial in window.document.session.trials] == ["Run 2"]
    window.document.undo()
    assert len(window.document.session.trials) == 2


def test_comparing_paints_what_changed(runs: RunsPanel, window: MainWindow, qtbot: QtBot) -> None:
    compared(runs, window, qtbot)
    state = window.document.state
    assert state.findings is not None and state.findings.against is not None
    assert (state.findings.name, state.findings.against.name) == ("Run 2", "Run 1")
    paint = window._graph_view.errors.paint
    assert paint is not None and paint.diverging
    assert paint.measure.startswith("Run 2 against Run 1")
    node = state.findings.graph.node_index(CULPRIT)
    assert node is not None
    step_worst(window, 1)
    assert window.document.state.node is not None
    assert runs.compare.text() == STOP
    runs.compare.click()
    paint = window._graph_view.errors.paint
    assert paint is not None and not paint.diverging
    assert runs.compare.text() == COMPARE


def test_a_toggle_while_comparing_stays_compared(runs: RunsPanel, window: MainWindow, qtbot: QtBot) -> None:
    compared(runs, window, qtbot)
    window.studies.simulating.edit("Back", window.document.session.trials[0].plan)
    qtbot.waitUntil(lambda: not window.studies.simulating.busy, timeout=30_000)
    findings = window.document.state.findings
    assert findings is not None and findings.against is not None
    from errorflow.explain.findings.change import MetricChange

    change = MetricChange.of(findings, "sqnr", {})
    assert change is not None and not change.signs.any(), "a run is as good as itself"


def test_the_list_is_copied_and_written(runs: RunsPanel, tmp_path: Path) -> None:
    runs.view.selectAll()
    QTest.keyClick(runs.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 3 and lines[0].startswith("Run\tChanged\t")
    runs.write(tmp_path / "runs.csv")
    rows = (tmp_path / "runs.csv").read_text().splitlines()
    assert rows[0].startswith("run,changed,output") and len(rows) == 3


def test_without_runs_there_is_a_way_to_one(window: MainWindow, qtbot: QtBot) -> None:
    window.panels.show("runs")
    panel = window.findChild(RunsPanel)
    assert isinstance(panel, RunsPanel)
    assert panel.stack.currentWidget() is panel.nothing
    open_model(window, qtbot)
    assert panel.stack.currentWidget() is panel.empty
    assert panel.empty.button.text() == "Simulate…"


def test_limits_of_a_change_stay_even(runs: RunsPanel, window: MainWindow, qtbot: QtBot) -> None:
    compared(runs, window, qtbot)
    metric = window._graph_view.errors.paint
    assert metric is not None and metric.metric is not None
    key = metric.metric.key
    window._graph_view.canvas.limits.moved.emit(metric.metric.good * 2, metric.metric.bad)
    good, bad = window.document.session.painting.limits[key]
    assert good == -bad == metric.metric.good * 2
    assert np.isfinite(good)


def test_the_list_of_outputs_has_room_for_their_names(runs: RunsPanel, qtbot: QtBot) -> None:
    name = "StatefulPartitionedCall:2"
    runs._fill_outputs(RunRows((Trial("Run 1", Plan(), outputs={"a": {}, name: {}}),), output=name))
    room = runs.output.fontMetrics().horizontalAdvance(name)
    qtbot.waitUntil(lambda: room < runs.output.width() <= WIDEST)
    assert runs.output.toolTip() == name
