"""Names of groups: there at every zoom, and in nobody's way."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from errorflow.layout.drawing import Drawing
from errorflow_viewer.canvas import titles
from errorflow_viewer.canvas.sheet import Sheet
from errorflow_viewer.canvas.view import Canvas
from viewer.canvas import pixels
from viewer.canvas.made_up import grid, painted


@contextmanager
def sheet_of(canvas: Canvas) -> Iterator[Sheet]:
    """What the canvas paints on now."""
    image = QImage(canvas.size(), QImage.Format.Format_RGB32)
    painter = QPainter(image)
    try:
        yield canvas._screen._sheet(painter, canvas._port(), canvas._camera)
    finally:
        painter.end()


def written(canvas: Canvas) -> list[titles._Title]:
    with sheet_of(canvas) as sheet:
        return list(titles._placed(sheet, max(11, int(sheet.text_size))))


def show(canvas: Canvas, drawing: Drawing, zoom: float = 0.0) -> None:
    canvas.set_minimap(False)
    canvas.show_drawing(drawing, grid(len(drawing) - 2)[1])
    canvas.centre_on(1, zoom)
    canvas.settle()
    canvas.repaint()


def specks(nodes: int, columns: int) -> Drawing:
    """Boxes that are small beside the groups that they are in."""
    drawing, _ = grid(nodes, columns)
    return replace(drawing, boxes=drawing.boxes + np.array([56.0, 8.0, -112.0, -16.0]))


@pytest.mark.parametrize(("columns", "text", "pixels"), [(8, "block.0", 11), (15, "block.0", 9), (20, "0", 11)])
def test_from_afar_a_name_is_as_long_as_there_is_room(canvas: Canvas, columns: int, text: str, pixels: int) -> None:
    show(canvas, specks(columns * 20, columns))
    found = written(canvas)
    assert (found[0].text, found[0].pixels) == (text, pixels)
    assert len(found) == columns


def test_names_without_room_are_left_out(canvas: Canvas) -> None:
    show(canvas, grid(30_000, 300)[0])
    assert written(canvas) == []


@pytest.mark.parametrize("zoom", [0.0, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0, 2.0])
def test_no_name_covers_another_or_a_box_that_can_be_told_apart(canvas: Canvas, zoom: float) -> None:
    drawing = specks(300, 6) if zoom < 0.5 else grid(300, 6)[0]
    inner = drawing.group_boxes + np.array([8, 4, -16, -8])  # so near that both names do not fit
    nested = replace(
        drawing,
        group_boxes=np.concatenate([drawing.group_boxes, inner]),
        group_depths=np.repeat(np.arange(2, dtype=np.uint8), 6),
        group_ids=np.arange(12, dtype=np.int32),
        group_labels=(*drawing.group_labels, *(f"inner {i}" for i in range(6))),
    )
    show(canvas, nested, zoom)
    places = [QRectF(*title.place) for title in written(canvas)]
    assert places
    assert not any(a.intersects(b) for i, a in enumerate(places) for b in places[:i])
    if drawing.boxes[0, 3] * canvas.zoom >= 5:
        boxes = [canvas.place_of(box) for box in range(len(drawing)) if canvas.in_sight(box)]
        assert not any(place.intersects(box) for place in places for box in boxes)


@pytest.mark.parametrize(("badness", "shown"), [(0.0, True), (1.0, False)])
def test_a_name_covers_no_fault(canvas: Canvas, badness: float, shown: bool) -> None:
    drawing, _ = grid(600, 6)
    show(canvas, drawing)
    assert written(canvas)
    canvas.set_error(painted(np.full(len(drawing), badness)))
    canvas.repaint()
    assert bool(written(canvas)) == shown


def test_a_group_in_several_columns_is_named_once_from_afar_and_in_each_from_near(canvas: Canvas) -> None:
    drawing = specks(180, 9)
    labels = ("layers.0", *["layers.0 (continued)"] * 8)
    cut = replace(drawing, group_ids=np.zeros(9, np.int32), group_labels=labels)
    show(canvas, cut)
    assert [title.text for title in written(canvas)] == ["layers.0"]
    show(canvas, cut, 1.0)
    assert {title.text for title in written(canvas)} == {"layers.0", "layers.0 (continued)"}


@pytest.mark.parametrize(("zoom", "everywhere"), [(0.42, True), (0.3, True), (0.15, False)])
def test_every_part_of_a_group_is_named_where_its_boxes_are_more_than_flecks(
    canvas: Canvas, zoom: float, everywhere: bool
) -> None:
    drawing, _ = grid(300, 3)
    beside = drawing.boxes + np.array([40.0, 80.0, -40.0, 0.0])  # names have room
    cut = replace(
        drawing, boxes=beside, group_ids=np.zeros(3, np.int32), group_labels=("layers.0", *["layers.0 (continued)"] * 2)
    )
    show(canvas, cut, zoom)
    assert not canvas.readable
    assert len(written(canvas)) == (3 if everywhere else 1)


def test_names_are_where_painting_anew_puts_them_after_panning(canvas: Canvas) -> None:
    show(canvas, grid(3000, 30)[0], 0.137)
    canvas.pan(-120, -40)
    canvas.repaint()
    for dx, dy in ((7, 2), (-40, 11), (60, -25), (3, 3)):
        canvas.pan(dx, dy)
        canvas.repaint()
    names = slice(40, 440)  # the rows of pixels where they are
    assert pixels.difference(canvas.grab().toImage(), canvas.picture())[names].max() <= 4


def test_names_are_left_out_where_they_would_bury_what_is_in_the_group(canvas: Canvas) -> None:
    drawing = specks(80, 8)
    low = drawing.group_boxes * np.array([1, 1, 1, 0.1])
    show(canvas, replace(drawing, group_boxes=low))
    assert written(canvas) == []


@pytest.mark.parametrize(
    ("zoom", "x", "text", "pixels"),
    [
        (1.0, 400, "layers.0 (continued)", 11),
        (1.0, 90, "layers.0", 11),
        (0.6, 74, "layers.0", 9),
        (0.3, 20, "layers.0", 11),  # as there is no way round it
    ],
)
def test_a_name_leaves_lines_clear_where_it_can(canvas: Canvas, zoom: float, x: float, text: str, pixels: int) -> None:
    drawing, _ = grid(20)
    below = drawing.boxes + np.array([0.0, 100.0, 0.0, 0.0])
    left, top = drawing.group_boxes[0, :2].tolist()
    upright = np.array([[left + x, top - 10, left + x, top + 300]])
    one = replace(
        drawing,
        boxes=below,
        lines=upright,
        line_tensors=np.zeros(1, np.int32),
        group_boxes=drawing.group_boxes + np.array([0, 0, 300, 100]),
        group_labels=("layers.0 (continued)",),
        size=(4000.0, 4000.0),
    )
    show(canvas, one, zoom)
    (found,) = written(canvas)
    assert (found.text, found.pixels) == (text, pixels)


@pytest.mark.parametrize("zoom", np.linspace(0.3, 0.5, 11).tolist())
def test_groups_that_look_the_same_are_named_alike(canvas: Canvas, zoom: float) -> None:
    """Whatever the pixels are to which each is rounded."""
    drawing, _ = grid(8)
    groups = np.repeat(drawing.group_boxes[:1], 8, axis=0)
    groups[:, 1] = drawing.boxes[1:9, 1] - 18.3
    groups[:, 3] = 40
    some = replace(
        drawing,
        boxes=drawing.boxes + np.array([34.0, 0.0, -40.0, 0.0]),
        group_boxes=groups,
        group_depths=np.zeros(8, np.uint8),
        group_ids=np.arange(8, dtype=np.int32),
        group_labels=tuple(f"model.{number}" for number in range(8)),
    )
    show(canvas, some, zoom)
    forms = {title.text.rstrip("0123456789") for title in written(canvas)}
    assert len(forms) <= 1
