"""How a graph is laid out: chosen for each model, kept in place, said, and never a hair."""

from pathlib import Path
from shutil import copy

import pytest
from PySide6.QtCore import QPointF, QRectF
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow.graph.model import Model
from errorflow_viewer.document.state import Place
from errorflow_viewer.kit.drawings import HAIR
from errorflow_viewer.window.window import MainWindow
from viewer.deep import closed_all, run, settled, shown
from viewer.models import branching_model, chain


def said(window: MainWindow) -> str:
    return window.status.currentMessage()


def view(window: MainWindow) -> str:
    return window.switches.view


def opened(window: MainWindow, qtbot: QtBot, path: Path) -> None:
    before = window.document.model
    window.open(path)
    qtbot.waitUntil(lambda: window.document.model is not before and not window.jobs.steps)


def long_chain(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(Model(Path("/models/long.onnx"), "ONNX model", chain(600)))
    settled(window, qtbot)
    run(window, "fold.all")
    settled(window, qtbot)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return tuple(Path(copy(SAMPLES[i].model, tmp_path / f"{i}.onnx")) for i in (0, 1))  # type: ignore[return-value]  # two


def test_a_choice_goes_with_the_model_and_no_further(
    window: MainWindow, qtbot: QtBot, files: tuple[Path, Path]
) -> None:
    one, other = files
    opened(window, qtbot, one)
    window.switches.choose_view("columns")
    opened(window, qtbot, other)
    assert view(window) == "auto"
    opened(window, qtbot, one)
    assert view(window) == "columns" and shown(window).columns
    run(window, "view.auto")
    opened(window, qtbot, other)
    opened(window, qtbot, one)
    assert view(window) == "auto"


def test_a_choice_for_a_sample_ends_with_it(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot, SAMPLES[0].model)
    window.switches.choose_view("columns")
    opened(window, qtbot, SAMPLES[1].model)
    opened(window, qtbot, SAMPLES[0].model)
    assert view(window) == "auto"


def test_while_another_model_is_opened_this_one_keeps_its_layout(
    window: MainWindow, qtbot: QtBot, files: tuple[Path, Path]
) -> None:
    opened(window, qtbot, files[0])
    window.switches.choose_view("columns")
    window.open(files[1])
    assert view(window) == "columns"
    qtbot.waitUntil(lambda: not window.jobs.steps)
    assert view(window) == "auto"


def test_reading_again_keeps_the_choice(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot, SAMPLES[0].model)
    window.switches.choose_view("columns")
    before = window.document.model
    window.reload()
    qtbot.waitUntil(lambda: window.document.model is not before and not window.jobs.steps)
    assert view(window) == "columns" and shown(window).columns


def test_what_would_be_a_hair_is_cut_even_while_something_stays_in_place(deep: MainWindow, qtbot: QtBot) -> None:
    closed_all(deep, qtbot)
    deep.view.zoom_to(2.0)
    assert not shown(deep).columns and not deep.view.fitted
    run(deep, "fold.all")
    settled(deep, qtbot)
    assert shown(deep).columns and deep.view.zoom == pytest.approx(2.0)


@pytest.mark.parametrize("across", [False, True])
def test_who_wants_it_in_one_piece_starts_at_its_beginning(window: MainWindow, qtbot: QtBot, across: bool) -> None:
    if across:
        window.switches.turn("across")
    long_chain(window, qtbot)
    window.switches.turn("minimap")
    assert shown(window).columns and window.view.fitted
    run(window, "view.columns")
    settled(window, qtbot)
    assert window._graph_view.form.fits_at(shown(window).drawing) < HAIR
    assert window.view.zoom >= 0.7 and window.view.minimap and window.switches.is_on("minimap")
    first = window.view.place_of(window.view._scene.walk.first() or 0)  # type: ignore[union-attr]  # it is shown
    assert QRectF(window.view.rect()).contains(first)
    assert (first.left() if across else first.top()) < 60
    assert said(window).startswith("Too long to be seen at once")


def test_with_something_selected_it_starts_there(window: MainWindow, qtbot: QtBot) -> None:
    long_chain(window, qtbot)
    window.document.pick(300)
    run(window, "view.columns")
    settled(window, qtbot)
    box = window.view.selected()
    assert box is not None and QRectF(window.view.rect()).contains(window.view.place_of(box))
    assert window.view.zoom >= 0.7


@pytest.mark.parametrize("switch", ["view.columns", "switch.across"])
@pytest.mark.parametrize("selects", [False, True])
def test_place_and_zoom_stay(deep: MainWindow, qtbot: QtBot, switch: str, selects: bool) -> None:
    run(deep, "fold.all")
    settled(deep, qtbot)
    box = shown(deep).box_of(100)
    assert box is not None
    deep.view.centre_on(box, 1.1)
    if selects:
        deep.view.pick(box)
        deep.view.pan(60, 40)
    before = deep.view.place_of(box).center()
    run(deep, switch)
    settled(deep, qtbot)
    there = shown(deep).box_of(100)
    assert there is not None
    after: QPointF = deep.view.place_of(there).center()
    assert (after - before).manhattanLength() <= 2
    assert deep.view.zoom == pytest.approx(1.1)


def test_all_in_sight_stays_all_in_sight(deep: MainWindow, qtbot: QtBot) -> None:
    deep.view.fit()
    run(deep, "switch.across")
    settled(deep, qtbot)
    assert deep.view.fitted


def test_the_layout_is_said_when_it_changes_with_the_way_to_another(window: MainWindow, qtbot: QtBot) -> None:
    long_chain(window, qtbot)
    assert said(window) == "Drawn in columns, as it is long. Ctrl+L: from top to bottom"
    for command, sentence in (
        ("view.columns", "Too long to be seen at once: this is its beginning. Ctrl+L: in columns"),
        ("view.columns", "Drawn in columns for this model. Ctrl+L: from top to bottom"),
        ("switch.across", "Drawn in rows for this model. Ctrl+L: from left to right"),
        ("view.auto", "Drawn in rows, as it is long. Ctrl+L: from left to right"),
    ):
        run(window, command)
        settled(window, qtbot)
        assert said(window) == sentence


def test_nothing_is_said_about_a_model_that_fits(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(Model(Path("/models/short.onnx"), "ONNX model", chain(5)))
    settled(window, qtbot)
    assert said(window) == "" and not shown(window).columns
    run(window, "switch.across")
    settled(window, qtbot)
    assert said(window) == "Drawn from left to right, as it fits. Ctrl+L: in rows"


@pytest.mark.parametrize(
    ("switch", "first", "then"),
    [
        ("minimap", "The minimap is off", "The minimap appears when you zoom in"),
        ("path", "The way through is off", "The way through appears when you select a node"),
    ],
)
def test_a_switch_that_shows_nothing_says_so(
    window: MainWindow, qtbot: QtBot, switch: str, first: str, then: str
) -> None:
    opened(window, qtbot, SAMPLES[0].model)
    for text in (first, then):
        run(window, f"switch.{switch}")
        assert said(window) == text


def test_a_switch_that_shows_something_says_nothing(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot, SAMPLES[0].model)
    window.view.zoom_to(4.0)
    window.document.select(node=2)
    window.status.say("before")
    for switch in ("minimap", "path"):
        run(window, f"switch.{switch}")
        assert said(window) == "before"


def test_a_switch_without_anything_to_act_on_says_so(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(Model(Path("/models/plain.onnx"), "ONNX model", chain(6)))
    settled(window, qtbot)
    for switch, text in (("quiet", "no quantize and cast nodes"), ("constants", "no constants")):
        run(window, f"switch.{switch}")
        settled(window, qtbot)
        assert text in said(window)


@pytest.mark.parametrize("cancels", [False, True])
def test_who_leaves_before_it_is_drawn_anew_finds_it_so_on_coming_back(
    window: MainWindow, qtbot: QtBot, cancels: bool
) -> None:
    window.document.open(branching_model())
    settled(window, qtbot)
    before = len(shown(window).drawing)
    window.switches.turn("constants")
    assert window.jobs.steps
    if cancels:
        window.cancel()
    window.document.go(Place((0,)))
    settled(window, qtbot)
    window.document.step_back()
    settled(window, qtbot)
    assert len(shown(window).drawing) == before + 1


def test_a_switch_that_changes_no_colour_paints_nothing_anew(deep: MainWindow) -> None:
    deep.view.repaint()
    deep.switches.turn("path")
    deep.view.repaint()
    assert not deep.view.counts.shapes


def test_what_is_selected_stays_so_when_less_is_drawn(deep: MainWindow, qtbot: QtBot) -> None:
    """Its box may be one that there is no longer, and commands look at it when they hear of the new picture."""
    deep.folds.open_all()
    settled(deep, qtbot)
    before, node = len(shown(deep).drawing), int(shown(deep).drawing.nodes.max())
    deep.document.select(node=node)
    deep.switches.turn("quiet")
    settled(deep, qtbot)
    assert deep.document.state.node == node and len(shown(deep).drawing) < before
