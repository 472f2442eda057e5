"""What Tab, keys and clicks do to the graph in a list that mirrors it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow_viewer.panels.ranking.panel import RankingPanel
from errorflow_viewer.panels.ranking.rows import NAME
from errorflow_viewer.window.window import MainWindow

TAB = Qt.FocusReason.TabFocusReason


@pytest.fixture
def ranked(simulated: RankingPanel, window: MainWindow, qtbot: QtBot) -> RankingPanel:
    """With nothing selected, in the window that has the keyboard."""
    simulated.bar.button.click()
    qtbot.waitUntil(lambda: not window.studies.ranking.busy and window.studies.ranking.is_of_plan)
    window.document.select()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return simulated


def node_at(panel: RankingPanel, row: int) -> int:
    part, rows = panel.table.number_at(row), panel.table.rows
    assert part is not None and rows is not None
    return rows.nodes[part][0]


def click(panel: RankingPanel, row: int) -> None:
    spot = panel.view.visualRect(panel.table.index(row, NAME)).center()
    QTest.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=spot)


def test_tab_comes_to_the_first_row_and_selects_none(ranked: RankingPanel, window: MainWindow) -> None:
    ranked.view.setFocus(TAB)
    assert ranked.view.currentIndex().row() == 0 and window.document.state.is_bare


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Home, Qt.Key.Key_Up])
def test_a_key_on_it_selects_it_in_the_graph(ranked: RankingPanel, window: MainWindow, key: Qt.Key) -> None:
    asked = list[None]()
    ranked.view.switch_wanted.connect(lambda: asked.append(None))
    ranked.view.setFocus(TAB)
    QTest.keyClick(ranked.view, key)
    assert window.document.state.node == node_at(ranked, 0) and not asked
    assert len(ranked.doing.chosen) == 1


def test_a_click_on_it_selects_it_in_the_graph(ranked: RankingPanel, window: MainWindow) -> None:
    ranked.view.setFocus(TAB)
    click(ranked, 0)
    assert window.document.state.node == node_at(ranked, 0)


def test_a_row_stays_selected_and_a_click_leads_to_its_node_again(ranked: RankingPanel, window: MainWindow) -> None:
    click(ranked, 1)
    window.document.select()
    click(ranked, 1)
    assert window.document.state.node == node_at(ranked, 1)


def test_a_filter_and_an_order_do_not_make_the_list_choose(ranked: RankingPanel, window: MainWindow) -> None:
    ranked.bar.filter.setText("conv")
    ranked.view.sortByColumn(NAME, Qt.SortOrder.AscendingOrder)
    ranked.view.setFocus(TAB)
    assert ranked.view.currentIndex().isValid() and window.document.state.is_bare
