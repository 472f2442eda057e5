"""The icons for Windows are those of the resources."""

import struct
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from packaging_scripts import PACKAGING, script

make_ico = script("windows/make_ico.py")


@pytest.mark.parametrize("path", make_ico.MADE_OF, ids=lambda path: path.stem)
def test_the_file_is_what_is_made_of_the_pictures(path: Path) -> None:
    made = make_ico.ico(make_ico.pictures(make_ico.ICONS / make_ico.MADE_OF[path]))
    assert path.read_bytes() == made, "run packaging/windows/make_ico.py"


@pytest.mark.parametrize("path", make_ico.MADE_OF, ids=lambda path: path.stem)
def test_a_picture_of_each_size_that_windows_asks_for(path: Path) -> None:
    data = path.read_bytes()
    _, kind, count = struct.unpack_from("<HHH", data)
    edges = [struct.unpack_from("<B", data, 6 + 16 * each)[0] or 256 for each in range(count)]
    assert kind == 1
    assert {16, 24, 32, 48, 64, 256} <= set(edges)


def test_qt_reads_the_same_pixels_again() -> None:
    icon = QImage(str(PACKAGING / "windows/errorflow.ico"))  # the first picture
    picture = QImage(str(make_ico.ICONS / "app/errorflow-16.png")).convertToFormat(icon.format())
    assert icon == picture
