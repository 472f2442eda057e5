"""The graph is drawn in another way: quiet, to the right, with more stubs; what is read stays in place."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow.graph.model import Model
from errorflow_viewer.window import graph_view
from errorflow_viewer.window.window import MainWindow
from viewer.deep import (
    BLOCKS,
    FAR,
    LENGTH,
    closed_all,
    deep_graph,
    fold,
    frame_of,
    node,
    open_names,
    run,
    settled,
    shown,
)
from viewer.models import crowd


def test_conversions_are_hidden_and_the_selection_and_open_groups_stay(deep: MainWindow, qtbot: QtBot) -> None:
    deep.document.show(node(deep, FAR))
    names = open_names(deep)
    run(deep, "switch.quiet")
    settled(deep, qtbot)
    assert deep.settings.is_on("quiet", False)
    assert open_names(deep) == names
    assert deep.document.state.node == node(deep, FAR)
    assert deep.view.selected() == shown(deep).box_of(node(deep, FAR))
    run(deep, "fold.all")
    settled(deep, qtbot)
    # The last pair makes the output.
    assert len(shown(deep).drawing) == BLOCKS * (3 * LENGTH - 2) + 2
    hidden = node(deep, "/net/block.2/part.2/node5")
    deep.document.show(hidden)
    assert deep.document.state.node == hidden
    assert deep.view.selected() == shown(deep).box_of(node(deep, "/net/block.2/part.2/node3"))


def test_a_click_in_a_quiet_graph_selects_the_real_node(deep: MainWindow, qtbot: QtBot) -> None:
    run(deep, "switch.quiet")
    settled(deep, qtbot)
    run(deep, "fold.all")
    settled(deep, qtbot)
    deep.view.pick(shown(deep).box_of(node(deep, FAR)))
    assert deep.document.state.node == node(deep, FAR)


@pytest.mark.parametrize(("key", "seen"), [("switch.minimap", "minimap"), ("switch.path", "path")])
def test_aids_are_switched_off_by_a_key_and_stay_so(deep: MainWindow, key: str, seen: str) -> None:
    deep.view.setFocus()
    letter = deep.commands.made[key].shortcuts()[0].toString()
    QTest.keyClicks(deep.view, letter.lower())
    assert not getattr(deep.view, seen)
    assert not deep.settings.is_on(key.removeprefix("switch."), True)
    run(deep, key)
    assert getattr(deep.view, seen)


def test_reloading_keeps_open_groups(window: MainWindow, qtbot: QtBot) -> None:
    from errorflow.base.sample import SAMPLES

    window.open(SAMPLES[0].model)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    run(window, "fold.none")
    model = window.document.model
    window.reload()
    qtbot.waitUntil(lambda: window.document.model is not model and not window.jobs.steps)
    assert open_names(window) == set()


def test_the_flow_runs_to_the_right_when_asked(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    deep.view.pick(fold(deep, "net/block.5"))
    run(deep, "switch.across")
    settled(deep, qtbot)
    assert shown(deep).drawing.across and deep.settings.is_on("across", False)
    QTest.keyClick(deep.view, Qt.Key.Key_Right)
    assert deep.view.selected() == fold(deep, "net/block.6")
    deep.view.centre_on(fold(deep, "net/block.6"), 2.0)
    before = deep.view.place_of(fold(deep, "net/block.6"))
    run(deep, "fold.open")
    assert abs(frame_of(deep, "net/block.6").left() - before.left()) <= 2
    run(deep, "switch.across")
    settled(deep, qtbot)
    assert not shown(deep).drawing.across


def stubs(window: MainWindow, tensor: str) -> int:
    """How many ends of a tensor's lines are drawn without the line."""
    drawing = shown(window).drawing
    return int((drawing.stub_tensors == shown(window).draft.graph.tensor_index(tensor)).sum())


def test_all_consumers_of_a_tensor_are_shown_on_demand(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(Model(Path("/models/crowd.onnx"), "ONNX model", crowd()))
    settled(window, qtbot)
    run(window, "fold.all")
    settled(window, qtbot)
    assert stubs(window, "all") >= 200  # one for each branch
    window.document.select(node=node(window, "source"))
    run(window, "fold.whole")
    assert stubs(window, "all") == 0 and stubs(window, "a7") > 0
    assert window.commands.made["fold.whole"].isChecked()
    run(window, "fold.whole")
    assert stubs(window, "all") >= 200


@pytest.mark.parametrize("switch", ["switch.quiet", "switch.constants"])
def test_what_is_read_stays_in_place_when_other_things_are_drawn(deep: MainWindow, qtbot: QtBot, switch: str) -> None:
    run(deep, "fold.all")
    settled(deep, qtbot)
    deep.view.centre_on(shown(deep).box_of(node(deep, FAR)) or 0, 1.5)
    before = deep.view.place_of(shown(deep).box_of(node(deep, FAR)) or 0)
    run(deep, switch)
    settled(deep, qtbot)
    after = deep.view.place_of(shown(deep).box_of(node(deep, FAR)) or 0)
    assert (after.topLeft() - before.topLeft()).manhattanLength() <= 2
    assert deep.view.zoom == pytest.approx(1.5)


def test_a_form_that_is_chosen_while_the_first_picture_is_made_is_kept(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(Model(Path("/models/deep.onnx"), "ONNX model", deep_graph()))
    window.switches.turn("across")
    settled(window, qtbot)
    assert shown(window).drawing.across


@pytest.mark.parametrize("key", ["across", "quiet", "unfold"])
def test_a_change_under_way_survives_that_shapes_become_known(
    deep: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    closed_all(deep, qtbot)
    monkeypatch.setattr(graph_view, "AT_ONCE", 0)  # everything takes so long that it is done in the background
    before = deep.document.model
    assert before is not None
    if key == "unfold":
        deep.folds.open_all()
    else:
        deep.switches.turn(key)
    assert deep.jobs.running(graph_view.KEY)
    better = Model(before.path, before.format, deep_graph())
    deep._workings.drawings.hand_on(before, better)
    deep.document.refine(better)
    settled(deep, qtbot)
    found = shown(deep)
    assert found.draft.graph is better.graph
    done = {
        "across": found.drawing.across,
        "quiet": found.draft.quiet is not None,
        "unfold": found.groups == found.outline.everything,
    }
    assert done == {name: name == key for name in done}


def test_who_cancels_the_way_to_a_node_is_not_taken_there_later(
    deep: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed_all(deep, qtbot)
    graph = deep.document.graph
    assert graph is not None
    node = graph.node_index("/net/block.11/part.1/node0")
    assert node is not None
    monkeypatch.setattr(graph_view, "AT_ONCE", 0)
    deep.document.show(node)
    assert deep.jobs.running(graph_view.KEY)
    deep.cancel()
    deep.view.zoom_to(1.0)
    first = fold(deep, "net/block.0")
    deep.view.centre_on(first)
    deep.view.settle()
    deep.folds.more()
    settled(deep, qtbot)
    deep.view.settle()
    box = shown(deep).box_of(node)
    assert box is not None and not deep.view.in_sight(box)
