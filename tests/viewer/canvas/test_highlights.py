"""What is lit up, said, and shown beside the picture."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QColor, QHelpEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.canvas.outlines import Outlines
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.canvas.walk import Way
from errorflow_viewer.canvas.whereabouts import STRIP
from errorflow_viewer.kit.look import LIGHT
from viewer.canvas import pixels
from viewer.canvas.made_up import diamond, grid
from viewer.canvas.pixels import channels


def count_of(image: QImage, color: str) -> int:
    wanted = QColor(color)
    found = channels(image) == [wanted.blue(), wanted.green(), wanted.red()]
    return int(found.all(axis=2).sum())


def test_the_selected_box_has_a_ring_and_lit_edges(canvas: Canvas) -> None:
    canvas.resize(300, 300)
    canvas.show_drawing(*diamond())
    canvas.set_path(False)
    assert count_of(canvas.grab().toImage(), LIGHT.selection) == 0
    canvas.select(1)
    assert count_of(canvas.grab().toImage(), LIGHT.selection) > 200


def test_the_path_through_the_selected_box_is_lit(canvas: Canvas, qtbot: QtBot) -> None:
    canvas.show_drawing(*diamond())
    canvas.select(1)
    canvas.set_path(False)
    without = canvas.grab().toImage()
    canvas.set_path(True)
    qtbot.waitUntil(lambda: canvas.grab().toImage() != without)


def test_a_path_that_is_off_is_not_searched(chain: Canvas) -> None:
    chain.set_path(False)
    chain.select(4)
    before = chain.grab().toImage()
    QApplication.processEvents()
    assert chain.grab().toImage() == before


def test_the_description_says_what_is_selected(chain: Canvas) -> None:
    chain.select(1)
    accessible = QAccessible.queryAccessibleInterface(chain)
    assert accessible.text(QAccessible.Text.Name) == "Model graph"
    assert accessible.text(QAccessible.Text.Description).startswith("Conv: /block.0/node_0, Conv, gives t0")
    chain.select(None)
    assert accessible.text(QAccessible.Text.Description) == "Graph of 20 nodes, none selected."


def _is_told(lines: list[str]) -> bool:
    return QToolTip.text().splitlines()[:2] == lines


def ask_for_tooltip(canvas: Canvas, point: QPoint) -> str:
    QApplication.sendEvent(canvas, QHelpEvent(QEvent.Type.ToolTip, point, canvas.mapToGlobal(point)))
    return QToolTip.text()


def test_a_tooltip_tells_about_the_box_under_the_pointer(chain: Canvas) -> None:
    point = chain.place_of(2).center().toPoint()
    assert ask_for_tooltip(chain, point) == "/block.0/node_1\nBatchNormalization\n→ t1  float32 1×8×32×32"


def test_leaving_the_canvas_ends_hovering(chain: Canvas, qtbot: QtBot) -> None:
    chain.hover(3)
    with qtbot.waitSignal(chain.hovered) as said:
        QApplication.sendEvent(chain, QEvent(QEvent.Type.Leave))
    assert said.args == [None]


def test_the_minimap_is_shown_when_not_everything_is_in_sight(canvas: Canvas) -> None:
    canvas.show_drawing(*grid(300, columns=6))
    corner = QPointF(780, 580)
    assert not canvas.on_minimap(corner)
    canvas.zoom_to(2.0)
    assert canvas.on_minimap(corner)
    canvas.set_minimap(False)
    assert not canvas.on_minimap(corner)


@pytest.mark.parametrize(
    ("width", "height", "side"), [(726, 604, 85), (520, 300, 64), (1900, 1250, 175), (4000, 3000, 220)]
)
def test_the_minimap_takes_little_room(canvas: Canvas, width: int, height: int, side: int) -> None:
    canvas.resize(width, height)
    canvas.show_drawing(*grid(300, columns=6))
    canvas.zoom_to(3.0)
    place = canvas._map_place()
    assert max(place.width(), place.height()) == pytest.approx(side, abs=1)


def test_a_narrow_window_has_no_room_for_the_minimap(canvas: Canvas) -> None:
    canvas.show_drawing(*grid(300, columns=6))
    canvas.zoom_to(3.0)
    assert not canvas._map_place().isEmpty()
    canvas.resize(480, 600)
    assert canvas._map_place().isEmpty()


def test_the_minimap_gives_way_to_boxes_if_there_is_a_free_corner(canvas: Canvas, qtbot: QtBot) -> None:
    canvas.show_drawing(*grid(60, columns=2))
    scene = canvas._scene
    assert scene is not None

    def covered() -> bool:
        at = canvas._map_place()
        area = canvas._camera.seen(at.left(), at.top(), at.right(), at.bottom())
        return len(scene.cells.within(*area)) > 0

    left, top, *_ = scene.drawing.boxes[20].tolist()
    canvas.look_at(QPointF(left, top), 2.6, animate=False)
    assert canvas._map_place().center().x() > canvas.width() / 2
    assert covered()
    qtbot.waitUntil(lambda: not covered())
    stayed = canvas._map_place()
    canvas.look_at(QPointF(left, top + 5), 2.6, animate=False)
    canvas._rest()
    assert canvas._map_place() == stayed


@pytest.mark.parametrize(("away", "found"), [(0, True), (3, True), (6, False)])
def test_what_is_told_of_a_tiny_box_is_told_beside_it_too(canvas: Canvas, away: int, found: bool) -> None:
    drawing, graph = grid(3000, columns=30)
    canvas.show_drawing(replace(drawing, boxes=drawing.boxes + np.array([50.0, 0, -100.0, 0])), graph)
    place = canvas.place_of(500)
    assert max(place.width(), place.height()) < 4
    text = ask_for_tooltip(canvas, QPoint(round(place.right()) + away, round(place.center().y())))
    assert ("node_499" in text) == found


def test_from_afar_the_ground_tells_of_its_group_and_from_near_only_the_title(canvas: Canvas, qtbot: QtBot) -> None:
    drawing, graph = grid(100, columns=4)
    canvas.show_drawing(drawing, graph)
    x, y, _, height = drawing.group_boxes[1].tolist()
    for zoom, spot, expected in (
        (0.0, (x + 2, y + height / 2), ["block.1", "26 nodes"]),
        (1.0, (x + 10, y + height / 2), []),
        (1.0, (x + 10, y + 8), ["block.1", "26 nodes"]),
    ):
        canvas.look_at(QPointF(*spot), zoom)
        canvas.settle()
        left, top = canvas._camera.to_device(*spot)
        ask_for_tooltip(canvas, QPoint(round(left) + 1, round(top)))
        qtbot.waitUntil(partial(_is_told, expected))  # one that goes lingers


def test_the_strip_with_the_groups_round_the_view_lies_along_the_edge(canvas: Canvas) -> None:
    canvas.set_minimap(False)
    canvas.show_drawing(*grid(60, columns=2))
    at_fit = canvas.grab().toImage()
    assert pixels.difference(at_fit, canvas.picture()).max() == 0  # nothing lies over what fits
    canvas.centre_on(50, 3.0)
    canvas.settle()
    off = pixels.difference(canvas.grab().toImage(), canvas.picture())
    assert off[:STRIP].max() > 0
    assert off[STRIP:].max() == 0


def test_outlines_end_at_the_strip_and_at_the_minimap(canvas: Canvas) -> None:
    drawing, graph = grid(60, columns=2)
    canvas.show_drawing(drawing, graph)
    canvas.centre_on(50, 3.0)
    canvas.settle()
    over = canvas.grab().toImage()
    outlines = Outlines(canvas, colors_of(LIGHT))
    outlines.set_lonely(drawing, np.arange(len(drawing)))
    outlines.set_partners(np.arange(len(drawing)), len(drawing))
    off = pixels.difference(canvas.grab().toImage(), over)
    place = canvas._map_place().toAlignedRect()
    assert off.max() > 0
    assert off[:STRIP].max() == 0
    assert off[place.top() : place.bottom(), place.left() : place.right()].max() == 0


def test_a_box_one_walks_to_is_not_under_the_strip(canvas: Canvas) -> None:
    canvas.show_drawing(*grid(60, columns=2))
    canvas.centre_on(50, 3.0)
    canvas.settle()
    canvas.select(50)
    for _ in range(6):
        canvas.walk(Way.UP)
        box = canvas.selected()
        assert box is not None and canvas.place_of(box).top() >= STRIP


def test_a_click_on_the_minimap_goes_there(canvas: Canvas, qtbot: QtBot) -> None:
    canvas.show_drawing(*grid(300, columns=6))
    canvas.centre_on(0, 1.0)
    with qtbot.assertNotEmitted(canvas.picked):
        QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(780, 580))
    assert canvas.rect().contains(canvas.place_of(301).center().toPoint())


def test_a_drag_on_the_minimap_follows(canvas: Canvas) -> None:
    canvas.show_drawing(*grid(300, columns=6))
    canvas.centre_on(0, 1.0)
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=QPoint(780, 580))
    first = canvas.place_of(0).y()
    QTest.mouseMove(canvas, QPoint(780, 540))
    assert canvas.place_of(0).y() > first
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=QPoint(780, 540))


def test_the_view_glides_unless_motion_is_reduced(chain: Canvas, qtbot: QtBot) -> None:
    fit = chain.zoom
    chain.set_reduced_motion(False)
    chain.centre_on(10, 3.0)
    assert chain.zoom == fit
    qtbot.waitUntil(lambda: chain.zoom == pytest.approx(3.0))
    chain.centre_on(10, 1.0)
    chain.set_reduced_motion(True)
    assert chain.zoom == 1.0


def test_a_glide_gives_way_to_the_user(chain: Canvas, qtbot: QtBot) -> None:
    chain.set_reduced_motion(False)
    chain.centre_on(10, 3.0)
    chain.zoom_to(2.0)
    chain.settle()  # would land a glide
    assert chain.zoom == 2.0
