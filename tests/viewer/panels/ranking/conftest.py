"""The panel, with a model on the bench."""

import pytest
from pytestqt.qtbot import QtBot

from errorflow_viewer.panels.ranking.panel import RankingPanel
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import open_model


def shown(window: MainWindow) -> RankingPanel:
    window.panels.show("ranking")
    found = window.panels.by_key["ranking"].content
    assert isinstance(found, RankingPanel)
    return found


@pytest.fixture
def panel(window: MainWindow, qtbot: QtBot) -> RankingPanel:
    """On view, with the sample open."""
    open_model(window, qtbot)
    return shown(window)


@pytest.fixture
def simulated(lent_window: MainWindow) -> RankingPanel:
    """On view, with a simulation."""
    found = shown(lent_window)
    found.bar.filter.clear()
    return found
