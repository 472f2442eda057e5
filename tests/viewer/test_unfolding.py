"""Groups open and close in the window: by commands, keys, clicks, on the way to a node; the picture stays in place."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph, Model
from errorflow_viewer import pictures
from errorflow_viewer.drawings import Unfolded
from errorflow_viewer.panels.details import DetailsPanel
from errorflow_viewer.state import Place
from errorflow_viewer.window import MainWindow

BLOCKS, LENGTH = 12, 6


def deep_graph() -> Graph:
    """/net/block.N/part.M with six nodes in each part, the last of each block a pair that only converts."""
    builder = GraphBuilder("deep", attributes=lambda node: {"number": node})
    builder.input("t")
    before = "t"
    for block in range(BLOCKS):
        for part in range(3):
            scope = f"/net/block.{block}/part.{part}"
            for number in range(LENGTH):
                last = part == 2 and number >= LENGTH - 2
                kind = ("QuantizeLinear", "DequantizeLinear")[number % 2] if last else ("Conv", "Relu")[number % 2]
                after = f"{scope}/t{number}"
                builder.node(kind, [before], [after], name=f"{scope}/node{number}")
                before = after
    builder.output(before)
    return builder.build()


@pytest.fixture
def deep(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """The window with a graph of 216 nodes in groups of groups."""
    window.document.open(Model(Path("/models/deep.onnx"), "ONNX model", deep_graph()))
    window.hide_panel("profile")  # what is measured here is measured in the whole room
    settled(window, qtbot)
    return window


def settled(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.jobs.steps)


def shown(window: MainWindow) -> Unfolded:
    found = window._graph_view.shown
    assert found is not None
    return found


def open_names(window: MainWindow) -> set[str]:
    """Of the groups that are seen open, the last part of their full names."""
    outline = shown(window).outline
    return {outline.labels[each] for each in shown(window).drawing.group_ids.tolist()}


def group(window: MainWindow, scope: str) -> int:
    outline = shown(window).outline
    return next(each for each in range(len(outline)) if outline.scope(each) == scope)


def fold(window: MainWindow, scope: str) -> int:
    box = shown(window).fold_of(group(window, scope))
    assert box is not None
    return box


def run(window: MainWindow, key: str) -> None:
    action = window.commands.made[key]
    assert action.isEnabled()
    action.trigger()


def node(window: MainWindow, name: str) -> int:
    assert window.document.graph is not None
    found = window.document.graph.node_index(name)
    assert found is not None
    return found


FAR = "/net/block.7/part.1/node3"


def closed_all(window: MainWindow, qtbot: QtBot) -> None:
    """Blocks are closed, but the net is open."""
    run(window, "fold.none")
    run(window, "fold.more")
    settled(window, qtbot)
    assert len(shown(window).drawing) == BLOCKS + 2


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


def frame_of(window: MainWindow, scope: str) -> QRectF:
    """Where an open group is in the window, seen from the box that is first in it."""
    drawing, wanted = shown(window).drawing, group(window, scope)
    row = drawing.group_ids.tolist().index(wanted)
    x, y, width, height = drawing.group_boxes[row].tolist()
    inner = drawing.groups.tolist().index(wanted)
    place, (left, top) = window.view.place_of(inner), drawing.boxes[inner, :2].tolist()
    zoom = window.view.zoom
    return QRectF(place.x() + (x - left) * zoom, place.y() + (y - top) * zoom, width * zoom, height * zoom)


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
    details = deep.docks.by_key["details"].content
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


def test_what_a_search_finds_is_marked_box_by_box(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    plain = deep.view.picture()
    deep.document.search_for("name:block.7 type:Conv")
    qtbot.waitUntil(lambda: deep.view.picture() != plain)
    signs = deep.view._screen._signs.matches
    assert signs is not None
    assert {box: int(count) for box, count in enumerate(signs) if count} == {fold(deep, "net/block.7"): 8}
    deep.document.search_for("")
    qtbot.waitUntil(lambda: deep.view.picture() == plain)


def test_marks_of_a_search_follow_when_groups_open(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    deep.document.search_for("name:block.7/part.1/node3")
    deep.document.show(node(deep, FAR))
    signs = deep.view._screen._signs.matches
    assert signs is not None and signs.nonzero()[0].tolist() == [shown(deep).box_of(node(deep, FAR))]


def test_the_next_match_is_one_key_away(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    deep.document.search_for("part.1/node3")
    for wanted in (0, 1):
        run(deep, "find_next")
        assert deep.document.state.node == node(deep, f"/net/block.{wanted}/part.1/node3")
    run(deep, "find_previous")
    assert deep.document.state.node == node(deep, "/net/block.0/part.1/node3")


def test_slash_in_the_graph_searches(deep: MainWindow) -> None:
    deep.view.setFocus()
    QTest.keyClick(deep.view, Qt.Key.Key_Slash)
    focus = QApplication.focusWidget()
    assert focus is not None and focus.accessibleName() == "Search nodes"


def test_conversions_are_hidden_and_the_selection_and_open_groups_stay(deep: MainWindow, qtbot: QtBot) -> None:
    deep.document.show(node(deep, FAR))
    names = open_names(deep)
    run(deep, "switch.quiet")
    settled(deep, qtbot)
    assert deep.settings.is_on("quiet", False)
    assert open_names(deep) == names
    assert deep.document.state.node == node(deep, FAR)
    assert deep.view.selected() == shown(deep).box_of(node(deep, FAR))
    run(deep, "fold.all")
    settled(deep, qtbot)
    # The last pair makes the output.
    assert len(shown(deep).drawing) == BLOCKS * (3 * LENGTH - 2) + 2
    hidden = node(deep, "/net/block.2/part.2/node5")
    deep.document.show(hidden)
    assert deep.document.state.node == hidden
    assert deep.view.selected() == shown(deep).box_of(node(deep, "/net/block.2/part.2/node3"))


def test_a_click_in_a_quiet_graph_selects_the_real_node(deep: MainWindow, qtbot: QtBot) -> None:
    run(deep, "switch.quiet")
    settled(deep, qtbot)
    run(deep, "fold.all")
    settled(deep, qtbot)
    deep.view.pick(shown(deep).box_of(node(deep, FAR)))
    assert deep.document.state.node == node(deep, FAR)


@pytest.mark.parametrize(("key", "seen"), [("switch.minimap", "minimap"), ("switch.path", "path")])
def test_aids_are_switched_off_by_a_key_and_stay_so(deep: MainWindow, key: str, seen: str) -> None:
    deep.view.setFocus()
    letter = deep.commands.made[key].shortcuts()[0].toString()
    QTest.keyClicks(deep.view, letter.lower())
    assert not getattr(deep.view, seen)
    assert not deep.settings.is_on(key.removeprefix("switch."), True)
    run(deep, key)
    assert getattr(deep.view, seen)


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


def test_reloading_keeps_open_groups(window: MainWindow, qtbot: QtBot) -> None:
    from errorflow.sample import SAMPLES

    window.open(SAMPLES[0].model)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    run(window, "fold.none")
    model = window.document.model
    window.reload()
    qtbot.waitUntil(lambda: window.document.model is not model and not window.jobs.steps)
    assert open_names(window) == set()


def test_the_flow_runs_to_the_right_when_asked(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    deep.view.pick(fold(deep, "net/block.5"))
    run(deep, "switch.across")
    settled(deep, qtbot)
    assert shown(deep).drawing.across and deep.settings.is_on("across", False)
    QTest.keyClick(deep.view, Qt.Key.Key_Right)
    assert deep.view.selected() == fold(deep, "net/block.6")
    deep.view.centre_on(fold(deep, "net/block.6"), 2.0)
    before = deep.view.place_of(fold(deep, "net/block.6"))
    run(deep, "fold.open")
    assert abs(frame_of(deep, "net/block.6").left() - before.left()) <= 2
    run(deep, "switch.across")
    settled(deep, qtbot)
    assert not shown(deep).drawing.across


def crowd() -> Graph:
    """One tensor that two hundred equal branches read."""
    builder = GraphBuilder("crowd")
    builder.input("x")
    builder.node("Relu", ["x"], ["all"], name="source")
    for number in range(200):
        builder.node("Mul", ["all"], [f"m{number}"], name=f"/moe/expert.{number}/mul")
        builder.node("Add", [f"m{number}", "all"], [f"a{number}"], name=f"/moe/expert.{number}/add")
    builder.node("Sum", [f"a{number}" for number in range(200)], ["y"], name="/moe/sum")
    builder.output("y")
    return builder.build()


def stubs(window: MainWindow, tensor: str) -> int:
    """How many ends of a tensor's lines are drawn without the line."""
    drawing = shown(window).drawing
    return int((drawing.stub_tensors == shown(window).draft.graph.tensor_index(tensor)).sum())


def test_all_consumers_of_a_tensor_are_shown_on_demand(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(Model(Path("/models/crowd.onnx"), "ONNX model", crowd()))
    settled(window, qtbot)
    run(window, "fold.all")
    settled(window, qtbot)
    assert stubs(window, "all") >= 200  # one for each branch
    window.document.select(node=node(window, "source"))
    run(window, "fold.whole")
    assert stubs(window, "all") == 0 and stubs(window, "a7") > 0
    assert window.commands.made["fold.whole"].isChecked()
    run(window, "fold.whole")
    assert stubs(window, "all") >= 200


def test_the_details_of_a_group_say_what_goes_in_and_out(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    details = deep.docks.by_key["details"].content
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
    details = deep.docks.by_key["details"].content
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


@pytest.mark.parametrize("switch", ["switch.quiet", "switch.constants"])
def test_what_is_read_stays_in_place_when_other_things_are_drawn(deep: MainWindow, qtbot: QtBot, switch: str) -> None:
    run(deep, "fold.all")
    settled(deep, qtbot)
    deep.view.centre_on(shown(deep).box_of(node(deep, FAR)) or 0, 1.5)
    before = deep.view.place_of(shown(deep).box_of(node(deep, FAR)) or 0)
    run(deep, switch)
    settled(deep, qtbot)
    after = deep.view.place_of(shown(deep).box_of(node(deep, FAR)) or 0)
    assert (after.topLeft() - before.topLeft()).manhattanLength() <= 2
    assert deep.view.zoom == pytest.approx(1.5)


def test_a_selected_group_is_told_to_screen_readers(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    deep.folds.open_group(group(deep, "net/block.5"))
    deep.view.pick_group(group(deep, "net/block.5"))
    assert deep.view.accessibleDescription() == "block.5: open group, 3 boxes directly in it."


def test_a_form_that_is_chosen_while_the_first_picture_is_made_is_kept(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(Model(Path("/models/deep.onnx"), "ONNX model", deep_graph()))
    window.switches.turn("across")
    settled(window, qtbot)
    assert shown(window).drawing.across


@pytest.mark.parametrize("key", ["across", "quiet", "unfold"])
def test_a_change_under_way_survives_that_shapes_become_known(
    deep: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    closed_all(deep, qtbot)
    monkeypatch.setattr(pictures, "AT_ONCE", 0)  # everything takes so long that it is done in the background
    before = deep.document.model
    assert before is not None
    if key == "unfold":
        deep.folds.open_all()
    else:
        deep.switches.turn(key)
    assert deep.jobs.running(pictures.KEY)
    better = Model(before.path, before.format, deep_graph())
    deep._drawings.hand_on(before, better)
    deep.document.refine(better)
    settled(deep, qtbot)
    found = shown(deep)
    assert found.draft.graph is better.graph
    done = {
        "across": found.drawing.across,
        "quiet": found.draft.quiet is not None,
        "unfold": found.groups == found.outline.everything,
    }
    assert done == {name: name == key for name in done}


def test_who_cancels_the_way_to_a_node_is_not_taken_there_later(
    deep: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed_all(deep, qtbot)
    graph = deep.document.graph
    assert graph is not None
    node = graph.node_index("/net/block.11/part.1/node0")
    assert node is not None
    monkeypatch.setattr(pictures, "AT_ONCE", 0)
    deep.document.show(node)
    assert deep.jobs.running(pictures.KEY)
    deep.cancel()
    deep.view.zoom_to(1.0)
    first = fold(deep, "net/block.0")
    deep.view.centre_on(first)
    deep.view.settle()
    deep.folds.more()
    settled(deep, qtbot)
    deep.view.settle()
    box = shown(deep).box_of(node)
    assert box is not None and not deep.view.in_sight(box)
