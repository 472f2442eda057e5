"""The list of runs, with two of them."""

import pytest
from pytestqt.qtbot import QtBot

from errorflow_viewer.panels.runs.panel import RunsPanel
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import CULPRIT, open_model, seen_through, simulate, simulation


@pytest.fixture
def runs(window: MainWindow, qtbot: QtBot) -> RunsPanel:
    """Run 1 as it is quantized, and on view Run 2 with the culprit in float."""
    open_model(window, qtbot)
    simulate(window, qtbot)
    window.studies.simulating.edit("Keep it in float", simulation(window).plan.keeping_float(CULPRIT))
    seen_through(window, qtbot)
    window.panels.show("runs")
    panel = window.findChild(RunsPanel)
    assert isinstance(panel, RunsPanel)
    qtbot.waitUntil(lambda: panel.table.rowCount() == 2)
    return panel
