"""Back and forward: where each kind of move leaves a stop."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow_viewer.document.document import Document
from errorflow_viewer.document.state import Place
from errorflow_viewer.panels.nodes import NodesPanel
from errorflow_viewer.window.window import MainWindow
from viewer.deep import BLOCKS, closed_all, fold, node, open_names, run, shown
from viewer.models import branching_model

MOVES: dict[str, Callable[[Document, int], None]] = {
    "go": lambda document, number: document.go(Place(), node=number),
    "show": lambda document, number: document.show(number),
    "walk": lambda document, number: document.walk(number),
    "list": lambda document, number: document.show(number, walking=True),
    "pick": lambda document, number: document.pick(number),
    "leave": lambda document, _: document.pick(),
    "jump": lambda document, _: document.depart(),
    "back": lambda document, _: document.step_back(),
    "forward": lambda document, _: document.step_forward(),
}


@pytest.mark.parametrize(
    ("moves", "back", "forward"),
    [
        # Every journey is a stop.
        ("go1 go2 go3", [2, 1, None], [1, 2, 3]),
        ("go1 show2 go1", [2, 1, None], [1, 2, 1]),
        ("go1 go1 go1", [None], [1]),
        # A walk is one stop: back to where it began, forward to its end.
        ("go1 walk2 walk3 walk4", [1, None], [1, 4]),
        ("go1 list2 list3 list4", [1, None], [1, 4]),
        ("go1 walk2 walk3 go5 walk4", [5, 3, 1, None], [1, 3, 5, 4]),
        ("pick1 walk2 walk3", [1], [3]),
        ("go1 walk2 walk3 pick4", [3, 1, None], [1, 3, 4]),
        # Clicks take each other's place, but never that of what one went to.
        ("pick1 pick2 pick3", [], []),
        ("go1 pick2 pick3", [1, None], [1, 3]),
        ("go1 pick2 go3", [2, 1, None], [1, 2, 3]),
        ("go1 leave pick2", [1, None], [1, 2]),
        ("pick1 pick2 go3", [2], [3]),
        # Who came back starts anew from there.
        ("go1 go2 back walk3 walk4", [1, None], [1, 4]),
        ("go1 go2 back pick3", [1, None], [1, 3]),
        ("go1 walk2 walk3 back walk4", [1, None], [1, 4]),
        ("go1 walk2 back forward walk3", [2, 1, None], [1, 2, 3]),
        # A jump on the minimap leaves the selection, and a stop.
        ("go1 jump go2", [1, 1, None], [1, 1, 2]),
    ],
)
def test_a_table_of_moves(qapp: object, moves: str, back: list[int | None], forward: list[int | None]) -> None:
    document = Document()
    document.open(branching_model())
    for move in moves.split():
        name = move.rstrip("0123456789")
        MOVES[name](document, int(move[len(name) :] or 0))
    seen: list[int | None] = []
    while document.state.back:
        document.step_back()
        seen.append(document.state.node)
    assert seen == back
    returned: list[int | None] = []
    while document.state.forward:
        document.step_forward()
        returned.append(document.state.node)
    assert returned == forward


def test_groups_that_are_numbered_anew_leave_the_history_but_its_stops_stay(qapp: object) -> None:
    document = Document()
    document.open(branching_model())
    document.go(Place(), node=1)
    document.pick(group=4)
    document.go(Place(), node=2)
    document.forget_groups()
    assert [spot.group for spot in document.state.back] == [None, None, None]
    assert document.state.node == 2


def test_back_from_a_body_returns_to_what_was_seen(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    qtbot.waitUntil(lambda: not window.jobs.steps)
    window.document.pick(node=2)
    window.view.centre_on(window.view.selected() or 0, 2.5)
    window.view.opened.emit(window.view.selected())
    qtbot.waitUntil(lambda: not window.jobs.steps)
    assert window.document.state.place == Place((0,))
    run(window, "back")
    assert window.view.zoom == pytest.approx(2.5) and window.document.state.node == 2


def test_a_search_step_is_a_stop(deep: MainWindow, qtbot: QtBot) -> None:
    deep.document.search_for("part.1/node3")
    run(deep, "find_next")
    run(deep, "find_next")
    run(deep, "back")
    assert deep.document.state.node == node(deep, "/net/block.0/part.1/node3")


def test_in_the_list_a_click_is_a_stop_and_keys_are_one(deep: MainWindow, qtbot: QtBot) -> None:
    panel = deep.panels.by_key["nodes"].content
    assert isinstance(panel, NodesPanel)

    def click(row: int) -> None:
        spot = panel.view.visualRect(panel.table.index(row, 0)).center()
        QTest.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=spot)

    click(2)
    click(5)
    for _ in range(4):
        QTest.keyClick(panel.view, Qt.Key.Key_Down)
    rows = []
    for step in ("back", "back", "forward", "forward"):
        run(deep, step)
        assert deep.document.state.node is not None
        rows.append(panel.table.row_of(deep.document.state.node))
    assert rows == [5, 2, 5, 9]


def test_arrow_keys_in_the_graph_are_one_stop(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    deep.view.pick(fold(deep, "net/block.2"))
    for _ in range(3):
        QTest.keyClick(deep.view, Qt.Key.Key_Down)
    assert deep.view.selected() == fold(deep, "net/block.5")
    run(deep, "back")
    assert deep.view.selected() == fold(deep, "net/block.2")
    run(deep, "forward")
    assert deep.view.selected() == fold(deep, "net/block.5")


def test_a_group_opened_by_a_double_click_is_left_by_going_back(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    deep.view.centre_on(fold(deep, "net/block.3"), 1.0)
    spot = deep.view.place_of(fold(deep, "net/block.3")).center().toPoint()
    QTest.mouseClick(deep.view, Qt.MouseButton.LeftButton, pos=spot)
    QTest.mouseDClick(deep.view, Qt.MouseButton.LeftButton, pos=spot)
    assert open_names(deep) == {"net", "block.3"}
    run(deep, "back")
    assert open_names(deep) == {"net"} and deep.view.selected() == fold(deep, "net/block.3")
    run(deep, "forward")
    assert open_names(deep) == {"net", "block.3"}


def test_a_jump_on_the_minimap_is_a_stop_however_far_it_is_dragged(deep: MainWindow, qtbot: QtBot) -> None:
    run(deep, "fold.all")
    qtbot.waitUntil(lambda: not deep.jobs.steps)
    deep.view.centre_on(0, 2.0)
    before = deep.view.middle()
    place = deep.view._map_place()
    start = place.center().toPoint()
    QTest.mousePress(deep.view, Qt.MouseButton.LeftButton, pos=start)
    for step in range(1, 5):
        QTest.mouseMove(deep.view, start + QPoint(step, step))
    QTest.mouseRelease(deep.view, Qt.MouseButton.LeftButton, pos=start)
    assert (deep.view.middle() - before).manhattanLength() > 100
    assert len(deep.document.state.back) == 1
    run(deep, "back")
    assert (deep.view.middle() - before).manhattanLength() <= 2


def test_the_side_buttons_of_a_mouse_go_back_and_forward(deep: MainWindow, qtbot: QtBot) -> None:
    deep.document.go(Place(), node=3)
    deep.document.go(Place(), node=9)
    seen = []
    for button in (Qt.MouseButton.BackButton, Qt.MouseButton.ForwardButton):
        QTest.mouseClick(deep.view, button, pos=QPoint(20, 20))
        seen.append(deep.document.state.node)
    assert seen == [3, 9]


def test_home_and_end_are_stops(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    assert len(shown(deep).drawing) == BLOCKS + 2
    for key in (Qt.Key.Key_End, Qt.Key.Key_Home):
        QTest.keyClick(deep.view, key)
    end = deep.document.state.tensor
    run(deep, "back")
    assert deep.document.state.tensor not in (None, end)
