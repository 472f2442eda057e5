"""The panel, with a model on the bench."""

import pytest
from pytestqt.qtbot import QtBot

from errorflow_viewer.panels.curves.panel import CurvesPanel
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import open_model, simulate


@pytest.fixture
def panel(window: MainWindow, qtbot: QtBot) -> CurvesPanel:
    """On view, with the sample open."""
    open_model(window, qtbot)
    window.panels.show("curves")
    found = window.panels.by_key["curves"].content
    assert isinstance(found, CurvesPanel)
    return found


@pytest.fixture
def simulated(panel: CurvesPanel, window: MainWindow, qtbot: QtBot) -> CurvesPanel:
    """The same with a simulation."""
    simulate(window, qtbot)
    return panel
