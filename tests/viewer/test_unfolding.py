"""Groups open and close in the window: by commands, keys, clicks, on the way to a node; the picture stays in place."""

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from errorflow_viewer.document.state import Place
from errorflow_viewer.panels.details import DetailsPanel
from errorflow_viewer.window.window import MainWindow
from viewer.deep import BLOCKS, FAR, LENGTH, closed_all, fold, frame_of, group, node, open_names, run, settled, shown


def test_a_model_opens_as_an_overview(deep: MainWindow) -> None:
    assert 0 < len(shown(deep).drawing) <= 160
    assert all(box >= 0 for box in shown(deep).drawing.node_boxes.tolist())


def test_a_double_click_opens_a_group_that_stays_where_it_is(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    box = fold(deep, "net/block.3")
    deep.view.centre_on(box, 1.0)
    before = deep.view.place_of(box)
    QTest.mouseDClick(deep.view, Qt.MouseButton.LeftButton, pos=before.center().toPoint())
    assert "block.3" in open_names(deep)
    assert deep.view.zoom == pytest.approx(1.0)
    frame = frame_of(deep, "net/block.3")
    assert abs(frame.top() - before.top()) <= 2
    assert abs(frame.center().x() - before.center().x()) < frame.width()


def test_a_double_click_on_the_title_of_an_open_group_closes_it(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    deep.folds.open_group(group(deep, "net/block.3"))
    box = fold(deep, "net/block.3/part.0")
    deep.view.centre_on(box, 1.0)
    frame = frame_of(deep, "net/block.3")
    ground = QPointF(frame.left() + 3, frame.center().y())
    QTest.mouseDClick(deep.view, Qt.MouseButton.LeftButton, pos=ground.toPoint())
    assert open_names(deep) == {"net", "block.3"}
    title = QPointF(frame.left() + 6, frame.top() + 6)
    QTest.mouseDClick(deep.view, Qt.MouseButton.LeftButton, pos=title.toPoint())
    assert open_names(deep) == {"net"}
    assert deep.view.selected() == fold(deep, "net/block.3")


def test_keys_open_the_selected_group_and_go_out_again(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    deep.view.pick(fold(deep, "net/block.5"))
    QTest.keyClick(deep.view, Qt.Key.Key_Return)
    assert open_names(deep) == {"net", "block.5"}
    assert deep.view.selected_group() == group(deep, "net/block.5")
    QTest.keyClick(deep.view, Qt.Key.Key_Return)  # into it
    assert deep.view.selected() == fold(deep, "net/block.5/part.0")
    QTest.keyClick(deep.view, Qt.Key.Key_Escape)
    assert deep.view.selected_group() == group(deep, "net/block.5")
    QTest.keyClick(deep.view, Qt.Key.Key_Escape)
    assert deep.view.selected_group() == group(deep, "net")
    assert open_names(deep) == {"net", "block.5"}
    QTest.keyClick(deep.view, Qt.Key.Key_Escape)
    assert deep.document.state.is_bare


@pytest.mark.parametrize("on_title", [True, False])
def test_a_click_on_the_title_or_the_ground_selects_the_group(deep: MainWindow, qtbot: QtBot, on_title: bool) -> None:
    closed_all(deep, qtbot)
    deep.folds.open_group(group(deep, "net/block.3"))
    deep.view.centre_on(fold(deep, "net/block.3/part.0"), 1.0)
    frame = frame_of(deep, "net/block.3")
    spot = frame.topLeft() + (QPointF(12, 8) if on_title else QPointF(4, frame.height() / 2))
    QTest.mouseClick(deep.view, Qt.MouseButton.LeftButton, pos=spot.toPoint())
    assert deep.document.state.group == group(deep, "net/block.3")
    details = deep.panels.by_key["details"].content
    assert isinstance(details, DetailsPanel)
    assert details.plain_text().startswith("net/block.3\nGroup of 18 nodes")


@pytest.mark.parametrize(
    ("key", "boxes"), [("fold.open", BLOCKS - 1 + 3), ("fold.inside", BLOCKS - 1 + 3 * LENGTH), ("fold.others", BLOCKS)]
)
def test_commands_on_a_closed_group(deep: MainWindow, qtbot: QtBot, key: str, boxes: int) -> None:
    closed_all(deep, qtbot)
    deep.view.pick(fold(deep, "net/block.5"))
    run(deep, key)
    assert len(shown(deep).drawing) == boxes + 2


def test_closing_all_others_leaves_the_selected_group_open(deep: MainWindow, qtbot: QtBot) -> None:
    run(deep, "fold.all")
    settled(deep, qtbot)
    deep.document.select(node=node(deep, FAR))
    run(deep, "fold.others")
    assert open_names(deep) == {"net", "block.7", "part.1"}
    run(deep, "fold.close")
    assert open_names(deep) == {"net", "block.7"}


def test_everything_opens_and_closes_and_stays_in_sight(deep: MainWindow, qtbot: QtBot) -> None:
    deep.view.fit()
    run(deep, "fold.all")
    settled(deep, qtbot)
    assert len(shown(deep).drawing) == BLOCKS * 3 * LENGTH + 2
    assert deep.view.fitted
    run(deep, "fold.none")
    assert open_names(deep) == set()


def test_going_to_a_node_opens_what_hides_it_and_nothing_else(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    deep.document.show(node(deep, FAR))
    assert open_names(deep) == {"net", "block.7", "part.1"}
    box = deep.view.selected()
    assert box == shown(deep).box_of(node(deep, FAR))
    assert box is not None and QRectF(deep.view.rect()).contains(deep.view.place_of(box))


def test_the_selection_survives_that_its_group_is_closed_and_opened(deep: MainWindow, qtbot: QtBot) -> None:
    deep.document.show(node(deep, FAR))
    run(deep, "fold.none")
    assert deep.document.state.node == node(deep, FAR)
    assert deep.view.selected() == fold(deep, "net")
    run(deep, "fold.all")
    settled(deep, qtbot)
    assert deep.view.selected() == shown(deep).box_of(node(deep, FAR))


def test_back_returns_to_what_was_seen(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    deep.view.centre_on(fold(deep, "net/block.2"), 1.3)
    spot, zoom = deep.view.middle(), deep.view.zoom
    deep.document.go(Place(), node=node(deep, FAR))
    assert "part.1" in open_names(deep)
    there, near = deep.view.middle(), deep.view.zoom
    run(deep, "back")
    assert open_names(deep) == {"net"}
    assert deep.view.zoom == pytest.approx(zoom)
    assert (deep.view.middle() - spot).manhattanLength() <= 2
    run(deep, "forward")
    assert open_names(deep) == {"net", "block.7", "part.1"}
    assert deep.view.zoom == pytest.approx(near) and (deep.view.middle() - there).manhattanLength() <= 2


def test_back_returns_to_everything_in_sight(deep: MainWindow, qtbot: QtBot) -> None:
    deep.view.fit()
    deep.document.go(Place(), node=node(deep, FAR))
    assert not deep.view.fitted
    run(deep, "back")
    assert deep.view.fitted


def test_the_right_button_offers_what_can_be_done(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    deep.view.pick(fold(deep, "net/block.5"))
    deep.view.menu_wanted.emit(deep.mapToGlobal(deep.rect().center()))
    menu = next(menu for menu in deep.findChildren(QMenu) if menu.isVisible())
    texts = [action.text().replace("&", "") for action in menu.actions() if action.text()]
    assert texts[:2] == ["Open group", "Close group"]
    assert "Copy name" in texts and "Show in the list of nodes" not in texts
    menu.close()


def test_names_go_to_the_clipboard(deep: MainWindow, qtbot: QtBot) -> None:
    deep.document.show(node(deep, FAR))
    run(deep, "copy_name")
    assert QGuiApplication.clipboard().text() == FAR
    run(deep, "copy_tensors")
    assert QGuiApplication.clipboard().text() == "/net/block.7/part.1/t3"
    run(deep, "fold.none")
    deep.view.pick(fold(deep, "net"))
    run(deep, "copy_name")
    assert QGuiApplication.clipboard().text() == "net"


def test_opening_a_group_glides_when_motion_is_wanted(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    box = fold(deep, "net/block.3")
    deep.view.centre_on(box, 1.0)
    deep.view.repaint()
    deep.view.set_reduced_motion(False)
    deep.view.opened.emit(box)
    moving = deep.view.grab().toImage()
    deep.view.settle()
    assert deep.view.grab().toImage() != moving
    qtbot.waitUntil(lambda: not deep.view.moving)


def test_the_details_of_a_group_say_what_goes_in_and_out(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    details = deep.panels.by_key["details"].content
    assert isinstance(details, DetailsPanel)
    deep.view.pick(fold(deep, "net/block.5"))
    text = details.plain_text()
    assert text.startswith("net/block.5\nGroup of 18 nodes")
    assert "/net/block.4/part.2/t5" in text and "/net/block.5/part.2/t5" in text and "part.1" not in text
    assert "Conv: 8" in text
    deep.document.select()
    assert details.plain_text().startswith("deep.onnx")


def test_the_details_of_a_group_say_how_many_nodes_are_drawn(deep: MainWindow, qtbot: QtBot) -> None:
    run(deep, "switch.quiet")
    settled(deep, qtbot)
    closed_all(deep, qtbot)
    details = deep.panels.by_key["details"].content
    assert isinstance(details, DetailsPanel)
    deep.view.pick(fold(deep, "net/block.5"))
    assert details.plain_text().startswith("net/block.5\nGroup of 18 nodes, 16 drawn\n")


def test_enter_goes_into_a_group_that_holds_only_open_groups(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    deep.folds.open_group(group(deep, "net/block.3"))
    deep.view.pick_group(group(deep, "net/block.3"))
    deep.folds.open_inside()
    deep.view.pick_group(group(deep, "net/block.3"))
    QTest.keyClick(deep.view, Qt.Key.Key_Return)
    assert deep.view.selected_group() == group(deep, "net/block.3/part.0")
    QTest.keyClick(deep.view, Qt.Key.Key_Escape)
    assert deep.view.selected_group() == group(deep, "net/block.3")


def test_centring_on_an_open_group_shows_all_of_it(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    deep.folds.open_group(group(deep, "net/block.5"))
    deep.view.pick_group(group(deep, "net/block.5"))
    deep.view.zoom_to(4.0)
    run(deep, "centre")
    assert QRectF(deep.view.rect()).contains(frame_of(deep, "net/block.5"))


def test_a_selected_group_is_told_to_screen_readers(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    deep.folds.open_group(group(deep, "net/block.5"))
    deep.view.pick_group(group(deep, "net/block.5"))
    assert deep.view.accessibleDescription() == "block.5: open group, 3 boxes directly in it."
