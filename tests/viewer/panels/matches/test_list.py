"""Pairs and left-overs: what is listed, found and selected."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow.compare.model import Comparison
from errorflow.graph.model import Model
from errorflow_viewer.panels.matches.panel import MatchesPanel, needs, share_width
from errorflow_viewer.panels.matches.rows import (
    CHOICES,
    COLUMNS,
    ERROR,
    NOTE,
    OTHER_SHAPE,
    REFERENCE,
    RULE_COLUMN,
    SHAPE,
    MatchLine,
    MatchRows,
)
from errorflow_viewer.window.window import MainWindow
from viewer.cases import case_with
from viewer.models import chain
from viewer.panels.matches.listing import names, panel_of, pick


class TestEmpty:
    def test_it_is_hidden_at_first(self, window: MainWindow) -> None:
        window.document.open(Model(Path("/models/chain.onnx"), "other", chain(3)))
        assert not window.panels.is_shown("matches")

    def test_without_runs_it_says_what_will_be_here(self, window: MainWindow) -> None:
        panel = panel_of(window)
        assert panel.stack.currentWidget() is panel.nothing
        window.document.open(Model(Path("/models/chain.onnx"), "other", chain(3)))
        assert panel.stack.currentWidget() is panel.not_compared

    def test_an_imported_comparison_has_no_matches(self, window: MainWindow) -> None:
        window.document.open(Model(Path("/models/chain.onnx"), "other", chain(3)))
        window.document.take_case(case_with(Comparison(())))
        assert panel_of(window).stack.currentWidget() is panel_of(window).not_matched


class TestList:
    def test_pairs_come_first_and_names_without_a_pair_last(self, panel: MatchesPanel) -> None:
        assert names(panel) == [*((f"t{at}", f"t{at}") for at in range(1, 6)), ("t6", ""), ("", "t7"), ("", "t9")]
        assert panel.page.count.text() == "5 pairs, 3 left over"

    @pytest.mark.parametrize(
        ("choice", "count"), [("All", 8), ("Left over", 3), ("Pairs", 5), ("Guesses", 1), ("By hand", 0)]
    )
    def test_a_choice_narrows_it(self, panel: MatchesPanel, choice: str, count: int) -> None:
        panel.page.choice.setCurrentText(choice)
        assert panel.table.rowCount() == count

    def test_words_are_looked_for_in_all_columns(self, panel: MatchesPanel) -> None:
        panel.page.filter.setText("candidate only")
        assert names(panel) == [("t6", "")]
        panel.page.filter.setText("GUESS")
        assert names(panel) == [("t5", "t5")]

    def test_a_column_sorts_and_empty_cells_are_last(self, panel: MatchesPanel) -> None:
        panel.view.sortByColumn(REFERENCE, Qt.SortOrder.AscendingOrder)
        assert [reference for _, reference in names(panel)] == ["t1", "t2", "t3", "t4", "t5", "t7", "t9", ""]

    def test_a_rule_is_named_and_its_reason_told(self, panel: MatchesPanel) -> None:
        assert panel.table.index(4, RULE_COLUMN).data() == "same name as written to disk (a guess)"
        assert "special characters" in panel.table.index(4, RULE_COLUMN).data(Qt.ItemDataRole.ToolTipRole)

    def test_numbers_in_names_sort_as_numbers(self) -> None:
        rows = MatchRows(tuple(MatchLine(name, "", "", "", -1) for name in ("b10", "b9", "a")))
        assert rows.order(0).tolist() == [2, 1, 0]


class TestNothingFound:
    def test_a_filter_that_nothing_fits_offers_to_show_all(self, panel: MatchesPanel) -> None:
        panel.page.filter.setText("nowhere")
        assert panel.page.stack.currentWidget() is panel.page.nothing_found
        panel.page.nothing_found.button.click()
        assert panel.page.stack.currentWidget() is panel.view
        assert len(names(panel)) == 8

    @pytest.mark.parametrize(
        ("choice", "says"), [("By hand", "Nothing was matched by hand"), ("Shapes differ", "have the same shape")]
    )
    def test_each_choice_says_what_its_absence_means(self, panel: MatchesPanel, choice: str, says: str) -> None:
        panel.page.choice.setCurrentText(choice)
        assert says in panel.page.nothing_found.sentence.text()


class TestRoom:
    @pytest.mark.parametrize(
        ("room", "hidden"),
        [
            (1200, []),
            (700, [NOTE]),
            (600, [RULE_COLUMN, NOTE]),
            (440, [SHAPE, OTHER_SHAPE, RULE_COLUMN, NOTE]),
            (400, [SHAPE, OTHER_SHAPE, ERROR, RULE_COLUMN, NOTE]),
        ],
    )
    def test_names_come_first(self, panel: MatchesPanel, room: int, hidden: list[int]) -> None:
        widths = {SHAPE: 80, OTHER_SHAPE: 80, ERROR: 104, RULE_COLUMN: 110, NOTE: 110}
        share_width(panel.view, widths, room)
        assert [column for column in range(len(COLUMNS.titles)) if panel.view.isColumnHidden(column)] == hidden

    def test_a_column_with_nothing_to_say_is_left_out(self, panel: MatchesPanel) -> None:
        assert needs(panel.view, MatchRows((MatchLine("a", "b", "", "", 0),)))[NOTE] == 0
        assert needs(panel.view, MatchRows((MatchLine("a", "b", "", "why", 0),)))[NOTE] > 0


class TestSelection:
    def test_a_row_selects_its_node(self, panel: MatchesPanel, window: MainWindow) -> None:
        pick(panel, ("t3", "t3"))
        assert window.document.state.node == 2

    def test_a_click_on_a_row_that_is_still_selected_leads_to_its_node_again(
        self, panel: MatchesPanel, window: MainWindow
    ) -> None:
        spot = panel.view.visualRect(panel.table.index(2, 0)).center()
        QTest.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
        window.document.select()
        QTest.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
        assert window.document.state.node == 2

    def test_a_key_on_the_row_that_tab_came_to_selects_its_node(
        self, own_panel: MatchesPanel, own_window: MainWindow, qtbot: QtBot
    ) -> None:
        panel, window = own_panel, own_window
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        panel.view.setFocus(Qt.FocusReason.TabFocusReason)
        assert window.document.state.is_bare
        QTest.keyClick(panel.view, Qt.Key.Key_Home)
        assert window.document.state.node == 0

    def test_a_node_selects_its_row(self, panel: MatchesPanel, window: MainWindow) -> None:
        window.document.pick(3)
        assert [line.candidate for line in panel._selected_lines()] == ["t4"]

    def test_two_rows_leave_the_graph_where_it_is(self, panel: MatchesPanel, window: MainWindow) -> None:
        pick(panel, ("t3", "t3"), ("", "t7"))
        assert window.document.state.node == 2

    def test_a_filter_keeps_what_is_selected(self, panel: MatchesPanel) -> None:
        pick(panel, ("t6", ""), ("", "t7"))
        panel.page.choice.setCurrentText("Left over")
        assert {line.candidate for line in panel._selected_lines()} == {"t6", ""}


def test_every_choice_fits_rows_of_any_number() -> None:
    assert [choice.holds(MatchRows(())).tolist() for choice in CHOICES] == [[]] * len(CHOICES)
