"""Two graphs side by side: how the second comes and goes, and what both show."""

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeyEvent
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios.setup import Setup
from errorflow_viewer.canvas import view as keys
from errorflow_viewer.window.pair_view import NOTHING, READING
from errorflow_viewer.window.window import MainWindow
from evidence_tensors import opened_sample
from viewer.cases import case_with
from viewer.models import branching_model
from viewer.pairs import CONV, SAMPLE, beside, calm, node, paired, shown


def test_the_other_model_of_a_sample_is_shown_beside_it(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)

    second = window.pair.second
    assert second.model is not None
    assert second.model.path == SAMPLE.candidate_model
    assert (second.side_of("main"), second.side) == ("reference", "candidate")
    assert window.pair.splitter.orientation() == Qt.Orientation.Horizontal
    assert window.pair.pane.title.isVisible()


def test_the_quantized_model_is_the_candidate_also_when_it_is_the_main_one(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot, path=SAMPLE.candidate_model)

    second = window.pair.second
    assert second.model is not None
    assert (second.model.path, second.side) == (SAMPLE.model, "reference")


def test_below_it_stands_lower(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot, "stacked")

    assert window.pair.splitter.orientation() == Qt.Orientation.Vertical
    assert beside(window).pane.y() > window.pair.pane.y()


@pytest.mark.parametrize("way", ["hidden", "undone", "closed"])
def test_what_is_hidden_is_gone_without_a_trace(window: MainWindow, qtbot: QtBot, way: str) -> None:
    paired(window, qtbot)
    traces: list[weakref.ref[object]] = [
        weakref.ref(each) for each in (beside(window), beside(window).view, shown(beside(window).view))
    ]
    second = window.pair.second.model
    assert second is not None
    traces.append(weakref.ref(second))
    del second

    if way == "hidden":
        window.commands.made["second.hide"].trigger()
    elif way == "undone":
        window.document.undo()
    else:
        window.close_model()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()

    assert window.pair.beside is None
    assert window.pair.second.links is None
    assert [trace() for trace in traces] == [None] * 4
    assert not window.pair.pane.title.isVisible()


def test_it_can_be_shown_again(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.commands.made["second.hide"].trigger()
    window.commands.made["second.stacked"].trigger()
    calm(window, qtbot)

    assert window.pair.second.linked


def test_what_is_searched_for_is_found_in_a_second_graph_that_comes_later(window: MainWindow, qtbot: QtBot) -> None:
    window.open(SAMPLE.model)
    qtbot.waitUntil(lambda: window.document.model is not None)
    window.document.search_for("Conv")
    window.document.edit("Show it", pairing="side")
    calm(window, qtbot)
    assert window.pair.second.document.state.search == "Conv"


def test_hidden_and_shown_again_both_are_where_they_were(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.document.show(node(window, CONV))
    calm(window, qtbot)
    views = (window._graph_view, beside(window).view)
    for view in views:
        view.canvas.zoom_to(0.7)
    calm(window, qtbot)
    before = [(view.canvas.zoom, view.canvas.middle(), view.groups) for view in views]
    for _ in range(2):
        window.commands.made["second.turn"].trigger()
        calm(window, qtbot)
    again = (window._graph_view, beside(window).view)
    for (zoom, middle, groups), view in zip(before, again, strict=True):
        assert view.canvas.zoom == pytest.approx(zoom)
        assert view.groups == groups
        assert (view.canvas.middle() - middle).manhattanLength() < 2
    assert window.document.state.node == node(window, CONV)


def test_without_a_second_model_the_pane_says_how_to_get_one(window: MainWindow) -> None:
    window.document.open(branching_model())
    window.commands.made["second.side"].trigger()

    pane = beside(window)
    assert pane.nothing.sentence.text() == NOTHING
    assert pane.nothing.isVisible()
    assert pane.nothing.button.isVisible()


def test_a_file_that_is_no_model_is_said_in_the_pane(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    window.pair.open(SAMPLE.candidate_run)
    qtbot.waitUntil(lambda: "tensors of a run" in beside(window).nothing.sentence.text())

    assert beside(window).nothing.isVisible()


def test_the_models_of_a_comparison_belong_together(window: MainWindow, qtbot: QtBot) -> None:
    window.open(SAMPLE.candidate_model)
    qtbot.waitUntil(lambda: window.document.model is not None)
    files = {"quantized": SAMPLE.candidate_model, "original": SAMPLES[1].model}

    window.document.edit("Compare", setup=Setup("onnx", files), pairing="side")

    assert window.pair.second.proposed == SAMPLES[1].model
    calm(window, qtbot)


def test_opening_another_second_model_is_one_step_that_can_be_undone(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.pair.open(SAMPLES[1].candidate_model)
    calm(window, qtbot)
    qtbot.waitUntil(lambda: _path(window) == SAMPLES[1].candidate_model)

    window.document.undo()
    qtbot.waitUntil(lambda: _path(window) == SAMPLE.candidate_model)
    calm(window, qtbot)


def _path(window: MainWindow) -> Path | None:
    model = window.pair.second.model
    return None if model is None else model.path


def test_what_was_cancelled_can_be_opened_again(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    window.pair.open(SAMPLE.candidate_model)
    assert beside(window).nothing.sentence.text() == READING

    window.cancel()

    assert beside(window).nothing.sentence.text() == NOTHING
    assert beside(window).nothing.button.isVisible()


def test_both_graphs_are_painted_by_the_same_comparison(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    qtbot.waitUntil(lambda: window._graph_view.errors.paint is not None, timeout=20_000)
    qtbot.waitUntil(lambda: beside(window).view.errors.paint is not None, timeout=20_000)
    window.folds.open_all()
    calm(window, qtbot)

    ours, others = window._graph_view.errors.paint, beside(window).view.errors.paint
    assert ours is not None
    assert others is not None
    graph, second = window.document.graph, window.pair.second.document.graph
    assert graph is not None
    assert second is not None
    [culprit] = SAMPLE.truth().culprits
    tensor = graph.tensor_names[int(graph.node_outputs[node(window, culprit)][0])]
    partner = second.tensor_index(tensor)
    assert partner is not None
    box = shown(window._graph_view).box_of(node(window, culprit))
    other = shown(beside(window).view).box_of(int(second.producers[partner]))
    assert ours.errors.badness[box] == others.errors.badness[other] > 0


def test_legends_leave_both_graphs_the_same_height(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    views = window.view, beside(window).view.canvas
    qtbot.waitUntil(lambda: all(view.legend_height for view in views), timeout=20_000)
    window.pair.splitter.setSizes([250, 1000])
    QCoreApplication.processEvents()
    assert views[0].legend_height > views[1].legend_height
    assert views[0].sight().height() == views[1].sight().height()

    window.document.edit("Below", pairing="stacked")
    calm(window, qtbot)
    for view in views:
        assert view.height() - view.sight().height() == view.legend_height

    window.document.edit("Beside", pairing="side")
    calm(window, qtbot)
    window.document.edit("Hide", pairing="")
    calm(window, qtbot)
    assert window.view.height() - window.view.sight().height() == window.view.legend_height


def test_switches_hold_for_both(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.switches.turn("quiet")
    calm(window, qtbot)

    types = shown(beside(window).view).draft.drawn.op_types
    assert "QuantizeLinear" not in [types[each] for each in range(len(types))]
    window.switches.turn("minimap")
    assert beside(window).view.canvas.minimap == window.view.minimap

    pressed = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_F, Qt.KeyboardModifier.NoModifier)
    assert keys.press(beside(window).view.canvas, pressed)
    window.commands.table.keymap.give("worst.next", ("N",), ["F"])
    assert not keys.press(beside(window).view.canvas, pressed)  # it is a command's of the first graph


def test_the_names_of_both_stand_above_them(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)

    assert window.pair.pane.title.name.accessibleName() == "node_fault.onnx"
    assert window.pair.pane.title.about.text() == "reference · 31 nodes"
    assert beside(window).pane.title.about.text() == "candidate · 103 nodes"
    window.document.select(node(window, CONV))
    assert beside(window).pane.title.told.accessibleName() == "Conv · by same name"


def test_the_theme_holds_for_both(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.appearance.choose("dark")

    assert np.mean(_rgb(beside(window).view.canvas.picture().pixelColor(2, 60))) < 80


def _rgb(color: object) -> tuple[int, int, int]:
    return color.red(), color.green(), color.blue()  # type: ignore[attr-defined]  # a QColor


@pytest.mark.parametrize("second", [True, False])
def test_the_quantized_graph_is_painted_by_what_was_measured_behind_each_pair(
    window: MainWindow, qtbot: QtBot, second: bool
) -> None:
    """Beside the float model, and as the main graph: its run holds the tensors behind DequantizeLinear only."""
    paired(window, qtbot, path=SAMPLE.model if second else SAMPLE.candidate_model)
    if not second:
        known = opened_sample(SAMPLE.key)
        window.document.take_case(case_with(known.findings.comparison, known.match))
    view = beside(window).view if second else window._graph_view
    qtbot.waitUntil(lambda: view.errors.paint is not None and not window.jobs.steps, timeout=30_000)
    graph, paint = shown(view).draft.graph, view.errors.paint
    assert paint is not None
    box = int(shown(view).boxes_of_nodes()[graph.op_types.codes.tolist().index(graph.op_types.values.index("Add"))])
    assert paint.errors.measured[box]
    assert "measured behind its DequantizeLinear /block1/Add_output_0_DequantizeLinear" in paint.note(box)
