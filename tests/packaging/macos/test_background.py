"""The pictures behind the icons of the disk image."""

import re

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtGui import QImage

from packaging_scripts import PACKAGING, script

make_background = script("macos/make_background.py")
ARRANGE = (PACKAGING / "macos/arrange.applescript").read_text(encoding="utf-8")


def pixels(image: QImage) -> npt.NDArray[np.int16]:
    plain = image.convertToFormat(QImage.Format.Format_RGBA8888)
    return np.frombuffer(plain.constBits(), np.uint8).astype(np.int16)


@pytest.mark.parametrize("name", make_background.PICTURES)
def test_the_picture_is_what_the_drawing_says(name: str) -> None:
    kept = QImage(str(PACKAGING / "macos" / name))
    made = make_background.picture(name)
    assert kept.size() == made.size()
    # Another Qt may round a colour of an edge in another way; a drawing that was changed differs by more.
    apart = np.abs(pixels(kept) - pixels(made)).max()
    assert apart <= 8, "run packaging/macos/make_background.py"
    assert kept.dotsPerMeterX() == made.dotsPerMeterX()


def test_the_window_is_as_large_as_the_picture() -> None:
    left, top, right, bottom = map(int, re.findall(r"\d+", ARRANGE[ARRANGE.index("set bounds") :])[:4])
    assert (right - left, bottom - top) == (make_background.SIZE[0], make_background.SIZE[1] + 28)


def test_icons_lie_where_the_drawing_expects_them() -> None:
    drawing = make_background.SOURCE.read_text(encoding="utf-8")
    for place in re.findall(r"to \{(\d+, \d+)\}", ARRANGE):
        assert f"({place})" in drawing
