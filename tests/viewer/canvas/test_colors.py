"""Colours and marks: what must be told apart can be."""

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF
from PySide6.QtGui import QColor, QFont, QImage, QPainter

from errorflow_viewer.canvas.boxes import paint_mark
from errorflow_viewer.canvas.colors import (
    QUIET_APART,
    QUIET_APART_DARK,
    colors_of,
    fleck,
    grounds_of,
    ink_on,
    lightness,
    mixed,
)
from errorflow_viewer.canvas.scene import TONES
from errorflow_viewer.canvas.sheet import Style
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.kit.look import DARK, FAMILIES, LIGHT, Theme
from viewer.canvas.made_up import grid
from viewer.canvas.pixels import channels

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)


def mark(tone: int) -> QImage:
    image = QImage(16, 16, QImage.Format.Format_RGB32)
    image.fill(QColor("#FFFFFF"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_mark(painter, tone, QRectF(2, 2, 12, 12), QColor("#000000"))
    painter.end()
    return image


def test_every_family_has_a_mark_of_its_own() -> None:
    marks = {tone: channels(mark(tone))[:, :, 0] for tone in range(TONES)}
    round_ones = {FAMILIES.index("border"), FAMILIES.index("other")}
    for one, other in itertools.combinations(marks, 2):
        if {one, other} != round_ones:  # inputs and outputs are told from other operators by the form of the box
            assert np.abs(marks[one] - marks[other]).mean() > 8


@THEMES
def test_text_reads_on_every_family_and_on_the_worst_error(theme: Theme) -> None:
    colors = colors_of(theme)
    fills = [*colors.families, colors.constant, colors.fold, *(QColor(c) for c in ("#7B1E3A", "#FF7452", "#6B5423"))]
    for fill in fills:
        assert abs(lightness(ink_on(fill, colors)) - lightness(fill)) > 0.38


@THEMES
def test_the_smallest_box_is_seen_on_the_canvas_and_in_groups(theme: Theme) -> None:
    colors = colors_of(theme)
    for fill in (*colors.families, *colors.groups):
        level = lightness(fleck(fill, colors, grounds_of(colors)))
        assert all(abs(level - lightness(ground)) > 0.1 for ground in (colors.background, *colors.groups[:3]))


@pytest.mark.parametrize("color", ["#F2C14E", "#E4572E", "#7B1E3A"])
def test_loud_colours_stay_as_they_are(color: str) -> None:
    colors = colors_of(LIGHT)
    assert fleck(QColor(color), colors, grounds_of(colors)) == QColor(color)


@pytest.mark.parametrize(("color", "expected"), [("#000000", 0.0), ("#FFFFFF", 1.0), ("#777777", 0.5)])
def test_lightness_is_what_the_eye_sees(color: str, expected: float) -> None:
    assert lightness(QColor(color)) == pytest.approx(expected, abs=0.01)


def test_mixing_goes_from_one_to_the_other() -> None:
    black, white = QColor("#000000"), QColor("#FFFFFF")
    assert mixed(black, white, 0.0) == black
    assert mixed(black, white, 1.0) == white


@THEMES
def test_small_boxes_stand_out_from_all_they_may_lie_on(theme: Theme) -> None:
    colors = colors_of(theme)
    style = Style(colors, QFont())
    least = QUIET_APART_DARK if colors.dark else QUIET_APART
    for ground in (colors.background, *colors.groups[:3]):
        for tone in range(TONES):
            assert abs(lightness(style.flecks[tone]) - lightness(ground)) >= least


def test_the_corner_names_groups_whose_heading_is_out_of_sight(canvas: Canvas) -> None:
    canvas.show_drawing(*grid(60, columns=2))
    assert canvas.whereabouts() == []
    canvas.centre_on(50, 3.0)
    assert canvas.whereabouts() == ["block.1"]


def test_a_change_of_theme_repaints(chain: Canvas) -> None:
    chain.set_colors(colors_of(DARK))
    assert chain.grab().toImage().pixelColor(QPoint(2, 2)) == QColor(DARK.canvas)
