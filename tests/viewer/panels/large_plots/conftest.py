from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow.compare.model import Comparison, Row
from errorflow.explain.findings.profile import RELATIVE
from errorflow.graph.model import Model
from errorflow_viewer.panels.inspector.panel import InspectorPanel
from errorflow_viewer.plots.profile_sheet import ProfileSheet
from errorflow_viewer.window.window import MainWindow
from evidence_tensors import Opened, opened_sample
from viewer.cases import case_with
from viewer.lending import Prepare
from viewer.models import chain
from viewer.panels.large_plots.sheets import INFO, NODES, RELU, WORST, profile_panel, select, sheet_of


@pytest.fixture(scope="module")
def sample() -> Opened:
    return opened_sample("loud_channel")


@pytest.fixture(scope="module")
def prepare(sample: Opened) -> Prepare:
    """Opens the built-in sample with its runs compared."""

    def compared(window: MainWindow, qtbot: QtBot) -> None:
        window.panels.show("inspector")
        window.document.open(replace(sample.model, path=Path("/models/loud.onnx")))
        window.document.take_case(case_with(sample.findings.comparison, sample.match))
        qtbot.waitUntil(lambda: window.document.state.findings is not None)

    return compared


@pytest.fixture
def panel(lent_window: MainWindow, prepare: Prepare, qtbot: QtBot, sample: Opened) -> InspectorPanel:
    """A feature map is selected."""
    findings = lent_window.document.state.findings
    if findings is None or findings.comparison is not sample.findings.comparison:
        prepare(lent_window, qtbot)
    lent_window.panels.show("inspector")
    panel = lent_window.panels.by_key["inspector"].content
    assert isinstance(panel, InspectorPanel)
    select(panel.content, lent_window, qtbot, RELU)
    return panel


@pytest.fixture
def profile(window: MainWindow, qtbot: QtBot) -> ProfileSheet:
    values = {node: 0.9 if node == WORST else 0.01 + node / 1000 for node in range(NODES) if node != 5}
    rows = (Row(f"t{node + 1}", INFO, INFO, {RELATIVE.key: value, "cosine": 0.5}) for node, value in values.items())
    window.document.open(Model(Path("/models/chain.onnx"), "ONNX model", chain(NODES)))
    window.document.take_case(case_with(Comparison(tuple(rows))))
    panel = profile_panel(window)
    qtbot.waitUntil(panel.enlarge.isEnabled)
    QTest.mouseClick(panel.enlarge, Qt.MouseButton.LeftButton)
    sheet = sheet_of(panel.large.window, qtbot)
    assert isinstance(sheet, ProfileSheet)
    return sheet
