"""What is odd about a file and about two runs, in groups."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event, current_thread, main_thread

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.explain.findings.test_select import NODES, findings
from errorflow.base.errors import ErrorflowError
from errorflow.case.scenarios.setup import Setup
from errorflow.compare.match.model import Match
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Model, Problem
from errorflow_viewer.document.state import Place
from errorflow_viewer.panels.problems import KEY, NOT_COMPARED, ProblemsPanel, ProblemTree
from errorflow_viewer.window.window import MainWindow
from table_cells import of_cell
from viewer.cases import case_with
from viewer.document.test_comparing import npu_case
from viewer.lending import Prepare
from viewer.models import branching_model


def content(window: MainWindow) -> ProblemsPanel:
    window.panels.show("problems")
    found = window.panels.by_key["problems"].content
    assert isinstance(found, ProblemsPanel)
    return found


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    return lambda window, qtbot: window.document.open(branching_model())


@pytest.fixture
def panel(lent_window: MainWindow) -> ProblemsPanel:
    return content(lent_window)


@pytest.fixture
def compared(window: MainWindow, qtbot: QtBot) -> ProblemsPanel:
    """A model without problems and two runs: one tensor has another shape, one is in one run only."""
    found = findings()
    window.document.open(Model(Path("/models/found.onnx"), "ONNX model", found.graph))
    match = Match((), problems=(Problem("Several files are of one tensor.", "conv1"),))
    window.document.take_case(case_with(found.comparison, match, found.blame))
    window.document.take_findings(found)
    panel = content(window)
    qtbot.waitUntil(lambda: len(panel.tree.branches) == 3)
    return panel


def line(panel: ProblemsPanel, group: int, row: int) -> QModelIndex:
    return panel.tree.index(row, 0, panel.tree.index(group, 0))


def test_problems_of_the_file_are_listed_open_and_counted(panel: ProblemsPanel, window: MainWindow) -> None:
    assert panel.tree.index(0, 0).data() == "Odd in the file (1)"
    assert "condition" in line(panel, 0, 0).data()
    assert panel.list.isExpanded(panel.tree.index(0, 0))
    assert window.status.problems.text() == "1 problem"


def test_a_click_goes_to_the_node_that_a_problem_is_about(panel: ProblemsPanel, window: MainWindow) -> None:
    panel.list.clicked.emit(line(panel, 0, 0))
    assert (window.document.state.place, window.document.state.node) == (Place(), 2)


def test_enter_goes_there_too(panel: ProblemsPanel, window: MainWindow) -> None:
    window.panels.show("problems")
    panel.list.setCurrentIndex(line(panel, 0, 0))
    QTest.keyClick(panel.list, Qt.Key.Key_Return)
    assert window.document.state.node == 2


def test_a_file_without_problems_says_so(panel: ProblemsPanel, window: MainWindow) -> None:
    builder = GraphBuilder("fine")
    builder.input("a")
    builder.node("Relu", ["a"], ["b"], name="relu")
    window.document.open(Model(Path("/fine.onnx"), "ONNX model", builder.build()))
    assert panel.stack.currentWidget() is panel.none
    assert window.status.problems.isHidden() and not panel.copy.isEnabled()


def test_without_a_model_it_says_what_will_be_here(window: MainWindow) -> None:
    panel = content(window)
    assert panel.stack.currentWidget() is panel.nothing


def test_what_could_not_be_measured_is_grouped_by_why_with_a_way_out(compared: ProblemsPanel) -> None:
    heads = [compared.tree.index(row, 0).data() for row in range(compared.tree.rowCount())]
    assert heads == ["Odd about the runs (1)", "The shapes differ (1)", "Only in the candidate (1)"]
    hint = line(compared, 1, 0)
    assert of_cell(hint, "muted") and "batch of another size" in hint.data()
    assert line(compared, 1, 1).data() == "t4: 1 and 2."
    assert not compared.list.isExpanded(compared.tree.index(1, 0))


def test_the_status_bar_counts_what_the_panel_lists(compared: ProblemsPanel, window: MainWindow) -> None:
    assert sum(len(branch.group.items) for branch in compared.tree.branches) == 3
    assert window.status.problems.text() == "1 problem, 2 tensors not measured"
    window.document.take_case(None)
    assert window.status.problems.isHidden()


def test_runs_that_could_not_be_compared_are_no_file_without_problems(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    right = npu_case(tmp_path)
    sides = {"candidate": right.files["reference"], "reference": right.files["candidate"]}
    window.comparisons.start(Setup(right.scenario, {**right.files, **sides}))
    qtbot.waitUntil(lambda: any(row.notice.kind == "error" for row in window.banners.rows), timeout=20_000)
    panel = content(window)
    qtbot.waitUntil(lambda: not window.jobs.steps)
    assert panel.stack.currentWidget() is panel.none
    assert panel.none.sentence.text() == NOT_COMPARED


def test_a_click_opens_a_group_and_closes_it_again(compared: ProblemsPanel) -> None:
    head = compared.tree.index(1, 0)
    for is_open in (True, False):
        compared.list.clicked.emit(head)
        assert compared.list.isExpanded(head) is is_open


@pytest.mark.parametrize(("group", "row", "node"), [(0, 0, "conv1"), (1, 1, "softmax"), (2, 1, "tail")])
def test_a_click_on_a_tensor_shows_its_node(
    compared: ProblemsPanel, window: MainWindow, group: int, row: int, node: str
) -> None:
    compared.list.clicked.emit(line(compared, group, row))
    assert window.document.state.node == NODES.index(node)


def test_a_hint_leads_nowhere(compared: ProblemsPanel, window: MainWindow) -> None:
    compared.list.clicked.emit(line(compared, 1, 0))
    assert window.document.state.node is None


def test_a_group_that_is_open_stays_open_while_more_is_measured(
    compared: ProblemsPanel, window: MainWindow, qtbot: QtBot
) -> None:
    compared.list.expand(compared.tree.index(2, 0))
    with qtbot.waitSignal(compared.tree.modelReset):
        window.document.take_findings(findings())
    assert compared.list.isExpanded(compared.tree.index(2, 0))


@pytest.mark.parametrize("by_key", [True, False])
def test_all_of_it_can_be_copied(compared: ProblemsPanel, by_key: bool) -> None:
    QGuiApplication.clipboard().clear()
    if by_key:
        QTest.keyClick(compared.list, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    else:
        compared.copy.click()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[:2] == ["Odd about the runs (1)", "  conv1: Several files are of one tensor."]
    assert "  t5" in lines


def test_without_runs_their_problems_are_gone(compared: ProblemsPanel, window: MainWindow) -> None:
    window.document.take_case(None)
    assert compared.tree.branches == () and compared.stack.currentWidget() is compared.none


def test_no_line_of_the_tree_has_lines_of_its_own(compared: ProblemsPanel) -> None:
    tree = compared.tree
    assert isinstance(tree, ProblemTree)
    below = line(compared, 1, 1)
    assert tree.rowCount(below) == 0 and tree.parent(below) == tree.index(1, 0)
    assert not tree.index(9, 0).isValid()


def test_nothing_is_grouped_before_one_can_see_it(window: MainWindow, qtbot: QtBot) -> None:
    found = findings()
    window.document.open(Model(Path("/models/found.onnx"), "ONNX model", found.graph))
    panel = content(window)
    window.panels.hide("problems")
    window.document.take_case(case_with(found.comparison))
    assert not window.jobs.running(KEY)
    window.panels.show("problems")
    qtbot.waitUntil(lambda: len(panel.tree.branches) == 2)


def test_while_a_comparison_grows_its_last_part_is_grouped(window: MainWindow, qtbot: QtBot) -> None:
    found = findings()
    window.document.open(Model(Path("/models/found.onnx"), "ONNX model", found.graph))
    panel = content(window)
    nothing = replace(found.comparison, rows=())
    for comparison in (nothing, nothing, found.comparison):
        window.document.take_case(case_with(comparison))
    qtbot.waitUntil(lambda: len(panel.tree.branches) == 2)


class Unreadable(tuple[Problem, ...]):
    """Problems of a run that turns out to be gone when the test says so."""

    gate: Event

    def __iter__(self) -> Iterator[Problem]:
        if current_thread() is main_thread():  # they are counted there
            return iter(())
        self.gate.wait(120)  # longer than anybody waits for what is found meanwhile
        raise ErrorflowError("The run is gone.", "Compare again.")


def test_what_comes_while_a_part_fails_is_grouped_all_the_same(window: MainWindow, qtbot: QtBot) -> None:
    found = findings()
    window.document.open(Model(Path("/models/found.onnx"), "ONNX model", found.graph))
    panel = content(window)
    problems = Unreadable()
    problems.gate = Event()
    window.document.take_case(case_with(replace(found.comparison, rows=()), Match((), problems=problems)))
    window.document.take_case(case_with(found.comparison))

    def is_all_found() -> bool:
        known = window.document.state.findings
        return known is not None and known.comparison is found.comparison and not window.jobs.running("findings")

    qtbot.waitUntil(is_all_found)
    assert window.jobs.running(KEY)
    problems.gate.set()
    qtbot.waitUntil(lambda: len(panel.tree.branches) == 2)
