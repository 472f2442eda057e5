"""The panel in a window, with a real engine."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from errorflow.quant.plan import FLOAT
from errorflow.quant.switching import overrides
from errorflow.study.rank.model import Question, Ranking
from errorflow_viewer.document.ranking import SIMULATED_FIRST
from errorflow_viewer.document.simulation_work import OPEN
from errorflow_viewer.kit.style import font
from errorflow_viewer.panels.ranking.doing import CSV, FILES, write_to
from errorflow_viewer.panels.ranking.panel import WILL_BE, RankingPanel
from errorflow_viewer.panels.ranking.rows import NAME, TYPE, WORST
from errorflow_viewer.panels.ranking.view import named
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import CULPRIT, FEW, seen_through, simulation


def ranked(panel: RankingPanel, window: MainWindow, qtbot: QtBot) -> Ranking:
    panel.bar.button.click()
    qtbot.waitUntil(lambda: not window.studies.ranking.busy and window.studies.ranking.is_of_plan)
    found = window.document.state.ranking
    assert found is not None
    return found


def culprit(window: MainWindow) -> int:
    assert window.document.graph is not None
    found = window.document.graph.node_index(CULPRIT)
    assert found is not None
    return found


def first_name(panel: RankingPanel) -> str:
    return str(panel.table.index(0, NAME).data())


class TestEmpty:
    def test_without_a_model_one_is_offered(self, window: MainWindow) -> None:
        window.panels.show("ranking")
        panel = window.panels.by_key["ranking"].content
        assert isinstance(panel, RankingPanel)
        assert panel.stack.currentWidget() is panel.nothing
        assert panel.nothing.button.text() == "Open a model…"

    def test_before_anybody_asked_it_says_what_will_be_here(self, simulated: RankingPanel) -> None:
        assert simulated.list.currentWidget() is simulated.empty
        assert simulated.empty.sentence.text() == WILL_BE
        assert simulated.bar.button.text() == "Which nodes matter?"
        assert not simulated.bar.filter.isVisible()

    def test_the_button_asks_for_a_simulation_and_says_so(
        self, panel: RankingPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        with qtbot.waitSignal(window.studies.simulating.asked):
            panel.empty.button.click()
        assert "begins as soon as" in panel.note.text() and panel.note.isVisible()
        assert panel.list.currentWidget() is panel.measuring
        assert panel.measuring.sentence.text() == SIMULATED_FIRST
        assert panel.bar.button.text() == "Stop" and panel.bar.button.isEnabled()
        panel.bar.button.click()
        assert not window.studies.ranking.waits and panel.list.currentWidget() is panel.empty
        window.close_model()
        assert panel.stack.currentWidget() is panel.nothing

    def test_who_cancels_the_simulation_is_not_kept_waiting(
        self, panel: RankingPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        panel.empty.button.click()
        window.studies.simulating.start(FEW)
        assert window.studies.ranking.waits
        window.jobs.cancel(OPEN)
        assert not window.studies.ranking.waits and panel.list.currentWidget() is panel.empty


class TestList:
    def test_the_culprit_is_first(self, simulated: RankingPanel, window: MainWindow, qtbot: QtBot) -> None:
        ranking = ranked(simulated, window, qtbot)
        assert simulated.list.currentWidget() is simulated.view
        assert CULPRIT in first_name(simulated)
        assert simulated.bar.count.text() == f"{len(ranking.parts):,} parts"
        assert simulated.bar.button.text() == "Ranked" and not simulated.bar.button.isEnabled()
        assert "plan before" not in simulated.note.text()

    def test_a_row_selects_its_node_and_a_node_its_row(
        self, simulated: RankingPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        ranked(simulated, window, qtbot)
        simulated.view.setCurrentIndex(simulated.table.index(0, NAME))
        assert window.document.state.node == culprit(window)
        other = simulated.table.rows
        assert other is not None
        part = simulated.table.number_at(3)
        assert part is not None
        window.document.select(other.nodes[part][0])
        assert simulated.view.currentIndex().row() == 3

    def test_what_the_pointer_is_on_is_marked_on_both_sides(
        self, simulated: RankingPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        ranked(simulated, window, qtbot)
        with qtbot.waitSignal(window.document.pointed) as signal:
            simulated.view.entered.emit(simulated.table.index(0, NAME))
        assert signal.args == [culprit(window)]
        window.document.pointed.emit(None)
        assert simulated.table.pointed is None
        window.document.pointed.emit(culprit(window))
        assert simulated.table.pointed == simulated.table.number_at(0)

    def test_what_is_not_found_says_so_and_offers_all(
        self, simulated: RankingPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        ranked(simulated, window, qtbot)
        simulated.bar.filter.setText("no such thing")
        assert simulated.list.currentWidget() is simulated.none_found
        simulated.none_found.button.click()
        assert simulated.list.currentWidget() is simulated.view

    def test_another_question_is_chosen_from_a_menu(self, simulated: RankingPanel, window: MainWindow) -> None:
        menu = simulated.head.words["kind"].menu()
        menu.aboutToShow.emit()
        next(action for action in menu.actions() if action.text() == "Weights").trigger()
        assert window.document.session.question == Question(kind="weight")
        assert simulated.head.words["kind"].text() == "weights"
        assert window.document.undo_text == "Rank weights"

    def test_an_older_ranking_stays_and_says_so(
        self, simulated: RankingPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        ranked(simulated, window, qtbot)
        window.studies.simulating.edit("Keep it", simulation(window).plan.keeping_float(CULPRIT))
        assert "plan before" in simulated.note.text()
        assert simulated.bar.button.text() == "Rank again" and simulated.bar.button.isEnabled()

    def test_other_parts_stand_as_they_are_ranked_and_no_arrow_says_else(
        self, simulated: RankingPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        ranked(simulated, window, qtbot)
        simulated.view.sortByColumn(NAME, Qt.SortOrder.DescendingOrder)
        window.studies.ranking.choose("Rank weights", Question(kind="weight", samples=(0,)))
        ranked(simulated, window, qtbot)
        header = simulated.view.horizontalHeader()
        assert header.sortIndicatorSection() == -1 and simulated.table.is_ranked
        simulated.view.sortByColumn(NAME, Qt.SortOrder.DescendingOrder)
        assert header.sortIndicatorSection() == NAME == simulated.table.sorted_by[0]

    def test_names_have_the_room_that_further_numbers_give(
        self, simulated: RankingPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        ranked(simulated, window, qtbot)
        view, rows = simulated.view, simulated.table.rows
        assert rows is not None
        worst = next(at for at, column in enumerate(rows.columns) if column.title == WORST)
        for wide, hidden in ((700, True), (1600, False)):
            simulated.list.setFixedWidth(wide)
            qtbot.waitUntil(lambda wide=wide: simulated.list.width() == wide)  # type: ignore[misc]  # bound at once
            view.fit()
            assert view.columnWidth(NAME) >= min(0.35 * view.viewport().width(), 420) - 1
            assert view.isColumnHidden(worst) is hidden
            assert view.columnWidth(TYPE) <= 110 or not hidden
            first = next(at for at, column in enumerate(rows.columns) if column.metric is not None)
            assert not view.isColumnHidden(first)


@pytest.mark.parametrize(
    ("forms", "room", "shown"),
    [(("/a/b/Conv", "b/Conv"), 200, "/a/b/Conv"), (("block2.project.conv.weight", "block2.p…"), 130, "block2.p")],
)
def test_a_name_takes_the_room_there_is(qapp: object, forms: tuple[str, ...], room: int, shown: str) -> None:
    metrics = QFontMetrics(font())
    found = named(forms, metrics, room)
    assert shown in found and metrics.horizontalAdvance(found) <= room
    assert found == forms[0] or metrics.horizontalAdvance(found) > 0.8 * room


class TestDoing:
    def test_the_top_is_kept_in_float_as_one_step(
        self, simulated: RankingPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        ranked(simulated, window, qtbot)
        before = simulation(window).plan
        simulated.bar.keep.click()
        assert window.document.undo_text.startswith("Keep ") and window.document.undo_text.endswith(" in float")
        seen_through(window, qtbot)
        window.document.undo()
        assert simulation(window).plan == before

    def test_fewer_are_kept_from_the_same_plan(self, simulated: RankingPanel, window: MainWindow, qtbot: QtBot) -> None:
        ranked(simulated, window, qtbot)
        simulated.doing.keep(1, "float")
        one = simulation(window).plan
        simulated.doing.keep(3, "float")
        assert simulation(window).plan != one
        simulated.doing.keep(1, "float")
        assert simulation(window).plan == one

    def test_a_row_is_put_to_float_and_back_with_space(
        self, simulated: RankingPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        ranked(simulated, window, qtbot)
        graph = window.document.graph
        assert graph is not None
        simulated.view.setCurrentIndex(simulated.table.index(0, NAME))
        QTest.keyClick(simulated.view, Qt.Key.Key_Space)
        switched = dict(overrides(graph, simulation(window).plan))
        assert switched[culprit(window)] == (FLOAT, FLOAT)
        QTest.keyClick(simulated.view, Qt.Key.Key_Space)
        assert not overrides(graph, simulation(window).plan)

    def test_tensors_are_put_to_16_bits_and_back(
        self, simulated: RankingPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        window.studies.ranking.choose("Rank tensors", Question(kind="tensor", samples=(0,)))
        ranked(simulated, window, qtbot)
        before = simulation(window).plan
        simulated.view.setCurrentIndex(simulated.table.index(0, NAME))
        menu = simulated.doing.menu()
        next(action for action in menu.actions() if action.text() == "Put to 16 bits").trigger()
        assert len(simulation(window).plan.tensors) >= 1
        simulated.doing.switch("plan")
        assert simulation(window).plan == before
        menu.close()

    def test_nodes_are_painted_by_impact_and_by_error_again(
        self, simulated: RankingPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        ranked(simulated, window, qtbot)
        simulated.bar.paint["impact"].click()
        assert window.document.session.painting.ranked == "impact"
        assert simulated.bar.paint["impact"].isChecked()
        simulated.bar.paint["impact"].click()
        assert not window.document.session.painting.ranked
        assert not simulated.bar.paint["recovery"].isVisible()

    def test_the_table_is_copied_with_its_titles(
        self, simulated: RankingPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        ranked(simulated, window, qtbot)
        simulated.doing.copy()
        lines = QGuiApplication.clipboard().text().splitlines()
        assert lines[0].startswith("#\tName\tType\tRelative error")
        assert CULPRIT in lines[1] and len(lines) == simulated.table.rowCount() + 1

    @pytest.mark.parametrize("kind", FILES)
    def test_it_is_written_as_a_file(
        self, simulated: RankingPanel, window: MainWindow, qtbot: QtBot, tmp_path: Path, kind: str
    ) -> None:
        ranking = ranked(simulated, window, qtbot)
        path = tmp_path / "ranking"
        write_to(path, window, ranking, kind)
        qtbot.waitUntil(path.exists)
        assert CULPRIT in path.read_text()

    def test_where_it_goes_is_asked_without_stopping_the_window(
        self, simulated: RankingPanel, window: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        ranked(simulated, window, qtbot)
        simulated.doing.save(CSV)
        [dialog] = window.findChildren(QFileDialog)
        assert dialog.isVisible() and dialog.selectedFiles()[0].endswith("node_fault-ranking.csv")
        dialog.fileSelected.emit(str(tmp_path / "r.csv"))
        dialog.close()
        qtbot.waitUntil((tmp_path / "r.csv").exists)
        assert window.settings.export_folder(window.document.folder) == str(tmp_path)

    def test_pairs_of_the_first_are_checked(self, simulated: RankingPanel, window: MainWindow, qtbot: QtBot) -> None:
        ranked(simulated, window, qtbot)
        simulated.bar.pairs.click()
        qtbot.waitUntil(lambda: window.studies.ranking.coupled is not None)
        assert "Pairs" in simulated.note.text() and simulated.note.isVisible()

    def test_what_cannot_be_written_is_told(
        self, simulated: RankingPanel, window: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        ranking = ranked(simulated, window, qtbot)
        write_to(tmp_path / "nowhere" / "ranking.csv", window, ranking, CSV)
        qtbot.waitUntil(lambda: any(row.notice.kind == "error" for row in window.banners.rows))

    def test_the_pointer_holds_the_order(self, simulated: RankingPanel, window: MainWindow, qtbot: QtBot) -> None:
        ranked(simulated, window, qtbot)
        simulated._held = True
        simulated.table.sort(NAME)
        simulated.table._by = -1
        QTest.mouseMove(simulated.view.viewport(), QPoint(5, 5))
        simulated.view.pointed.emit(None)
        assert CULPRIT in first_name(simulated) and not simulated._held
