"""Tensors are brought together and parted by hand."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow.base.errors import FormatError
from errorflow.case.session.model import HandPair
from errorflow.compare import compare_match
from errorflow.compare.executors import Alone
from errorflow.compare.match.by_hand import PARTED, RULE, with_hand_pairs
from errorflow_viewer.panels.matches.panel import AGAIN, GO_ON, MatchesPanel, decided, with_pair, without
from errorflow_viewer.panels.matches.rows import MatchLine, lack_of, pair_of
from errorflow_viewer.window.window import MainWindow
from viewer.cases import case_with
from viewer.panels.matches.listing import match, metric, names, pick, rows_of

MINE, GOLDEN = MatchLine("t6", "", "", "", 5), MatchLine("", "t7", "", "", 6)
BOTH, OTHER = MatchLine("t1", "t1", "tensor-name", "", 0), MatchLine("t2", "t2", "tensor-name", "", 1)
EMPTY = MatchLine("op", "", "", "nothing", 7, empty=True)


def wait_for(panel: MatchesPanel, pair: tuple[str, str], qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: pair in names(panel))


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([], "Two rows are needed"),
        ([MINE], "Two rows are needed"),
        ([MINE, GOLDEN, BOTH], "3 rows are selected, two are needed"),
        ([GOLDEN, GOLDEN], "Both rows are of the reference: one has to be of the candidate."),
        ([MINE, MINE], "Both rows are of the candidate: one has to be of the reference."),
        ([EMPTY, GOLDEN], "op has no tensor that could be matched."),
    ],
)
def test_what_is_missing_of_a_pair_is_said(lines: list[MatchLine], why: str) -> None:
    assert pair_of(lines) is None
    assert lack_of(lines).startswith(why)


class TestByHand:
    def test_a_grey_button_says_why(self, panel: MatchesPanel) -> None:
        pick(panel, ("", "t7"), ("", "t9"))
        assert not panel.match_button.isEnabled()
        assert "Both rows are of the reference" in panel.match_button.toolTip()
        assert "Both rows are of the reference" in panel.lack.text() and not panel.lack.isHidden()
        pick(panel, ("t6", ""), ("", "t7"))
        assert panel.match_button.isEnabled() and panel.lack.isHidden()

    def test_two_left_overs_are_brought_together(self, panel: MatchesPanel, window: MainWindow, qtbot: QtBot) -> None:
        pick(panel, ("t6", ""), ("", "t7"))
        QTest.mouseClick(panel.match_button, Qt.MouseButton.LeftButton)
        wait_for(panel, ("t6", "t7"), qtbot)
        compared = window.document.state.case
        assert compared is not None and compared.match is not None
        assert window.document.session.hand_pairs == (HandPair("t6", "t7"),)
        row = compared.comparison.rows[5]
        assert row.rule == RULE and row.values
        assert compared.comparison == compare_match(compared.match, crew=Alone())

    def test_a_left_over_with_only_a_name_is_found_in_its_run(
        self, panel: MatchesPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        pick(panel, ("", "t9"), ("t6", ""))
        QTest.mouseClick(panel.match_button, Qt.MouseButton.LeftButton)
        wait_for(panel, ("t6", "t9"), qtbot)
        assert window.document.session.hand_pairs == (HandPair("t6", "t9"),)

    def test_it_says_what_came_of_it(self, panel: MatchesPanel, window: MainWindow, qtbot: QtBot) -> None:
        assert panel.hint.isHidden()
        pick(panel, ("t6", ""), ("", "t7"))
        QTest.mouseClick(panel.match_button, Qt.MouseButton.LeftButton)
        assert panel.hint.text.text() == "t6 and t7 are being measured."
        wait_for(panel, ("t6", "t7"), qtbot)
        qtbot.waitUntil(lambda: window.document.state.findings is not None and not window.jobs.running("matches"))
        value = metric("relative_l2").text(rows_of(window)[5].values["relative_l2"])
        assert panel.hint.text.text() == f"t6 was measured against t7: {metric('relative_l2').label} {value}."
        assert panel.hint.button.isHidden()
        window.document.undo()
        assert panel.hint.isHidden()

    def test_after_a_cancel_it_offers_to_go_on(
        self, panel: MatchesPanel, window: MainWindow, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        compared, asked = window.document.state.case, []
        assert compared is not None
        monkeypatch.setattr(window.comparisons.comparing, "go_on", lambda: asked.append("go on"))
        window.document.take_case(replace(compared, complete=False))
        pick(panel, ("t6", ""), ("", "t7"))
        QTest.mouseClick(panel.match_button, Qt.MouseButton.LeftButton)
        assert panel.hint.text.text() == "t6 and t7 are not measured, for the comparison was cancelled."
        assert panel.hint.button.text() == GO_ON
        panel.hint.button.click()
        assert asked == ["go on"]

    def test_a_failure_is_said_with_a_way_out(self, own_panel: MatchesPanel, own_window: MainWindow) -> None:
        panel, window = own_panel, own_window
        panel.hint.fail(FormatError("t7 is cut off.", "Dump it again."))
        assert (panel.hint.text.text(), panel.hint.button.text()) == ("t7 is cut off. Dump it again.", AGAIN)
        window.document.edit("Match", hand_pairs=(HandPair("t6", "t7"),))
        assert panel.hint.isHidden()

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
        compared = window.document.state.case
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
        compared = case_with(compare_match(new, crew=Alone()), new)
        document.take_case(compared)
        qtbot.waitUntil(lambda: not window.jobs.running("matches"))
        assert document.state.case is compared

    def test_nothing_is_measured_before_the_comparison_is_complete(
        self, panel: MatchesPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        found = match()
        part = case_with(compare_match(found, crew=Alone()), found, complete=False)
        window.document.take_case(part)
        window.document.edit("Match", hand_pairs=(HandPair("t6", "t7"),))
        assert not window.jobs.running("matches")
        window.document.take_case(replace(part, complete=True))
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
    def test_which_two_are_meant(self, lines: list[MatchLine], pair: tuple[str, str] | None) -> None:
        assert pair_of(lines) == pair

    def test_a_new_decision_replaces_the_old_one(self) -> None:
        pairs = with_pair(with_pair((), "a", "b"), "a", "c")
        assert pairs == (HandPair("a", "c"),)
        assert decided(pairs, "a") and not decided(pairs, "b")
        assert without(pairs, "a") == ()
