"""Simulating in the window: from samples to colours, and whatever changes the plan."""

import os
import signal
import threading
from pathlib import Path
from tempfile import gettempdir

import pytest
from pytestqt.qtbot import QtBot

from errorflow.case.session.model import Session, Simulation
from errorflow.case.simulating import SimulatedTensor
from errorflow.cli.main import main
from errorflow.quant.presets import preset
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.document.runs import compare, stop_comparing
from errorflow_viewer.document.simulation_news import NOTICE
from errorflow_viewer.document.simulation_work import KEY, OPEN
from errorflow_viewer.kit.banner import Notice
from errorflow_viewer.window.comparisons import NOTICE as TAKEN
from errorflow_viewer.window.window import MainWindow
from sample_setup import setup_of
from viewer.moments import once_running
from viewer.simulated import CULPRIT, FEW, SAMPLE, open_model, outcome, seen_through, simulate, simulation

DATA = ("--data", str(SAMPLE.calibration), "--samples", "12")


@pytest.fixture
def shown(lent_window: MainWindow) -> MainWindow:
    """A window with the sample on the bench."""
    return lent_window


def notices(window: MainWindow) -> list[Notice]:
    return [notice for notice in (row.notice for row in window.banners.rows) if notice.key == NOTICE]


def test_a_model_is_coloured_by_what_its_plan_does(shown: MainWindow) -> None:
    state = shown.document.state
    assert state.case is not None and state.case.blame is not None
    assert f"{CULPRIT} brings" in state.case.blame.model.text
    assert state.findings is not None
    assert state.findings.blame is state.case.blame, "it is exact on the graph on view"
    assert [trial.name for trial in state.session.trials] == ["Run 1"]


def test_a_node_back_in_float_is_seen_and_undone(shown: MainWindow, qtbot: QtBot) -> None:
    before = outcome(shown)
    plan = simulation(shown).plan.keeping_float(CULPRIT)
    shown.studies.simulating.edit("Keep it in float", plan)
    after = seen_through(shown, qtbot)
    assert before is not None
    errors = [row.value("relative_l2") for found in (before, after) if (row := found.comparison.row("probabilities"))]
    assert errors[1] < errors[0] / 2
    shown.document.undo()
    assert outcome(shown) is before, "what was known is there at once"
    assert [trial.name for trial in shown.document.session.trials] == ["Run 1", "Run 2"]
    shown.document.redo()
    assert outcome(shown) is after


def test_leaving_it_compares_what_was_compared_before(shown: MainWindow, qtbot: QtBot) -> None:
    shown.studies.simulating.leave()
    qtbot.waitUntil(lambda: shown.document.comparison is not None)
    assert shown.document.state.simulated is None
    assert shown.studies.simulating.bench is None
    shown.banners.show_notice(Notice("info", "Two runs were taken.", key=TAKEN, of_model=True))
    shown.document.undo()
    assert shown.banners.rows[0].held  # it is not what is on view
    assert seen_through(shown, qtbot).plan == preset("onnxruntime").plan


def test_other_samples_make_another_bench(shown: MainWindow, qtbot: QtBot) -> None:
    bench = shown.studies.simulating.bench
    simulate(shown, qtbot, Basis(FEW.asked, samples=8), simulation(shown).plan)
    assert shown.studies.simulating.bench is not bench
    assert [trial.basis.samples for trial in shown.document.session.trials] == [12, 8]


def test_a_crash_leaves_the_window_and_the_session(shown: MainWindow, qtbot: QtBot) -> None:
    bench = shown.studies.simulating.bench
    assert bench is not None
    worker = bench.engine._process._worker
    assert worker is not None and worker.process.pid is not None
    os.kill(worker.process.pid, signal.SIGKILL)
    shown.studies.simulating.edit("Keep it in float", simulation(shown).plan.keeping_float(CULPRIT))
    found = seen_through(shown, qtbot)
    assert found.table.ran > 0


def test_samples_that_are_not_there_are_a_sentence_and_all_else_stays(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    window.studies.simulating.start(Basis(SampleSpec((str(SAMPLE.model.parent / "nowhere.npz"),))))
    qtbot.waitUntil(lambda: bool(notices(window)))
    assert "no data at" in notices(window)[0].text
    assert window.document.session.simulation is None
    assert window.document.model is not None


def test_another_model_ends_it(shown: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    other = tmp_path / "other.onnx"
    other.write_bytes(SAMPLE.model.read_bytes())
    open_model(shown, qtbot, other)
    assert shown.studies.simulating.bench is None
    assert shown.document.session.simulation is None


def test_a_cancel_is_told_and_can_be_gone_on_with(shown: MainWindow, qtbot: QtBot) -> None:
    shown.studies.simulating.edit("Keep it in float", simulation(shown).plan.keeping_float(CULPRIT))
    assert shown.jobs.running(KEY)
    shown.jobs.cancel(KEY)
    assert "cancelled" in notices(shown)[0].text
    shown.studies.simulating.again()
    seen_through(shown, qtbot)
    assert not notices(shown)


@pytest.mark.parametrize("way", ["leave", "another model"])
def test_a_cancel_is_not_told_of_what_is_left(shown: MainWindow, qtbot: QtBot, tmp_path: Path, way: str) -> None:
    shown.studies.simulating.edit("Keep it in float", simulation(shown).plan.keeping_float(CULPRIT))
    shown.jobs.cancel(KEY)
    assert notices(shown)
    if way == "leave":
        shown.studies.simulating.leave()
    else:
        other = tmp_path / "other.onnx"
        other.write_bytes(SAMPLE.model.read_bytes())
        open_model(shown, qtbot, other)
    assert not notices(shown)


@pytest.mark.parametrize("is_known", [True, False])
def test_what_was_cancelled_is_not_told_of_another_plan(shown: MainWindow, qtbot: QtBot, is_known: bool) -> None:
    shown.studies.simulating.edit("Keep it in float", simulation(shown).plan.keeping_float(CULPRIT))
    shown.jobs.cancel(KEY)
    assert notices(shown)
    if is_known:
        shown.document.undo()
    else:
        shown.studies.simulating.edit("Keep more in float", simulation(shown).plan.keeping_float("/head/fc/Gemm"))
    assert not notices(shown)
    seen_through(shown, qtbot)


def test_a_cancel_while_it_is_prepared_leaves_nothing(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    window.studies.simulating.start(FEW)
    window.jobs.cancel(OPEN)
    assert window.studies.simulating.bench is None
    assert window.document.session.simulation is None


@pytest.fixture
def int8(tmp_path: Path) -> Path:
    """The sample as the command line exports it."""
    assert main(["simulate", str(SAMPLE.model), *DATA, "--quick", "--export", "-out", str(tmp_path)]) == 0
    return tmp_path / "model_qdq.onnx"


def test_a_quantized_model_gives_way_to_the_float_one_in_it(window: MainWindow, qtbot: QtBot, int8: Path) -> None:
    open_model(window, qtbot, int8)
    found = simulate(window, qtbot)
    graph = window.document.graph
    assert graph is not None
    assert "QuantizeLinear" not in graph.op_types.values
    assert window.document.session.model == int8
    assert found.plan.coded is not None
    window.studies.simulating.edit("Keep it in float", simulation(window).plan.keeping_float(CULPRIT))
    seen_through(window, qtbot)
    window.studies.simulating.leave()
    qtbot.waitUntil(lambda: window.document.model is not None and window.document.model.path == int8)
    assert window.studies.simulating.bench is None


def test_a_model_that_is_read_again_is_simulated_again(shown: MainWindow, qtbot: QtBot) -> None:
    bench = shown.studies.simulating.bench
    shown.reload()
    qtbot.waitUntil(lambda: shown.studies.simulating.bench not in (None, bench), timeout=30_000)
    assert seen_through(shown, qtbot).plan == simulation(shown).plan


def test_a_session_is_simulated_when_it_is_opened(window: MainWindow, qtbot: QtBot) -> None:
    session = Session(model=SAMPLE.model, simulation=Simulation(FEW, preset("amct").plan))
    window.comparisons.start_session(session)
    qtbot.waitUntil(lambda: window.document.state.simulated is not None, timeout=30_000)
    assert seen_through(window, qtbot).plan == preset("amct").plan


def test_two_trials_are_there_to_be_compared(shown: MainWindow, qtbot: QtBot) -> None:
    first = outcome(shown)
    shown.studies.simulating.edit("Keep it in float", simulation(shown).plan.keeping_float(CULPRIT))
    seen_through(shown, qtbot)
    compare(shown.document, "Run 1")
    state = shown.document.state
    assert state.simulated is not None and state.simulated.against is first
    stop_comparing(shown.document)
    state = shown.document.state
    assert state.simulated is not None and state.simulated.against is None


def test_the_tensors_of_a_sample_can_be_read(shown: MainWindow) -> None:
    shown.studies.simulating.look_at(1)
    compared = shown.document.state.case
    assert compared is not None and compared.match is not None
    pair = next(pair for pair in compared.match.pairs if pair.tensor == "probabilities")
    assert pair.candidate is not None and pair.reference is not None
    row = compared.comparison.row("probabilities")
    assert row is not None
    assert pair.candidate.read().shape == pair.reference.read().shape
    assert (pair.candidate.read() != pair.reference.read()).any()


def test_leaving_while_it_is_prepared_ends_it(window: MainWindow, qtbot: QtBot) -> None:
    session = Session(model=SAMPLE.model, simulation=Simulation(FEW, preset("amct").plan))
    left = once_running(window.jobs, OPEN, window.studies.simulating.leave)
    window.comparisons.start_session(session)
    qtbot.waitUntil(lambda: bool(left))
    assert not window.jobs.running(OPEN)
    qtbot.waitUntil(lambda: window.document.comparison is not None, timeout=30_000)
    assert window.document.session.simulation is None
    assert window.studies.simulating.bench is None


def test_a_redo_overtakes_the_samples_that_an_undo_was_preparing(shown: MainWindow, qtbot: QtBot) -> None:
    simulate(shown, qtbot, Basis(FEW.asked, samples=8), simulation(shown).plan)
    bench = shown.studies.simulating.bench
    shown.document.undo()
    assert shown.jobs.running(OPEN)
    shown.document.redo()
    assert not shown.jobs.running(OPEN)
    assert shown.studies.simulating.bench is bench
    assert seen_through(shown, qtbot).plan == simulation(shown).plan
    assert simulation(shown).basis.samples == 8


def test_two_steps_back_over_other_samples_end_where_they_should(shown: MainWindow, qtbot: QtBot) -> None:
    first = simulation(shown)
    shown.studies.simulating.edit("Keep it in float", first.plan.keeping_float(CULPRIT))
    simulate(shown, qtbot, Basis(FEW.asked, samples=8), simulation(shown).plan)
    shown.document.undo()
    shown.document.undo()
    assert shown.jobs.running(OPEN)
    qtbot.waitUntil(lambda: not shown.jobs.running(OPEN), timeout=30_000)
    assert seen_through(shown, qtbot).plan == first.plan
    assert simulation(shown) == first
    assert shown.document.redo_text, "nothing new was decided"


def test_what_is_switched_while_other_samples_are_prepared_stays(shown: MainWindow, qtbot: QtBot) -> None:
    shown.studies.simulating.start(Basis(FEW.asked, samples=8), simulation(shown).plan)
    switched = simulation(shown).plan.keeping_float(CULPRIT)
    shown.studies.simulating.edit("Keep it in float", switched)
    qtbot.waitUntil(lambda: simulation(shown).basis.samples == 8, timeout=30_000)
    assert seen_through(shown, qtbot).plan == switched


def test_samples_that_are_not_waited_for_leave_what_ran_before(shown: MainWindow, qtbot: QtBot) -> None:
    bench, plan = shown.studies.simulating.bench, simulation(shown).plan.keeping_float(CULPRIT)
    shown.studies.simulating.edit("Keep it in float", plan)
    shown.studies.simulating.start(Basis(FEW.asked, samples=8), plan)
    assert not shown.jobs.running(KEY)
    shown.jobs.cancel(OPEN)
    assert not notices(shown)
    assert seen_through(shown, qtbot).plan == plan
    assert shown.studies.simulating.bench is bench


def test_samples_of_a_step_before_that_are_not_waited_for_can_be_gone_on_with(shown: MainWindow, qtbot: QtBot) -> None:
    first = simulation(shown)
    simulate(shown, qtbot, Basis(FEW.asked, samples=8), first.plan)
    shown.document.undo()
    shown.jobs.cancel(OPEN)
    assert "cancelled" in notices(shown)[0].text
    shown.studies.simulating.again()
    qtbot.waitUntil(lambda: not shown.jobs.running(OPEN), timeout=30_000)
    seen_through(shown, qtbot)
    bench = shown.studies.simulating.bench
    assert bench is not None and bench.basis == first.basis


def test_a_bench_that_comes_too_late_is_closed(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    window.studies.simulating.start(FEW)
    thread = next(each for each in threading.enumerate() if each.name == f"job {OPEN}")
    thread.join()
    folders = set(Path(gettempdir()).glob("errorflow-*"))
    window.jobs.cancel(OPEN)
    qtbot.waitUntil(lambda: len(set(Path(gettempdir()).glob("errorflow-*")) & folders) < len(folders))
    assert window.studies.simulating.bench is None


def test_of_fewer_samples_the_worst_is_looked_at(shown: MainWindow, qtbot: QtBot) -> None:
    count = shown.studies.simulating.bench.engine.samples if shown.studies.simulating.bench is not None else 0
    shown.studies.simulating.look_at(count - 1)
    simulate(shown, qtbot, Basis(FEW.asked, samples=8), simulation(shown).plan)
    compared, found = shown.document.state.case, outcome(shown)
    assert compared is not None and compared.match is not None and found is not None
    pair = next(pair for pair in compared.match.pairs if pair.tensor == "probabilities")
    assert isinstance(pair.candidate, SimulatedTensor)
    assert pair.candidate.sample == found.worst_sample


def test_two_runs_that_are_compared_end_it(shown: MainWindow, qtbot: QtBot) -> None:
    shown.comparisons.start(setup_of(SAMPLE))
    assert shown.document.session.simulation is None
    assert shown.studies.simulating.bench is None
    qtbot.waitUntil(lambda: shown.document.comparison is not None, timeout=30_000)
    assert shown.document.state.simulated is None
