"""The list of outliers, of a simulation and of two runs."""

import json
from pathlib import Path
from shutil import copy

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow.compare.results import read_results
from errorflow_viewer.document.simulation_work import KEY as SIMULATING
from errorflow_viewer.panels.inspector.panel import InspectorPanel
from errorflow_viewer.panels.outliers.panel import KEY, OutliersPanel
from errorflow_viewer.panels.outliers.rows import FIRST, MEDIAN, SPARSE, TENSOR, TIPS, TYPE
from errorflow_viewer.panels.simulate.smoothing import SmoothDialog
from errorflow_viewer.window.window import MainWindow
from viewer.lending import SHARED, Prepare
from viewer.pairs import calm
from viewer.simulated import FEW, open_model, simulate

SAMPLE = next(sample for sample in SAMPLES if sample.key == "loud_channel")
LOUD = "/block2/depthwise/act/Relu_output_0"
OTHER = "/block2/depthwise/conv/Conv_output_0"


def panel(window: MainWindow) -> OutliersPanel:
    content = window.panels.by_key["outliers"].content
    assert isinstance(content, OutliersPanel)
    return content


def cell(window: MainWindow, row: int, column: int, role: Qt.ItemDataRole = Qt.ItemDataRole.DisplayRole) -> str:
    table = panel(window).table
    return str(table.data(table.index(row, column), role))


def names(window: MainWindow) -> list[str]:
    return [cell(window, row, TENSOR) for row in range(panel(window).table.rowCount())]


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    def simulated(window: MainWindow, qtbot: QtBot) -> None:
        open_model(window, qtbot, SAMPLE.model)
        simulate(window, qtbot, FEW)

    return simulated


def listed(window: MainWindow, qtbot: QtBot) -> OutliersPanel:
    """Of a simulation, which nobody has to ask for."""
    window.panels.show("outliers")
    page = panel(window).page
    page.filter.clear()
    page.choice.setCurrentIndex(0)
    qtbot.waitUntil(lambda: panel(window).stack.currentWidget() is panel(window).page)
    return panel(window)


def is_complete(window: MainWindow) -> bool:
    found = window.document.state.case
    return found is not None and found.complete and found.match is not None


def compared(window: MainWindow, qtbot: QtBot) -> OutliersPanel:
    """A sample compares its runs by itself."""
    open_model(window, qtbot, SAMPLE.model)
    qtbot.waitUntil(lambda: window.document.state.findings is not None and is_complete(window))
    calm(window, qtbot)
    window.panels.show("outliers")
    return panel(window)


def select(window: MainWindow, name: str) -> None:
    found = panel(window)
    found.view.setCurrentIndex(found.table.index(names(window).index(name), 0))


def node_of(window: MainWindow, tensor: str) -> int:
    graph = window.document.graph
    assert graph is not None
    number = graph.tensor_index(tensor)
    assert number is not None
    return int(graph.producers[number])


def test_it_says_what_will_be_here_and_how_to_get_there(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window.panels.show("outliers")
    assert panel(window).stack.currentWidget() is panel(window).closed
    copy(SAMPLE.model, tmp_path / "m.onnx")
    open_model(window, qtbot, tmp_path / "m.onnx")
    assert panel(window).stack.currentWidget() is panel(window).nothing
    assert panel(window).nothing.simulate.isVisibleTo(panel(window))


@SHARED
def test_the_loud_channel_of_a_simulation_is_the_worst_row(window: MainWindow, qtbot: QtBot) -> None:
    found = listed(window, qtbot)
    assert set(names(window)[:2]) == {LOUD, OTHER}
    assert float(cell(window, 0, MEDIAN)) > 8
    assert (cell(window, names(window).index(LOUD), TYPE), cell(window, 0, FIRST)) == ("Relu", "88 %")
    assert "weight of Conv" in {cell(window, row, TYPE) for row in range(found.table.rowCount())}
    assert "in float on" in found.page.count.toolTip()
    assert not found.side.isVisibleTo(found)


def test_nothing_is_looked_at_before_one_can_see_it(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot, SAMPLE.model)
    simulate(window, qtbot, FEW)
    assert not window.jobs.running(KEY)
    assert panel(window).table.rows is None


@SHARED
def test_a_row_leads_to_its_node_and_a_node_to_its_row(window: MainWindow, qtbot: QtBot) -> None:
    found = listed(window, qtbot)
    select(window, LOUD)
    assert window.document.state.node == node_of(window, LOUD)

    window.document.show(node_of(window, OTHER))

    assert cell(window, found.view.currentIndex().row(), TENSOR) == OTHER


@SHARED
def test_a_row_that_tab_came_to_is_selected_by_a_key_on_it(window: MainWindow, qtbot: QtBot) -> None:
    found = listed(window, qtbot)
    window.document.select()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    found.view.setFocus(Qt.FocusReason.TabFocusReason)
    assert found.view.currentIndex().row() == 0 and window.document.state.is_bare

    QTest.keyClick(found.view, Qt.Key.Key_Space)

    assert window.document.state.node == node_of(window, names(window)[0])
    assert window.document.outlier == names(window)[0]


@SHARED
def test_a_list_that_was_sorted_selects_nothing_when_tab_comes_to_it(window: MainWindow, qtbot: QtBot) -> None:
    found = listed(window, qtbot)
    window.document.select()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    found.view.sortByColumn(MEDIAN, Qt.SortOrder.DescendingOrder)
    found.view.setFocus(Qt.FocusReason.TabFocusReason)
    assert found.view.currentIndex().isValid() and window.document.state.is_bare


@SHARED
def test_walking_through_the_rows_is_one_step_back(window: MainWindow, qtbot: QtBot) -> None:
    found = listed(window, qtbot)
    before = len(window.document.state.back)
    for row in range(5):
        found.view.setCurrentIndex(found.table.index(row, 0))
    assert len(window.document.state.back) <= before + 1


@SHARED
def test_the_row_of_a_weight_leads_to_who_multiplies_by_it(window: MainWindow, qtbot: QtBot) -> None:
    listed(window, qtbot)
    select(window, "block2.depthwise.conv.weight")
    assert window.document.state.node == node_of(window, OTHER)


@SHARED
def test_columns_of_numbers_are_sorted_as_numbers_the_largest_first(window: MainWindow, qtbot: QtBot) -> None:
    found = listed(window, qtbot)
    for column in (SPARSE, FIRST, MEDIAN):
        found.view.sortByColumn(column, Qt.SortOrder.DescendingOrder)
        shown = [float(cell(window, row, column).rstrip(" %")) for row in range(found.table.rowCount())]
        assert shown == sorted(shown, reverse=True)


@SHARED
def test_it_is_narrowed_by_words_and_to_what_loses_bits(window: MainWindow, qtbot: QtBot) -> None:
    found = listed(window, qtbot)
    everything = found.table.rowCount()
    found.page.filter.setText("block2 Relu")
    assert names(window)
    assert all("block2" in name and "Relu" in name for name in names(window))
    found.page.filter.clear()
    found.page.choice.setCurrentIndex(1)
    assert set(names(window)) == {LOUD, OTHER}
    found.page.choice.setCurrentText("Weights")
    weights = found.table.rowCount()
    found.page.choice.setCurrentText("What flows")
    assert weights + found.table.rowCount() == everything


@SHARED
def test_heads_say_what_is_measured_and_whose_definition_it_is(window: MainWindow, qtbot: QtBot) -> None:
    found = listed(window, qtbot)
    tips = [
        str(found.table.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole))
        for column in range(found.table.columnCount())
    ]
    assert tips == list(TIPS)
    assert "log₂" in tips[MEDIAN]
    assert "Errorflow" in tips[SPARSE]


@SHARED
def test_a_tip_names_the_loudest_channel(window: MainWindow, qtbot: QtBot) -> None:
    listed(window, qtbot)
    row = names(window).index(LOUD)
    assert "Loudest: channel 15" in cell(window, row, TENSOR, Qt.ItemDataRole.ToolTipRole)


def test_a_cancel_leaves_the_button(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot, SAMPLE.model)
    simulate(window, qtbot, FEW)
    window.panels.show("outliers")
    found = panel(window)
    assert found.stack.currentWidget() is found.finding

    found.finding.button.click()

    assert not window.jobs.running(KEY)
    assert found.stack.currentWidget() is found.ready
    found.ready.button.click()
    qtbot.waitUntil(lambda: found.stack.currentWidget() is found.page)


@SHARED
def test_it_forgets_what_was_when_the_simulation_ends(window: MainWindow, qtbot: QtBot) -> None:
    found = listed(window, qtbot)
    assert window.document.state.outliers is not None
    window.studies.simulating.leave()
    qtbot.waitUntil(lambda: not window.jobs.running(SIMULATING) and window.document.state.simulated is None)
    assert found.stack.currentWidget() is not found.page
    assert window.document.state.outliers is None


@pytest.mark.parametrize("side", [0, 1], ids=["reference", "candidate"])
def test_of_two_runs_either_is_looked_at_when_asked_for(side: int, window: MainWindow, qtbot: QtBot) -> None:
    found = compared(window, qtbot)
    assert found.stack.currentWidget() is found.ready
    found.side.setCurrentIndex(side)

    found.ready.button.click()

    qtbot.waitUntil(lambda: found.stack.currentWidget() is found.page)
    assert {LOUD, OTHER} <= set(names(window)[:3])
    assert found.page.count.toolTip().endswith(f"of the {'candidate' if side else 'reference'} run")
    select(window, LOUD)
    assert window.document.state.node == node_of(window, LOUD)


def test_the_other_run_is_looked_at_anew(window: MainWindow, qtbot: QtBot) -> None:
    found = compared(window, qtbot)
    found.ready.button.click()
    qtbot.waitUntil(lambda: found.stack.currentWidget() is found.page)
    found.side.setCurrentIndex(1)
    found.side.activated.emit(1)
    assert found.stack.currentWidget() is found.ready


@SHARED
@pytest.mark.parametrize("suffix", [".csv", ".txt", ".json"])
def test_the_table_is_written_as_its_suffix_says(suffix: str, window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    found = listed(window, qtbot)
    path = tmp_path / f"outliers{suffix}"
    found.write(path)
    qtbot.waitUntil(path.exists)
    calm(window, qtbot)
    if suffix == ".txt":
        [table] = read_results(path)
        assert table.label == "Pulsar2 outliers"
        assert len(table.rows) == found.table.rowCount()
    elif suffix == ".json":
        assert json.loads(path.read_text("utf-8"))["tensors"][0]["tensor"] in (LOUD, OTHER)
    else:
        assert path.read_text("utf-8").splitlines()[1].split(",")[0] in (LOUD, OTHER)


@SHARED
def test_the_selected_tensor_is_shown_channel_by_channel(window: MainWindow, qtbot: QtBot) -> None:
    found = listed(window, qtbot)
    select(window, LOUD)
    asked: list[tuple[str, str]] = []
    window.document.looked_for.connect(lambda view, tensor: asked.append((view, tensor)))
    found.channels.click()
    assert asked == [("distributions", LOUD)]
    inspector = window.panels.by_key["inspector"].content
    assert isinstance(inspector, InspectorPanel)
    qtbot.waitUntil(lambda: inspector.content.view == "distributions")
    assert inspector.content.tensor.currentText().endswith(LOUD)


@SHARED
def test_distributions_are_of_the_row_that_was_chosen_last(window: MainWindow, qtbot: QtBot) -> None:
    listed(window, qtbot)
    inspector = window.panels.by_key["inspector"].content
    assert isinstance(inspector, InspectorPanel)
    weight = "block2.depthwise.conv.weight"

    def shows(name: str) -> bool:
        content = inspector.content
        return content.view == "distributions" and content.subject is not None and content.subject.choice.name == name

    select(window, weight)
    window.commands.made["distributions"].trigger()
    qtbot.waitUntil(lambda: shows(weight))

    window.document.show(node_of(window, LOUD))
    window.document.show(node_of(window, OTHER))
    window.commands.made["distributions"].trigger()
    qtbot.waitUntil(lambda: shows(OTHER))


@pytest.mark.parametrize(("width", "hidden"), [(1200, set()), (700, {FIRST + 1, FIRST + 2})])
def test_columns_give_way_to_names_by_the_room_that_there_is(
    width: int, hidden: set[int], window: MainWindow, qtbot: QtBot
) -> None:
    found = panel(window)
    found.view.fit(width)
    assert {column for column in range(found.table.columnCount()) if found.view.isColumnHidden(column)} == hidden


@SHARED
def test_it_leads_to_what_smooths_them(window: MainWindow, qtbot: QtBot) -> None:
    found = listed(window, qtbot)
    assert found.smooth.isVisibleTo(found)
    found.smooth.click()

    dialogs = [each for each in QApplication.topLevelWidgets() if isinstance(each, SmoothDialog) and each.isVisible()]
    assert len(dialogs) == 1
    dialogs[0].reject()
