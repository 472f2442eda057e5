from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from errorflow_viewer.panels.inspector.content import Content
from errorflow_viewer.panels.inspector.panel import InspectorPanel
from errorflow_viewer.window.window import MainWindow
from evidence_tensors import Opened, opened_sample
from viewer.cases import case_with


@pytest.fixture
def shell(window: MainWindow) -> InspectorPanel:
    window.panels.show("inspector")
    content = window.panels.by_key["inspector"].content
    assert isinstance(content, InspectorPanel)
    return content


@pytest.fixture
def panel(shell: InspectorPanel) -> Content:
    return shell.content


@pytest.fixture(scope="module")
def sample() -> Opened:
    return opened_sample("loud_channel")


@pytest.fixture
def loud(panel: Content, window: MainWindow, qtbot: QtBot, sample: Opened) -> Content:
    """The built-in sample with its runs compared."""
    window.document.open(replace(sample.model, path=Path("/models/loud.onnx")))
    window.document.take_case(case_with(sample.findings.comparison, sample.match))
    qtbot.waitUntil(lambda: window.document.state.findings is not None, timeout=30_000)
    return panel
