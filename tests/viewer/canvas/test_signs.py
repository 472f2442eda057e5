"""States without a number, the second mark, and what a search has found, as they are seen."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage

from errorflow.layout.drawing import Kind
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.canvas.signs import Mark
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.look import LIGHT
from viewer.canvas.made_up import grid, painted
from viewer.canvas.pixels import channels

BOX = 5
GREEN = QColor("#00FF00")
FOUND = colors_of(LIGHT).found.name()


def marked(canvas: Canvas, mark: int) -> Canvas:
    marks = np.zeros(22, np.uint8)
    marks[BOX] = mark
    canvas.centre_on(BOX, 2.0)
    canvas.set_marks(marks)
    return canvas


def part(canvas: Canvas, box: int) -> QImage:
    return canvas.grab(canvas.place_of(box).toAlignedRect().adjusted(-3, -3, 3, 3)).toImage()


def share(image: QImage, color: str) -> float:
    """How much of a picture has a colour, about."""
    wanted = QColor(color)
    blue, green, red = channels(image).reshape(-1, 3).T.astype(int)
    off = abs(red - wanted.red()) + abs(green - wanted.green()) + abs(blue - wanted.blue())
    return float((off < 24).mean())


def test_what_is_broken_is_framed_in_black_and_white_and_its_label_stays_readable(chain: Canvas) -> None:
    middle = chain.place_of(BOX).center()
    before = chain.grab().toImage().pixelColor(middle.toPoint())
    image = part(marked(chain, Mark.BROKEN), BOX)
    assert share(image, "#000000") > 0.08 and share(image, "#FFFFFF") > 0.08
    assert before.isValid() and share(image, "#000000") < 0.5


def test_what_overflows_is_outlined(chain: Canvas) -> None:
    assert share(part(marked(chain, Mark.OVERFLOW), BOX), LIGHT.overflow) > 0.05
    assert share(part(chain, BOX - 1), LIGHT.overflow) == 0


def test_states_come_together(chain: Canvas) -> None:
    image = part(marked(chain, Mark.OVERFLOW | Mark.BROKEN), BOX)
    assert share(image, LIGHT.overflow) > 0.05 and share(image, "#000000") > 0.04


@pytest.mark.parametrize(("mark", "color"), [(Mark.OVERFLOW, LIGHT.overflow), (Mark.BROKEN, "#000000")])
def test_a_state_is_seen_however_small_the_box(canvas: Canvas, mark: Mark, color: str) -> None:
    drawing, graph = grid(20_000, columns=20)
    canvas.show_drawing(drawing, graph)
    marks = np.zeros(len(drawing), np.uint8)
    marks[9_999] = mark
    canvas.set_marks(marks)
    assert share(canvas.grab().toImage(), color) * 800 * 600 >= 1


def test_a_bar_at_the_left_edge_is_the_second_mark(chain: Canvas) -> None:
    bars = np.full(22, 255, np.uint8)
    bars[BOX] = 1
    chain.centre_on(BOX, 2.0)
    chain.set_marks(None, bars, [QColor("#FF0000"), GREEN])
    place = chain.place_of(BOX)
    image = chain.grab().toImage()
    assert image.pixelColor((place.topLeft() + QPointF(4, place.height() / 2)).toPoint()) == GREEN
    assert image.pixelColor((place.topLeft() + QPointF(12, place.height() / 2)).toPoint()) != GREEN
    assert share(part(chain, BOX + 1), "#00FF00") == share(part(chain, BOX + 1), "#FF0000") == 0


def test_marks_go_with_the_drawing_that_they_were_made_for(chain: Canvas) -> None:
    marked(chain, Mark.OVERFLOW)
    chain.show_drawing(*grid(20))
    assert share(chain.grab().toImage(), LIGHT.overflow) == 0


def test_a_shifted_pattern_has_no_seams(chain: Canvas) -> None:
    chain.centre_on(BOX, 3.0)
    chain.set_error(painted(np.full(22, np.nan)))
    chain.repaint()
    chain.pan(0, -37)
    shifted = chain.grab().toImage()
    chain.set_error(painted(np.full(22, np.nan)))
    assert chain.grab().toImage() == shifted


def found(canvas: Canvas, *boxes: int) -> Canvas:
    counts = np.zeros(22, np.int64)
    counts[list(boxes)] = 3
    canvas.set_matches(counts)
    return canvas


def test_what_is_found_is_ringed_and_the_rest_steps_back(chain: Canvas) -> None:
    chain.centre_on(BOX, 1.0)
    plain = chain.grab().toImage()
    found(chain, BOX)
    assert share(part(chain, BOX), FOUND) > 0.05
    assert share(part(chain, BOX + 1), FOUND) < 0.02
    other = chain.place_of(BOX + 1).topLeft() + QPointF(12, 5)
    now, then = (image.pixelColor(other.toPoint()).lightness() for image in (chain.grab().toImage(), plain))
    assert now > then
    chain.set_matches(None)
    assert chain.grab().toImage() == plain


def test_a_closed_group_says_how_many_are_found_in_it(canvas: Canvas) -> None:
    from dataclasses import replace

    drawing, graph = grid(20)
    folds = drawing.folds.copy()
    folds[BOX] = 0
    kinds = drawing.kinds.copy()
    kinds[BOX] = Kind.FOLD
    for counted in (folds, drawing.folds):
        canvas.show_drawing(replace(drawing, folds=counted, kinds=kinds), graph)
        canvas.centre_on(BOX, 1.0)
        found(canvas, BOX)
        corner = canvas.place_of(BOX).topRight() + QPointF(2, -2)
        inside = canvas.grab().toImage().pixelColor(corner.toPoint()) == QColor(FOUND)
        assert inside == (counted is folds)


def test_few_calls_paint_many_marks(canvas: Canvas) -> None:
    canvas.show_drawing(*grid(30_000, columns=300))
    size = 30_002
    canvas.set_marks(np.arange(size, dtype=np.uint8) % 8, np.zeros(size, np.uint8), [GREEN])
    canvas.set_matches(np.arange(size, dtype=np.int64) % 2)
    canvas.repaint()
    assert canvas.counts.calls <= 80
