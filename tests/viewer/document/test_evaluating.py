"""Evaluating runs on labelled sets, with the real engine."""

import gc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from weakref import ref

import pytest
from pytestqt.qtbot import QtBot

from errorflow.case.session.file import read_session, write_session
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.evaluate.asked import LabelledSet
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.trial import Accuracy, Trial
from errorflow_viewer.document.evaluating import KEY, STEP, with_accuracy
from errorflow_viewer.document.runs import delete, go_to, rename
from errorflow_viewer.document.simulating import CLOSE
from errorflow_viewer.panels.runs.evaluate_pane import SIMULATE
from errorflow_viewer.panels.runs.panel import RunsPanel
from errorflow_viewer.window.actions import ACTIONS
from errorflow_viewer.window.window import MainWindow
from labelled_sets import (
    COUNT,
    ENDLESS,
    NODE_FAULT,
    RAISES,
    classes,
    evaluator_file,
    folder_per_class,
    labels_file,
    samples_file,
)
from viewer.lending import Prepare
from viewer.simulated import FEW, open_model, seen_through, simulate, two_runs

ACTION = next(action for action in ACTIONS if action.key == "evaluate")


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    return two_runs


@pytest.fixture
def simulated(lent_window: MainWindow) -> MainWindow:
    """Run 1 as it is quantized, and on view Run 2 with the culprit in float."""
    return lent_window


@pytest.fixture
def endless(simulated: MainWindow, qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    """While an evaluator works that does not end by itself."""
    never_ends(simulated, tmp_path)
    yield simulated
    simulated.studies.evaluating.stop()


def never_ends(window: MainWindow, folder: Path) -> None:
    window.studies.evaluating.choose(LabelledSet(evaluator=evaluator_file(folder, ENDLESS)))
    window.studies.evaluating.evaluate()
    assert window.studies.evaluating.busy


def evaluated(window: MainWindow, qtbot: QtBot, asked: LabelledSet, *names: str) -> tuple[Accuracy | None, ...]:
    window.studies.evaluating.choose(asked)
    window.studies.evaluating.evaluate(names)
    return ended(window, qtbot)


def ended(window: MainWindow, qtbot: QtBot) -> tuple[Accuracy | None, ...]:
    qtbot.waitUntil(lambda: not window.studies.evaluating.busy, timeout=60_000)
    return tuple(trial.accuracy for trial in window.document.session.trials)


def labelled(folder: Path) -> LabelledSet:
    return LabelledSet((str(samples_file(folder)),), labels_file(folder, classes()))


class TestFound:
    def test_right_answers_are_kept_with_each_run_and_are_no_step(
        self, simulated: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        with qtbot.waitSignal(simulated.studies.evaluating.done, timeout=60_000) as done:
            found = evaluated(simulated, qtbot, labelled(tmp_path))
        ruined, cured = found
        assert done.args == [2] and ruined is not None and cured is not None
        assert ruined.right["top-1"] < COUNT / 2 < cured.right["top-1"] <= COUNT == cured.samples
        assert ruined.original_right == cured.original_right and ruined.identity == cured.identity
        assert any("4 %" in line for line in ruined.told) and all("Run" not in line for line in cured.told)
        assert simulated.document.undo_text == STEP, "what was found out is no step"
        simulated.document.undo()
        assert simulated.studies.evaluating.labelled == LabelledSet()
        assert simulated.document.session.trials[1].accuracy == cured

    def test_a_folder_per_class_is_seen_and_counted(self, simulated: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        simulated.studies.evaluating.choose(LabelledSet((str(folder_per_class(tmp_path)),)))
        simulated.studies.evaluating.begin()
        qtbot.waitUntil(lambda: simulated.studies.evaluating.seen is not None)
        seen = simulated.studies.evaluating.seen
        assert seen is not None and (seen.samples, seen.classes) == (COUNT, len(set(classes())))
        _, cured = evaluated(simulated, qtbot, simulated.studies.evaluating.labelled)
        assert cured is not None and cured.about.endswith("a folder per class")

    def test_an_own_evaluator_gives_its_number_and_its_verdict(
        self, simulated: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        asked = LabelledSet((str(samples_file(tmp_path)),), evaluator=evaluator_file(tmp_path))
        first, found = evaluated(simulated, qtbot, asked, "Run 2")
        assert first is None and found is not None
        assert (found.measure, found.good, found.right) == ("sure.py", True, {})
        assert found.value == pytest.approx(found.original_value, abs=0.05) and found.evaluator
        assert found.told[-1] == "It is good enough for sure.py."

    def test_numbers_and_what_was_asked_come_back_with_the_session(
        self, simulated: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        asked = replace(labelled(tmp_path), evaluator=evaluator_file(tmp_path), seconds=60.0)
        evaluated(simulated, qtbot, asked)
        session = simulated.document.session
        write_session(session, tmp_path / "case.errorflow")
        read = read_session(tmp_path / "case.errorflow")
        assert not read.problems and read.session.labelled == asked
        assert [trial.accuracy for trial in read.session.trials] == [trial.accuracy for trial in session.trials]
        assert str(tmp_path) not in (tmp_path / "case.errorflow").read_text("utf-8")


class TestMeanwhile:
    def test_a_run_that_is_deleted_does_not_come_back_and_one_with_another_name_is_the_same(
        self, simulated: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        simulated.studies.evaluating.choose(labelled(tmp_path))
        simulated.studies.evaluating.evaluate()
        assert delete(simulated.document, ["Run 1"]) == "" and rename(simulated.document, "Run 2", "Cured") == ""
        (found,) = ended(simulated, qtbot)
        (trial,) = simulated.document.session.trials
        assert trial.name == "Cured" and found is not None
        simulated.document.undo()
        simulated.document.undo()
        assert [trial.accuracy is None for trial in simulated.document.session.trials] == [False, False]

    def test_cancel_keeps_what_was_there(self, simulated: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        before = evaluated(simulated, qtbot, labelled(tmp_path))
        simulated.studies.evaluating.choose(LabelledSet(evaluator=evaluator_file(tmp_path, ENDLESS)))
        simulated.studies.evaluating.evaluate()
        with qtbot.waitSignal(simulated.studies.evaluating.changed):
            simulated.cancel()  # as Esc does
        assert not simulated.studies.evaluating.busy and simulated.studies.evaluating.error is None
        assert ended(simulated, qtbot) == before and None not in before

    def test_closing_the_model_leaves_nothing_in_memory(self, window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        two_runs(window, qtbot)
        never_ends(window, tmp_path)
        endless, state = window, window.document.state.simulated
        assert state is not None
        bench = ref(state.bench)
        del state
        endless.close_model()
        assert not endless.jobs.running(KEY) and endless.studies.evaluating.error is None
        qtbot.waitUntil(lambda: not endless.jobs.running(CLOSE))

        def is_gone() -> bool:
            gc.collect()
            return bench() is None

        qtbot.waitUntil(is_gone)

    def test_another_model_ends_it(self, endless: MainWindow, qtbot: QtBot) -> None:
        open_model(endless, qtbot, NODE_FAULT.candidate_model)
        assert not endless.studies.evaluating.busy and endless.studies.evaluating.error is None
        assert not endless.document.session.trials

    def test_other_samples_end_it_and_that_is_said(self, endless: MainWindow, qtbot: QtBot) -> None:
        simulate(endless, qtbot, Basis(SampleSpec((str(NODE_FAULT.calibration),)), samples=16))
        assert not endless.studies.evaluating.busy
        error = endless.studies.evaluating.error
        assert error is not None and "other samples or ranges" in error.message

    def test_another_run_on_the_same_bench_does_not_end_it(self, endless: MainWindow, qtbot: QtBot) -> None:
        go_to(endless.document, "Run 1")
        seen_through(endless, qtbot)
        assert endless.studies.evaluating.busy


class TestWrong:
    @pytest.mark.parametrize(
        ("text", "said"), [("1\n2\n", "2 labels for 24 samples"), ("one\n", "is no number of a class")]
    )
    def test_labels_that_do_not_fit_are_told(
        self, simulated: MainWindow, qtbot: QtBot, tmp_path: Path, text: str, said: str
    ) -> None:
        asked = labelled(tmp_path)
        (tmp_path / "labels.txt").write_text(text, "utf-8")
        assert evaluated(simulated, qtbot, asked) == (None, None)
        error = simulated.studies.evaluating.error
        assert error is not None and said in error.message

    def test_labels_that_are_gone_are_told_before_anything_runs(
        self, simulated: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        simulated.studies.evaluating.choose(LabelledSet(labels=tmp_path / "gone.txt"))
        simulated.studies.evaluating.begin()
        qtbot.waitUntil(lambda: simulated.studies.evaluating.error is not None)
        assert "gone.txt" in str(simulated.studies.evaluating.error)
        simulated.studies.evaluating.choose(LabelledSet())
        assert simulated.studies.evaluating.error is None

    def test_an_evaluator_that_raises_is_told_with_its_line(
        self, simulated: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        asked = LabelledSet(evaluator=evaluator_file(tmp_path, RAISES))
        assert evaluated(simulated, qtbot, asked) == (None, None)
        error = simulated.studies.evaluating.error
        assert error is not None and "line 3 of sure.py" in error.message and "the weather is bad" in error.message

    def test_a_folder_that_cannot_be_made_is_told(
        self, simulated: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "file").write_text("")
        monkeypatch.setattr(simulated.studies.evaluating, "_place", tmp_path / "file" / "inside")
        evaluated(simulated, qtbot, LabelledSet())
        assert (
            simulated.studies.evaluating.error is not None
            and "could not be made" in simulated.studies.evaluating.error.message
        )


class TestAction:
    def test_it_is_called_as_the_list_of_features_says(self) -> None:
        features = (Path(__file__).parents[3] / "docs/features.md").read_text("utf-8")
        assert f"| {ACTION.menu} → {ACTION.name} |" in features

    def test_it_does_not_look_like_something_that_is_ticked(self) -> None:
        assert ACTION.icon and ACTION.icon != "check" and ACTION.checked is None

    def test_it_brings_the_form_which_asks_for_a_run_first_and_comes_back(
        self, window: MainWindow, qtbot: QtBot
    ) -> None:
        assert not ACTION.enabled(window) and window.studies.evaluating.lack == "Nothing is simulated yet."
        open_model(window, qtbot)
        assert ACTION.enabled(window)
        with qtbot.waitSignal(window.studies.evaluating.wanted):
            ACTION.run(window)
        panel = window.findChild(RunsPanel)
        assert isinstance(panel, RunsPanel) and panel.pane.isVisible() and panel.pane.button.text() == SIMULATE
        with qtbot.waitSignal(window.studies.simulating.asked):
            panel.pane.button.click()
        with qtbot.waitSignal(window.studies.evaluating.wanted):
            simulate(window, qtbot)
        assert window.panels.is_in_front("runs") and window.studies.evaluating.lack == ""
        assert panel.pane.isVisible() and panel.pane.button.text() == "Evaluate"
        window.studies.simulating.leave()
        assert window.studies.evaluating.lack.startswith("Go to a run first")


def test_only_the_same_plan_on_the_same_samples_gets_the_numbers(window: MainWindow) -> None:
    from errorflow.quant.plan import Plan

    trials = Trial("Run 1", Plan(), FEW), Trial("Run 2", Plan(), Basis())
    session = replace(window.document.session, trials=trials)
    found = with_accuracy(session, [(replace(trials[1], name="before"), Accuracy("y"))])
    assert [trial.accuracy for trial in found.trials] == [None, Accuracy("y")]
