"""Comparing in the window: from files to colours, and what a cancel keeps."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

import run_folders
from errorflow.base.sample import SAMPLES
from errorflow.case.preparing import prepare
from errorflow.case.scenarios.chain import FORMAT
from errorflow.case.scenarios.propose import swapped
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import write_session
from errorflow.case.session.model import Session, Simulation
from errorflow.compare import compare_match
from errorflow.compare.match.model import Match
from errorflow.compare.metrics import METRICS
from errorflow.compare.model import PENDING, Comparison
from errorflow.explain.findings.model import Findings
from errorflow.graph.model import Model
from errorflow.quant.plan import Plan
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.document import comparing as module
from errorflow_viewer.document.opening_jobs import OPEN, PREPARE
from errorflow_viewer.document.verdict_words import headline
from errorflow_viewer.window.window import MainWindow


def npu_case(folder: Path) -> Setup:
    files = {
        "candidate": run_folders.npu(folder / "npu", scale=1.5),
        "reference": run_folders.npy(folder / "golden"),
        "fusion": run_folders.atc_json(folder / "net.json"),
    }
    return Setup("npu", files)


def complete(window: MainWindow, qtbot: QtBot) -> None:
    def is_complete() -> bool:
        state = window.document.state
        found = state.findings
        return (
            state.case is not None
            and state.case.complete
            and not window.jobs.running(module.KEY)
            and found is not None
            and found.comparison is state.case.comparison
        )

    qtbot.waitUntil(is_complete, timeout=20_000)


def colours(findings: Findings) -> list[float]:
    return [float(value) for value in findings.measured(METRICS[1]).places]


def test_each_part_comes_with_what_it_says_of_the_graph_as_one_change(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    changes: list[frozenset[str]] = []
    window.document.changed.connect(lambda fields: changes.append(frozenset(fields)))
    window.comparisons.start(npu_case(tmp_path))
    complete(window, qtbot)
    found = [fields & {"case", "findings"} for fields in changes if "case" in fields]
    assert found and all(fields == {"case", "findings"} for fields in found)


def test_the_model_is_shown_and_painted_as_a_comparison_done_at_once(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    setup = npu_case(tmp_path)
    window.comparisons.start(setup)
    complete(window, qtbot)
    model, state = window.document.model, window.document.state
    assert model is not None and model.path == tmp_path / "net.json"
    assert window.document.session.setup == setup
    at_once = Findings.of(model.graph, compare_match(prepare(setup).match))
    assert state.findings is not None
    np.testing.assert_array_equal(colours(state.findings), colours(at_once))
    assert max(colours(at_once)) > 0
    assert state.case is not None and state.case.blame is not None
    assert state.case.match is not None
    assert [row.tensor for row in state.case.comparison.rows] == [p.tensor for p in state.case.match.pairs]


def test_runs_without_a_model_are_shown_as_a_chain(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    a, b = run_folders.npz(tmp_path / "a.npz", 2.0), run_folders.npz(tmp_path / "b.npz")
    window.comparisons.start(Setup("runs", {"candidate": a, "reference": b}))
    complete(window, qtbot)
    model = window.document.model
    assert model is not None and model.format == FORMAT
    assert any("No model was given" in row.notice.text for row in window.banners.rows)
    assert window.settings.recents == (window.document.session.setup,)
    window.reload()
    complete(window, qtbot)
    assert window.document.model is not None and window.document.model.format == FORMAT


def test_a_sample_compares_its_runs_by_itself(window: MainWindow, qtbot: QtBot) -> None:
    window.open(SAMPLES[0].model)
    complete(window, qtbot)
    assert window.document.session.setup is None


def test_the_file_read_again_is_compared_again(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window.comparisons.start(npu_case(tmp_path))
    complete(window, qtbot)
    before = window.document.comparison
    window.reload()
    qtbot.waitUntil(lambda: window.document.comparison is not before)
    complete(window, qtbot)


def test_the_same_model_stays_open_for_another_comparison(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    setup = npu_case(tmp_path)
    window.comparisons.start(setup)
    complete(window, qtbot)
    model = window.document.model
    other = setup.with_file("candidate", run_folders.npu(tmp_path / "better", scale=1.0))
    window.comparisons.start(other)
    complete(window, qtbot)
    assert window.document.model is model
    assert window.document.session.setup == other
    assert window.document.state.findings is not None
    assert max(colours(window.document.state.findings)) <= 0


def test_what_the_session_says_is_compared_however_it_came_to_say_so(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window.comparisons.start(npu_case(tmp_path))
    complete(window, qtbot)
    document, before = window.document, window.document.comparison
    assert document.session.setup is not None
    other = document.session.setup.with_file("candidate", run_folders.npu(tmp_path / "better", scale=1.0))
    document.take_session(replace(document.session, setup=other))
    qtbot.waitUntil(lambda: document.comparison is not before)
    complete(window, qtbot)
    assert document.state.findings is not None
    assert max(colours(document.state.findings)) <= 0


def test_a_cancel_keeps_what_was_measured_and_go_on_measures_the_rest(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    halfway, may_go_on = threading.Event(), threading.Event()
    asked: list[int] = []

    def stops_after_one(match: Match, **more: Any) -> Comparison:
        on_row, asked_for = more["on_row"], len(more["known"] or {})
        asked.append(asked_for)

        def wait_after(number: int, row: object) -> None:
            on_row(number, row)
            halfway.set()
            if not asked_for:
                assert may_go_on.wait(20)

        return compare_match(match, **{**more, "on_row": wait_after})

    monkeypatch.setattr("errorflow.case.measuring.compare_match", stops_after_one)
    window.comparisons.start(npu_case(tmp_path))
    qtbot.waitUntil(halfway.is_set)
    qtbot.waitUntil(lambda: window.document.comparison is not None)
    window.cancel()
    may_go_on.set()
    compared = window.document.state.case
    assert compared is not None and not compared.complete
    assert [row.note == PENDING for row in compared.comparison.rows] == [False, True]
    (banner,) = [row for row in window.banners.rows if "was cancelled: 1 of 2" in row.notice.text]
    next(button for button in banner.buttons() if button.text() == "Go on").click()
    complete(window, qtbot)
    assert asked == [0, 1]
    assert window.document.comparison is not None
    assert all(row.values for row in window.document.comparison.rows)


def test_a_cancel_when_all_is_measured_says_so_and_go_on_judges(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    measured, may_go_on = threading.Event(), threading.Event()

    def stops_at_the_end(match: Match, **more: Any) -> Comparison:
        found = compare_match(match, **more)
        if not more["known"]:
            measured.set()
            assert may_go_on.wait(20)
        more["progress"].step(0, 1, "All is measured")
        return found

    monkeypatch.setattr("errorflow.case.measuring.compare_match", stops_at_the_end)
    window.comparisons.start(npu_case(tmp_path))
    qtbot.waitUntil(measured.is_set)
    qtbot.waitUntil(lambda: window.document.comparison is not None)
    window.cancel()
    may_go_on.set()
    compared = window.document.state.case
    assert compared is not None and compared.blame is None
    assert headline(compared, False).text == "All 2 tensors are measured; who is to blame was not worked out."
    (banner,) = [row for row in window.banners.rows if "cancelled when all 2 tensors were" in row.notice.text]
    next(button for button in banner.buttons() if button.text() == "Go on").click()
    complete(window, qtbot)
    assert window.document.state.case is not None
    assert window.document.state.case.blame is not None


def test_a_file_of_a_run_that_is_cut_off_is_named(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    setup = npu_case(tmp_path)
    broken = next((tmp_path / "golden").glob("*.npy"))
    broken.write_bytes(broken.read_bytes()[:-4])
    window.comparisons.start(setup)
    complete(window, qtbot)
    (banner,) = [row for row in window.banners.rows if row.notice.key == "broken"]
    assert banner.notice.kind == "warning"
    assert banner.notice.text == "A file of the reference is broken and was not compared."
    assert banner.notice.hint.startswith(f"{broken.name} is cut off: 4 of its")


def test_runs_the_wrong_way_round_are_swapped_by_a_click(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    setup = npu_case(tmp_path)
    window.comparisons.start(swapped(setup))
    qtbot.waitUntil(lambda: any(row.notice.key == module.NOTICE for row in window.banners.rows), timeout=20_000)
    banner = next(row for row in window.banners.rows if row.notice.key == module.NOTICE)
    assert "it must be the other way round" in banner.notice.text
    assert "-m" not in banner.notice.text + banner.notice.hint and "-g" not in banner.notice.text + banner.notice.hint
    next(button for button in banner.buttons() if button.text() == "Swap").click()
    complete(window, qtbot)
    assert window.document.session.setup == setup
    assert not any(row.notice.key == module.NOTICE for row in window.banners.rows)


def test_what_makes_no_sense_is_said_with_a_way_to_change_it(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    setup = npu_case(tmp_path)
    wrong = setup.with_file("fusion", None).with_file("model", setup.files["fusion"])
    window.comparisons.start(wrong)
    qtbot.waitUntil(lambda: any(row.notice.key == module.NOTICE for row in window.banners.rows), timeout=20_000)
    banner = next(row for row in window.banners.rows if row.notice.key == module.NOTICE)
    next(button for button in banner.buttons() if button.text() == "Change…").click()
    assert window.stack.currentWidget() is window.comparisons.page
    assert window.comparisons.page.setup.file("candidate") == setup.files["candidate"]


def test_closing_the_model_ends_the_comparison_without_a_word(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window.comparisons.start(npu_case(tmp_path))
    qtbot.waitUntil(lambda: window.document.model is not None)
    window.close_model()
    assert not window.jobs.running(module.KEY)
    assert [row.notice.text for row in window.banners.rows] == []


def test_two_models_are_run_and_the_float_one_is_painted(window: MainWindow, qtbot: QtBot) -> None:
    sample = SAMPLES[0]
    window.comparisons.start(Setup("onnx", {"original": sample.model, "quantized": sample.candidate_model}))
    complete(window, qtbot)
    findings = window.document.state.findings
    assert findings is not None and len(findings.placed.tensors) >= len(findings.graph)
    assert max(colours(findings)) > 0


def test_of_three_runs_the_step_at_fault_is_said(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    files = {
        "reference": run_folders.npz(tmp_path / "float.npz"),
        "simulator": run_folders.npz(tmp_path / "simulator.npz"),
        "candidate": run_folders.npz(tmp_path / "board.npz", 9.0),
    }
    window.comparisons.start(Setup("three-way", files))
    complete(window, qtbot)
    qtbot.waitUntil(lambda: any(row.notice.key == "stages" for row in window.banners.rows))


CLEAN = next(sample for sample in SAMPLES if sample.key == "clean")


@pytest.mark.parametrize("original", [CLEAN.model, CLEAN.reference_run], ids=["float model", "float run"])
def test_models_stand_for_runs_of_three(window: MainWindow, qtbot: QtBot, original: Path) -> None:
    """Without a model that is shown the simulator has run before the graph is made."""
    files = {
        "reference": original,
        "simulator": CLEAN.candidate_model,
        "candidate": CLEAN.candidate_run,
        "inputs": CLEAN.reference_run,
    }
    window.comparisons.start(Setup("three-way", files))
    complete(window, qtbot)
    qtbot.waitUntil(lambda: any(row.notice.key == "stages" for row in window.banners.rows))
    model, compared = window.document.model, window.document.state.case
    assert model is not None and (model.path == CLEAN.model) is (original == CLEAN.model)
    assert compared is not None and compared.stages is not None
    assert len(compared.stages.tensors) > 20 and compared.stages.first_deployment is None


@pytest.mark.parametrize("with_model", [True, False])
def test_a_session_that_is_opened_is_compared_again(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, with_model: bool
) -> None:
    a, b = run_folders.npz(tmp_path / "a.npz", 2.0), run_folders.npz(tmp_path / "b.npz")
    setup = npu_case(tmp_path) if with_model else Setup("runs", {"candidate": a, "reference": b})
    file = tmp_path / "case.errorflow"
    write_session(Session(setup.file("fusion"), setup, notes={"conv1": "look here"}), file)
    window.open(file)
    complete(window, qtbot)
    assert window.document.session.setup == setup
    assert window.document.session.notes == {"conv1": "look here"}


def test_what_another_start_has_measured_is_not_measured_again(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup = npu_case(tmp_path)
    rows = compare_match(prepare(setup).match).rows
    monkeypatch.setattr("errorflow.compare.measure.measure_pair", lambda *_: pytest.fail("measured again"))
    window.comparisons.comparing.recall = lambda *_: dict(enumerate(rows))
    window.comparisons.start(setup)
    complete(window, qtbot)
    assert window.document.comparison is not None
    assert window.document.comparison.rows == rows


def with_shapes_to_come(window: MainWindow, qtbot: QtBot) -> Model:
    """A model is on view of which more will be known, while its runs are compared."""
    window.open(SAMPLES[0].model)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    known = window.document.model
    assert known is not None
    model = replace(known, infer_shapes=lambda _: known)
    window.document.open(model)
    assert window.jobs.running(module.KEY)
    return model


def test_more_that_is_known_of_the_model_does_not_begin_what_the_user_cancelled(
    window: MainWindow, qtbot: QtBot
) -> None:
    model = with_shapes_to_come(window, qtbot)
    window.jobs.cancel(module.KEY)
    window.document.refine(replace(model, infer_shapes=None))
    assert not window.jobs.running(module.KEY)


def test_a_simulation_ends_the_comparison_without_a_word(window: MainWindow, qtbot: QtBot) -> None:
    with_shapes_to_come(window, qtbot)
    simulated = Simulation(Basis(SampleSpec((str(SAMPLES[0].calibration),))), Plan())
    window.document.take_session(replace(window.document.session, simulation=simulated))
    assert not window.jobs.running(module.KEY)
    assert not any("cancelled" in row.notice.text for row in window.banners.rows)


def test_one_can_go_on_when_more_is_known_of_the_model(window: MainWindow, qtbot: QtBot) -> None:
    model = with_shapes_to_come(window, qtbot)
    complete(window, qtbot)
    better = replace(model, infer_shapes=None)
    window.document.refine(better)
    window.comparisons.comparing.go_on()
    assert window.jobs.running(module.KEY)
    complete(window, qtbot)
    assert window.document.model is better


def test_what_is_opened_last_is_what_is_shown(window: MainWindow, qtbot: QtBot) -> None:
    runs = Setup("runs", {"candidate": SAMPLES[1].candidate_run, "reference": SAMPLES[1].reference_run})
    window.comparisons.start(runs)
    window.open(SAMPLES[0].model)
    assert not window.jobs.running(PREPARE)
    window.comparisons.start(runs)
    assert not window.jobs.running(OPEN)
    qtbot.waitUntil(lambda: window.document.model is not None)
    assert window.document.model is not None and window.document.model.format == FORMAT


def test_of_a_model_that_is_closed_no_case_is_left(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    """Also where it was compared just then, and another one takes its place."""
    window.comparisons.start(npu_case(tmp_path))
    qtbot.waitUntil(lambda: window.document.state.case is not None)
    window.close_model()
    assert window.document.state.case is None and window.comparisons.comparing.mark == ""
