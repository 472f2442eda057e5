"""Begins anew, and what was there is kept."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from errorflow_viewer.kit.resetting import MARK, reset

ROOT = Path(__file__).parents[3]


def run(home: Path) -> "subprocess.CompletedProcess[str]":
    places = os.pathsep.join(str(ROOT / part) for part in ("core", "viewer", "resources"))
    environment = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "PYTHONPATH": places}
    environment["QT_QPA_PLATFORM"] = "none such"  # no display is needed
    command = [sys.executable, "-m", "errorflow_viewer.app.start", "--reset-settings"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_a_copy_is_kept_and_the_rest_is_gone(tmp_path: Path) -> None:
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    store.setValue("look/theme", "dark")
    store.sync()
    copy = reset(store, "now")
    assert store.allKeys() == [] and copy == tmp_path / f"settings.ini{MARK}now"
    assert QSettings(str(copy), QSettings.Format.IniFormat).value("look/theme") == "dark"


def test_a_file_that_is_damaged_is_copied_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "settings.ini"
    path.write_bytes(bytes(range(256)))
    copy = reset(QSettings(str(path), QSettings.Format.IniFormat), "now")
    assert copy.read_bytes() == bytes(range(256))


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="settings are no file of that name there")
def test_whoever_is_stuck_begins_anew_from_the_command_line(tmp_path: Path) -> None:
    assert "There are no settings" in run(tmp_path).stdout
    place = tmp_path / "Errorflow" / "errorflow.conf"
    place.parent.mkdir(exist_ok=True)
    place.write_text("[look]\ntheme=dark\n", encoding="utf-8")
    told = run(tmp_path)
    assert told.returncode == 0 and "is kept in" in told.stdout, told.stderr
    assert [path.read_text(encoding="utf-8") for path in place.parent.glob(f"*{MARK}*")] == ["[look]\ntheme=dark\n"]
    assert "theme" not in (place.read_text(encoding="utf-8") if place.exists() else "")
