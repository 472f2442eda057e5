"""The panel, with a model on the bench."""

import pytest
from pytestqt.qtbot import QtBot

from errorflow_viewer.panels.curves.asked import Asked
from errorflow_viewer.panels.curves.panel import CurvesPanel
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import open_model


def shown(window: MainWindow) -> CurvesPanel:
    window.panels.show("curves")
    found = window.panels.by_key["curves"].content
    assert isinstance(found, CurvesPanel)
    return found


@pytest.fixture
def panel(window: MainWindow, qtbot: QtBot) -> CurvesPanel:
    """On view, with the sample open."""
    open_model(window, qtbot)
    return shown(window)


@pytest.fixture
def simulated(lent_window: MainWindow) -> CurvesPanel:
    """On view, with a simulation."""
    found = shown(lent_window)
    found.running.ask(Asked())
    for switch in (found.head.average, found.head.log):
        switch.setChecked(switch is found.head.log)
    return found
