from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from errorflow.compare import compare_match
from errorflow.compare.executors import Alone
from errorflow.graph.model import Model
from errorflow_viewer.panels.matches.panel import MatchesPanel
from errorflow_viewer.window.window import MainWindow
from viewer.cases import case_with
from viewer.lending import Prepare
from viewer.models import chain
from viewer.panels.matches.listing import match, panel_of


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    model = Model(Path("/models/chain.onnx"), "other", chain(8))
    return lambda window, qtbot: window.document.open(model)


@pytest.fixture
def panel(lent_window: MainWindow, qtbot: QtBot) -> MatchesPanel:
    return listed(lent_window, qtbot)


@pytest.fixture
def own_panel(own_window: MainWindow, prepare: Prepare, qtbot: QtBot) -> MatchesPanel:
    """For what is told or chosen only once."""
    prepare(own_window, qtbot)
    return listed(own_window, qtbot)


def listed(window: MainWindow, qtbot: QtBot) -> MatchesPanel:
    """With a case of its own, and all of it on view."""
    window.panels.show("matches")
    panel_of(window).page.filter.clear()
    panel_of(window).page.choice.setCurrentIndex(0)
    panel_of(window).view.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
    found = match()
    window.document.take_case(case_with(compare_match(found, crew=Alone()), found))
    qtbot.waitUntil(lambda: window.document.state.findings is not None and panel_of(window).table.rowCount() == 8)
    qtbot.waitUntil(lambda: len(panel_of(window)._nodes) == 7)
    return panel_of(window)
