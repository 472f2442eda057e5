"""Pairs, left-overs, and matching by hand."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow.compare import compare_match
from errorflow.compare.crew import Alone
from errorflow.compare.model import Comparison
from errorflow.graph.model import Model
from errorflow.match.by_hand import PARTED, RULE, with_hand_pairs
from errorflow.match.model import Match, Pair, Sources
from errorflow.session.model import HandPair
from errorflow_viewer.panels.matches.decisions import decided, with_pair, without
from errorflow_viewer.panels.matches.panel import MatchesPanel
from errorflow_viewer.panels.matches.rows import CHOICES, COLUMNS, Line, MatchRows, pair_of
from errorflow_viewer.state import Compared
from errorflow_viewer.window import MainWindow
from stored_tensors import Made, made_pair
from viewer.models import chain

MINE, GOLDEN = Line("t6", "", "", "", 5), Line("", "t7", "", "", 6)
BOTH, OTHER = Line("t1", "t1", "tensor-name", "", 0), Line("t2", "t2", "tensor-name", "", 1)
EMPTY = Line("op", "", "", "nothing", 7, empty=True)


def match() -> Match:
    """t1 … t5 have partners; t6 of the candidate and t7 of the reference have none; t9 is only a name."""
    pairs = (
        *(made_pair(seed) for seed in range(1, 5)),
        replace(made_pair(5), rule="written-name"),
        Pair("t6", Made(6, noise=0.1), None, note="only in the candidate"),
        Pair("t7", None, Made(7), note="only in the reference"),
    )
    runs = Sources(reference={"t9": Made(9)}.get)
    return Match(pairs, only_reference=("t7", "t9"), only_candidate=("t6",), sources=runs)


def panel_of(window: MainWindow) -> MatchesPanel:
    content = window.docks.by_key["matches"].content
    assert isinstance(content, MatchesPanel)
    return content


@pytest.fixture
def panel(window: MainWindow, qtbot: QtBot) -> MatchesPanel:
    window.document.open(Model(Path("/models/chain.onnx"), "other", chain(8)))
    window.show_panel("matches")
    found = match()
    window.document.take_compared(Compared(compare_match(found, crew=Alone()), found))
    qtbot.waitUntil(lambda: window.document.state.findings is not None and panel_of(window).table.rowCount() == 8)
    qtbot.waitUntil(lambda: len(panel_of(window)._nodes) == 7)
    return panel_of(window)


def names(panel: MatchesPanel) -> list[tuple[str, str]]:
    lines = [panel.table.line_at(row) for row in range(panel.table.rowCount())]
    return [(line.candidate, line.reference) for line in lines if line is not None]


def pick(panel: MatchesPanel, *wanted: tuple[str, str]) -> None:
    """As clicks with Ctrl held after the first one."""
    flags = QItemSelectionModel.SelectionFlag
    for place, pair in enumerate(wanted):
        row = names(panel).index(pair)
        one = QItemSelection(panel.table.index(row, 0), panel.table.index(row, len(COLUMNS) - 1))
        panel.view.selectionModel().select(one, flags.Select if place else flags.ClearAndSelect)


def wait_for(panel: MatchesPanel, pair: tuple[str, str], qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: pair in names(panel))


class TestEmpty:
    def test_it_is_hidden_at_first(self, window: MainWindow) -> None:
        window.document.open(Model(Path("/models/chain.onnx"), "other", chain(3)))
        assert not window.panel_shown("matches")

    def test_without_runs_it_says_what_will_be_here(self, window: MainWindow) -> None:
        panel = panel_of(window)
        assert panel.stack.currentWidget() is panel.nothing
        window.document.open(Model(Path("/models/chain.onnx"), "other", chain(3)))
        assert panel.stack.currentWidget() is panel.not_compared

    def test_an_imported_comparison_has_no_matches(self, window: MainWindow) -> None:
        window.document.open(Model(Path("/models/chain.onnx"), "other", chain(3)))
        window.document.take_compared(Compared(Comparison(())))
        assert panel_of(window).stack.currentWidget() is panel_of(window).not_matched


class TestList:
    def test_pairs_come_first_and_names_without_a_pair_last(self, panel: MatchesPanel) -> None:
        assert names(panel) == [*((f"t{at}", f"t{at}") for at in range(1, 6)), ("t6", ""), ("", "t7"), ("", "t9")]
        assert panel.count.text() == "5 pairs, 3 left over"

    @pytest.mark.parametrize(
        ("choice", "count"), [("All", 8), ("Left over", 3), ("Pairs", 5), ("Guesses", 1), ("By hand", 0)]
    )
    def test_a_choice_narrows_it(self, panel: MatchesPanel, choice: str, count: int) -> None:
        panel.choice.setCurrentText(choice)
        assert panel.table.rowCount() == count

    def test_words_are_looked_for_in_all_columns(self, panel: MatchesPanel) -> None:
        panel.filter.setText("candidate only")
        assert names(panel) == [("t6", "")]
        panel.filter.setText("GUESS")
        assert names(panel) == [("t5", "t5")]

    def test_a_column_sorts_and_empty_cells_are_last(self, panel: MatchesPanel) -> None:
        panel.view.sortByColumn(1, Qt.SortOrder.AscendingOrder)
        assert [reference for _, reference in names(panel)] == ["t1", "t2", "t3", "t4", "t5", "t7", "t9", ""]

    def test_a_rule_is_named_and_its_reason_told(self, panel: MatchesPanel) -> None:
        assert panel.table.index(4, 2).data() == "same name as written to disk (a guess)"
        assert "special characters" in panel.table.index(4, 2).data(Qt.ItemDataRole.ToolTipRole)

    def test_numbers_in_names_sort_as_numbers(self) -> None:
        rows = MatchRows(tuple(Line(name, "", "", "", -1) for name in ("b10", "b9", "a")))
        assert rows.order(0).tolist() == [2, 1, 0]


class TestSelection:
    def test_a_row_selects_its_node(self, panel: MatchesPanel, window: MainWindow) -> None:
        pick(panel, ("t3", "t3"))
        assert window.document.state.node == 2

    def test_a_node_selects_its_row(self, panel: MatchesPanel, window: MainWindow) -> None:
        window.document.pick(3)
        assert [line.candidate for line in panel._selected_lines()] == ["t4"]

    def test_two_rows_leave_the_graph_where_it_is(self, panel: MatchesPanel, window: MainWindow) -> None:
        pick(panel, ("t3", "t3"), ("", "t7"))
        assert window.document.state.node == 2

    def test_a_filter_keeps_what_is_selected(self, panel: MatchesPanel) -> None:
        pick(panel, ("t6", ""), ("", "t7"))
        panel.choice.setCurrentText("Left over")
        assert {line.candidate for line in panel._selected_lines()} == {"t6", ""}


class TestByHand:
    def test_two_left_overs_are_brought_together(self, panel: MatchesPanel, window: MainWindow, qtbot: QtBot) -> None:
        pick(panel, ("t6", ""), ("", "t7"))
        QTest.mouseClick(panel.match_button, Qt.MouseButton.LeftButton)
        wait_for(panel, ("t6", "t7"), qtbot)
        compared = window.document.state.compared
        assert compared is not None and compared.match is not None
        assert window.document.session.hand_pairs == (HandPair("t6", "t7"),)
        row = compared.comparison.rows[5]
        assert row.rule == RULE and row.values
        assert compared.comparison == compare_match(compared.match, crew=Alone())

    def test_a_left_over_with_only_a_name_is_found_in_its_run(self, panel: MatchesPanel, qtbot: QtBot) -> None:
        pick(panel, ("", "t9"), ("t6", ""))
        QTest.mouseClick(panel.match_button, Qt.MouseButton.LeftButton)
        wait_for(panel, ("t6", "t9"), qtbot)

    def test_undo_and_redo(self, panel: MatchesPanel, window: MainWindow, qtbot: QtBot) -> None:
        before = names(panel)
        pick(panel, ("t6", ""), ("", "t7"))
        QTest.mouseClick(panel.match_button, Qt.MouseButton.LeftButton)
        wait_for(panel, ("t6", "t7"), qtbot)
        assert window.document.undo_text == "Match t6 by hand"
        window.document.undo()
        qtbot.waitUntil(lambda: names(panel) == before)
        window.document.redo()
        wait_for(panel, ("t6", "t7"), qtbot)

    def test_a_pair_is_parted_and_taken_back(self, panel: MatchesPanel, window: MainWindow, qtbot: QtBot) -> None:
        pick(panel, ("t2", "t2"))
        assert panel.part_button.text() == "Part"
        QTest.mouseClick(panel.part_button, Qt.MouseButton.LeftButton)
        wait_for(panel, ("t2", ""), qtbot)
        compared = window.document.state.compared
        assert compared is not None and compared.comparison.rows[1].note == PARTED
        pick(panel, ("t2", ""))
        assert panel.part_button.text() == "Take back"
        QTest.mouseClick(panel.part_button, Qt.MouseButton.LeftButton)
        wait_for(panel, ("t2", "t2"), qtbot)
        assert window.document.session.hand_pairs == ()

    def test_what_is_not_there_is_said(self, panel: MatchesPanel, window: MainWindow, qtbot: QtBot) -> None:
        window.document.edit("Match", hand_pairs=(HandPair("t6", "gone"),))
        qtbot.waitUntil(lambda: not panel.problem.isHidden())
        assert "the reference has no tensor gone" in panel.problem.text()

    def test_a_comparison_that_has_the_pairs_already_is_left_alone(
        self, panel: MatchesPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        document, pairs = window.document, (HandPair("t6", "t7"),)
        document.edit("Match", hand_pairs=pairs)
        wait_for(panel, ("t6", "t7"), qtbot)
        new = with_hand_pairs(match(), [("t6", "t7")])
        compared = Compared(compare_match(new, crew=Alone()), new)
        document.take_compared(compared)
        qtbot.waitUntil(lambda: not window.jobs.running("matches"))
        assert document.state.compared is compared

    def test_nothing_is_measured_before_the_comparison_is_complete(
        self, panel: MatchesPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        found = match()
        part = Compared(compare_match(found, crew=Alone()), found, complete=False)
        window.document.take_compared(part)
        window.document.edit("Match", hand_pairs=(HandPair("t6", "t7"),))
        assert not window.jobs.running("matches")
        window.document.take_compared(replace(part, complete=True))
        wait_for(panel, ("t6", "t7"), qtbot)

    @pytest.mark.parametrize(
        ("lines", "pair"),
        [
            ([MINE, GOLDEN], ("t6", "t7")),
            ([GOLDEN, MINE], ("t6", "t7")),
            ([BOTH, GOLDEN], ("t1", "t7")),
            ([BOTH, MINE], ("t6", "t1")),
            ([BOTH, OTHER], ("t1", "t2")),
            ([MINE, MINE], None),
            ([EMPTY, GOLDEN], None),
            ([MINE], None),
            ([MINE, GOLDEN, BOTH], None),
        ],
    )
    def test_which_two_are_meant(self, lines: list[Line], pair: tuple[str, str] | None) -> None:
        assert pair_of(lines) == pair

    def test_a_new_decision_replaces_the_old_one(self) -> None:
        pairs = with_pair(with_pair((), "a", "b"), "a", "c")
        assert pairs == (HandPair("a", "c"),)
        assert decided(pairs, "a") and not decided(pairs, "b")
        assert without(pairs, "a") == ()


def test_every_choice_fits_rows_of_any_number() -> None:
    assert [choice.holds(MatchRows(())).tolist() for choice in CHOICES] == [[]] * len(CHOICES)
