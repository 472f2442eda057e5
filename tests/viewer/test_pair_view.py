"""Two graphs side by side: how the second comes and goes, and that both are in step."""

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from ascend_writer import graph, op, write_json
from ascend_writer import model as graph_model
from errorflow.layout.folding import visible
from errorflow.sample import SAMPLES
from errorflow.scenarios.setup import Setup
from errorflow.session.model import Session
from errorflow_viewer.beside import NOTHING, READING, Beside
from errorflow_viewer.drawings import Unfolded
from errorflow_viewer.graph_view import GraphView
from errorflow_viewer.state import Compared
from errorflow_viewer.window import MainWindow
from evidence_tensors import opened_sample
from viewer.models import branching_model

SAMPLE = SAMPLES[0]


def beside(window: MainWindow) -> Beside:
    found = window.pair.beside
    assert found is not None
    return found


def shown(view: GraphView) -> Unfolded:
    found = view.shown
    assert found is not None
    return found


def paired(window: MainWindow, qtbot: QtBot, how: str = "side", path: Path = SAMPLE.model) -> MainWindow:
    """A model with its counterpart, linked and drawn."""
    window.open(path)
    qtbot.waitUntil(lambda: window.document.model is not None)
    window.document.edit("Show it", pairing=how)
    calm(window, qtbot)
    return window


def calm(window: MainWindow, qtbot: QtBot) -> None:
    def settled() -> bool:
        pair = window.pair
        linked = pair.beside is None or (pair.second.links is not None and pair.beside.view.shown is not None)
        return linked and not window.jobs.steps

    qtbot.waitUntil(settled, timeout=20_000)
    QCoreApplication.processEvents()
    QCoreApplication.processEvents()


def node(window: MainWindow, name: str, second: bool = False) -> int:
    graph = window.pair.second.document.graph if second else window.document.graph
    found = None if graph is None else graph.node_index(name)
    assert found is not None
    return found


CONV = "/block1/expand/conv/Conv"


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


# In step


def test_a_click_selects_the_partner_in_the_other_graph(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.folds.open_all()
    calm(window, qtbot)

    window.document.select(node(window, CONV))
    other = window.pair.second.document
    assert other.state.node == node(window, CONV, second=True)

    other.select(node(window, "/block2/expand/conv/Conv", second=True))
    assert window.document.state.node == node(window, "/block2/expand/conv/Conv")


def test_the_partner_is_brought_into_sight(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    view = beside(window).view
    view.canvas.look_at(view.canvas.middle(), 2.0, animate=False)
    last = len(window.document.graph or ()) - 1

    window.document.show(last)
    calm(window, qtbot)

    partners = beside(window).outlines["second"].partners.tolist()
    assert partners
    assert any(view.canvas.in_sight(box) for box in partners)


def test_what_has_no_partner_selects_nothing_there_and_is_outlined(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.folds.open_all()
    calm(window, qtbot)
    window.document.select(node(window, CONV))

    window.pair.second.document.select(node(window, "image_QuantizeLinear", second=True))

    assert window.document.state.is_bare
    picture = shown(beside(window).view)
    lonely = beside(window).outlines["second"].lonely
    assert picture.box_of(node(window, "image_QuantizeLinear", second=True)) in lonely
    assert picture.box_of(node(window, CONV, second=True)) not in lonely
    assert len(beside(window).outlines["main"].lonely) == 0
    assert beside(window).pane.title.lonely.text() == "72 inserted"


def test_a_group_that_opens_opens_the_groups_of_the_partners(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.folds.close_all()
    calm(window, qtbot)
    assert visible(shown(beside(window).view).outline, beside(window).view.groups) == frozenset()

    window.folds.open_all()
    calm(window, qtbot)

    box = shown(beside(window).view).box_of(node(window, CONV, second=True))
    assert box is not None
    assert shown(beside(window).view).group_of(box) is None


def test_folds_of_the_second_graph_lead_as_well(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    beside(window).folds.close_all()
    calm(window, qtbot)
    closed = len(shown(window._graph_view).drawing)

    beside(window).folds.open_all()
    calm(window, qtbot)

    assert len(shown(window._graph_view).drawing) > closed


def test_zoom_and_pan_go_in_step_while_they_are_linked(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.folds.open_all()
    calm(window, qtbot)
    main, other = window.view, beside(window).view.canvas
    box = shown(window._graph_view).box_of(node(window, CONV))
    partner = shown(beside(window).view).box_of(node(window, CONV, second=True))
    assert box is not None
    assert partner is not None

    main.centre_on(box, 1.5, animate=False)
    calm(window, qtbot)

    assert other.zoom == pytest.approx(1.5)
    assert (main.place_of(box).center() - other.place_of(partner).center()).manhattanLength() < 80
    here = other.middle()
    main.pan(0, -200)
    calm(window, qtbot)
    assert other.middle().y() > here.y()


def test_the_one_that_is_touched_leads(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.folds.open_all()
    calm(window, qtbot)
    other = beside(window).view.canvas

    QTest.mouseClick(other, Qt.MouseButton.LeftButton, pos=QPoint(5, 40))
    other.zoom_to(1.25)
    calm(window, qtbot)

    assert beside(window).following.leader == "second"
    assert window.view.zoom == pytest.approx(1.25)


def test_unlinked_views_stay_where_they_are(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.folds.open_all()
    calm(window, qtbot)
    window.commands.made["second.linked"].trigger()
    zoom, middle = beside(window).view.canvas.zoom, beside(window).view.canvas.middle()

    window.view.look_at(window.view.middle(), 2.0, animate=False)
    calm(window, qtbot)

    assert (beside(window).view.canvas.zoom, beside(window).view.canvas.middle()) == (zoom, middle)
    assert not beside(window).link_button.isChecked()


def test_the_pointer_rings_the_partner(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.folds.open_all()
    calm(window, qtbot)
    box = shown(window._graph_view).box_of(node(window, CONV))

    window.view.hover(box)

    partner = shown(beside(window).view).box_of(node(window, CONV, second=True))
    assert beside(window).outlines["second"].hovered.tolist() == [partner]
    window.view.hover(None)
    assert len(beside(window).outlines["second"].hovered) == 0


def test_the_pointer_in_the_second_graph_points_in_lists_and_curves(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.folds.open_all()
    calm(window, qtbot)
    heard: list[object] = []
    window.document.pointed.connect(heard.append)

    beside(window).view.canvas.hover(shown(beside(window).view).box_of(node(window, CONV, second=True)))
    beside(window).view.canvas.hover(None)

    assert heard == [node(window, CONV), None]
    window.document.pointed.emit(node(window, CONV))
    partner = shown(beside(window).view).box_of(node(window, CONV, second=True))
    assert beside(window).outlines["second"].hovered.tolist() == [partner]


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


def test_switches_hold_for_both(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.switches.turn("quiet")
    calm(window, qtbot)

    types = shown(beside(window).view).draft.drawn.op_types
    assert "QuantizeLinear" not in [types[each] for each in range(len(types))]
    window.switches.turn("minimap")
    assert beside(window).view.canvas.minimap == window.view.minimap


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


# What fusion did


def fused_and_not(folder: Path) -> tuple[Path, Path]:
    """A model compiled with fusion on and off, in two blocks of three operators."""
    origin = "_datadump_original_op_names"
    off, on = [op("data", "Data", [""])], [op("data", "Data", [""])]
    before, before_fused = "data", "data"
    for block in range(2):
        names = tuple(f"block{block}/{part}" for part in ("conv", "bn", "relu"))
        for name, kind in zip(names, ("Conv2D", "BNInference", "Relu"), strict=True):
            off.append(op(name, kind, [f"{before}:0"], 1, **{origin: (name,)}))
            before = name
        on.append(op(f"block{block}/fused", "Conv2D", [f"{before_fused}:0"], 1, **{origin: names}))
        before_fused = f"block{block}/fused"
    ends = [op("end", "NetOutput", [f"{name}:0"], 0) for name in (before, before_fused)]
    paths = folder / "off.json", folder / "on.json"
    write_json(paths[0], graph_model(graph(*off, ends[0])))
    write_json(paths[1], graph_model(graph(*on, ends[1])))
    return paths


def fusions(window: MainWindow, qtbot: QtBot, folder: Path) -> MainWindow:
    off, on = fused_and_not(folder)
    window.open(off)
    qtbot.waitUntil(lambda: window.document.model is not None)
    window.pair.open(on)
    calm(window, qtbot)
    window.folds.open_all()
    calm(window, qtbot)
    return window


def test_the_model_with_fusion_is_the_candidate(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    fusions(window, qtbot, tmp_path)

    assert window.pair.second.side == "candidate"
    assert window.pair.second.differences is not None
    assert window.pair.second.differences.counts["merged"] == 2


def test_what_the_comparison_calls_the_original_is_the_reference(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    off, on = fused_and_not(tmp_path)
    window.open(off)
    qtbot.waitUntil(lambda: window.document.model is not None)
    setup = Setup("", {"fusion": off, "closed_fusion": on})

    window.document.edit("Compare", setup=setup, pairing="side")
    calm(window, qtbot)

    assert (window.pair.second.side, window.pair.second.side_of("main")) == ("reference", "candidate")


def test_two_models_of_a_new_comparison_are_shown_by_themselves(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    off, on = fused_and_not(tmp_path)
    window.open(on)
    qtbot.waitUntil(lambda: window.document.model is not None)

    window.document.take_session(Session(model=on, setup=Setup("", {"fusion": on, "closed_fusion": off})))
    calm(window, qtbot)

    assert window.pair.beside is not None
    assert window.document.undo_text == ""


def test_a_fused_node_rings_all_its_originals(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    fusions(window, qtbot, tmp_path)

    window.pair.second.document.select(node(window, "block1/fused", second=True))

    picture = shown(window._graph_view)
    originals = [picture.box_of(node(window, f"block1/{part}")) for part in ("conv", "bn", "relu")]
    assert beside(window).outlines["main"].partners.tolist() == sorted(box for box in originals if box is not None)
    assert window.document.state.node == node(window, "block1/relu")
    assert beside(window).pane.title.told.accessibleName() == "merged: 3 → 1"


def test_an_original_rings_those_that_were_merged_with_it(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    fusions(window, qtbot, tmp_path)

    window.document.select(node(window, "block0/bn"))

    assert window.pair.second.document.state.node == node(window, "block0/fused", second=True)
    assert len(beside(window).outlines["main"].partners) == 3
    assert len(beside(window).outlines["second"].partners) == 1
    assert window.pair.pane.title.told.accessibleName() == "merged: 3 → 1"


def test_several_partners_have_a_bracket_with_their_number(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    fusions(window, qtbot, tmp_path)
    outlines = beside(window).outlines["main"]
    before = outlines.grab().toImage()
    window.document.select(node(window, "block0/bn"))
    calm(window, qtbot)
    places = [window.view.place_of(box) for box in outlines.partners.tolist()]
    left, top = min(place.left() for place in places), min(place.top() for place in places)
    bottom = max(place.bottom() for place in places)

    after = outlines.grab().toImage()

    assert len(places) == 3
    for y in (top + 4, (top + bottom) / 2, bottom - 4):
        spots = [QPointF(left - 12 + step, y).toPoint() for step in (-1, 0, 1)]
        assert any(after.pixelColor(spot) != before.pixelColor(spot) for spot in spots)


@pytest.mark.parametrize("second", [True, False])
def test_the_quantized_graph_is_painted_by_what_was_measured_behind_each_pair(
    window: MainWindow, qtbot: QtBot, second: bool
) -> None:
    """Beside the float model, and as the main graph: its run holds the tensors behind DequantizeLinear only."""
    paired(window, qtbot, path=SAMPLE.model if second else SAMPLE.candidate_model)
    if not second:
        known = opened_sample(SAMPLE.key)
        window.document.take_compared(Compared(known.findings.comparison, known.match))
    view = beside(window).view if second else window._graph_view
    qtbot.waitUntil(lambda: view.errors.paint is not None and not window.jobs.steps, timeout=30_000)
    graph, paint = shown(view).draft.graph, view.errors.paint
    assert paint is not None
    box = int(shown(view).boxes_of_nodes()[graph.op_types.codes.tolist().index(graph.op_types.values.index("Add"))])
    assert paint.errors.measured[box]
    assert "measured behind its DequantizeLinear /block1/Add_output_0_DequantizeLinear" in paint.note(box)
