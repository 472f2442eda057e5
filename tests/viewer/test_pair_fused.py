"""What fusion did to a graph, seen beside the one without."""

from pathlib import Path

from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from ascend_writer import graph, op, write_json
from ascend_writer import model as graph_model
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import Session
from errorflow_viewer.window.window import MainWindow
from viewer.pairs import beside, calm, node, shown


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
