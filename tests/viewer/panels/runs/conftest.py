"""The list of runs, with two of them."""

import pytest
from pytestqt.qtbot import QtBot

from errorflow_viewer.panels.runs.panel import RunsPanel
from errorflow_viewer.window.window import MainWindow
from viewer.lending import Prepare
from viewer.simulated import two_runs


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    return two_runs


@pytest.fixture
def runs(lent_window: MainWindow, qtbot: QtBot) -> RunsPanel:
    """Run 1 as it is quantized, and on view Run 2 with the culprit in float."""
    lent_window.panels.show("runs")
    panel = lent_window.findChild(RunsPanel)
    assert isinstance(panel, RunsPanel)
    panel.pane.hide()
    qtbot.waitUntil(lambda: panel.table.rowCount() == 2)
    return panel
