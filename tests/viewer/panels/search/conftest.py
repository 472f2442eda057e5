"""The panel, with a model on the bench."""

import pytest
from pytestqt.qtbot import QtBot

from errorflow_viewer.panels.search.panel import SearchPanel
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import open_model


def shown(window: MainWindow) -> SearchPanel:
    window.panels.show("search")
    found = window.panels.by_key["search"].content
    assert isinstance(found, SearchPanel)
    return found


@pytest.fixture
def panel(window: MainWindow, qtbot: QtBot) -> SearchPanel:
    """On view, with the sample open."""
    open_model(window, qtbot)
    return shown(window)


@pytest.fixture
def simulated(lent_window: MainWindow) -> SearchPanel:
    """On view, with a simulation."""
    return shown(lent_window)
