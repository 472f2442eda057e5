"""The panel in a real window, with the real engine behind it."""

import pytest
from pytestqt.qtbot import QtBot

from errorflow_viewer.panels.simulate.panel import MODEL as LOOKING
from errorflow_viewer.panels.simulate.panel import SAMPLES, SimulatePanel
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import open_model


@pytest.fixture
def panel(window: MainWindow) -> SimulatePanel:
    found = window.panels.by_key["simulate"].content
    assert isinstance(found, SimulatePanel)
    window.panels.show("simulate")
    return found


@pytest.fixture
def filled(panel: SimulatePanel, window: MainWindow, qtbot: QtBot) -> SimulatePanel:
    """With the built-in sample, whose calibration inputs are proposed."""
    open_model(window, qtbot)
    ready(panel, window, qtbot)
    return panel


def ready(panel: SimulatePanel, window: MainWindow, qtbot: QtBot) -> None:
    """The panel is in front, and all that is found out in the background is there."""
    window.panels.show("simulate")  # a model that is opened brings the nodes
    qtbot.waitUntil(lambda: not (window.jobs.running(LOOKING) or window.jobs.running(SAMPLES)))
