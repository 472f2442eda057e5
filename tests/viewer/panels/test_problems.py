"""The list of what is odd about a file."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Model
from errorflow_viewer.panels.problems import ProblemsPanel
from errorflow_viewer.state import Place
from errorflow_viewer.window import MainWindow
from viewer.models import branching_model


@pytest.fixture
def panel(window: MainWindow) -> ProblemsPanel:
    window.document.open(branching_model())
    content = window.docks.by_key["problems"].content
    assert isinstance(content, ProblemsPanel)
    return content


def test_problems_are_listed_and_counted(panel: ProblemsPanel, window: MainWindow) -> None:
    assert panel.list.count() == 1
    assert "condition" in panel.list.item(0).text()
    assert window.status.problems.text() == "1 problem"


def test_a_click_goes_to_the_node_that_a_problem_is_about(panel: ProblemsPanel, window: MainWindow) -> None:
    panel.list.itemClicked.emit(panel.list.item(0))
    assert (window.document.state.place, window.document.state.node) == (Place(), 2)


def test_enter_goes_there_too(panel: ProblemsPanel, window: MainWindow) -> None:
    window.show_panel("problems")
    panel.list.setCurrentRow(0)
    QTest.keyClick(panel.list, Qt.Key.Key_Return)
    assert window.document.state.node == 2


def test_a_file_without_problems_says_so(panel: ProblemsPanel, window: MainWindow) -> None:
    builder = GraphBuilder("fine")
    builder.input("a")
    builder.node("Relu", ["a"], ["b"], name="relu")
    window.document.open(Model(Path("/fine.onnx"), "ONNX model", builder.build()))
    assert panel.stack.currentWidget() is panel.none
    assert window.status.problems.isHidden()


def test_without_a_model_it_says_what_will_be_here(window: MainWindow) -> None:
    content = window.docks.by_key["problems"].content
    assert isinstance(content, ProblemsPanel)
    assert content.stack.currentWidget() is content.nothing
