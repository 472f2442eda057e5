"""Boxes on their way from one drawing to the next, and the pictures that fade where there are too many."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow.layout.drawing import Drawing
from errorflow.layout.prepare import prepare
from errorflow_viewer.canvas.morph import Morph
from errorflow_viewer.canvas.scene import Scene
from errorflow_viewer.canvas.view import Canvas
from viewer.canvas.made_up import chain_graph, grid

EVERYWHERE = (-1e6, -1e6, 1e6, 1e6)
GRAPH = chain_graph(40)  # four scopes of ten nodes


def drawn(*groups: int, everything: bool = False) -> Scene:
    prepared = prepare(GRAPH)
    return Scene(prepared.draw(None if everything else frozenset(groups)), GRAPH)


def morph(old: Scene, new: Scene, offset: tuple[float, float] = (0.0, 0.0)) -> Morph:
    found = Morph.of(old, new, offset, EVERYWHERE)
    assert found is not None
    return found


def frame(drawing: Drawing, group: int) -> list[float]:
    row: list[float] = drawing.group_boxes[drawing.group_ids.tolist().index(group)].tolist()
    return row


def test_at_the_end_everything_is_where_the_new_drawing_has_it() -> None:
    new = drawn(0)
    last = morph(drawn(), new).at(1.0).drawing
    assert np.allclose(last.boxes, new.drawing.boxes)
    assert np.allclose(last.group_boxes, new.drawing.group_boxes)
    assert np.allclose(last.lines[np.lexsort(last.lines.T)], new.drawing.lines[np.lexsort(new.drawing.lines.T)])


def test_what_comes_out_of_a_group_starts_as_the_closed_group() -> None:
    old = drawn()
    group = int(old.drawing.folds[old.drawing.folds >= 0][0])
    box = old.drawing.boxes[old.drawing.folds.tolist().index(group)]
    first = morph(old, drawn(group)).at(0.0).drawing
    assert np.allclose(frame(first, group), box)
    inner = first.boxes[first.groups == group]
    assert len(inner) and np.allclose(inner, box)


def test_what_goes_into_a_group_comes_from_its_frame() -> None:
    old = drawn(0)
    new = drawn()
    first = morph(old, new).at(0.0).drawing
    box = first.boxes[new.drawing.folds.tolist().index(0)]
    assert box.tolist() == frame(old.drawing, 0)


def test_what_is_in_both_moves_straight_from_place_to_place() -> None:
    old, new = drawn(), drawn(0)
    start, middle, end = (morph(old, new, (5.0, 7.0)).at(share).drawing.boxes for share in (0.0, 0.5, 1.0))
    assert np.allclose(middle, (start + end) / 2)
    fold = new.drawing.folds[new.drawing.folds >= 0][0]
    before = old.drawing.boxes[old.drawing.folds.tolist().index(fold)]
    now = start[new.drawing.folds.tolist().index(fold)]
    assert np.allclose(now[:2] + now[2:] / 2, before[:2] + before[2:] / 2 + (5.0, 7.0))


def test_only_boxes_that_keep_their_size_are_labelled_on_the_way() -> None:
    between = morph(drawn(), drawn(0)).at(0.5).drawing
    assert set(between.labels) > {""}


def test_too_much_is_not_moved() -> None:
    old, new = Scene(*grid(3000)), Scene(*grid(3000, columns=3))
    assert Morph.of(old, new, (0.0, 0.0), EVERYWHERE) is None


@pytest.fixture
def moving(canvas: Canvas, qtbot: QtBot) -> Canvas:
    """A canvas on which a group has just been opened."""
    canvas.show_drawing(drawn().drawing, GRAPH)
    canvas.zoom_to(1.0)
    canvas.repaint()
    canvas.set_reduced_motion(False)
    canvas.change_drawing(drawn(0).drawing, GRAPH, QPointF(50, 50), QPointF(50, 50))
    assert canvas.moving
    return canvas


def test_a_change_ends_by_itself(moving: Canvas, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not moving.moving)
    assert moving.picture() == moving.picture()


def test_the_user_need_not_wait_for_it(moving: Canvas, qtbot: QtBot) -> None:
    spot = moving.place_of(2).center().toPoint()
    with qtbot.waitSignal(moving.picked) as said:
        QTest.mouseClick(moving, Qt.MouseButton.LeftButton, pos=spot)
    assert said.args == [2]


def test_with_reduced_motion_it_is_there_at_once(canvas: Canvas) -> None:
    canvas.show_drawing(drawn().drawing, GRAPH)
    canvas.change_drawing(drawn(0).drawing, GRAPH, QPointF(50, 50), QPointF(50, 50))
    assert not canvas.moving


def test_far_away_one_picture_fades_into_the_other(canvas: Canvas) -> None:
    drawing, graph = grid(6000, columns=60)
    canvas.show_drawing(drawing, graph)
    canvas.repaint()
    old = canvas.grab().toImage()
    canvas.set_reduced_motion(False)
    kinds = np.where(drawing.kinds == 0, 3, drawing.kinds).astype(np.uint8)
    canvas.change_drawing(replace(drawing, kinds=kinds), graph)
    assert canvas.moving
    assert canvas.grab().toImage() == old
    canvas.settle()
    assert canvas.grab().toImage() != old
    assert not canvas.moving


def test_a_spot_of_the_drawing_stays_where_it_is(canvas: Canvas) -> None:
    drawing, graph = grid(20)
    canvas.show_drawing(drawing, graph)
    canvas.centre_on(10, 2.0)
    place = canvas.place_of(10)
    moved = replace(drawing, boxes=np.add(drawing.boxes, (0.0, 100.0, 0.0, 0.0)), size=(drawing.size[0], 2000.0))
    canvas.change_drawing(moved, graph, QPointF(0, 0), QPointF(0, 100))
    assert (canvas.place_of(10).topLeft() - place.topLeft()).manhattanLength() <= 1
    assert canvas.zoom == pytest.approx(2.0)
