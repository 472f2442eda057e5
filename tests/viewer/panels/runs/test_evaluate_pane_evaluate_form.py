"""The form in the list of runs, with the real engine, and what can be done with the float model's row."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QFileDialog
from pytestqt.qtbot import QtBot

from errorflow.base.errors import UsageError
from errorflow.case.session.model import Session
from errorflow.study.evaluate.asked import LabelledSet
from errorflow.study.evaluate.labelled_set import LabelledSummary
from errorflow.study.simulate.trial import Accuracy
from errorflow_viewer.document.evaluating import STEP
from errorflow_viewer.kit.look import LIGHT
from errorflow_viewer.panels.runs.accuracies import FLOAT
from errorflow_viewer.panels.runs.evaluate_pane import (
    BY_FILE,
    BY_FLOAT,
    BY_FOLDER,
    FILES,
    FOLDER,
    SIMULATIONS,
    EvaluateContext,
    EvaluateForm,
)
from errorflow_viewer.panels.runs.panel import NO_RUN, WIDTH, RunsPanel
from errorflow_viewer.panels.runs.rows import NAME
from errorflow_viewer.window.window import MainWindow
from labelled_sets import COUNT, ENDLESS, RAISES, classes, evaluator_file, folder_per_class, labels_file, samples_file
from table_cells import of_cell
from viewer.simulated import simulation

ACCURACY = Accuracy(
    "8 samples", 8, {"top-1": 7}, {"top-1": 8}, told=("It keeps 87.50% of what the original has.",), identity="eight"
)


@pytest.fixture
def form(runs: RunsPanel, window: MainWindow) -> EvaluateForm:
    """On view, for all runs."""
    window.studies.evaluating.begin()
    assert runs.pane.isVisible()
    choose(runs.pane.form.runs, False)
    return runs.pane.form


@pytest.fixture
def scored(runs: RunsPanel, window: MainWindow) -> RunsPanel:
    """Both runs evaluated; the float model above them."""

    def with_numbers(session: Session) -> Session:
        return replace(session, trials=tuple(replace(trial, accuracy=ACCURACY) for trial in session.trials))

    window.document.revise(with_numbers)
    assert runs.table.rowCount() == 3
    return runs


def choose(choice: QComboBox, key: object) -> None:
    """As a click on that row does."""
    at = choice.findData(key)
    assert at >= 0, f"there is no row for {key}"
    choice.setCurrentIndex(at)
    choice.activated.emit(at)


def rows(choice: QComboBox) -> list[str]:
    return [choice.itemText(at) for at in range(choice.count())]


def ended(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.studies.evaluating.busy, timeout=60_000)


class TestComing:
    def test_the_button_the_menu_and_a_run_bring_it_and_esc_and_the_cross_close_it(
        self, runs: RunsPanel, window: MainWindow
    ) -> None:
        assert runs.pane.isHidden()
        runs.evaluate.click()
        assert runs.pane.isVisible() and runs.pane.form.samples.hasFocus()
        QTest.keyClick(runs.pane.form.samples, Qt.Key.Key_Escape)
        assert runs.pane.isHidden() and runs.view.hasFocus()
        runs.choose(["Run 1"])
        next(action for action in runs.menu().actions() if action.text() == "Evaluate…").trigger()
        assert runs.pane.isVisible() and runs.pane.form.runs.currentText() == "The selected run"
        QTest.keyClick(runs.view, Qt.Key.Key_Escape)
        assert runs.pane.isHidden()
        window.studies.evaluating.begin()
        assert runs.pane.form.runs.currentText() == "All 2 runs"
        runs.pane.cross.click()
        assert runs.pane.isHidden()

    def test_other_samples_for_a_simulation_are_something_else(self, runs: RunsPanel, window: MainWindow) -> None:
        runs.choose(["Run 1"])
        texts = [action.text() for action in runs.menu().actions()]
        assert "Evaluate…" in texts and "Simulate on other samples…" in texts
        runs.simulate_again()
        assert window.panels.is_in_front("simulate") and runs.pane.isHidden()

    def test_another_model_closes_it(self, form: EvaluateForm, runs: RunsPanel, window: MainWindow) -> None:
        window.close_model()
        assert runs.pane.isHidden()

    def test_in_a_narrow_panel_it_stands_above_the_list(self, form: EvaluateForm, runs: RunsPanel) -> None:
        layout, before = runs.page.layout(), runs.page.size()
        assert layout is not None
        runs.page.resize(3 * WIDTH, 300)
        layout.activate()
        assert runs.pane.width() == WIDTH and runs.view.mapTo(runs.page, runs.view.rect().topLeft()).x() > WIDTH
        runs.page.resize(WIDTH, 500)
        layout.activate()
        assert runs.pane.width() == WIDTH
        assert runs.view.mapTo(runs.page, runs.view.rect().topLeft()).x() < 2
        runs.page.resize(before)


class TestAsking:
    def test_the_simulations_samples_are_offered_first_with_a_word_on_how_few_they_are(
        self, form: EvaluateForm, window: MainWindow, qtbot: QtBot
    ) -> None:
        qtbot.waitUntil(lambda: window.studies.evaluating.seen is not None)
        assert rows(form.samples) == ["Of the simulation (3)", "Choose a folder…", "Choose files…"]
        assert rows(form.labels) == ["Float model's answers", "Choose a file…"]
        assert form.note.said.startswith("So few say little")
        assert not form.seconds.isVisible() and not form.output.isVisible()

    def test_a_folder_per_class_is_found_and_taken_until_something_else_is_chosen(
        self, form: EvaluateForm, window: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        form.samples.chosen.emit((str(folder_per_class(tmp_path)),))
        assert window.document.undo_text == STEP
        qtbot.waitUntil(lambda: window.studies.evaluating.seen is not None)
        assert form.samples.currentText() == f"by_class ({COUNT})"
        assert form.labels.currentData() == BY_FOLDER
        choose(form.labels, BY_FLOAT)
        assert not window.studies.evaluating.labelled.by_folder and form.labels.currentData() == BY_FLOAT
        choose(form.samples, SIMULATIONS)
        assert window.studies.evaluating.labelled == LabelledSet()
        window.document.undo()
        window.document.undo()
        qtbot.waitUntil(lambda: form.labels.currentData() == BY_FOLDER)

    @pytest.mark.parametrize("way", [FOLDER, FILES])
    def test_files_are_asked_for_without_stopping_the_window(
        self, form: EvaluateForm, window: MainWindow, tmp_path: Path, way: str
    ) -> None:
        path = samples_file(tmp_path) if way == FILES else tmp_path
        choose(form.samples, way)
        assert form.samples.currentData() == SIMULATIONS, "until something is chosen it is what it was"
        (dialog,) = window.findChildren(QFileDialog)
        dialog.filesSelected.emit([str(path)])
        dialog.reject()
        assert window.studies.evaluating.labelled.data == (str(path),)

    def test_labels_are_asked_for_and_are_gone_with_other_samples(
        self, form: EvaluateForm, window: MainWindow, tmp_path: Path
    ) -> None:
        path = labels_file(tmp_path, classes())
        choose(form.labels, "file")
        (dialog,) = window.findChildren(QFileDialog)
        dialog.filesSelected.emit([str(path)])
        dialog.reject()
        assert window.studies.evaluating.labelled.labels == path and form.labels.currentData() == BY_FILE
        form.samples.chosen.emit((str(samples_file(tmp_path)),))
        assert window.studies.evaluating.labelled.labels is None

    def test_an_evaluator_has_a_time_limit_and_needs_no_labels(
        self, form: EvaluateForm, window: MainWindow, tmp_path: Path
    ) -> None:
        form.evaluator.chosen.emit(evaluator_file(tmp_path))
        assert form.seconds.isVisible() and form.labels.currentText() == "None"
        form.seconds.setValue(30)
        assert window.studies.evaluating.labelled.seconds == 30.0
        form.evaluator.clear.click()
        assert window.studies.evaluating.labelled.evaluator is None and not form.seconds.isVisible()


class TestAlone:
    """Without a window."""

    @pytest.fixture
    def alone(self, qtbot: QtBot) -> EvaluateForm:
        form = EvaluateForm(lambda: "")
        qtbot.addWidget(form)
        form.show()
        return form

    def test_of_several_outputs_one_is_asked_for_where_answers_are_counted(self, alone: EvaluateForm) -> None:
        known = EvaluateContext(LabelledSummary(300, 10), ("scores", "boxes"), 2, 1)
        alone.show_set(LabelledSet(output="boxes"), known, False)
        assert rows(alone.output) == ["scores", "boxes"] and alone.output.currentText() == "boxes"
        assert alone.output.isVisible() and not alone.note.said
        alone.show_set(LabelledSet(evaluator=Path("mine.py"), by_folder=False), known, False)
        assert not alone.output.isVisible()

    def test_samples_that_are_made_up_say_so(self, alone: EvaluateForm) -> None:
        alone.show_set(LabelledSet(), EvaluateContext(LabelledSummary(8, made_up=True), runs=1), False)
        assert alone.note.said.startswith("Made up") and not alone.runs.isVisible()

    def test_a_problem_is_told_in_words_of_the_window(self, alone: EvaluateForm) -> None:
        alone.show_problem(UsageError("There are no samples to evaluate on.", "Give more with --data."), LIGHT)
        assert alone.problem.isVisible() and "--" not in alone.problem.way.said
        alone.show_problem(None, LIGHT)
        assert not alone.problem.isVisible()


class TestEvaluating:
    def test_columns_a_row_and_a_sentence_come_of_it(
        self, form: EvaluateForm, runs: RunsPanel, window: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        form.samples.chosen.emit((str(folder_per_class(tmp_path)),))
        runs.pane.button.click()
        assert runs.pane.button.text() == "Stop" and not form.isEnabled()
        ended(window, qtbot)
        assert runs.pane.button.text() == "Evaluate" and form.isEnabled()
        titles = [column.title for column in runs.table.rows.columns]
        assert titles[2:4] == ["Top-1", "Top-5"]
        assert [runs.table.index(row, NAME).data() for row in range(3)] == [FLOAT, "Run 1", "▶ Run 2"]
        runs.choose(["Run 1"])
        assert runs.result.isVisible() and runs.result.said.startswith("Run 1 keeps ") and "4 %" in runs.result.said
        runs.choose([FLOAT])
        assert runs.result.said.startswith("Top-1 of the float model: ")

    def test_only_the_selected_ones_are_evaluated(
        self, form: EvaluateForm, runs: RunsPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        choose(form.runs, True)
        runs.view.clearSelection()
        assert not runs.pane.button.isEnabled() and runs.pane.button.toolTip() == "Select runs in the list."
        runs.choose(["Run 1"])
        QTest.keyClick(form.samples, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert window.studies.evaluating.busy
        ended(window, qtbot)
        assert [trial.accuracy is None for trial in window.document.session.trials] == [False, True]
        runs.choose(["Run 2"])
        assert runs.result.isHidden(), "nothing is known of it"

    def test_stop_keeps_what_was_there(
        self, form: EvaluateForm, runs: RunsPanel, window: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        form.evaluator.chosen.emit(evaluator_file(tmp_path, ENDLESS))
        runs.pane.button.click()
        assert window.studies.evaluating.busy
        runs.pane.button.click()
        assert not window.studies.evaluating.busy and runs.pane.button.text() == "Evaluate" and form.isEnabled()
        assert runs.table.rowCount() == 2 and not form.problem.isVisible()
        assert runs.pane.button.hasFocus(), "Esc closes the form now"

    def test_labels_that_do_not_fit_are_told_in_the_form(
        self, form: EvaluateForm, window: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        form.labels.edited.emit(LabelledSet(labels=labels_file(tmp_path, [1, 2])))
        qtbot.waitUntil(lambda: form.problem.isVisible())
        assert form.problem.what.said == "There are 2 labels for 64 samples."
        assert "the first 9 calibrate" in form.problem.way.said
        choose(form.labels, BY_FLOAT)
        assert not form.problem.isVisible()

    def test_what_goes_wrong_is_told_although_the_form_was_closed(
        self, form: EvaluateForm, runs: RunsPanel, window: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        form.evaluator.chosen.emit(evaluator_file(tmp_path, RAISES))
        runs.pane.button.click()
        runs.pane.cross.click()
        assert runs.pane.isHidden() and window.studies.evaluating.busy
        qtbot.waitUntil(lambda: runs.pane.isVisible(), timeout=60_000)
        assert "the weather is bad" in form.problem.what.said and not runs.pane.isAncestorOf(window.focusWidget())
        window.panels.show("profile")
        qtbot.waitUntil(lambda: not window.panels.is_in_front("runs"))
        window.studies.evaluating.evaluate()
        ended(window, qtbot)
        assert "the weather is bad" in window.status.currentMessage()

    def test_without_a_simulation_a_run_comes_first(
        self, form: EvaluateForm, runs: RunsPanel, window: MainWindow
    ) -> None:
        window.studies.simulating.leave()
        assert not runs.pane.button.isEnabled() and runs.pane.button.toolTip().startswith("Go to a run first")


class TestFloatModel:
    """The row above the runs is none of them."""

    def test_nothing_is_done_to_it(self, scored: RunsPanel, window: MainWindow) -> None:
        scored.choose([FLOAT])
        before, plan = window.document.session, simulation(window).plan
        scored.view.activated.emit(scored.table.index(0, NAME))
        QTest.keyClick(scored.view, Qt.Key.Key_Delete)
        scored.toggle_comparing()
        cell = scored.table.index(0, NAME)
        assert not scored.table.flags(cell) & Qt.ItemFlag.ItemIsEditable
        assert not scored.table.setData(cell, "Mine")
        assert window.document.session == before and simulation(window).plan == plan
        assert not scored.compare.isEnabled() and scored.compare.toolTip() == NO_RUN
        off = ("Go to this run", "Compare with the run on view", "Simulate on other samples…", "Rename", "Delete")
        enabled = {action.text(): action.isEnabled() for action in scored.menu().actions() if action.text()}
        assert not any(enabled[text] for text in off) and enabled["Copy"] and enabled["Evaluate…"]

    def test_beside_runs_it_is_left_out(self, scored: RunsPanel, window: MainWindow) -> None:
        scored.view.selectAll()
        assert [trial.name for trial in scored.chosen] == ["Run 1", "Run 2"]
        QTest.keyClick(scored.view, Qt.Key.Key_Delete)
        assert [trial.name for trial in window.document.session.trials] == ["Run 2"]

    def test_no_run_can_be_called_so(self, scored: RunsPanel, window: MainWindow) -> None:
        assert not scored.table.setData(scored.table.index(1, NAME), f" {FLOAT} ")
        assert scored.table.setData(scored.table.index(1, NAME), "Mine")
        assert [trial.name for trial in window.document.session.trials] == ["Mine", "Run 2"]

    def test_it_is_copied_as_it_is_shown_and_exported_as_columns(self, scored: RunsPanel, tmp_path: Path) -> None:
        scored.view.clearSelection()
        scored.copy()
        names = [line.split("\t")[0] for line in QGuiApplication.clipboard().text().splitlines()]
        assert names == ["Run", FLOAT, "Run 1", "Run 2"]
        scored.write(tmp_path / "runs.csv")
        head, first, second = (tmp_path / "runs.csv").read_text().splitlines()
        assert "top-1,float_top-1" in head and "0.875,1" in first and "0.875,1" in second

    def test_it_is_said_and_told(self, scored: RunsPanel) -> None:
        cell = scored.table.index(0, NAME)
        assert cell.data(Qt.ItemDataRole.AccessibleTextRole) == FLOAT
        assert "Evaluated on 8 samples" in str(cell.data(Qt.ItemDataRole.ToolTipRole))
        numbers = scored.table.index(0, len(scored.table.rows.columns) - 2)
        assert not of_cell(numbers, "muted")

    def test_it_goes_with_the_last_run_that_was_evaluated(self, scored: RunsPanel, window: MainWindow) -> None:
        scored.choose(["Run 1"])
        scored.delete()
        assert scored.table.rowCount() == 2

        def without_numbers(session: Session) -> Session:
            return replace(session, trials=tuple(replace(trial, accuracy=None) for trial in session.trials))

        window.document.revise(without_numbers)
        assert scored.table.rowCount() == 1 and scored.table.rows.float_model is None
