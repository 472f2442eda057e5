"""A check box that is seen on any ground."""

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from errorflow.report.scale import luminance
from errorflow_viewer.kit.settings import ThemeChoice
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.plots.check_box import CheckBox


def lightness(color: QColor) -> float:
    return luminance((color.red(), color.green(), color.blue()))


def contrast(box: CheckBox) -> float:
    """Between the ground and what stands out most from it, where the box is: it has no ground of its own."""
    image = box.window().grab(QRect(box.mapTo(box.window(), QPoint()), box.size())).toImage()
    ground = lightness(image.pixelColor(image.width() - 1, 0))
    seen = [lightness(image.pixelColor(x, image.height() // 2)) for x in range(image.height())]
    return max((max(ground, spot) + 0.05) / (min(ground, spot) + 0.05) for spot in seen)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("checked", [False, True])
def test_its_box_stands_out_from_the_ground(
    qtbot: QtBot, appearance: Appearance, theme: ThemeChoice, checked: bool
) -> None:
    appearance.choose(theme)
    ground = QWidget()
    qtbot.addWidget(ground)
    box = CheckBox("", ground)
    box.setChecked(checked)
    box.resize(60, 24)
    assert contrast(box) >= 3.0
    appearance.choose("light")


def test_a_tick_is_seen(qtbot: QtBot, appearance: Appearance) -> None:
    box = CheckBox("Logarithmic")
    qtbot.addWidget(box)
    before = box.grab().toImage()
    box.setChecked(True)
    assert box.grab().toImage() != before
