"""The engine's pictures and the canvas look alike."""

import pytest
from PySide6.QtGui import QFont, QFontMetricsF

from errorflow.draw.text import Letters, width
from errorflow.report import colors
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.kit.look import DARK, LABEL, LIGHT, Theme
from errorflow_viewer.kit.style import Appearance, font
from errorflow_viewer.plots.shapes import WindowLetters


@pytest.mark.parametrize(("ours", "theme"), [(colors.LIGHT, LIGHT), (colors.DARK, DARK)], ids=["light", "dark"])
def test_mixed_colours_are_the_same(ours: colors.DrawingColors, theme: Theme) -> None:
    mixed = colors_of(theme).fold
    wanted = bytes.fromhex(ours.fold[1:])
    found = (mixed.red(), mixed.green(), mixed.blue())
    assert max(abs(a - b) for a, b in zip(found, wanted, strict=True)) <= 1


@pytest.mark.parametrize("text", ["Conv", "BatchNormalization", "MWmw@%", "il.,:;|", "gpu_0/data_0 ×12 (34)"])
def test_texts_are_as_wide_as_the_font_makes_them(appearance: Appearance, text: str) -> None:
    large = QFont(font())
    large.setPixelSize(1000)
    assert width(text, 1000) == pytest.approx(QFontMetricsF(large).horizontalAdvance(text), rel=0.02)


def test_lines_are_as_high_and_cut_as_the_font_makes_them(appearance: Appearance) -> None:
    ours, theirs = Letters(LABEL), WindowLetters(LABEL)
    assert (ours.height, ours.ascent) == pytest.approx((theirs.height, theirs.ascent), abs=1.0)
    name = "/backbone/stage3/block7/conv/Conv"
    for room in (60.0, 110.0):
        for one, other in ((ours.fitted, theirs.fitted), (ours.shortened, theirs.shortened)):
            assert abs(len(one(name, room)) - len(other(name, room))) <= 2
