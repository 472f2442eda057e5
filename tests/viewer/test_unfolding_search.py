"""What a search finds is marked in groups that are open or closed."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from errorflow_viewer.window.window import MainWindow
from viewer.deep import FAR, closed_all, fold, node, run, shown


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
