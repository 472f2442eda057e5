"""The panel, with a model on the bench."""

import pytest
from pytestqt.qtbot import QtBot

from errorflow_viewer.panels.ranking.panel import RankingPanel
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import open_model, simulate


@pytest.fixture
def panel(window: MainWindow, qtbot: QtBot) -> RankingPanel:
    """On view, with the sample open."""
    open_model(window, qtbot)
    window.panels.show("ranking")
    found = window.panels.by_key["ranking"].content
    assert isinstance(found, RankingPanel)
    return found


@pytest.fixture
def simulated(panel: RankingPanel, window: MainWindow, qtbot: QtBot) -> RankingPanel:
    """The same with a simulation."""
    simulate(window, qtbot)
    return panel
