"""Two windows, and two versions, of the app write the same settings without harm."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings

from errorflow_viewer.kit.settings import LAYOUT_VERSION, RECENTS, Settings
from errorflow_viewer.kit.taking_effect import kept_notice

ROOT = Path(__file__).parents[2]
# Another process of the app: adds recent files, views and keys, as many as it is told.
OTHER = """
import sys
from pathlib import Path
from PySide6.QtCore import QSettings
from errorflow_viewer.kit.settings import Settings
settings = Settings(QSettings(sys.argv[1], QSettings.Format.IniFormat))
for number in range(int(sys.argv[3])):
    settings.add_recent(Path(f"/models/{sys.argv[2]}{number}.onnx"))
    settings.set_samples_of(Path(f"/models/{sys.argv[2]}{number}.onnx"), [number])
    settings.set_keys_of(f"{sys.argv[2]}{number}", ["F12"])
settings.flush()
"""


def store(path: Path) -> QSettings:
    return QSettings(str(path), QSettings.Format.IniFormat)


def other(path: Path, name: str, count: int) -> "subprocess.Popen[bytes]":
    places = os.pathsep.join(str(ROOT / part) for part in ("core", "viewer", "resources"))
    command = [sys.executable, "-c", OTHER, str(path), name, str(count)]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": places})


def test_what_another_window_has_written_meanwhile_stays(settings: Settings, tmp_path: Path) -> None:
    settings.theme = "dark"
    settings.add_recent(Path("/models/mine.onnx"))
    assert other(tmp_path / "settings.ini", "their", 1).wait() == 0
    settings.add_recent(Path("/models/mine2.onnx"))
    assert settings.recents == tuple(map(Path, ("/models/mine2.onnx", "/models/their0.onnx", "/models/mine.onnx")))
    assert settings.samples_of(Path("/models/their0.onnx")) == [0] and settings.keys_of("their0") == ("F12",)
    assert settings.theme == "dark"


def test_two_that_write_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    path, each = tmp_path / "settings.ini", RECENTS // 2
    started = [other(path, name, each) for name in ("a", "b")]
    assert [process.wait() for process in started] == [0, 0]
    wanted = {Path(f"/models/{name}{number}.onnx") for name in "ab" for number in range(each)}
    read = Settings(store(path))
    assert set(read.recents) == wanted
    assert all(read.samples_of(path) is not None for path in wanted)


def test_what_a_newer_version_wrote_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "settings.ini"
    newer = store(path)
    strange = json.dumps({"kind": "hologram", "of": "/models/a.onnx"})
    newer.setValue("look/theme", "sepia")
    newer.setValue("look/glow", 3)
    newer.setValue("files/recent", [strange, "/models/a.onnx"])
    newer.setValue("files/views", json.dumps({"/models/a.onnx": "spiral"}))
    newer.setValue(f"window/layout-{LAYOUT_VERSION + 1}", QByteArray(b"newer"))
    newer.setValue("keys/teleport", json.dumps(["Ctrl+K"]))
    newer.sync()
    settings = Settings(store(path))
    assert settings.theme == "system" and settings.view_of(Path("/models/a.onnx")) == "auto"
    assert settings.recents == (Path("/models/a.onnx"),)
    settings.add_recent(Path("/models/b.onnx"))
    settings.set_view_of(Path("/models/b.onnx"), "down")
    settings.layout = QByteArray(b"older")
    settings.text_size = 150
    settings.flush()
    read = store(path)
    assert read.value("look/theme") == "sepia" and int(str(read.value("look/glow"))) == 3
    assert strange in read.value("files/recent")
    assert json.loads(str(read.value("files/views"))) == {"/models/a.onnx": "spiral", "/models/b.onnx": "down"}
    assert read.value(f"window/layout-{LAYOUT_VERSION + 1}") == QByteArray(b"newer")
    assert read.value("keys/teleport") == json.dumps(["Ctrl+K"])


def test_the_layout_of_the_version_before_is_taken_over(tmp_path: Path) -> None:
    before = store(tmp_path / "settings.ini")
    before.setValue("window/layout", QByteArray(b"before"))
    settings = Settings(before)
    assert settings.layout == QByteArray(b"before")
    settings.layout = QByteArray(b"now")
    assert settings.layout == QByteArray(b"now") and before.value("window/layout") == QByteArray(b"before")


@pytest.mark.parametrize("rubbish", ["", "sepia", "7", "-1", "1e9", "99999999999", "²", "@Invalid()", '["a"]', "\x00"])
def test_rubbish_counts_as_the_default(tmp_path: Path, rubbish: str) -> None:
    written = store(tmp_path / "settings.ini")
    for key in ("look/palette", "look/text", "graph/still", "work/memory", "work/cores", "files/cache", "files/keep"):
        written.setValue(key, rubbish)
    written.sync()
    settings = Settings(store(tmp_path / "settings.ini"))
    assert (settings.palette, settings.text_size, settings.reduced_motion) == ("ember", 100, "system")
    assert settings.cores in (0, 7) and settings.memory == 0
    assert settings.cache == "" and settings.keeps_recents


def test_settings_that_cannot_be_kept_are_told_of_with_their_place(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings = Settings(store(tmp_path / "file" / "settings.ini"))
    settings.theme = "dark"
    notice = kept_notice(settings)
    assert settings.theme == "dark" and notice is not None
    assert str(tmp_path / "file" / "settings.ini") in notice.hint


def test_a_damaged_file_is_set_aside_before_it_is_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "settings.ini"
    path.write_text("[look]\ntheme=dark\nthis is no line\n", encoding="utf-8")
    settings = Settings(store(path))
    notice = kept_notice(settings)
    assert notice is not None and "damaged" in notice.text and settings.theme == "dark"
    assert Path(f"{path}.broken").read_text(encoding="utf-8").endswith("this is no line\n")


def test_nothing_is_told_where_all_is_well(settings: Settings) -> None:
    assert kept_notice(settings) is None
