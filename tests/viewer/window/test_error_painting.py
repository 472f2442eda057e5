"""The graph painted by the error of two runs: from opening a sample to colours, words, the switch and the export."""

import gc
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES, Sample
from errorflow.case.session.model import Session, Simulation
from errorflow.compare import Comparison, compare
from errorflow.formats import read_tensors
from errorflow.layout.drawing import Kind
from errorflow.quant.plan import Plan
from errorflow.report.fold import UNMEASURED
from errorflow.report.paint import Paint
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.kit.banner import Notice
from errorflow_viewer.kit.drawings import Unfolded
from errorflow_viewer.window.error_painting import ErrorPainting
from errorflow_viewer.window.window import MainWindow
from viewer.cases import case_with
from viewer.lending import SHARED, Prepare
from viewer.models import branching_model

SAMPLE = SAMPLES[0]
WITHOUT_RUNS = "No two runs of this model are compared"


def errors(window: MainWindow) -> ErrorPainting:
    return window._graph_view.errors


def shown(window: MainWindow) -> Unfolded:
    found = window._graph_view.shown
    assert found is not None
    return found


def painted(window: MainWindow) -> Paint:
    """How the picture is painted; what the canvas was given goes with what it shows."""
    paint = errors(window).paint
    assert paint is not None
    assert len(paint.errors.badness) == len(shown(window).drawing)
    return paint


def opened(window: MainWindow, qtbot: QtBot, sample: Sample = SAMPLE) -> MainWindow:
    """With a sample on view; a window that is lent has it already."""
    if window.document.model is None or window.document.model.path != sample.model:
        window.open(sample.model)
    qtbot.waitUntil(lambda: window.document.model is not None and errors(window).paint is not None)
    qtbot.waitUntil(lambda: is_settled(window), timeout=20_000)
    return window


def is_settled(window: MainWindow) -> bool:
    """Whether all is measured and found: what is known meanwhile is painted, too."""
    compared, findings = window.document.state.case, window.document.state.findings
    complete = compared is not None and compared.complete and not window.jobs.steps
    return complete and findings is not None and findings.comparison is compared.comparison  # type: ignore[union-attr]  # complete says so


def box_of(window: MainWindow, name: str) -> int:
    graph = window.document.graph
    node = None if graph is None else graph.node_index(name)
    assert node is not None
    box = shown(window).box_of(node)
    assert box is not None
    return box


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    return opened


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_a_sample_is_painted_by_the_error_of_its_runs(window: MainWindow, qtbot: QtBot, sample: Sample) -> None:
    opened(window, qtbot, sample)
    comparison = window.document.comparison
    assert comparison is not None
    wanted = compare(read_tensors(sample.reference_run), read_tensors(sample.candidate_run)).rows
    assert {row.tensor: row.values for row in comparison.rows} == {row.tensor: row.values for row in wanted}
    assert painted(window).errors.measured.any()
    assert painted(window).measure == "accumulated · Relative error"


@SHARED
def test_before_and_after_the_fault_the_colours_differ(window: MainWindow, qtbot: QtBot) -> None:
    """The culprit of the first sample is the first bad node."""
    opened(window, qtbot)
    window.folds.open_all()
    badness = painted(window).errors.badness
    [culprit] = SAMPLE.truth().culprits
    graph = window.document.graph
    assert graph is not None
    bad = [badness[box_of(window, name)] for name in graph.node_names]
    first = graph.node_index(culprit)
    assert first is not None
    assert max(bad[:first]) < 0.5 < bad[first]


@SHARED
def test_closing_groups_paints_the_folds(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.folds.close_all()
    paint, graph = painted(window), window.document.graph
    assert graph is not None
    folds = np.flatnonzero(shown(window).drawing.kinds == Kind.FOLD)
    assert paint.errors.folds.tolist() == folds.tolist() and len(folds)
    counts = [len(shown(window).drawing.nodes_of_box(int(fold))) for fold in folds]
    assert paint.errors.bands.sum(axis=1).tolist() == counts
    [culprit] = SAMPLE.truth().culprits
    fold = box_of(window, culprit)
    assert paint.errors.badness[fold] == 1.0
    worst, spread, *_ = window.view.note_on(fold).splitlines()
    assert worst.startswith("worst inside: accumulated · Relative error ") and "nodes measured: " in spread


@SHARED
def test_the_tooltip_of_a_node_names_measure_value_and_tensor(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.folds.open_all()
    [culprit] = SAMPLE.truth().culprits
    graph, comparison = window.document.graph, window.document.comparison
    assert graph is not None and comparison is not None
    node = graph.node_index(culprit)
    assert node is not None
    tensor = graph.tensor_names[graph.node_outputs[node][0]]
    row = comparison.row(tensor)
    assert row is not None
    text = f"accumulated · Relative error {row.value('relative_l2'):.4f} – {tensor}"
    assert window.view.note_on(box_of(window, culprit)).splitlines()[0] == text


@SHARED
def test_the_switch_turns_the_colours_off_and_on(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    switch = window.commands.made["switch.error"]
    coloured = window.view.picture()
    assert switch.isEnabled() and switch.isChecked() and "two runs" in switch.toolTip()
    switch.trigger()
    assert errors(window).paint is None and not switch.isChecked()
    assert window.view.picture() != coloured and window.view.note_on(0) == ""
    window.folds.close_all()
    assert errors(window).paint is None
    switch.trigger()
    assert painted(window).errors.measured.any()


def test_the_switch_is_remembered(window: MainWindow, qtbot: QtBot) -> None:
    window.settings.switch("error", False)
    window.switches.turn("error")
    window.switches.turn("error")
    window.open(SAMPLE.model)
    qtbot.waitUntil(lambda: window.document.comparison is not None and not window.jobs.steps)
    assert errors(window).paint is None
    window.switches.turn("error")
    qtbot.waitUntil(lambda: errors(window).paint is not None)


def test_without_runs_the_switch_says_what_is_missing(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    switch = window.commands.made["switch.error"]
    assert not switch.isEnabled() and switch.toolTip().startswith(WITHOUT_RUNS)
    assert switch.statusTip().startswith(WITHOUT_RUNS) and window.commands.menus["View"].toolTipsVisible()
    assert errors(window).paint is None


def test_what_was_switched_is_marked_where_nothing_is_painted(window: MainWindow, qtbot: QtBot) -> None:
    """As of a ticket of which no bench runs, and of a session whose bench is only being prepared."""
    model = branching_model()
    name = model.graph.node_names[1]
    simulation = Simulation(Basis(SampleSpec(())), Plan().keeping_float(name))
    window.document.open(model, Session(model.path, bundle=Path("/tickets/case.zip"), simulation=simulation))
    qtbot.waitUntil(lambda: window._graph_view.shown is not None and not window.jobs.steps)
    box, other = box_of(window, name), box_of(window, model.graph.node_names[0])
    assert errors(window).paint is None
    assert window.view.note_on(box) == "wished: float" and window.view.note_on(other) == ""
    marked = window.view.picture()
    window.document.edit("As planned", simulation=replace(simulation, plan=Plan()))
    assert window.view.note_on(box) == "" and window.view.picture() != marked
    window.document.undo()
    assert window.view.note_on(box) == "wished: float" and window.view.picture() == marked


def test_another_model_takes_the_colours_away(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.document.open(branching_model())
    qtbot.waitUntil(lambda: window.document.comparison is None and not window.jobs.steps)
    assert errors(window).paint is None
    window.close_model()
    assert window.document.comparison is None


def test_reading_the_file_again_paints_it_again(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    before = window.document.comparison
    window.reload()
    qtbot.waitUntil(lambda: window.document.comparison is not before and errors(window).paint is not None)
    assert painted(window).errors.measured.any()


def test_any_comparison_can_be_shown(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    comparison = window.document.comparison
    assert comparison is not None
    window.folds.close_all()
    window.document.take_case(case_with(Comparison(comparison.rows[:3])))
    qtbot.waitUntil(lambda: errors(window).paint is not None)
    qtbot.waitUntil(lambda: bool(painted(window).errors.bands[:, UNMEASURED].any()))
    window.document.take_case(case_with(Comparison(())))
    qtbot.waitUntil(lambda: errors(window).paint is None)


def test_hidden_nodes_count_where_their_value_is_seen(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.folds.close_all()
    total = int(painted(window).errors.bands.sum()) + int((shown(window).drawing.kinds == Kind.OPERATOR).sum())
    window.switches.turn("quiet")
    qtbot.waitUntil(lambda: shown(window).draft.quiet is not None and not window.jobs.steps)
    boxes = shown(window).boxes_of_nodes()
    counted = np.bincount(boxes[boxes >= 0], minlength=len(shown(window).drawing))
    folds = painted(window).errors.folds
    assert painted(window).errors.bands.sum(axis=1).tolist() == counted[folds].tolist()
    assert int(counted.sum()) == total


def test_runs_that_cannot_be_read_are_told_of(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Sample, "candidate_run", property(lambda _: tmp_path / "gone.npz"))
    window.open(SAMPLE.model)
    qtbot.waitUntil(lambda: len(window.banners.rows) == 2)
    notices: list[Notice] = [row.notice for row in window.banners.rows]
    assert any(notice.kind == "error" and "gone.npz" in notice.text for notice in notices)
    assert errors(window).paint is None


@SHARED
def test_an_exported_graph_is_painted(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    picture = window.exports._picture()
    assert picture is not None and picture.paint is painted(window)


def test_a_closed_model_leaves_nothing_in_memory(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot)
    window.document.select(node=3)
    window.document.search_for("conv")
    qtbot.waitUntil(lambda: not window.jobs.steps)
    left = weakref.ref(window.document.graph)
    window.close_model()
    window.jobs.stop()

    def gone() -> bool:  # when what jobs have still sent is delivered
        gc.collect()
        return left() is None

    qtbot.waitUntil(gone)
