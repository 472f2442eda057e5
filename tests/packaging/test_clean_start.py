"""What programs that a bundle starts get to see of its environment."""

import os
import sys

import pytest

from packaging_scripts import script

clean_start = script("clean_start.py")
INSIDE = "/opt/errorflow/_internal"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """As PyInstaller's start leaves it."""
    monkeypatch.setattr(sys, "_MEIPASS", INSIDE, raising=False)
    for name in list(os.environ):
        monkeypatch.delenv(name)
    for name, value in {
        "LD_LIBRARY_PATH": INSIDE,
        "_PYI_ARCHIVE_FILE": "/opt/errorflow/errorflow",
        "QT_PLUGIN_PATH": f"{INSIDE}/PySide6/Qt/plugins",
        "PATH": "/usr/bin",
    }.items():
        monkeypatch.setenv(name, value)


def left() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}


def test_nothing_of_the_bundle_is_left() -> None:
    clean_start.clean()
    assert left() == {"PATH": "/usr/bin", "LC_CTYPE": "C.UTF-8"}


def test_what_the_user_had_set_is_there_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", "/usr/local/Ascend/lib")
    monkeypatch.setenv("QT_PLUGIN_PATH", "/home/me/plugins")
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    clean_start.clean()
    expected = {
        "LD_LIBRARY_PATH": "/usr/local/Ascend/lib",
        "QT_PLUGIN_PATH": "/home/me/plugins",
        "LANG": "zh_CN.UTF-8",
        "PATH": "/usr/bin",
    }
    assert left() == expected
