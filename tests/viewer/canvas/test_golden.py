"""What is painted looks as it did when someone last looked at it."""

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from viewer.canvas import golden, pixels


@pytest.mark.parametrize("name", golden.SCENES)
def test_shapes_are_painted_as_before(qtbot: QtBot, name: str) -> None:
    wanted = QImage(str(golden.FOLDER / f"{name}.png"))
    assert not wanted.isNull()
    now = golden.picture(name)
    assert now.size() == wanted.size()
    off = pixels.difference(now, wanted)
    # Smooth edges may differ by a shade between Qt versions; a shape that is missing or moved is more than that.
    assert (off > 48).mean() < 0.002


def test_every_picture_is_of_a_scene() -> None:
    assert {path.stem for path in golden.FOLDER.glob("*.png")} == set(golden.SCENES)
