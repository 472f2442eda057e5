from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from errorflow.compare import compare_match
from errorflow.compare.executors import Alone
from errorflow.graph.model import Model
from errorflow_viewer.panels.matches.panel import MatchesPanel
from errorflow_viewer.window.window import MainWindow
from viewer.cases import case_with
from viewer.models import chain
from viewer.panels.matches.listing import match, panel_of


@pytest.fixture
def panel(window: MainWindow, qtbot: QtBot) -> MatchesPanel:
    window.document.open(Model(Path("/models/chain.onnx"), "other", chain(8)))
    window.panels.show("matches")
    found = match()
    window.document.take_case(case_with(compare_match(found, crew=Alone()), found))
    qtbot.waitUntil(lambda: window.document.state.findings is not None and panel_of(window).table.rowCount() == 8)
    qtbot.waitUntil(lambda: len(panel_of(window)._nodes) == 7)
    return panel_of(window)
