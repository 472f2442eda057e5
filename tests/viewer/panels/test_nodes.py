"""The list of nodes, linked with what is selected."""

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStyledItemDelegate, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Attributes, Model
from errorflow_viewer.document.node_rows import NAME, OUTPUT, TYPE
from errorflow_viewer.document.state import Place
from errorflow_viewer.panels.details import DetailsPanel
from errorflow_viewer.panels.node_table import NodeTable
from errorflow_viewer.panels.nodes import NodesPanel
from errorflow_viewer.window.window import MainWindow
from table_cells import of_cell
from viewer.lending import Prepare
from viewer.models import branching_model, chain


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    return lambda window, qtbot: window.document.open(branching_model())


@pytest.fixture
def panel(lent_window: MainWindow) -> NodesPanel:
    content = lent_window.panels.by_key["nodes"].content
    assert isinstance(content, NodesPanel)
    content.view.sortByColumn(-1, Qt.SortOrder.AscendingOrder)  # whatever a test before chose
    return content


def names(panel: NodesPanel) -> list[str]:
    table = panel.table
    return [table.data(table.index(row, NAME)) for row in range(table.rowCount())]


def test_all_nodes_are_listed(panel: NodesPanel) -> None:
    assert names(panel) == ["conv1", "relu1", "if1", "call1", "conv10", "conv2"]
    assert panel.count.text() == "6 nodes"


def test_typing_narrows_the_list(panel: NodesPanel) -> None:
    QTest.keyClicks(panel.search, "type:conv 1")
    assert names(panel) == ["conv1", "conv10"]
    assert panel.count.text() == "2 of 6 nodes"


def test_a_click_selects_the_node_everywhere(panel: NodesPanel, window: MainWindow) -> None:
    panel.view.selectRow(1)
    assert window.document.state.node == 1


def test_the_arrow_keys_walk_through_the_nodes(panel: NodesPanel, window: MainWindow) -> None:
    panel.view.selectRow(0)
    QTest.keyClick(panel.view, Qt.Key.Key_Down)
    assert window.document.state.node == 1


def test_what_is_selected_elsewhere_is_selected_here(panel: NodesPanel, window: MainWindow) -> None:
    window.document.select(node=4)
    assert [index.row() for index in panel.view.selectionModel().selectedRows()] == [4]
    window.document.select()
    assert not panel.view.selectionModel().hasSelection()


def test_a_selected_node_that_the_search_hides_stays_selected(panel: NodesPanel, window: MainWindow) -> None:
    window.document.select(node=1)
    panel.search.setText("conv")
    assert window.document.state.node == 1
    panel.search.clear()
    assert panel.view.selectionModel().isRowSelected(1)


def test_sorting_keeps_the_selection(panel: NodesPanel, window: MainWindow) -> None:
    window.document.select(node=5)
    panel.view.sortByColumn(NAME, Qt.SortOrder.AscendingOrder)
    assert names(panel) == ["call1", "conv1", "conv2", "conv10", "if1", "relu1"]
    assert window.document.state.node == 5
    assert panel.view.selectionModel().isRowSelected(2)


def test_sorting_downwards_turns_the_order_round(panel: NodesPanel) -> None:
    panel.view.sortByColumn(TYPE, Qt.SortOrder.DescendingOrder)
    assert names(panel)[0] == "relu1"


def test_down_goes_from_the_search_into_the_list(panel: NodesPanel, window: MainWindow) -> None:
    panel.search.setText("conv10")
    QTest.keyClick(panel.search, Qt.Key.Key_Down)
    assert window.document.state.node == 4


def test_escape_clears_the_search_and_returns_to_the_graph(panel: NodesPanel, window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.jobs.steps)
    panel.focus_search()
    panel.search.setText("conv10")
    QTest.keyClick(panel.search, Qt.Key.Key_Escape)
    assert panel.search.text() == "" and len(names(panel)) == 6
    assert window.view.hasFocus()


def test_escape_in_an_empty_search_returns_to_the_graph(panel: NodesPanel, window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.jobs.steps)
    panel.focus_search()
    QTest.keyClick(panel.search, Qt.Key.Key_Escape)
    assert window.view.hasFocus()


def test_a_search_without_hits_says_so_and_offers_a_way_out(panel: NodesPanel) -> None:
    panel.search.setText("nothing like it")
    assert panel.stack.currentWidget() is panel.no_match
    panel.no_match.button.click()
    assert panel.stack.currentWidget() is panel.view


def test_the_list_follows_into_a_subgraph(panel: NodesPanel, window: MainWindow) -> None:
    window.document.go(Place((1,)))
    assert names(panel) == ["else_node"]


def test_without_a_model_it_says_what_will_be_here(window: MainWindow) -> None:
    content = window.panels.by_key["nodes"].content
    assert isinstance(content, NodesPanel)
    assert content.stack.currentWidget() is content.nothing
    assert not content.search.isEnabled()


def test_the_table_holds_no_text_of_its_own(qapp: object) -> None:
    assert NodeTable().rowCount() == 0


def test_selecting_does_not_loop(panel: NodesPanel, window: MainWindow) -> None:
    seen: list[object] = []
    window.document.changed.connect(seen.append)
    index = panel.table.index(3, NAME)
    flags = QItemSelectionModel.SelectionFlag
    panel.view.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
    assert len(seen) == 1


def test_enter_goes_to_the_next_match_and_shift_enter_back_round_the_end(panel: NodesPanel, window: MainWindow) -> None:
    panel.focus_search()
    panel.search.setText("type:conv")
    visited = []
    for modifier in [Qt.KeyboardModifier.NoModifier] * 4 + [Qt.KeyboardModifier.ShiftModifier]:
        QTest.keyClick(panel.search, Qt.Key.Key_Return, modifier)
        visited.append(window.document.state.node)
    assert visited == [0, 4, 5, 0, 5]


@pytest.mark.parametrize("text, enters", [("type:conv", True), ("nothing like it", False)])
def test_enter_takes_the_keyboard_to_what_was_found(panel: NodesPanel, text: str, enters: bool) -> None:
    panel.focus_search()
    panel.search.setText(text)
    QTest.keyClick(panel.search, Qt.Key.Key_Return)
    assert panel.view.hasFocus() == enters and panel.search.hasFocus() != enters


def test_the_count_says_at_which_match_one_is(panel: NodesPanel) -> None:
    panel.search.setText("type:conv")
    said = []
    for _ in range(2):
        QTest.keyClick(panel.search, Qt.Key.Key_Return)
        said.append(panel.count.text())
    assert said == ["3 of 6 nodes, at 1", "3 of 6 nodes, at 2"]
    panel.search.setText("relu")
    assert panel.count.text() == "1 of 6 nodes"


def test_a_search_for_attributes_reads_them_in_the_background(
    panel: NodesPanel, window: MainWindow, qtbot: QtBot
) -> None:
    panel.search.setText("attr:pads")
    qtbot.waitUntil(lambda: names(panel) == ["conv1"])
    assert panel.count.text() == "1 of 6 nodes"


def test_showing_the_selected_node_ends_a_search_that_hides_it(panel: NodesPanel, window: MainWindow) -> None:
    window.document.select(node=1)
    panel.search.setText("type:conv")
    window.commands.made["show_in_list"].trigger()
    assert panel.search.text() == ""
    assert panel.view.selectionModel().isRowSelected(1) and panel.view.hasFocus()


def other_model() -> Model:
    return Model(Path("/models/other.onnx"), "ONNX model", chain(4))


def test_another_model_is_listed_whole_whatever_was_searched_for(panel: NodesPanel, window: MainWindow) -> None:
    panel.search.setText("type:Relu")
    window.document.open(other_model())
    assert panel.search.text() == "" and panel.table.rowCount() == 4
    assert panel.count.text() == "4 nodes"


def test_another_graph_of_the_model_is_searched_for_the_same(panel: NodesPanel, window: MainWindow) -> None:
    panel.search.setText("type:Neg")
    window.document.go(Place((1,)))
    assert panel.search.text() == "type:Neg" and names(panel) == ["else_node"]


def test_another_model_is_not_sorted(panel: NodesPanel, window: MainWindow) -> None:
    panel.view.sortByColumn(NAME, Qt.SortOrder.DescendingOrder)
    window.document.refine(branching_model())
    assert names(panel)[0] == "relu1"
    window.document.open(other_model())
    assert names(panel)[0] == "/layer0/node0"
    assert panel.view.horizontalHeader().sortIndicatorSection() == -1


def test_the_third_of_three_quick_clicks_on_a_header_ends_the_sorting(panel: NodesPanel) -> None:
    """The second one arrives as a double click."""
    before, header = names(panel), panel.view.horizontalHeader().viewport()
    left, spot = Qt.MouseButton.LeftButton, QPoint(40, 8)
    QTest.mouseClick(header, left, pos=spot)
    place = QPointF(spot)
    kind = QMouseEvent.Type.MouseButtonDblClick
    QApplication.sendEvent(
        header, QMouseEvent(kind, place, header.mapToGlobal(place), left, left, Qt.KeyboardModifier.NoModifier)
    )
    QTest.mouseRelease(header, left, pos=spot)
    assert names(panel)[0] == "relu1"
    QTest.mouseClick(header, left, pos=spot)
    assert names(panel) == before


def test_shapes_are_whole_and_names_have_most_room(panel: NodesPanel) -> None:
    header = panel.view.horizontalHeader()
    text = panel.fontMetrics().horizontalAdvance("1×16×8×8")
    assert text + 8 <= header.sectionSize(OUTPUT)
    assert header.sectionSize(NAME) > header.sectionSize(OUTPUT) and header.sectionSize(NAME) > header.sectionSize(TYPE)


def weighted() -> Model:
    """A Conv whose weight another node makes, with a size that a program named."""
    builder = GraphBuilder()
    builder.input("x")
    builder.node("ConstantOfShape", [], ["w"], name="weight")
    builder.node("Conv", ["x", "w"], ["y"], name="/block/Conv")
    builder.output("y")
    builder.tensor("y", dtype="float32", shape=("unk__12", 64, "width"))
    return Model(Path("/models/weighted.onnx"), "ONNX model", builder.build())


def test_all_but_names_step_back_and_a_node_that_is_not_drawn_does_whole(panel: NodesPanel, window: MainWindow) -> None:
    window.document.open(weighted())
    table = panel.table
    muted = [[of_cell(table.index(row, column), "muted") for column in (NAME, TYPE)] for row in range(2)]
    assert names(panel) == ["/block/Conv", "weight"] and muted == [[False, True], [True, True]]


def test_list_and_details_count_alike_what_the_model_has_and_what_is_drawn(
    panel: NodesPanel, window: MainWindow, qtbot: QtBot
) -> None:
    window.document.open(weighted())
    qtbot.waitUntil(lambda: not window.jobs.steps)
    details = window.panels.by_key["details"].content
    assert isinstance(details, DetailsPanel)
    assert panel.count.text() == "2 nodes, 1 drawn" and "drawn with" in panel.count.toolTip()
    assert "  Nodes: 2, 1 drawn\n" in details.plain_text()
    window.switches.turn("constants")
    qtbot.waitUntil(lambda: not window.jobs.steps)
    assert panel.count.text() == "2 nodes" and "  Nodes: 2\n" in details.plain_text()


def test_a_size_that_nobody_named_is_a_question_mark_with_its_name_in_the_tooltip(
    panel: NodesPanel, window: MainWindow
) -> None:
    window.document.open(weighted())
    index = panel.table.index(0, OUTPUT)
    assert index.data() == "?×64×width"
    assert "float32 unk__12×64×width" in index.data(Qt.ItemDataRole.ToolTipRole)


def test_the_tooltip_of_every_column_says_all_of_the_node(panel: NodesPanel, window: MainWindow) -> None:
    window.document.open(weighted())
    tips = {panel.table.index(0, column).data(Qt.ItemDataRole.ToolTipRole) for column in (NAME, TYPE, OUTPUT)}
    assert tips == {"/block/Conv\nConv\n→ y  float32 unk__12×64×width"}


def long_named() -> Model:
    builder = GraphBuilder()
    builder.input("x")
    name = "/encoder/layers.0/attention/some/rather/long/scope/of/it/normalization"
    builder.node("LayerNormalization", ["x"], ["y"], name=name)
    builder.tensor("y", shape=(1, 3, 512, 512))
    builder.output("y")
    return Model(Path("/models/long.onnx"), "ONNX model", builder.build())


def test_shapes_leave_a_narrow_list_of_long_names_and_return_when_it_is_wide(
    panel: NodesPanel, window: MainWindow
) -> None:
    window.document.open(long_named())
    header, dock = panel.view.horizontalHeader(), window.panels.by_key["nodes"]
    hidden = []
    for width in (260, 460, 260):
        window.resizeDocks([dock], [width], Qt.Orientation.Horizontal)
        QTest.qWait(0)
        hidden.append(header.isSectionHidden(OUTPUT))
    assert hidden == [True, False, True]


def test_shapes_stay_where_the_list_is_sorted_by_them(panel: NodesPanel, window: MainWindow) -> None:
    window.document.open(long_named())
    panel.view.sortByColumn(OUTPUT, Qt.SortOrder.AscendingOrder)
    window.resizeDocks([window.panels.by_key["nodes"]], [280], Qt.Orientation.Horizontal)
    QTest.qWait(0)
    window.resizeDocks([window.panels.by_key["nodes"]], [260], Qt.Orientation.Horizontal)
    QTest.qWait(0)
    assert not panel.view.isColumnHidden(OUTPUT)


def test_types_are_whole_in_a_narrow_list_and_names_give_way_in_the_middle(
    panel: NodesPanel, window: MainWindow
) -> None:
    window.document.open(long_named())
    window.resizeDocks([window.panels.by_key["nodes"]], [260], Qt.Orientation.Horizontal)
    QTest.qWait(0)
    header = panel.view.horizontalHeader()
    assert header.sectionSize(TYPE) >= panel.fontMetrics().horizontalAdvance("LayerNormalization") + 8
    assert header.sectionSize(NAME) >= 60
    option = QStyleOptionViewItem()
    option.rect.setWidth(header.sectionSize(NAME))
    delegate = panel.view.itemDelegate()
    assert isinstance(delegate, QStyledItemDelegate)
    delegate.initStyleOption(option, panel.table.index(0, NAME))
    assert option.textElideMode == Qt.TextElideMode.ElideMiddle
    assert option.text == "…/normalization"


def test_attributes_are_searched_in_the_graph_on_view_though_another_is_still_read(
    window: MainWindow, qtbot: QtBot
) -> None:
    may_go_on = threading.Event()

    def slow(node: int) -> dict[str, object]:
        may_go_on.wait()
        return {"kind": "old"}

    def model(name: str, attributes: Attributes) -> Model:
        builder = GraphBuilder(name, attributes=attributes)
        builder.node("Conv", [], ["out"], name=name)
        return Model(Path(f"/models/{name}.onnx"), "ONNX model", builder.build())

    panel = window.panels.by_key["nodes"].content
    assert isinstance(panel, NodesPanel)
    first = model("first", slow)
    window.document.open(first)
    window.document.search_for("attr:kind=new")
    window.document.refine(model("second", lambda node: {"kind": "new"}))
    may_go_on.set()
    qtbot.waitUntil(lambda: not window.jobs.steps)
    assert names(panel) == ["second"]
