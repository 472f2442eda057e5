"""What a reader finds where the keyboard comes to: a row of a list, a tab of the panels."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QTabBar, QTableView, QToolTip, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from errorflow_viewer.kit.accessible.keyboard import go_to_first_row, wait_for_keys
from errorflow_viewer.panels.node_view import NodeView
from errorflow_viewer.window.window import MainWindow
from viewer.models import branching_model

Text, Role = QAccessible.Text, QAccessible.Role


@pytest.fixture
def opened(window: MainWindow, qtbot: QtBot) -> MainWindow:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.document.open(branching_model())
    QCoreApplication.processEvents()
    return window


def told(view: QAbstractItemView) -> str:
    """What a reader says of where one is in a list; "": nothing."""
    face = QAccessible.queryAccessibleInterface(view)
    cell = None if face is None else face.focusChild()
    return "" if cell is None or cell.role() == Role.Table else cell.text(Text.Name)


def tabs_of(window: MainWindow) -> list[QAccessibleInterface]:
    faces = [QAccessible.queryAccessibleInterface(bar) for bar in window.findChildren(QTabBar) if bar.isVisible()]
    parts = (face.child(at) for face in faces if face is not None for at in range(face.childCount()))
    return [part for part in parts if part is not None and part.role() == Role.PageTab]


def nodes(window: MainWindow) -> NodeView:
    return window.panels.nodes.view


def test_tab_comes_to_the_first_node_and_selects_none(opened: MainWindow) -> None:
    view = nodes(opened)
    assert told(view) == ""
    view.setFocus(Qt.FocusReason.TabFocusReason)
    assert told(view) == "conv1" and not view.selectedIndexes()
    assert opened.document.state.is_bare
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert told(view) == "relu1" and opened.document.state.node == 1


def test_a_node_that_is_selected_is_where_tab_comes_to(opened: MainWindow) -> None:
    opened.document.select(node=2)
    nodes(opened).setFocus(Qt.FocusReason.TabFocusReason)
    assert told(nodes(opened)) == "if1" and opened.document.state.node == 2


def test_down_from_the_search_still_begins_at_the_first_row(opened: MainWindow) -> None:
    nodes(opened).setFocus(Qt.FocusReason.TabFocusReason)
    opened.find_node()
    QTest.keyClick(opened.panels.nodes.search, Qt.Key.Key_Down)
    assert opened.document.state.node == 0 and nodes(opened).hasFocus()


def test_the_mouse_chooses_its_row_itself(opened: MainWindow) -> None:
    view = nodes(opened)
    spot = view.visualRect(view.model().index(3, 0)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert opened.document.state.node == 3


def click(view: QTableView, row: int) -> None:
    spot = view.visualRect(view.model().index(row, 0)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)


def test_a_click_on_the_node_that_tab_came_to_selects_it(opened: MainWindow) -> None:
    view = nodes(opened)
    view.setFocus(Qt.FocusReason.TabFocusReason)
    click(view, 0)
    assert opened.document.state.node == 0 and {index.row() for index in view.selectedIndexes()} == {0}


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Home, Qt.Key.Key_Up])
def test_a_key_on_the_node_that_tab_came_to_selects_it(opened: MainWindow, key: Qt.Key) -> None:
    nodes(opened).setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(nodes(opened), key)
    assert opened.document.state.node == 0 and nodes(opened).selectedIndexes()


def test_the_first_space_selects_and_only_the_next_one_switches(opened: MainWindow) -> None:
    view, asked = nodes(opened), list[bool]()
    view.switch_wanted.connect(asked.append)
    view.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert not asked and opened.document.state.node == 0
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert asked == [False]


def test_the_first_hit_of_a_search_that_tab_comes_to_is_selected_by_a_click(opened: MainWindow) -> None:
    opened.find_node()
    QTest.keyClicks(opened.panels.nodes.search, "if")
    QCoreApplication.processEvents()
    view = nodes(opened)
    view.setFocus(Qt.FocusReason.TabFocusReason)
    assert told(view) == "if1" and opened.document.state.is_bare
    click(view, 0)
    assert opened.document.state.node == 2


def test_a_click_on_the_selected_node_is_no_step(opened: MainWindow) -> None:
    click(nodes(opened), 1)
    before = opened.document.state
    click(nodes(opened), 1)
    assert opened.document.state == before


def test_a_window_that_comes_to_the_front_comes_to_no_row(opened: MainWindow) -> None:
    nodes(opened).setFocus(Qt.FocusReason.ActiveWindowFocusReason)
    assert told(nodes(opened)) == "" and opened.document.state.is_bare


@pytest.fixture
def noted(opened: MainWindow, qtbot: QtBot) -> QTableView:
    """The list of two notes."""
    opened.document.edit("Write notes", notes={"relu1": "look", "if1": "here"})
    opened.panels.show("notes")
    [view] = opened.panels.by_key["notes"].content.findChildren(QTableView)
    qtbot.waitUntil(lambda: view.isVisible() and view.model().rowCount() == 2)
    return view


def test_tab_into_another_list_leaves_the_graph_as_it_is(opened: MainWindow, noted: QTableView) -> None:
    noted.setFocus(Qt.FocusReason.TabFocusReason)
    assert told(noted) in ("relu1", "if1") and opened.document.state.is_bare


def test_a_list_that_was_sorted_still_leaves_the_graph_as_it_is(opened: MainWindow, noted: QTableView) -> None:
    header = noted.horizontalHeader()
    spot = QPoint(header.sectionViewportPosition(0) + header.sectionSize(0) // 2, header.height() // 2)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert header.sortIndicatorSection() == 0
    opened.find_node()
    noted.setFocus(Qt.FocusReason.TabFocusReason)
    assert told(noted) == "if1" and opened.document.state.is_bare


@pytest.mark.parametrize("key", [None, Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Home, Qt.Key.Key_Up])
def test_a_note_that_tab_came_to_leads_to_its_node(opened: MainWindow, noted: QTableView, key: Qt.Key | None) -> None:
    noted.setFocus(Qt.FocusReason.TabFocusReason)
    graph, name = opened.document.graph, told(noted)
    if key is None:
        click(noted, 0)
    else:
        QTest.keyClick(noted, key)
    assert graph is not None and opened.document.state.node == graph.node_index(name)


def test_an_empty_list_has_no_row_to_come_to(window: MainWindow) -> None:
    view = nodes(window)
    go_to_first_row(view)
    assert not view.currentIndex().isValid()


def test_a_list_that_waits_for_no_keys_would_choose_by_itself(opened: MainWindow, qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    views = [QTableView(page) for _ in range(2)]
    box = QVBoxLayout(page)
    for view in views:
        view.setModel(nodes(opened).model())
        box.addWidget(view)
    wait_for_keys(views[1])
    page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    for view in views:
        view.setFocus(Qt.FocusReason.TabFocusReason)
    assert [view.currentIndex().isValid() for view in views] == [True, False]


def test_a_tab_of_the_panels_is_called_once(opened: MainWindow) -> None:
    opened.panels.show("problems")
    QCoreApplication.processEvents()
    tabs = tabs_of(opened)
    assert {"Nodes", "Simulate", "Details", "Problems"} <= {tab.text(Text.Name) for tab in tabs}
    assert {tab.text(Text.Description) for tab in tabs} == {""}


def test_the_pointer_still_finds_all_that_a_tab_says(opened: MainWindow) -> None:
    bar = next(bar for bar in opened.findChildren(QTabBar) if bar.isVisible() and bar.tabText(0) == "Nodes")
    spot = bar.tabRect(1).center()
    QCoreApplication.sendEvent(bar, QHelpEvent(QEvent.Type.ToolTip, spot, bar.mapToGlobal(spot)))
    assert QToolTip.text() == "Simulate"
    QToolTip.hideText()
