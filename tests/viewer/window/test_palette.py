"""The command palette."""

from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Model
from errorflow_viewer.document.state import Place
from errorflow_viewer.kit.tables.table import Listing
from errorflow_viewer.window.palette import ICON, MOST_ENDS, MOST_NODES, ROWS, Item, find
from errorflow_viewer.window.window import MainWindow
from viewer.models import branching_model, chain


def texts(window: MainWindow, query: str) -> list[str]:
    return [item.text for item in find(query, window)]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("open", "Open…"),
        ("full", "Full screen"),
        ("dark", "Light or dark: Dark theme"),
        ("about", "About Errorflow"),
        ("problems", "Problems"),
    ],
)
def test_a_command_is_found_by_its_name(window: MainWindow, typed: str, first: str) -> None:
    assert texts(window, typed)[0] == first


@pytest.mark.parametrize("typed", ["palette", "Palet", "colors", "colours"])
def test_the_colours_are_found_by_other_words_too(window: MainWindow, typed: str) -> None:
    found = texts(window, typed)[:3]
    assert found and all("Colours of error: " in text for text in found)


def test_samples_are_found_by_their_titles(window: MainWindow) -> None:
    assert texts(window, "slow drift")[0] == "Open sample: Slow drift"


def test_what_cannot_be_done_now_is_left_out(window: MainWindow) -> None:
    assert "Zoom in" not in texts(window, "")
    window.document.open(branching_model())
    assert "Zoom in" in texts(window, "")


def test_nodes_are_found_after_the_commands(window: MainWindow) -> None:
    window.document.open(branching_model())
    assert texts(window, "conv1")[-2:] == ["conv1", "conv10"]


def test_after_the_mark_only_nodes_are_found_in_all_graphs(window: MainWindow) -> None:
    window.document.open(branching_model())
    assert texts(window, "@node") == ["then_node", "else_node", "call_node"]


def test_a_node_of_another_graph_is_gone_to(window: MainWindow) -> None:
    window.document.open(branching_model())
    find("@else_node", window)[0].run()
    assert (window.document.state.place, window.document.state.node) == (Place((1,)), 0)


def ended() -> Model:
    """As many inputs as caches of a decoder, none of them in the name of a node."""
    builder = GraphBuilder()
    names = ["attention_mask", *(f"past.{i}.key" for i in range(20))]
    for name in names:
        builder.input(name)
    builder.node("Cast", names, ["logits"], name="cast")
    builder.output("logits")
    return Model(Path("/ended.onnx"), "ONNX model", builder.build())


def test_inputs_and_outputs_are_found_and_gone_to(window: MainWindow) -> None:
    window.document.open(ended())
    for query in ("@attention_mask", "@logits", "attention_m"):
        item = find(query, window)[0]
        item.run()
        graph, tensor = window.document.graph, window.document.state.tensor
        assert graph is not None and tensor is not None and graph.tensor_names[tensor] == item.text
    assert texts(window, "@attention_mask") == ["attention_mask"]


def test_many_inputs_leave_room_for_nodes(window: MainWindow) -> None:
    window.document.open(ended())
    assert len(texts(window, "@past")) == MOST_ENDS
    assert texts(window, "@") == ["cast"]


def test_a_large_model_gives_a_few_nodes(window: MainWindow) -> None:
    window.document.open(Model(Path("/chain.onnx"), "ONNX model", chain(500)))
    assert len(texts(window, "@")) == MOST_NODES
    window.jobs.stop()


def test_it_is_used_by_keys_alone(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    box = window.commands.palette
    window.commands.open_palette("")
    assert box.isVisible() and QApplication.focusWidget() is box.field
    QTest.keyClicks(box.field, "@conv")
    QTest.keyClick(box.field, Qt.Key.Key_Down)
    QTest.keyClick(box.field, Qt.Key.Key_Return)
    assert not box.isVisible()
    assert window.document.state.node == 5


def test_texts_begin_at_one_line_with_an_icon_or_without(window: MainWindow) -> None:
    box = window.commands.palette
    items = [Item("with", "", "open", lambda: None), Item("without", "", "", lambda: None)]
    box.lines.show(Listing(items, box.lines.columns))
    decorations = [box.lines.index(row, 0).data(Qt.ItemDataRole.DecorationRole) for row in range(2)]
    assert [icon.actualSize(QSize(ICON, ICON)) for icon in decorations] == [QSize(ICON, ICON)] * 2
    assert decorations[1].pixmap(ICON, ICON).toImage().pixelColor(8, 8).alpha() == 0


def test_the_ends_of_the_list_hold(window: MainWindow) -> None:
    box = window.commands.palette
    window.commands.open_palette("zoom in nothing like it")
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_Return):
        QTest.keyClick(box.field, key)
    window.commands.open_palette("")
    for key in (Qt.Key.Key_PageDown,) * 9:
        QTest.keyClick(box.field, key)
    assert box.list.currentIndex().row() == box.lines.rowCount() - 1
    QTest.keyClick(box.field, Qt.Key.Key_Escape)


def test_escape_closes_it(window: MainWindow) -> None:
    window.commands.open_palette("")
    QTest.keyClick(window.commands.palette.field, Qt.Key.Key_Escape)
    assert not window.commands.palette.isVisible()


def test_escape_closes_it_and_leaves_running_work_alone(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    assert window.jobs.steps
    window.commands.open_palette("")
    QTest.keyClick(window.commands.palette.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not window.jobs.steps)
    window.document.select(node=0)
    assert window.view.selected() is not None


def test_nothing_found_is_said(window: MainWindow) -> None:
    window.commands.open_palette("qqqqqq")
    assert window.commands.palette.none.isVisible() and not window.commands.palette.list.isVisible()
    window.commands.palette.hide()


@pytest.mark.parametrize("typed", ["", "dark", "theme", "@", "@conv"])
def test_a_scroll_bar_is_there_only_for_more_lines_than_are_seen(window: MainWindow, typed: str) -> None:
    window.document.open(branching_model())
    window.commands.open_palette(typed)
    box = window.commands.palette
    QTest.qWait(0)
    assert box.list.verticalScrollBar().isVisible() == (box.lines.rowCount() > ROWS)
    assert not box.list.horizontalScrollBar().isVisible()
    box.hide()


def test_it_can_be_painted(window: MainWindow) -> None:
    window.commands.open_palette("")
    assert not window.grab().isNull()
    window.commands.palette.hide()


def test_commands_come_before_what_can_be_opened(window: MainWindow) -> None:
    texts = [item.text for item in find("", window)]
    opened = [text.startswith("Open sample:") for text in texts]
    assert any(opened) and opened == sorted(opened)


def test_a_panel_that_comes_to_the_front_does_not_cover_it(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    window.commands.open_palette("")
    box, middle = window.commands.palette, window.centralWidget()
    assert middle is not None
    window.panels.show("verdict")
    qtbot.waitUntil(lambda: window.children().index(box) > window.children().index(middle))
    assert box.isVisible()
