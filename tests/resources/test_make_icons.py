"""The icons are what their sources draw, in every size, and read on light and dark ground."""

import struct
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtGui import QColor, QGuiApplication, QImage

from make_icons.__main__ import ICONS, ROWS, SIZES, Icon, drawn

GROUNDS = ("#FFFFFF", "#1E2329")


def pixels(image: QImage) -> npt.NDArray[np.int16]:
    plain = image.convertToFormat(QImage.Format.Format_RGBA8888)
    flat = np.frombuffer(plain.constBits(), np.uint8).astype(np.int16)
    return flat.reshape(plain.height(), plain.width(), 4)


def test_they_are_current(qapp: QGuiApplication) -> None:
    """Another Qt may round a colour of an edge in another way; a drawing that was changed differs by more."""
    for path, data in drawn():
        assert path.is_file(), path.name
        if path.suffix == ".svg":
            assert path.read_bytes() == data, path.name
        else:
            now, then = QImage.fromData(data), QImage(str(path))
            assert np.abs(pixels(now) - pixels(then)).max() <= 8, path.name


@pytest.mark.parametrize("icon", ROWS, ids=lambda icon: icon.stem)
@pytest.mark.parametrize("size", SIZES)
def test_every_size_is_there(icon: Icon, size: int) -> None:
    data = (ICONS / icon.folder / f"{icon.stem}-{size}.png").read_bytes()
    assert struct.unpack(">II", data[16:24]) == (size, size)


@pytest.mark.parametrize("icon", ROWS, ids=lambda icon: icon.stem)
@pytest.mark.parametrize("ground", GROUNDS)
def test_the_smallest_stands_out(icon: Icon, ground: str, qapp: QGuiApplication) -> None:
    image = pixels(QImage(str(ICONS / icon.folder / f"{icon.stem}-16.png")))
    color = QColor(ground)
    behind = np.array([color.red(), color.green(), color.blue()])
    alpha = image[..., 3:] / 255
    seen = image[..., :3] * alpha + behind * (1 - alpha)
    apart = np.abs(seen - behind).sum(axis=-1) > 120
    assert apart.mean() > 0.12


def test_nothing_else_lies_there() -> None:
    made_for_windows = {ICONS / "document" / f"{icon.stem}.ico" for icon in ROWS if icon.folder == "document"}
    wanted = {path for path, _ in drawn()} | made_for_windows
    there = {path for icon in ROWS for path in Path(ICONS / icon.folder).iterdir()}
    assert there == wanted
