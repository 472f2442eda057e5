"""The panel: from nothing to a simulation, and what it says on the way."""

import shlex
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import Session, Simulation
from errorflow.cli.simulate import SIMULATE
from errorflow.quant.calibrate.saved import load_calibrations
from errorflow.quant.plan_file import read_plan, write_plan
from errorflow.quant.presets import preset
from errorflow.run.samples.asked import SampleSpec
from errorflow_viewer.commands.simulation_saving import KEY as SAVING
from errorflow_viewer.commands.simulation_saving import save_to
from errorflow_viewer.document.simulation_work import OPEN
from errorflow_viewer.panels.simulate.panel import APPLY, AS_ON_VIEW, NO_SAMPLES, TELLING, SimulatePanel
from errorflow_viewer.panels.simulate.panel import MODEL as LOOKING
from errorflow_viewer.panels.simulate.result_box import MADE_UP
from errorflow_viewer.panels.simulate.samples_box import DROP, TITLE, WARNING
from errorflow_viewer.window.window import MainWindow
from viewer.lending import Prepare
from viewer.models import branching_model
from viewer.panels.simulate.conftest import ready
from viewer.simulated import CULPRIT, FEW, SAMPLE, open_model, seen_through, simulation


def few(panel: SimulatePanel, window: MainWindow, qtbot: QtBot, count: int = 12) -> None:
    """Not all of the samples, which take long."""
    panel.form.division.samples.setValue(count)
    ready(panel, window, qtbot)


def pressed(panel: SimulatePanel, window: MainWindow, qtbot: QtBot) -> None:
    """Simulates as the form says, and waits until all of it is told."""
    panel.foot.simulate.click()
    qtbot.waitUntil(lambda: window.document.session.simulation is not None, timeout=30_000)
    qtbot.waitUntil(lambda: panel.draft.is_of(simulation(window)) and not window.jobs.running(OPEN), timeout=30_000)
    seen_through(window, qtbot)
    told(panel, window, qtbot)


def told(panel: SimulatePanel, window: MainWindow, qtbot: QtBot) -> None:
    result = panel.form.result
    qtbot.waitUntil(lambda: result.told is not None and result.told.is_complete and not window.jobs.running(TELLING))


def choose(box: QComboBox, text: str) -> None:
    """As a user does."""
    at = next(at for at in range(box.count()) if box.itemText(at).startswith(text))
    box.setCurrentIndex(at)
    box.activated.emit(at)


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    """The sample on view, simulated as the form says, and told in full."""

    def simulated(window: MainWindow, qtbot: QtBot) -> None:
        panel = window.panels.by_key["simulate"].content
        assert isinstance(panel, SimulatePanel)
        open_model(window, qtbot)
        ready(panel, window, qtbot)
        few(panel, window, qtbot)
        pressed(panel, window, qtbot)

    return simulated


@pytest.fixture
def done(lent_window: MainWindow, qtbot: QtBot) -> SimulatePanel:
    """Where that was done already."""
    panel = lent_window.panels.by_key["simulate"].content
    assert isinstance(panel, SimulatePanel)
    ready(panel, lent_window, qtbot)
    told(panel, lent_window, qtbot)
    return panel


# What it begins with


def test_without_a_model_it_offers_to_open_one(panel: SimulatePanel) -> None:
    assert panel.stack.currentWidget() is panel.nothing
    assert panel.nothing.button.text() == "Open a model…"


def test_the_calibration_inputs_of_a_sample_are_proposed_and_told(filled: SimulatePanel) -> None:
    assert filled.draft.asked.paths == (str(SAMPLE.calibration),)
    assert filled.form.samples.text.said.startswith("64 samples, stacked in one file, for image float32 [1, 1, 8, 8].")
    assert filled.form.division.text.said == "Calibrated on 56 samples, evaluated on 8 others."
    assert not filled.lack and filled.foot.simulate.isEnabled()


def test_a_folder_beside_the_model_is_proposed(
    panel: SimulatePanel, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    model = tmp_path / "net.onnx"
    model.write_bytes(SAMPLE.model.read_bytes())
    folder = tmp_path / "calibration_data"
    folder.mkdir()
    for number in range(4):
        np.save(folder / f"{number}.npy", np.zeros((1, 1, 8, 8), np.float32))
    open_model(window, qtbot, model)
    ready(panel, window, qtbot)
    assert panel.draft.asked.paths == (str(folder),)
    assert "one .npy each" in panel.form.samples.text.said


def test_what_the_runs_that_are_compared_were_fed_with_is_proposed(
    panel: SimulatePanel, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """The comparison begins when the model is on view already."""
    model = tmp_path / "net.onnx"
    model.write_bytes(SAMPLE.model.read_bytes())
    open_model(window, qtbot, model)
    ready(panel, window, qtbot)
    assert not panel.draft.has_samples
    files = {"model": model, "reference": SAMPLE.reference_run, "candidate": SAMPLE.candidate_run}
    window.comparisons.start(Setup("runs", files))
    qtbot.waitUntil(lambda: panel.draft.asked.paths == (str(SAMPLE.reference_run),))
    ready(panel, window, qtbot)
    assert panel.form.samples.text.said.startswith("1 sample") and not panel.lack
    given = str(SAMPLE.calibration)
    panel.form.take_paths((given,))
    ready(panel, window, qtbot)
    offered = [panel.form.samples.choice.itemData(at) for at in range(panel.form.samples.choice.count())]
    assert panel.draft.asked.paths == (given,) and [str(SAMPLE.reference_run)] in [list(each) for each in offered]


def test_a_model_alone_asks_for_samples(panel: SimulatePanel, window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    model = tmp_path / "net.onnx"
    model.write_bytes(SAMPLE.model.read_bytes())
    open_model(window, qtbot, model)
    ready(panel, window, qtbot)
    assert panel.lack == NO_SAMPLES == panel.foot.state.said
    assert not panel.foot.simulate.isEnabled()


@pytest.fixture
def refused(panel: SimulatePanel, window: MainWindow, qtbot: QtBot) -> SimulatePanel:
    """Of a model that cannot be run."""
    model = replace(branching_model(), format="ATC JSON")
    window.document.open(model, Session(model=model.path))
    ready(panel, window, qtbot)
    return panel


def test_a_model_that_cannot_be_run_says_why_and_what_still_works(refused: SimulatePanel) -> None:
    panel = refused
    assert panel.stack.currentWidget() is panel.refused
    assert "cannot be run (ATC JSON)" in panel.refused.sentence.text()
    assert "two runs of it can be compared" in panel.refused.sentence.text()


def test_what_is_compared_of_a_model_that_cannot_be_run_does_not_let_the_form_flash_up(
    refused: SimulatePanel, window: MainWindow, qtbot: QtBot
) -> None:
    panel = refused
    shown: list[int] = []
    panel.stack.currentChanged.connect(shown.append)
    files = {"reference": SAMPLE.reference_run, "candidate": SAMPLE.candidate_run}
    window.document.edit("Compare", setup=Setup("runs", files))
    ready(panel, window, qtbot)
    assert not shown and panel.stack.currentWidget() is panel.refused


def test_a_model_that_was_made_one_that_can_be_run_has_the_form(
    refused: SimulatePanel, window: MainWindow, qtbot: QtBot
) -> None:
    window.document.renew(branching_model())
    ready(refused, window, qtbot)
    assert refused.stack.currentWidget() is refused.content


# Simulating


def test_the_button_simulates_and_the_result_is_told(done: SimulatePanel, window: MainWindow, qtbot: QtBot) -> None:
    said = done.form.result
    assert CULPRIT in said.judged.said
    assert said.rest.said.startswith("Calibrated on 9 samples, evaluated on 3 others.")
    assert "probabilities: SQNR median" in said.text and "single groups add up to" in said.text
    assert done.foot.state.said == AS_ON_VIEW


def test_enter_with_control_simulates(filled: SimulatePanel, window: MainWindow, qtbot: QtBot) -> None:
    few(filled, window, qtbot)
    QTest.keyClick(filled, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert window.studies.simulating.busy
    filled.foot.stop.click()
    assert not window.studies.simulating.busy


def test_the_command_brings_the_panel_and_then_starts(filled: SimulatePanel, window: MainWindow, qtbot: QtBot) -> None:
    few(filled, window, qtbot)
    window.panels.show("nodes")
    window.commands.made["simulate"].trigger()
    assert window.panels.is_in_front("simulate") and not window.studies.simulating.busy
    qtbot.waitUntil(lambda: not filled.visibleRegion().isEmpty())
    window.commands.made["simulate"].trigger()
    assert window.studies.simulating.busy
    filled.foot.stop.click()


def test_while_it_runs_progress_and_cancel_are_there(filled: SimulatePanel, window: MainWindow, qtbot: QtBot) -> None:
    few(filled, window, qtbot)
    filled.start()
    assert not filled.foot.stop.isHidden() and not filled.foot.bar.isHidden()
    assert filled.foot.step.said.startswith("Preparing node_fault.onnx")
    filled.foot.stop.click()
    assert filled.foot.stop.isHidden() and filled.foot.bar.isHidden()


def test_another_preset_on_the_same_ranges_needs_no_other_bench(
    done: SimulatePanel, window: MainWindow, qtbot: QtBot
) -> None:
    bench = window.studies.simulating.bench
    choose(done.form.plan.choice, "Pulsar2 U16")
    assert done.foot.state.said == APPLY
    pressed(done, window, qtbot)
    assert window.studies.simulating.bench is bench
    assert simulation(window).plan == preset("pulsar2-u16").plan


def test_a_preset_with_another_method_calibrates_again_and_so_does_the_way_back(
    done: SimulatePanel, window: MainWindow, qtbot: QtBot
) -> None:
    choose(done.form.plan.choice, "Ascend AMCT")
    pressed(done, window, qtbot)
    bench = window.studies.simulating.bench
    assert bench is not None and bench.calibration.method == "mse"
    window.document.undo()
    qtbot.waitUntil(lambda: window.studies.simulating.bench not in (None, bench), timeout=30_000)
    again = window.studies.simulating.bench
    assert again is not None and again.calibration.method == "minmax"
    seen_through(window, qtbot)
    assert done.draft.plan == preset("onnxruntime").plan


def test_what_single_nodes_are_is_seen_in_the_form(done: SimulatePanel, window: MainWindow, qtbot: QtBot) -> None:
    window.studies.simulating.edit("Float", simulation(window).plan.keeping_float(CULPRIT, "/block1/Add"))
    assert done.form.plan.choice.currentText() == "ONNX Runtime QDQ, changed"
    assert done.form.plan.told.said == "2 nodes switched.", "not one rule"
    seen_through(window, qtbot)


def test_what_is_being_done_in_survives_a_switch_elsewhere(
    done: SimulatePanel, window: MainWindow, qtbot: QtBot
) -> None:
    choose(done.form.ranges.choice, "Least squared error")
    window.studies.simulating.edit("Float", simulation(window).plan.keeping_float(CULPRIT))
    assert done.draft.basis.method == "mse"
    assert done.draft.plan == simulation(window).plan
    seen_through(window, qtbot)


def test_a_reopened_session_fills_the_form(panel: SimulatePanel, window: MainWindow, qtbot: QtBot) -> None:
    session = Session(model=SAMPLE.model, simulation=Simulation(FEW, preset("amct").plan))
    window.comparisons.start_session(session)
    qtbot.waitUntil(lambda: window.document.state.simulated is not None, timeout=30_000)
    ready(panel, window, qtbot)
    assert panel.draft.basis == FEW
    assert panel.form.plan.choice.currentText() == "Ascend AMCT"
    assert panel.form.division.samples.value() == 12
    seen_through(window, qtbot)


def test_leaving_it_leaves_the_form_as_it_is(done: SimulatePanel, window: MainWindow, qtbot: QtBot) -> None:
    draft = done.draft
    done.form.result.leave.emit()
    assert window.document.session.simulation is None
    assert done.draft == draft and done.form.result.isHidden()
    qtbot.waitUntil(lambda: window.document.comparison is not None)


def test_the_worst_sample_can_be_looked_at(done: SimulatePanel, window: MainWindow, qtbot: QtBot) -> None:
    done.form.result.outputs.linkActivated.emit("sample:1")
    assert simulation(window).sample == 1


def test_a_failure_is_told_in_the_panel(
    filled: SimulatePanel, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    few(filled, window, qtbot)
    broken = tmp_path / "ranges.json"
    broken.write_text("{}")
    filled.form.ranges.file.emit(broken)
    filled.start()
    qtbot.waitUntil(lambda: not window.studies.simulating.busy)
    assert "is no calibration" in filled.failure.what.said
    assert window.document.session.simulation is None


def test_who_has_only_a_float_model_is_led_here(filled: SimulatePanel, window: MainWindow, qtbot: QtBot) -> None:
    window.panels.show("nodes")
    window.compare()
    window.comparisons.page.simulate.click()
    qtbot.waitUntil(lambda: window.panels.is_in_front("simulate"))
    assert window.stack.currentWidget() is window.pair


# What is given


@pytest.mark.parametrize(("path", "title"), [(SAMPLE.evaluation, DROP), (SAMPLE.model, TITLE)])
def test_what_is_dragged_over_the_form_is_said_to_become_samples(path: Path, title: str, filled: SimulatePanel) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    buttons = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    filled.form.dragEnterEvent(QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, *buttons))
    assert filled.form.samples.heading.text() == title
    filled.form.dragLeaveEvent(QDragLeaveEvent())
    assert filled.form.samples.heading.text() == TITLE


def test_what_is_dropped_becomes_the_samples(filled: SimulatePanel, window: MainWindow, qtbot: QtBot) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(SAMPLE.evaluation))])
    event = QDropEvent(
        QPointF(QPoint(5, 5)), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    filled.form.dropEvent(event)
    ready(filled, window, qtbot)
    assert filled.draft.asked.paths == (str(SAMPLE.evaluation),)
    assert filled.form.samples.text.said.startswith("300 samples")


def test_what_does_not_fit_is_told_with_a_way_out(
    filled: SimulatePanel, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    np.save(tmp_path / "x.npy", np.zeros((3, 3), np.float32))
    filled.form.take_paths((str(tmp_path / "x.npy"),))
    ready(filled, window, qtbot)
    problem = filled.form.samples.problem
    assert "image float32 [1, 1, 8, 8]" in problem.what.said and problem.way.said
    assert not filled.foot.simulate.isEnabled()


def test_made_up_samples_are_labelled_before_and_behind(
    filled: SimulatePanel, window: MainWindow, qtbot: QtBot
) -> None:
    choose(filled.form.samples.choice, "Made-up")
    ready(filled, window, qtbot)
    filled.form.samples.count.setValue(4)
    ready(filled, window, qtbot)
    assert filled.draft.asked == SampleSpec(seed=0, count=4)
    assert filled.form.samples.warning.said == WARNING
    pressed(filled, window, qtbot)
    assert filled.form.result.made_up.said == MADE_UP


def test_pictures_bring_their_fields(filled: SimulatePanel, window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    from PIL import Image

    for number in range(2):
        Image.new("L", (12, 10), number * 90).save(tmp_path / f"{number}.png")
    assert filled.form.pictures.isHidden()
    filled.form.take_paths((str(tmp_path),))
    ready(filled, window, qtbot)
    assert not filled.form.pictures.isHidden()
    assert "Choose below how pictures are resized." in filled.form.samples.problem.way.said
    choose(filled.form.pictures.resize_choice, "letterbox")
    ready(filled, window, qtbot)
    assert filled.form.samples.text.said.startswith("2 samples, one picture each")
    assert not filled.lack


@pytest.mark.parametrize(("text", "numbers"), [("1, 2.5 3", (1.0, 2.5, 3.0)), ("", ())])
def test_mean_is_a_list_of_numbers(text: str, numbers: tuple[float, ...], filled: SimulatePanel) -> None:
    filled.form.pictures.mean.setText(text)
    filled.form.pictures.mean.editingFinished.emit()
    assert filled.draft.asked.pictures.mean == numbers


def test_a_mean_that_is_no_number_is_told_and_not_taken(filled: SimulatePanel) -> None:
    filled.form.pictures.mean.setText("black")
    filled.form.pictures.mean.editingFinished.emit()
    assert "“black” is no list of numbers" in filled.form.pictures.sum.said
    assert filled.draft.asked.pictures.mean == ()


def test_other_samples_to_measure_on_are_said(filled: SimulatePanel, window: MainWindow, qtbot: QtBot) -> None:
    filled.form.division.changed.emit({"others": (str(SAMPLE.evaluation),)})
    ready(filled, window, qtbot)
    assert filled.form.division.text.said == "Calibrated on 64 samples, evaluated on 300 others."
    filled.form.division.none.click()
    ready(filled, window, qtbot)
    assert filled.draft.basis.others == ()


def test_what_was_simulated_is_remembered_for_the_model(
    filled: SimulatePanel, window: MainWindow, qtbot: QtBot
) -> None:
    filled.form.take_paths((str(SAMPLE.evaluation),))
    few(filled, window, qtbot)
    filled.start()
    filled.foot.stop.click()
    window.close_model()
    assert filled.stack.currentWidget() is filled.nothing
    open_model(window, qtbot)
    ready(filled, window, qtbot)
    assert filled.draft.asked.paths == (str(SAMPLE.evaluation),)
    texts = [filled.form.samples.choice.itemText(at) for at in range(filled.form.samples.choice.count())]
    assert texts == ["inputs/digits_evaluation.npz", "inputs/digits_calibration.npz", "Made-up random values"]


# Plans, ranges, files


def test_a_plan_from_a_file_is_called_by_its_name(
    filled: SimulatePanel, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    plan = preset("amct").plan.keeping_float(CULPRIT)
    write_plan(plan, tmp_path / "mine.json")
    filled.form.plan.file.emit(tmp_path / "mine.json")
    qtbot.waitUntil(lambda: filled.draft.plan == plan)
    assert filled.form.plan.choice.currentText() == "mine.json"


def test_a_file_that_is_no_plan_is_told(filled: SimulatePanel, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text("{}")
    filled.form.plan.file.emit(tmp_path / "mine.json")
    qtbot.waitUntil(lambda: "mine.json is no plan" in filled.failure.what.said)


def test_a_preset_is_explained_in_full(filled: SimulatePanel) -> None:
    choose(filled.form.plan.choice, "Ascend AMCT")
    row = preset("amct")
    assert filled.form.plan.told.said == f"Mimics: {row.mimics}\nLeaves out: {row.leaves_out}"
    assert filled.form.ranges.choice.currentText() == "As the preset: Least squared error"


def test_plan_ranges_and_model_are_written(
    filled: SimulatePanel, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    from errorflow_viewer.commands import simulation_saving

    few(filled, window, qtbot, 8)
    pressed(filled, window, qtbot)
    for save, name in (
        (simulation_saving.write_plan_of, "plan.json"),
        (simulation_saving.write_calibration_of, "calibration.json"),
        (simulation_saving.write_model_of, "model_qdq.onnx"),
    ):
        write = save(window)
        assert write is not None
        save_to(window, tmp_path / name, write)
        qtbot.waitUntil(lambda: not window.jobs.running(SAVING))
    assert read_plan(tmp_path / "plan.json") == simulation(window).plan
    assert load_calibrations(tmp_path / "calibration.json")[0].method == "minmax"
    assert (tmp_path / "model_qdq.onnx").stat().st_size > 0


def test_the_command_that_is_copied_is_understood(filled: SimulatePanel, window: MainWindow, qtbot: QtBot) -> None:
    few(filled, window, qtbot)
    choose(filled.form.plan.choice, "Horizon int8")
    next(action for action in filled.foot.menu.actions() if action.text() == "Copy command").trigger()
    words = shlex.split(QGuiApplication.clipboard().text())
    parser = ArgumentParser()
    SIMULATE.arguments(parser)
    options = parser.parse_args(words[2:])
    assert (options.preset, options.samples, options.data) == ("horizon-int8", 12, [str(SAMPLE.calibration)])


# Models that are quantized already


def test_a_quantized_model_is_simulated_as_it_is_and_back_in_float(
    panel: SimulatePanel, window: MainWindow, qtbot: QtBot
) -> None:
    open_model(window, qtbot, SAMPLE.candidate_model)
    ready(panel, window, qtbot)
    assert panel.form.plan.choice.currentText() == "As it is quantized"
    assert panel.form.ranges.choice.isHidden()
    panel.form.take_paths((str(SAMPLE.calibration),))
    few(panel, window, qtbot, 8)
    pressed(panel, window, qtbot)
    assert simulation(window).plan.coded is not None
    assert panel.form.plan.choice.currentText() == "As it is quantized"
    assert panel.form.result.rest.said.startswith("Evaluated on 8 of 64 samples.")
    window.studies.simulating.leave()
    qtbot.waitUntil(lambda: window.document.model is not None and window.document.model.path == SAMPLE.candidate_model)
    ready(panel, window, qtbot)


# How it looks


def test_nothing_is_cut_off_in_a_narrow_panel(done: SimulatePanel) -> None:
    page = done.form.widget()
    assert page is not None
    assert page.minimumSizeHint().width() <= 260
    assert done.foot.minimumSizeHint().width() <= 260


def test_everything_that_takes_the_keyboard_has_a_name_and_a_way_through(filled: SimulatePanel) -> None:
    kinds = (QAbstractButton, QComboBox, QSpinBox, QLineEdit)
    own = [widget for kind in kinds for widget in filled.content.findChildren(kind)]
    shown = [each for each in own if each.isVisible() and not isinstance(each.parentWidget(), (QSpinBox, QComboBox))]
    for widget in shown:
        text = widget.text() if isinstance(widget, QAbstractButton) else ""
        assert widget.accessibleName() or text, widget
    boxes = [filled.form.samples.choice, filled.form.plan.choice, filled.form.ranges.choice, filled.foot.simulate]
    walked: list[QWidget] = []
    each: QWidget | None = boxes[0]
    for _ in range(200):
        if each in boxes and each not in walked:
            walked.append(each)
        each = None if each is None else each.nextInFocusChain()
    assert walked == boxes


def test_names_of_files_are_no_markup(filled: SimulatePanel, window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    np.save(tmp_path / "<b>x.npy", np.zeros((3, 3), np.float32))
    filled.form.take_paths((str(tmp_path / "<b>x.npy"),))
    ready(filled, window, qtbot)
    assert "&lt;b&gt;" in filled.form.samples.problem.what.text()


def test_what_was_found_out_of_a_model_that_is_closed_is_not_shown(panel: SimulatePanel, window: MainWindow) -> None:
    window.document.open(branching_model())
    assert window.jobs.running(LOOKING)
    window.close_model()
    assert not window.jobs.running(LOOKING)
    assert panel.stack.currentWidget() is panel.nothing
