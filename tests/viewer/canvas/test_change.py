"""What became better or worse on the canvas."""

import numpy as np
import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from errorflow_viewer.canvas.colors import SHADES, colors_of, painting_order
from errorflow_viewer.kit.look import DARK, LIGHT
from viewer.canvas import change_golden, pixels
from viewer.canvas.visions import VISIONS, seen_by


@pytest.mark.parametrize("name", change_golden.SCENES)
def test_changes_are_painted_as_before(qtbot: QtBot, name: str) -> None:
    wanted = QImage(str(change_golden.FOLDER / f"{name}.png"))
    assert not wanted.isNull()
    now = change_golden.picture(name)
    assert now.size() == wanted.size()
    assert (pixels.difference(now, wanted) > 48).mean() < 0.002


def test_every_picture_is_of_a_scene() -> None:
    assert {path.stem for path in change_golden.FOLDER.glob("*.png")} == set(change_golden.SCENES)


def test_what_changed_most_is_painted_last() -> None:
    order = painting_order(diverging=True)
    away = [abs(shade - (SHADES - 1) / 2) for shade in order]
    assert away == sorted(away) and sorted(order) == list(range(SHADES))
    assert order[-1] == SHADES - 1, "worse over better"
    assert painting_order(diverging=False) == tuple(range(SHADES))


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("vision", VISIONS)
def test_both_ends_are_told_from_the_ground_by_all_eyes(qtbot: QtBot, theme: object, vision: str) -> None:
    name = "near-dark" if theme is DARK else "near-light"
    seen = seen_by(change_golden.picture(name), vision)
    colors = colors_of(DARK if theme is DARK else LIGHT, diverging=True)
    image = QImage(3, 1, QImage.Format.Format_RGB32)
    for x, color in enumerate((colors.error[0], colors.error[SHADES // 2], colors.error[-1])):
        image.setPixelColor(x, 0, color)
    better, same, worse = seen_by(image, vision)[0]
    assert np.abs(better - same).max() > 60 and np.abs(worse - same).max() > 60
    assert seen.std() > 10
