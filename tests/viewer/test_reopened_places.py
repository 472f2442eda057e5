"""A session comes back to the very place, whatever room there is by then."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copy

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow.case.session.file import read_session
from errorflow.case.session.model import Painting, Pairing, Session, Sights
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.kit.drawings import Unfolded
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.graph_view import GraphView
from errorflow_viewer.window.window import MainWindow

SAMPLE = SAMPLES[0]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "case.errorflow"


def calm(window: MainWindow, qtbot: QtBot) -> None:
    def settled() -> bool:
        pair = window.pair
        linked = pair.beside is None or (pair.second.links is not None and pair.beside.view.shown is not None)
        return window.document.model is not None and linked and not window.jobs.steps

    qtbot.waitUntil(settled, timeout=20_000)
    for _ in range(4):
        QCoreApplication.processEvents()


def opened(window: MainWindow, qtbot: QtBot, path: Path = SAMPLE.model) -> None:
    before = window.document.model
    window.open(path)
    qtbot.waitUntil(lambda: window.document.model is not before)
    calm(window, qtbot)


def saved(window: MainWindow, qtbot: QtBot, file: Path) -> None:
    window._sessions.save(file)
    qtbot.waitUntil(lambda: window._sessions.file == file)
    calm(window, qtbot)


def shown(view: GraphView) -> Unfolded:
    found = view.shown
    assert found is not None
    return found


def look_around(window: MainWindow, qtbot: QtBot) -> None:
    """Somewhere near, with some groups closed and a node selected."""
    window.document.edit("Paint by cosine", painting=Painting(metric="cosine", limits={"cosine": (0.99, 0.5)}))
    window.folds.open_all()
    calm(window, qtbot)
    window.document.show(5)
    window.folds.close()
    calm(window, qtbot)
    window.view.zoom_to(1.3)
    window.view.pan(-37, 53)
    calm(window, qtbot)


def larger(window: MainWindow) -> None:
    window.resize(1700, 1100)


def smaller(window: MainWindow) -> None:
    window.resize(1000, 640)


def narrower(window: MainWindow) -> None:
    """By another panel."""
    window.panels.show("profile")
    window.panels.show("differences")


def wider(window: MainWindow) -> None:
    window.panels.hide("nodes")
    window.panels.hide("details")


def as_it_was(window: MainWindow) -> None:
    window.panels.hide("log")


ROOMS = pytest.mark.parametrize("room", [as_it_was, larger, smaller, narrower, wider])


def at_another_time(
    window: MainWindow, qtbot: QtBot, file: Path, room: Callable[[MainWindow], None] = as_it_was
) -> None:
    """The session is left, the window changed, and the session opened again."""
    # Without runs to be compared.
    opened(window, qtbot, Path(copy(SAMPLES[1].model, file.with_name("another.onnx"))))
    room(window)
    calm(window, qtbot)
    opened(window, qtbot, file)


def same_spot(canvas: Canvas, sights: Sights) -> bool:
    spot = canvas.middle()
    near = abs(spot.x() - sights.x) * canvas.zoom <= 1.0 and abs(spot.y() - sights.y) * canvas.zoom <= 1.0
    return near and canvas.zoom == pytest.approx(sights.zoom)


@ROOMS
def test_all_boxes_and_the_view_are_where_they_were(
    window: MainWindow, qtbot: QtBot, file: Path, room: Callable[[MainWindow], None]
) -> None:
    opened(window, qtbot)
    look_around(window, qtbot)
    before, boxes = window._sessions.captured(), shown(window._graph_view).drawing.boxes
    saved(window, qtbot, file)
    at_another_time(window, qtbot, file, room)
    assert np.array_equal(shown(window._graph_view).drawing.boxes, boxes)
    assert window._sessions.captured() == before
    assert same_spot(window.view, before.sights)
    assert window.document.state.group is not None
    assert not window._sessions.modified


@pytest.mark.parametrize("what", ["node", "hidden node", "tensor", "group"])
def test_what_was_selected_is_selected_wherever_it_is(window: MainWindow, qtbot: QtBot, file: Path, what: str) -> None:
    opened(window, qtbot)
    document, graph = window.document, window.document.graph
    assert graph is not None
    if what == "hidden node":
        window.folds.close_all()
        calm(window, qtbot)
    document.select(
        5 if "node" in what else None,
        graph.tensor_index("image") if what == "tensor" else None,
        1 if what == "group" else None,
    )
    window.view.zoom_to(1.3)
    window.view.pan(0, -400)
    calm(window, qtbot)
    spot, before = document.state.spot, window._sessions.captured()
    saved(window, qtbot, file)
    at_another_time(window, qtbot, file, smaller)
    assert document.state.spot == spot
    assert window._sessions.captured() == before
    assert same_spot(window.view, before.sights)


def test_the_spot_stays_in_the_middle_until_one_moves(window: MainWindow, qtbot: QtBot, file: Path) -> None:
    opened(window, qtbot)
    look_around(window, qtbot)
    sights = window._sessions.captured().sights
    saved(window, qtbot, file)
    at_another_time(window, qtbot, file)
    for size in ((1100, 700), (1500, 900)):
        window.resize(*size)
        calm(window, qtbot)
        assert same_spot(window.view, sights)
    window.view.pan(60, 0)
    assert not same_spot(window.view, sights)
    assert window._sessions.captured().sights != sights


def test_all_in_sight_is_all_in_sight_in_another_room(window: MainWindow, qtbot: QtBot, file: Path) -> None:
    opened(window, qtbot)
    boxes = shown(window._graph_view).drawing.boxes
    saved(window, qtbot, file)
    at_another_time(window, qtbot, file, larger)
    assert window.view.fitted
    assert np.array_equal(shown(window._graph_view).drawing.boxes, boxes)


def test_what_is_opened_next_is_drawn_for_the_room_that_there_is(window: MainWindow, qtbot: QtBot, file: Path) -> None:
    opened(window, qtbot)
    look_around(window, qtbot)
    saved(window, qtbot, file)
    at_another_time(window, qtbot, file, larger)
    window.folds.open_all()
    calm(window, qtbot)
    sights = window._sessions.captured().sights
    assert (sights.room_width, sights.room_height) == (window.view.width(), window.view.height())


@pytest.mark.parametrize("switch", ["quiet", "constants", "across"])
def test_it_is_drawn_as_it_was_and_another_model_as_the_user_likes(
    window: MainWindow, qtbot: QtBot, file: Path, switch: str
) -> None:
    action = window.commands.made[f"switch.{switch}"]
    opened(window, qtbot)
    action.trigger()
    calm(window, qtbot)
    drawing = shown(window._graph_view).drawing
    saved(window, qtbot, file)
    action.trigger()
    calm(window, qtbot)
    at_another_time(window, qtbot, file)
    assert np.array_equal(shown(window._graph_view).drawing.boxes, drawing.boxes)
    assert window.commands.made[f"switch.{switch}"].isChecked()
    opened(window, qtbot, SAMPLES[2].model)
    assert not window.commands.made[f"switch.{switch}"].isChecked()
    assert not getattr(shown(window._graph_view).form, switch)


def test_the_way_it_was_laid_out_comes_back(window: MainWindow, qtbot: QtBot, file: Path) -> None:
    opened(window, qtbot)
    window.switches.choose_view("down")
    calm(window, qtbot)
    saved(window, qtbot, file)
    window.switches.choose_view("columns")
    calm(window, qtbot)
    at_another_time(window, qtbot, file)
    assert window.switches.view == "down"
    assert not shown(window._graph_view).columns


def test_an_older_session_is_read_with_its_folds(window: MainWindow, qtbot: QtBot, file: Path) -> None:
    """One that does not say what room its drawing was made for."""
    opened(window, qtbot)
    window.folds.close_all()
    calm(window, qtbot)
    groups = shown(window._graph_view).groups
    saved(window, qtbot, file)
    rows = json.loads(file.read_text())
    for name in ("room_width", "room_height", "cut", "constants", "quiet", "across", "whole"):
        del rows["sights"][name]
    del rows["second_sights"]
    file.write_text(json.dumps(rows))
    at_another_time(window, qtbot, file, larger)
    assert shown(window._graph_view).groups == groups
    assert [row.notice.key for row in window.banners.rows if row.notice.key == "session"] == []


def test_the_next_start_returns_there_too(
    qtbot: QtBot, settings: Settings, appearance: Appearance, tmp_path: Path
) -> None:
    settings.switch("still", True)
    model = Path(copy(SAMPLE.model, tmp_path / "model.onnx"))
    first = MainWindow(settings, appearance, tmp_path / "errorflow.log")
    first.resize(1280, 720)
    first.show()
    opened(first, qtbot, model)
    look_around(first, qtbot)
    before, boxes = first._sessions.captured(), shown(first._graph_view).drawing.boxes
    first.close()
    second = MainWindow(settings, appearance, tmp_path / "errorflow.log")
    second.resize(1500, 900)
    second.show()
    second.reopen_last()
    calm(second, qtbot)
    assert second._sessions.captured() == before
    assert np.array_equal(shown(second._graph_view).drawing.boxes, boxes)
    assert same_spot(second.view, before.sights)
    second.close()
    for window in (first, second):
        window.deleteLater()


# The second graph


def second_view(window: MainWindow) -> GraphView:
    assert window.pair.beside is not None
    return window.pair.beside.view


def paired(window: MainWindow, qtbot: QtBot, pairing: Pairing) -> None:
    opened(window, qtbot)
    window.document.edit("Show it", pairing=pairing)
    calm(window, qtbot)
    look_around(window, qtbot)


@pytest.mark.parametrize(
    ("room", "pairing"), [(as_it_was, "side"), (as_it_was, "stacked"), (larger, "stacked"), (narrower, "side")]
)
def test_the_second_graph_is_where_it_was(
    window: MainWindow, qtbot: QtBot, file: Path, room: Callable[[MainWindow], None], pairing: Pairing
) -> None:
    """Each room with the pairing that it takes more from, and both where nothing changes."""
    paired(window, qtbot, pairing)
    before, boxes = window._sessions.captured(), shown(second_view(window)).drawing.boxes
    assert before.second_sights is not None
    saved(window, qtbot, file)
    at_another_time(window, qtbot, file, room)
    assert window.document.session.pairing == pairing
    assert np.array_equal(shown(second_view(window)).drawing.boxes, boxes)
    assert window._sessions.captured() == before
    assert same_spot(window.view, before.sights)
    assert same_spot(second_view(window).canvas, before.second_sights)


def test_a_second_graph_that_went_its_own_way_is_still_there(window: MainWindow, qtbot: QtBot, file: Path) -> None:
    window.commands.made["second.linked"].trigger()
    paired(window, qtbot, "side")
    second_view(window).canvas.zoom_to(2.0)
    second_view(window).canvas.pan(200, 300)
    calm(window, qtbot)
    before = window._sessions.captured()
    assert before.second_sights is not None and before.second_sights.zoom != before.sights.zoom
    saved(window, qtbot, file)
    at_another_time(window, qtbot, file, larger)
    assert window._sessions.captured() == before
    assert same_spot(second_view(window).canvas, before.second_sights)


def test_both_go_in_step_again_as_soon_as_one_moves(window: MainWindow, qtbot: QtBot, file: Path) -> None:
    paired(window, qtbot, "side")
    saved(window, qtbot, file)
    at_another_time(window, qtbot, file)
    window.view.zoom_to(2.0)
    calm(window, qtbot)
    assert second_view(window).canvas.zoom == pytest.approx(2.0)


def test_a_second_graph_that_is_hidden_is_not_in_the_session(window: MainWindow, qtbot: QtBot, file: Path) -> None:
    paired(window, qtbot, "side")
    window.document.edit("Hide it", pairing="")
    calm(window, qtbot)
    saved(window, qtbot, file)
    assert read_session(file).session.second_sights is None


def test_a_session_may_be_saved_while_its_second_graph_is_being_opened(
    window: MainWindow, qtbot: QtBot, file: Path
) -> None:
    paired(window, qtbot, "side")
    before = window._sessions.captured()
    saved(window, qtbot, file)
    opened(window, qtbot, SAMPLES[1].model)
    meanwhile: list[Session] = []

    def look(_: object) -> None:
        # At its very start: it may be over before anybody asks again.
        if window.pair.second.opening and not meanwhile:
            meanwhile.append(window._sessions.captured())

    window.jobs.changed.connect(look)
    window.open(file)
    qtbot.waitUntil(lambda: bool(meanwhile))
    assert replace(meanwhile[0], sights=before.sights) == before
    calm(window, qtbot)
