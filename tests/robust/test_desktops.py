"""Desktops have fonts of their own for buttons, menus and lists; in the window there is one."""

from pathlib import Path

import pytest

from robust.screens import screen
from robust.started import SAMPLE, start, surroundings

TELL = """
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMenuBar
def tell():
    kinds = (QAbstractButton, QLabel, QMenuBar)
    seen = [each for each in QApplication.allWidgets() if isinstance(each, kinds) and each.isVisible()]
    menu = window.menuBar().actions()[0].menu()
    menu.popup(window.pos())
    QApplication.processEvents()
    print("fonts:", len(seen) > 20, *sorted({each.font().family() for each in (*seen, menu)}))
    menu.hide()
tell()
for size in (200, 100):
    window.appearance.set_text_size(size)
    tell()
window.appearance.choose("dark")
tell()
window.close()
"""


@pytest.mark.window
@pytest.mark.parametrize("desktop", ["GNOME", "XFCE", "KDE"])
def test_all_of_the_window_has_its_font(tmp_path: Path, desktop: str) -> None:
    with screen() as (address, _):
        place = surroundings(tmp_path, QT_QPA_PLATFORM="xcb", DISPLAY=address, XDG_CURRENT_DESKTOP=desktop)
        done = start(place, str(SAMPLE), then=TELL)
    told = [line.removeprefix("fonts: ") for line in done.stdout.splitlines() if line.startswith("fonts: ")]
    assert told == ["True Errorflow Sans"] * 4, (done.stdout, done.stderr)
