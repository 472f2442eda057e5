from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow.compare import Comparison
from errorflow.compare.model import Row
from errorflow.explain.stages.model import Stages, StageTensor
from errorflow.graph.dump import TensorInfo
from errorflow_viewer.panels.differences.panel import (
    CHOICES,
    COLUMNS,
    ERROR,
    KIND,
    NO_FAULT,
    OPEN,
    SHOW,
    WHAT,
    DifferencesPanel,
    together,
)
from errorflow_viewer.window.window import MainWindow
from viewer.cases import case_with
from viewer.lending import SHARED, Prepare
from viewer.models import branching_model
from viewer.pairs import calm, node, paired

SAMPLE = SAMPLES[0]


def panel(window: MainWindow) -> DifferencesPanel:
    content = window.panels.by_key["differences"].content
    assert isinstance(content, DifferencesPanel)
    return content


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    return paired


def listed(window: MainWindow, qtbot: QtBot) -> DifferencesPanel:
    """Of both graphs of the sample, which a window that is lent has on view already."""
    if window.pair.beside is None:
        paired(window, qtbot)
    window.panels.show("differences")
    panel(window).page.filter.clear()
    panel(window).page.choice.setCurrentIndex(0)
    qtbot.waitUntil(lambda: panel(window).table.rowCount() > 0)
    return panel(window)


def cell(window: MainWindow, row: int, column: int, role: Qt.ItemDataRole = Qt.ItemDataRole.DisplayRole) -> str:
    table = panel(window).table
    return str(table.data(table.index(row, column), role))


def choose(window: MainWindow, text: str) -> None:
    panel(window).page.choice.setCurrentText(text)


def test_without_a_second_graph_it_offers_to_show_one(window: MainWindow, qtbot: QtBot) -> None:
    window.open(SAMPLE.model)
    qtbot.waitUntil(lambda: window.document.model is not None)
    window.panels.show("differences")
    assert panel(window).stack.currentWidget() is panel(window).alone

    panel(window).alone.button.click()

    calm(window, qtbot)
    assert window.document.session.pairing == "side"
    assert panel(window).stack.currentWidget() is panel(window).page


def test_every_difference_has_a_row(window: MainWindow, qtbot: QtBot) -> None:
    table = listed(window, qtbot).table

    assert table.rowCount() == 92
    assert [cell(window, 0, column) for column in (KIND, 1, WHAT)] == [
        "changed",
        "/stem/conv/Conv",
        "precision float32 → uint8",
    ]
    assert panel(window).page.count.text() == "92 differences, 11 nodes the same"


@SHARED
@pytest.mark.parametrize(("choice", "count"), [("Changed", 20), ("Inserted", 72), ("Merged", 0), ("Guesses", 0)])
def test_rows_are_narrowed_to_a_kind(window: MainWindow, qtbot: QtBot, choice: str, count: int) -> None:
    listed(window, qtbot)
    choose(window, choice)

    assert panel(window).table.rowCount() == count
    assert panel(window).page.count.text() == f"{count} of 92"


@SHARED
def test_rows_are_found_by_words(window: MainWindow, qtbot: QtBot) -> None:
    listed(window, qtbot).page.filter.setText("block3 uint8")

    assert 0 < panel(window).table.rowCount() < 20
    assert all("block3" in cell(window, row, 1) for row in range(panel(window).table.rowCount()))


@SHARED
def test_a_row_leads_to_its_nodes_in_both_graphs(window: MainWindow, qtbot: QtBot) -> None:
    listed(window, qtbot).page.filter.setText("/block2/expand/conv/Conv uint8")
    view = panel(window).view
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(panel(window).table.index(0, 1)).center()
    )
    calm(window, qtbot)

    assert window.document.state.node == node(window, "/block2/expand/conv/Conv")
    assert window.pair.second.document.state.node == node(window, "/block2/expand/conv/Conv", second=True)


@SHARED
def test_a_row_that_tab_came_to_leads_there_by_a_key_on_it(window: MainWindow, qtbot: QtBot) -> None:
    listed(window, qtbot).page.filter.setText("/block2/expand/conv/Conv uint8")
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    panel(window).view.setFocus(Qt.FocusReason.TabFocusReason)
    assert window.document.state.is_bare

    QTest.keyClick(panel(window).view, Qt.Key.Key_Space)

    assert window.document.state.node == node(window, "/block2/expand/conv/Conv")


@SHARED
def test_an_inserted_node_is_gone_to_in_its_own_graph(window: MainWindow, qtbot: QtBot) -> None:
    listed(window, qtbot)
    choose(window, "Inserted")

    panel(window).view.selectRow(0)
    calm(window, qtbot)

    line = panel(window).table.line_at(0)
    assert line is not None
    assert window.pair.second.document.state.node == line.second[0]
    assert window.document.state.is_bare


@SHARED
def test_the_row_of_what_is_selected_is_marked(window: MainWindow, qtbot: QtBot) -> None:
    listed(window, qtbot)

    window.document.select(node(window, "/block3/Add"))

    current = panel(window).view.currentIndex()
    assert cell(window, current.row(), 1) == "/block3/Add"


@SHARED
def test_errors_stand_beside_the_nodes_and_sort_them(window: MainWindow, qtbot: QtBot) -> None:
    listed(window, qtbot)
    qtbot.waitUntil(lambda: panel(window).table.errors is not None, timeout=20_000)
    qtbot.waitUntil(lambda: window.pair.second.document.state.findings is not None, timeout=20_000)

    table = panel(window).table
    worst_first = table.headerData(ERROR, Qt.Orientation.Horizontal, Qt.ItemDataRole.InitialSortOrderRole)
    panel(window).view.sortByColumn(ERROR, worst_first)

    errors = panel(window).table.errors
    assert errors is not None
    assert cell(window, 0, ERROR) == errors.scale.text(float(np.nanmax(errors.values)))
    assert cell(window, 91, ERROR) == "–"
    tip = cell(window, 0, ERROR, Qt.ItemDataRole.ToolTipRole)
    assert errors.scale.label in tip
    assert errors.scale.formula in tip


@SHARED
@pytest.mark.parametrize("column", range(len(COLUMNS.titles) - 1))
def test_every_column_sorts(window: MainWindow, qtbot: QtBot, column: int) -> None:
    listed(window, qtbot)
    panel(window).view.sortByColumn(column, Qt.SortOrder.AscendingOrder)
    texts = [cell(window, row, column) for row in range(92)]

    assert [text for text in texts if text] == texts[: len([text for text in texts if text])]
    assert len(set(texts)) == len({text for at, text in enumerate(texts) if not at or texts[at - 1] != text})


def test_two_equal_graphs_are_said_to_be_the_same(window: MainWindow, qtbot: QtBot) -> None:
    window.open(SAMPLE.model)
    qtbot.waitUntil(lambda: window.document.model is not None)
    window.pair.open(SAMPLE.model)
    calm(window, qtbot)
    window.panels.show("differences")

    assert panel(window).stack.currentWidget() is panel(window).same


@SHARED
def test_of_three_runs_the_stage_at_fault_is_listed(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model(Path("/models/three.onnx")))
    row = Row("conv_out", TensorInfo("conv_out", "float32", (1,), 4), None, {"cosine": 0.5})
    tensors = (
        StageTensor("conv_out", "conv_out", "conv_out", row, row, row, "quantization", 0.9, "a note"),
        StageTensor("relu_out", "relu_out", "relu_out", row, row, row, "none"),
    )
    window.panels.show("differences")

    window.document.take_case(case_with(Comparison((row,)), stages=Stages(tensors, "quantization", "It is.")))

    qtbot.waitUntil(lambda: panel(window).table.rowCount() == 1)
    assert [cell(window, 0, column) for column in (KIND, 1, WHAT)] == [
        "quantization",
        "conv_out",
        "the errors add up; a note",
    ]
    choose(window, "Stage at fault")
    panel(window).view.selectRow(0)
    assert window.document.state.node == node(window, "conv1")


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (("a/b/conv", "a/b/bn"), "a/b/{conv, bn}"),
        (("a/b/conv", "a/c"), "a/{b/conv, c}"),
        (("a", "a/b"), "a, a/b"),
        (("/x/1", "/x/2"), "/x/{1, 2}"),
        (("same", "same"), "same, same"),
    ],
)
def test_several_names_say_once_what_they_begin_with(names: tuple[str, ...], text: str) -> None:
    assert together(names) == text


def test_every_choice_has_a_text_of_its_own() -> None:
    assert len({choice.text for choice in CHOICES}) == len(CHOICES)


def test_three_runs_without_a_stage_at_fault_say_so(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    window.panels.show("differences")
    fine = StageTensor("conv_out", "conv_out", "conv_out", None, None, None, "none")
    window.document.take_case(case_with(Comparison(()), stages=Stages((fine,), "", "Nothing.")))
    content = panel(window)
    qtbot.waitUntil(lambda: content.stack.currentWidget() is content.no_fault)
    assert content.no_fault.sentence.text() == NO_FAULT
    assert content.no_fault.button.text() == SHOW


def test_beside_an_empty_second_graph_a_model_for_it_is_asked_for(window: MainWindow) -> None:
    window.document.open(branching_model())
    window.panels.show("differences")
    content = panel(window)
    assert content.alone.button.text() == SHOW
    window.document.edit("Show the second graph beside", pairing="side")
    assert content.stack.currentWidget() is content.alone
    assert content.alone.button.text() == OPEN
