"""A guide goes over several comparisons; what they find is held against the thresholds, and kept in the session."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

import run_folders
from core.guides.test_following import curves
from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import read_session, write_session
from errorflow.case.session.model import GuideProgress, Session
from errorflow.guides.table import flow_of
from errorflow.study.align.model import Alignment, AlignRow, AlignSide
from errorflow.study.evaluate.asked import LabelledSet
from errorflow_viewer.pages.guide.guiding import KEY, Guiding
from errorflow_viewer.window.window import MainWindow
from viewer.opened import opened


@pytest.fixture
def guiding(window: MainWindow) -> Guiding:
    return window._guiding


@pytest.fixture
def case(tmp_path: Path) -> Path:
    run_folders.npu(tmp_path / "npu")
    run_folders.npy(tmp_path / "golden")
    run_folders.atc_json(tmp_path / "net.json")
    return tmp_path


def followed(window: MainWindow) -> GuideProgress:
    found = window.document.session.guide
    assert found is not None
    return found


def compared(window: MainWindow, qtbot: QtBot, case: Path) -> None:
    """The first step of a flow, with what lies in a folder, started from the page."""
    window.guide()
    page = window._guiding.page
    page.questions.ask(flow_of("ascend-caffe-float").answers)
    page.look_through([case])
    qtbot.waitUntil(lambda: bool(page.buttons) and page.buttons[0].isEnabled())
    page.buttons[0].click()
    qtbot.waitUntil(lambda: bool(followed(window).step("conversion").outcome) and not window.jobs.steps)


def test_a_comparison_is_started_judged_and_returned_from(
    window: MainWindow, guiding: Guiding, qtbot: QtBot, case: Path
) -> None:
    compared(window, qtbot, case)
    assert window.stack.currentWidget() is window.pair
    step = followed(window).step("conversion")
    assert set(step.files) == {"candidate", "reference", "fusion"} and step.when
    assert step.numbers["measured"] > 0 and "output_cosine" in step.numbers
    bar = guiding.bar
    assert not bar.isHidden() and "step 1 of 3" in bar.title.text()
    assert step.outcome and "Result:" in bar.text.toolTip() and not bar.next.isHidden()
    bar.next.click()
    assert window.stack.currentWidget() is guiding.page and followed(window).at != "conversion"


def test_in_a_narrow_bar_the_title_of_the_step_gives_way_to_the_result(
    window: MainWindow, guiding: Guiding, qtbot: QtBot, case: Path
) -> None:
    compared(window, qtbot, case)
    guiding.bar.resize(1600, guiding.bar.height())
    assert guiding.bar.title.text() == "Guide: step 1 of 3, Original model against the NPU"
    guiding.bar.resize(500, guiding.bar.height())
    assert guiding.bar.title.text() == "Guide: step 1 of 3"


@pytest.mark.parametrize(
    ("step", "said"), [("operator", "You say how it ended"), ("conclude", "What was found is put together")]
)
def test_the_bar_says_what_is_to_be_done_where_nothing_is_measured(
    step: str, said: str, window: MainWindow, guiding: Guiding, qtbot: QtBot, case: Path
) -> None:
    compared(window, qtbot, case)
    guiding.go_to(step)
    assert said in guiding.bar.text.toolTip()


def test_the_bar_is_there_with_the_graph_and_a_guide_only(window: MainWindow, guiding: Guiding, qtbot: QtBot) -> None:
    assert guiding.bar.isHidden()
    opened(window, qtbot)
    assert guiding.bar.isHidden()
    guiding.begin(flow_of("onnx"), flow_of("onnx").answers)
    assert not guiding.bar.isHidden() and "No result yet." in guiding.bar.text.toolTip()
    guiding.bar.leave.click()
    assert guiding.bar.isHidden() and window.document.session.guide is None
    window.document.undo()
    assert not guiding.bar.isHidden()


def test_a_guide_goes_on_with_another_model(window: MainWindow, guiding: Guiding, qtbot: QtBot) -> None:
    guiding.begin(flow_of("onnx"), flow_of("onnx").answers)
    opened(window, qtbot, SAMPLES[0].model)
    assert followed(window).flow == "onnx"
    opened(window, qtbot, SAMPLES[1].model)
    qtbot.waitUntil(lambda: window.document.model is not None and window.document.model.path == SAMPLES[1].model)
    assert followed(window).flow == "onnx"
    guiding.leave()
    opened(window, qtbot, SAMPLES[0].model)
    qtbot.waitUntil(lambda: window.document.model is not None and window.document.model.path == SAMPLES[0].model)
    assert window.document.session.guide is None


def test_a_guide_of_one_case_is_not_that_of_another(window: MainWindow, guiding: Guiding, qtbot: QtBot) -> None:
    opened(window, qtbot, SAMPLES[0].model)
    window.guide()
    guiding.page.questions.ask(flow_of("onnx").answers)
    guiding.go_to("accuracy")
    guiding.write("float_accuracy", 0.98)
    window.open(SAMPLES[1].model)
    qtbot.waitUntil(lambda: window.document.model is not None and window.document.model.path == SAMPLES[1].model)
    assert window.document.session.guide is None and guiding.bar.isHidden()
    assert guiding.page._discovered.found == ()


def test_a_session_brings_its_own_guide(window: MainWindow, guiding: Guiding, qtbot: QtBot, tmp_path: Path) -> None:
    own = GuideProgress("horizon", at="curves")
    write_session(Session(model=SAMPLES[0].model, guide=own), tmp_path / "own.errorflow")
    write_session(Session(model=SAMPLES[1].model), tmp_path / "none.errorflow")
    guiding.begin(flow_of("onnx"), flow_of("onnx").answers)
    opened(window, qtbot, tmp_path / "own.errorflow")
    assert followed(window) == own
    window.open(tmp_path / "none.errorflow")
    qtbot.waitUntil(lambda: window.document.session.model == SAMPLES[1].model and not window.jobs.steps)
    assert window.document.session.guide is None


def test_saving_and_opening_returns_to_the_step(
    window: MainWindow, guiding: Guiding, qtbot: QtBot, case: Path, tmp_path: Path
) -> None:
    compared(window, qtbot, case)
    guiding.go_to("conclude")
    path = tmp_path / "saved.errorflow"
    window._sessions.save(path)
    qtbot.waitUntil(path.exists)
    before = followed(window)
    assert read_session(path).session.guide == before
    window.close_model()
    window.open(path)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    assert followed(window) == before
    window.guide()
    assert guiding.page.head.title.text() == flow_of("ascend-caffe-float").title
    assert guiding.page.list.currentIndex().row() == 2


def test_a_table_is_judged_by_what_its_file_says(
    window: MainWindow, guiding: Guiding, qtbot: QtBot, tmp_path: Path
) -> None:
    net, table = run_folders.onnx(tmp_path / "net.onnx"), tmp_path / "table.txt"
    lines = (
        "          Quant Precision Table【PerLayer Reference】",
        "┏━━━━━━━━━━┳━━━━━━┳━━━━━━━━━━━━━━━┳━━━━━━━━┳━━━━━━━━━┓",
        "┃ Operator ┃ Type ┃ Output Tensor ┃ QDType ┃ Cosin   ┃",
        "┡━━━━━━━━━━╇━━━━━━╇━━━━━━━━━━━━━━━╇━━━━━━━━╇━━━━━━━━━┩",
        "│ relu     │ Relu │ y             │ U16    │ 0.94512 │",
        "└──────────┴──────┴───────────────┴────────┴─────────┘",
    )
    table.write_text("\n".join(lines), encoding="utf-8")
    guiding.begin(flow_of("pulsar2"), flow_of("pulsar2").answers)
    guiding.go_to("perlayer")
    guiding.compare(Setup("table", {"table": table, "model": net}))
    qtbot.waitUntil(lambda: bool(followed(window).step("perlayer").outcome))
    step = followed(window).step("perlayer")
    assert (step.outcome, step.files["table"]) == ("exhausted", table)
    assert step.numbers == {"per_layer": 0.94512, "layers_below": 1.0, "wide": 1.0}
    guiding.go_to("endtoend")  # which is about another table, and this one is still on view
    guiding._look()
    qtbot.waitUntil(lambda: not window.jobs.running(KEY))
    assert not followed(window).step("endtoend").numbers


def test_what_was_on_view_before_says_nothing_of_the_next_time(
    window: MainWindow, guiding: Guiding, qtbot: QtBot, case: Path
) -> None:
    compared(window, qtbot, case)
    found = guiding.at
    assert found is not None
    way = next(way for way in found[1].ways if way.to == "conversion")
    guiding.lead(way)
    assert followed(window).step("conversion").outcome == ""
    guiding._look()
    assert followed(window).step("conversion").outcome == ""
    window.compare_again()
    qtbot.waitUntil(lambda: bool(followed(window).step("conversion").outcome))


def test_results_of_others_are_not_taken(window: MainWindow, guiding: Guiding, qtbot: QtBot, case: Path) -> None:
    guiding.begin(flow_of("npu-fusion"), flow_of("npu-fusion").answers)
    window.dropped.emit([case])
    qtbot.waitUntil(lambda: window.document.state.findings is not None and not window.jobs.steps)
    assert window.document.session.setup is not None and window.document.session.setup.scenario == "npu"
    assert not followed(window).steps


def test_commands_of_steps_are_commands_of_the_window(window: MainWindow, guiding: Guiding) -> None:
    from errorflow.guides.table import FLOWS
    from errorflow_viewer.window.actions import ACTIONS

    keys = {action.key for action in ACTIONS}
    wanted = {do.action for flow in FLOWS for step in flow.steps for do in step.do if do.action}
    assert wanted <= keys
    guiding.run("rank")
    assert window.status.currentMessage()


def test_a_command_leaves_the_page_for_its_own(window: MainWindow, guiding: Guiding, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.guide()
    guiding.run("panel.curves")
    assert window.stack.currentWidget() is window.pair and window.panels.is_shown("curves")


def test_what_was_worked_out_is_the_result_of_the_step_that_asks_for_it(
    window: MainWindow, guiding: Guiding, qtbot: QtBot
) -> None:
    """Curves also where they were drawn before the step was gone to; two pipelines end no step by themselves."""
    opened(window, qtbot)
    guiding.begin(flow_of("horizon"), flow_of("horizon").answers)
    guiding.go_to("config")
    side = AlignSide("x", (1,), "float32")
    window.document.worked_out.emit(Alignment((AlignRow("input", "x", 1e-4, side, side),), None, "They agree."))
    assert followed(window).step("config").numbers == {"alike": 1.0} and not followed(window).step("config").outcome
    assert guiding.bar.text.toolTip().startswith("Proposed: passed.")
    guiding.bar.next.click()
    assert window.stack.currentWidget() is guiding.page and followed(window).at == "config"
    window.document.worked_out.emit(curves("cumulative", {"weights only": [1, 0.9], "activations only": [1, 0.999]}))
    guiding.go_to("curves")
    assert followed(window).step("curves").outcome == "close"


def test_measuring_the_accuracy_leads_to_its_form_with_what_the_guide_was_given(
    window: MainWindow, guiding: Guiding, qtbot: QtBot, tmp_path: Path
) -> None:
    opened(window, qtbot, SAMPLES[0].model)
    guiding.begin(flow_of("horizon"), flow_of("horizon").answers)
    guiding.give("samples", tmp_path)
    with qtbot.waitSignal(window.studies.evaluating.wanted):
        guiding.run("evaluate", {"labels": tmp_path / "labels.txt"})
    assert window.studies.evaluating.labelled == LabelledSet((str(tmp_path),), tmp_path / "labels.txt")
    assert window.panels.is_in_front("runs")
