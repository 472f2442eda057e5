"""Edges have the colour of what they carry, and lead no one astray."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from errorflow.report.paint import Paint
from errorflow.report.tints import SHADES, shade_badness, shade_of, shade_width
from errorflow_viewer.canvas.colors import colors_of, lightness
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.kit.look import DARK, LIGHT, Theme
from viewer.canvas.made_up import grid, painted
from viewer.canvas.pixels import channels

SIZE, TENSORS = 22, 21
BOX = 5


def carrying(*badness: float, boxes: int = SIZE) -> Paint:
    """By turns from edge to edge."""
    return replace(painted(np.zeros(boxes)), tints=np.resize(np.array(badness), boxes - 1))


def between(canvas: Canvas, box: int) -> QImage:
    """The edge from a box to the next one."""
    place = canvas.place_of(box)
    spot = place.toAlignedRect()
    spot.setTop(spot.bottom() + 6)
    spot.setHeight(round(20 * canvas.zoom) - 11)
    return canvas.grab(spot).toImage()


def near(image: QImage, color: QColor) -> int:
    blue, green, red = channels(image).reshape(-1, 3).T
    return int(((abs(red - color.red()) + abs(green - color.green()) + abs(blue - color.blue())) < 30).sum())


@pytest.fixture
def close(chain: Canvas) -> Canvas:
    chain.centre_on(BOX, 2.0)
    chain.settle()
    return chain


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_an_edge_has_the_colour_of_what_it_carries(close: Canvas, theme: Theme) -> None:
    colors = colors_of(theme)
    close.set_colors(colors)
    close.set_error(carrying(1.0, 0.0))
    worst, clean = between(close, BOX - 1), between(close, BOX)
    assert near(worst, colors.tints[-1]) > 20 and near(clean, colors.tints[-1]) == 0
    assert near(clean, colors.edge) > 10


@pytest.mark.parametrize("badness", [0.0, np.nan])
def test_what_is_clean_or_unknown_is_as_calm_as_without(close: Canvas, badness: float) -> None:
    close.set_error(carrying(badness))
    tinted = close.grab().toImage()
    close.set_error(painted(np.zeros(SIZE)))
    assert close.grab().toImage() == tinted


def test_the_worse_the_wider(close: Canvas) -> None:
    widths = []
    for badness in (0.1, 1.0):
        close.set_error(carrying(badness))
        image = between(close, BOX)
        row = channels(image)[image.height() // 2]
        widths.append(int((np.abs(row - row[0]).max(axis=1) > 20).sum()))
    assert widths[0] < widths[1]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_tints_stand_out_from_the_ground_more_and_more(theme: Theme) -> None:
    colors = colors_of(theme)
    ground = lightness(colors.groups[0])
    apart = [abs(lightness(color) - ground) for color in colors.tints]
    assert apart == sorted(apart) and apart[0] > 0.1


def test_shades_reach_from_the_first_to_the_worst() -> None:
    assert [shade_of(badness) for badness in (0.0, 0.3, 0.999, 1.0)] == [1, 2, SHADES, SHADES]
    assert shade_badness(SHADES) == 1.0 and shade_width(1) < shade_width(SHADES)


def test_from_afar_no_line_is_wider_than_another(canvas: Canvas) -> None:
    drawing, graph = grid(600, columns=6)
    canvas.show_drawing(drawing, graph)
    canvas.set_error(carrying(1.0, boxes=len(drawing)))
    canvas.repaint()
    tinted = canvas.counts
    canvas.set_error(painted(np.zeros(len(drawing))))
    canvas.repaint()
    assert canvas.zoom < 0.35
    assert (tinted.lines, tinted.rects) == (canvas.counts.lines, canvas.counts.rects)


def test_tints_take_few_calls(canvas: Canvas) -> None:
    drawing, graph = grid(30_000, columns=300)
    canvas.show_drawing(drawing, graph)
    canvas.set_error(painted(np.zeros(len(drawing))))
    canvas.repaint()
    without = canvas.counts.calls
    canvas.set_error(carrying(*np.linspace(0, 1, 50), boxes=len(drawing)))
    canvas.repaint()
    assert canvas.counts.calls <= without + 2 * SHADES


@pytest.mark.parametrize("picked", [True, False])
def test_what_is_lit_lies_over_what_is_tinted(close: Canvas, picked: bool) -> None:
    """The path, and the edges of what is selected, as well as over calm edges."""
    selection = QColor(LIGHT.selection)
    seen = []
    for paint in (painted(np.zeros(SIZE)), carrying(1.0)):
        close.set_error(paint)
        close.select(BOX)
        close._highlights._search_on()
        image = between(close, BOX if picked else BOX + 1)
        color = selection if picked else _blend(selection, QColor(LIGHT.edge))
        seen.append((near(image, color), near(image, colors_of(LIGHT).tints[-1])))
    (calm, _), (tinted, rest) = seen
    assert tinted >= calm > 0 and rest <= tinted / 2


def _blend(one: QColor, other: QColor) -> QColor:
    return QColor(*((a + b) // 2 for a, b in zip(one.getRgb()[:3], other.getRgb()[:3], strict=True)))  # type: ignore[index]  # four numbers
