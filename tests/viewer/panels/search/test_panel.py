"""The panel in a window, with a real engine."""

import json
import math
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from errorflow.quant.plan import Plan
from errorflow.quant.plan_file import read_plan
from errorflow.report.toolchains.own import OWN
from errorflow.study.rank.model import Part
from errorflow.study.search.asked import Sought, Way
from errorflow.study.search.model import Choice, Search, SearchRequest, Tried
from errorflow_viewer.kit.look import LIGHT
from errorflow_viewer.panels.search.attempts import KEPT, VALUE, WHY, Attempts, AttemptsView
from errorflow_viewer.panels.search.panel import KEY, SearchPanel, options_of, save_to
from errorflow_viewer.panels.search.plot import SearchPlot, ShownSearch
from errorflow_viewer.panels.search.told import attempt, notes, result
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import CULPRIT, seen_through, simulation

PARTS = tuple(Part(name, "Conv", (name,), (name,)) for name in "abcd")
FOUND = Search(
    SearchRequest(),
    Plan(),
    "top-1 of scores",
    "at least 0.95",
    higher_is_better=True,
    parts=PARTS,
    original=0.98,
    tried=(
        Tried(0, Choice(), 0.1, False, 0.88),
        Tried(1, Choice.of([0, 1]), 0.962, True, 0.018, 1.5, "the 2 worst in float"),
        Tried(2, Choice.of([0]), math.nan, False, math.nan, note="It failed."),
    ),
    complete=True,
)
ASKED = Sought("top1", "bound", 0.95)


def found_in(panel: SearchPanel, window: MainWindow, qtbot: QtBot) -> Search:
    panel.button.click()
    qtbot.waitUntil(lambda: not window.studies.searching.busy, timeout=60_000)
    found = window.studies.searching.found
    assert found is not None
    return found


class TestEmpty:
    def test_without_a_model_one_is_offered(self, window: MainWindow) -> None:
        window.panels.show("search")
        panel = window.panels.by_key["search"].content
        assert isinstance(panel, SearchPanel)
        assert panel.stack.currentWidget() is panel.nothing

    def test_without_a_simulation_that_comes_first(self, panel: SearchPanel, window: MainWindow, qtbot: QtBot) -> None:
        assert panel.stack.currentWidget() is panel.unsimulated
        with qtbot.waitSignal(window.studies.simulating.asked):
            panel.unsimulated.button.click()

    def test_before_anybody_asked_it_says_what_to_do(self, simulated: SearchPanel) -> None:
        assert simulated.inside.currentWidget() is simulated.empty
        assert simulated.button.text() == "Find" and not simulated.take.isVisible()


class TestFound:
    def test_attempts_are_listed_and_the_best_is_taken(
        self, simulated: SearchPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        found = found_in(simulated, window, qtbot)
        best = found.best
        assert best is not None and best.good
        start = f"With 1 of {len(found.parts)} units in float, the relative error of probabilities is "
        said = simulated.sentence.text()
        assert said.startswith(start) and "(at most 0.05 is asked for), found in" in said
        assert f" in simulation, {best.deployed:.4f} as deployed (" in said
        assert simulated.attempts.rowCount() == len(found.tried) and simulated.view.number == best.number
        assert simulated.attempts.index(best.number, KEPT).data() == "1 in float"
        assert simulated.button.text() == "Find again" and simulated.export.isVisible()
        simulated.take.click()
        seen_through(window, qtbot)
        assert simulation(window).plan == window.studies.searching.plan_of(best)
        assert simulated.export.isVisible(), "what is on view was taken from here"

    def test_a_click_on_a_point_selects_its_row_and_two_take_it(
        self, simulated: SearchPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        found = found_in(simulated, window, qtbot)
        assert found.best is not None
        spot = simulated.plot.spot(found.tried[0]).toPoint()
        QTest.mouseClick(simulated.plot, Qt.MouseButton.LeftButton, pos=spot)
        assert simulated.view.number == 0 and not simulated.take.isEnabled(), "it is the plan on view"
        QTest.mouseDClick(simulated.plot, Qt.MouseButton.LeftButton, pos=simulated.plot.spot(found.best).toPoint())
        assert simulation(window).plan == window.studies.searching.plan_of(found.best)

    def test_keys_walk_along_the_points(self, simulated: SearchPanel, window: MainWindow, qtbot: QtBot) -> None:
        found = found_in(simulated, window, qtbot)
        QTest.keyClick(simulated.plot, Qt.Key.Key_Home)
        assert simulated.view.number == 0
        QTest.keyClick(simulated.plot, Qt.Key.Key_End)
        assert simulated.plot.selected == max(found.tried, key=lambda each: len(each.choice)).number

    def test_what_was_found_is_written_as_the_command_writes_it(
        self, simulated: SearchPanel, window: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        found = found_in(simulated, window, qtbot)
        save_to(tmp_path, window, found)
        qtbot.waitUntil(lambda: not window.jobs.running(KEY), timeout=30_000)
        history = json.loads((tmp_path / "history.json").read_text())
        assert len(history["tried"]) == len(found.tried) and CULPRIT in json.dumps(history)
        assert {"plan.json", "ranking.json", "history.csv", "amct_log"} <= {path.name for path in tmp_path.iterdir()}

    def test_a_problem_is_told_where_the_form_is(
        self, simulated: SearchPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        window.studies.searching.choose("Count answers", Sought("top1", "relative"))
        simulated.button.click()
        qtbot.waitUntil(lambda: not window.studies.searching.busy)
        assert simulated.problem.isVisible() and "needs the right answer" in simulated.problem.what.said
        window.document.undo()
        assert not simulated.problem.isVisible(), "it was about what is not asked any more"

    def test_before_the_first_attempt_it_says_what_comes(self, simulated: SearchPanel, window: MainWindow) -> None:
        assert "Say on the left" in simulated.empty.sentence.text()
        simulated.button.click()
        assert window.studies.searching.busy and "first attempt" in simulated.empty.sentence.text()

    def test_what_is_exported_is_the_attempt_and_the_plan_on_view_stays(
        self, simulated: SearchPanel, window: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        found = found_in(simulated, window, qtbot)
        menu, before = simulated.export.menu(), window.document.undo_text
        menu.aboutToShow.emit()
        next(action for action in menu.actions() if action.text() == f"{OWN.label}…").trigger()
        qtbot.waitUntil(lambda: bool(window.findChildren(QFileDialog)), timeout=30_000)
        [dialog] = window.findChildren(QFileDialog)
        dialog.fileSelected.emit(str(tmp_path / "mine.json"))
        dialog.close()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        qtbot.waitUntil((tmp_path / "mine.json").exists, timeout=30_000)
        assert found.best is not None
        assert read_plan(tmp_path / "mine.json") == window.studies.searching.plan_of(found.best)
        assert simulation(window).plan == found.plan and window.document.undo_text == before

    def test_first_it_is_found_and_then_taken(self, simulated: SearchPanel, window: MainWindow, qtbot: QtBot) -> None:
        assert simulated.button.property("primary") and not simulated.take.property("primary")
        found_in(simulated, window, qtbot)
        assert simulated.take.property("primary") and not simulated.button.property("primary")
        simulated.take.click()
        assert simulated.button.property("primary") and not simulated.take.property("primary")


class TestForm:
    def test_another_measure_is_a_step(self, simulated: SearchPanel, window: MainWindow) -> None:
        at = simulated.form.measure.findData("top")
        simulated.form.measure.setCurrentIndex(at)
        simulated.form.measure.activated.emit(at)
        assert window.studies.searching.sought == Sought("top1", "relative")
        assert simulated.form.labels.isVisible() and not simulated.form.over.isVisible()
        window.document.undo()
        assert window.studies.searching.sought == Sought() and not simulated.form.labels.isVisible()

    @pytest.mark.parametrize(("way", "text", "limit"), [("bound", "0.01", 0.01), ("relative", "2 %", 0.02)])
    def test_a_limit_is_read_as_it_is_meant(
        self, simulated: SearchPanel, window: MainWindow, way: Way, text: str, limit: float
    ) -> None:
        window.studies.searching.choose("A way", replace(window.studies.searching.sought, way=way))
        simulated.form.limit.setText(text)
        simulated.form.limit.editingFinished.emit()
        assert window.studies.searching.sought.limit == limit

    def test_what_is_being_typed_stays_while_something_runs(self, simulated: SearchPanel, window: MainWindow) -> None:
        field = simulated.form.limit
        field.setFocus()
        QTest.keyClicks(field, "0.00")
        window.document.changed.emit({"simulated"})
        QTest.keyClicks(field, "1")
        window.studies.searching.changed.emit()
        assert field.text() == "0.001" and window.studies.searching.sought.limit is None
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert window.studies.searching.sought.limit == 0.001
        QTest.keyClicks(field, "9")
        window.studies.searching.choose("Another one", replace(window.studies.searching.sought, limit=0.5))
        assert field.text() == "0.5", "what somebody decided counts"

    def test_what_is_no_number_is_marked_and_nothing_is_searched(
        self, simulated: SearchPanel, window: MainWindow
    ) -> None:
        form = simulated.form
        form.limit.setFocus()
        QTest.keyClicks(form.limit, "abc")
        simulated.press()
        assert not window.studies.searching.busy and form.limit.text() == "abc" and form.limit.property("wrong")
        assert form.wrong.what.said == "“abc” is no number." and form.wrong.isVisible()
        assert not simulated.button.isEnabled() and simulated.button.toolTip() == form.wrong.what.said
        simulated.form.measure.setFocus()
        window.studies.searching.changed.emit()
        assert form.limit.text() == "abc", "it is not dropped without a word"
        form.limit.selectAll()
        QTest.keyClicks(form.limit, "1")
        assert simulated.button.isEnabled() and not form.wrong.isVisible() and not form.limit.property("wrong")

    def test_another_measure_forgets_what_did_not_count(self, simulated: SearchPanel, window: MainWindow) -> None:
        simulated.form.limit.setText("abc")
        simulated.form.finish()
        window.studies.searching.choose("Another", Sought("cosine"))
        assert simulated.form.limit.text() == "" and simulated.button.isEnabled()

    @pytest.mark.parametrize(
        ("sought", "text", "limit", "lack"),
        [
            (Sought("agreement", "bound"), "90%", 0.9, ""),
            (Sought("agreement", "bound"), "0.9", 0.9, ""),
            (Sought("agreement", "bound"), "90", None, "90 is more than all: write 0.9."),
            (Sought("agreement", "relative"), "2", 0.02, ""),
            (Sought("cosine", "bound"), "90%", None, "“90%” is a share, and this is none: write a number."),
        ],
    )
    def test_percent_is_a_share_of_what_has_one(
        self, simulated: SearchPanel, window: MainWindow, sought: Sought, text: str, limit: float | None, lack: str
    ) -> None:
        window.studies.searching.choose("A measure", sought)
        simulated.form.limit.setText(text)
        simulated.form.finish()
        assert window.studies.searching.sought.limit == limit and simulated.form.limit.lack == lack

    def test_a_way_without_a_usual_value_asks_for_one(self, simulated: SearchPanel, window: MainWindow) -> None:
        at = simulated.form.way.findData("drop")
        simulated.form.way.activated.emit(at)
        assert window.studies.searching.sought.way == "drop" and simulated.form.way.currentData() == "drop"
        assert not simulated.button.isEnabled() and "how much worse" in simulated.button.toolTip()
        simulated.form.limit.setText("0.1")
        simulated.form.finish()
        assert simulated.button.isEnabled() and window.studies.searching.sought == Sought(way="drop", limit=0.1)

    def test_how_is_searched_is_shown_where_there_is_room_or_when_it_is_wanted(self, simulated: SearchPanel) -> None:
        how = simulated.form.how
        simulated.form.resize(300, 140)
        assert how.inner.isHidden() and "Noise prediction, units to float" in how.summary.said
        how.button.click()
        assert how.inner.isVisibleTo(simulated) and how.summary.said == ""

    def test_each_strategy_says_what_it_assumes(self, simulated: SearchPanel, window: MainWindow) -> None:
        said = set()
        for key in ("noise", "greedy", "ladder", "binary"):
            window.studies.searching.choose("A strategy", Sought(strategy=key))
            said.add(simulated.form.text.said)
        assert len(said) == 4 and all(said)

    def test_what_is_asked_is_copied_as_a_call(self, simulated: SearchPanel, window: MainWindow) -> None:
        window.studies.searching.choose("Ask", Sought("agreement", "relative", 0.01, strategy="binary", kind="node"))
        simulated.more.menu().actions()[-1].trigger()
        text = QGuiApplication.clipboard().text()
        assert text.startswith("errorflow search") and "--metric agreement --max-drop 1% --strategy binary" in text


class TestWords:
    def test_the_result_is_a_sentence(self) -> None:
        assert result(FOUND, ASKED) == (
            "With 2 of 4 units in float, top-1 of scores is 0.962 (at least 0.95 is asked for), found in 3 evaluations."
        )

    def test_where_nothing_is_enough_the_closest_is_named(self) -> None:
        close = Tried(1, Choice.of([0]), 0.9, False, 0.08)
        found = replace(FOUND, tried=(FOUND.tried[0], close))
        assert result(found, ASKED) == (
            "No set is good enough: top-1 of scores has to be at least 0.95. The closest is 0.9, with 1 in float."
        )
        assert any(line.startswith("What is left") for line in notes(found, busy=False))

    def test_a_plan_that_is_good_needs_nothing(self) -> None:
        found = replace(FOUND, tried=(Tried(0, Choice(), 0.97, True, 0.01),))
        assert "good enough as it is" in result(found, ASKED)

    def test_what_is_not_enough_as_deployed_is_told(self) -> None:
        small = Tried(1, Choice.of([0]), 0.97, False, 0.75, note="As deployed …", deployed=0.23)
        large = Tried(2, Choice.of([0, 1]), 0.97, True, 0.02, deployed=0.96)
        found = replace(FOUND, tried=(FOUND.tried[0], small, large))
        assert "top-1 of scores is 0.97 in simulation, 0.96 as deployed (at least" in result(found, ASKED)
        assert "1 in float is not enough: 0.97 in simulation, 0.23 as deployed." in list(notes(found, busy=False))
        assert "0.97 in simulation, 0.23 as deployed, 0.75 worse than float, not good" in attempt(found, ASKED, small)

    def test_an_attempt_names_its_parts_and_what_went_wrong(self) -> None:
        assert "• a → float" in attempt(FOUND, ASKED, FOUND.tried[1])
        assert "It failed." in attempt(FOUND, ASKED, FOUND.tried[2])

    @pytest.mark.parametrize(
        ("sought", "words"),
        [
            (Sought(), "--target relative_l2<=0.05 --strategy noise"),
            (Sought("top5", labels=Path("y.npy")), "--metric top5 --max-drop 1% --labels y.npy --strategy noise"),
            (Sought(evaluator=Path("m.py"), to=16), "--evaluator m.py --time-limit 3600 --strategy noise --to 16"),
        ],
    )
    def test_options_say_what_the_form_does(self, sought: Sought, words: str) -> None:
        assert " ".join(options_of(sought)) == words


class TestPicture:
    def test_what_is_no_number_has_no_height(self) -> None:
        seen = ShownSearch(FOUND, ASKED, 0.95)
        assert math.isnan(seen.share(math.nan))
        assert 0 < seen.share(0.1) < seen.share(0.95) < seen.share(0.962) < 1

    def test_values_far_apart_stand_by_their_magnitude(self) -> None:
        found = replace(FOUND, tried=(Tried(0, Choice(), 1.0, False, 1.0), Tried(1, Choice.of([0]), 1e-4, True, 0.0)))
        seen = ShownSearch(found, Sought(), 0.01)
        assert seen.is_log and seen.share(0.01) == pytest.approx(0.5)
        assert all(0 <= seen.share(tick) <= 1 for tick in seen.ticks(4)) and seen.ticks(4)

    @pytest.mark.parametrize("size", [(220, 110), (420, 180), (900, 400)])
    @pytest.mark.parametrize("limit", [0.95, 0.962, 0.979, 0.12])
    def test_labels_cover_neither_points_nor_each_other(
        self, qtbot: QtBot, size: tuple[int, int], limit: float
    ) -> None:
        plot = SearchPlot(LIGHT)
        qtbot.addWidget(plot)
        plot.resize(*size)
        plot.show_search(ShownSearch(FOUND, ASKED, limit))
        labels = plot.labels()
        rects = [rect for _, rect in labels]
        assert {text.partition(":")[0] for text, _ in labels} == {"best", "asked for", "float"}
        assert not any(one.intersects(other) for one, other in combinations(rects, 2))
        numbers = [tried for tried in FOUND.tried if not math.isnan(tried.value)]
        assert not any(rect.contains(plot.spot(tried)) for rect in rects for tried in numbers)
        assert all(plot.rect().contains(rect.toRect()) for rect in rects)

    def test_the_list_leaves_out_what_does_not_fit(self, qtbot: QtBot) -> None:
        table = Attempts()
        table.show_search(FOUND, ASKED)
        view = AttemptsView(table)
        qtbot.addWidget(view)
        view.show()
        view.resize(view.wish, 200)
        view.fit()
        assert not any(view.isColumnHidden(at) for at in range(table.columnCount()))
        assert all(view.columnWidth(at) >= view.sizeHintForColumn(at) for at in (KEPT, VALUE, WHY))
        view.resize(200, 200)
        view.fit()
        assert view.isColumnHidden(WHY) and not view.isColumnHidden(KEPT) and not view.isColumnHidden(VALUE)
        assert sum(view.columnWidth(at) for at in range(table.columnCount())) <= view.viewport().width()

    def test_titles_name_the_measure(self, simulated: SearchPanel, window: MainWindow, qtbot: QtBot) -> None:
        found_in(simulated, window, qtbot)
        table = simulated.attempts
        assert table.headerData(VALUE, Qt.Orientation.Horizontal) == "Relative error"
        tip = table.headerData(VALUE, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
        assert "accumulated · Relative error" in tip and "√" in tip
        assert table.headerData(WHY, Qt.Orientation.Horizontal) == "Tried"
