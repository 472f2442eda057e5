"""What earlier versions wrote is read, and of what is odd in it only that is left out."""

import json
from pathlib import Path

import pytest

from errorflow.case.scenarios.setup import Setup
from errorflow_viewer.kit.crashing_files import Troubles
from errorflow_viewer.kit.desktop_entry.linux import OpeningChoice, read_record, write_record
from errorflow_viewer.kit.desktop_entry.present import RECORD
from errorflow_viewer.kit.settings import Settings

SETUP = Setup("npu-float", {"candidate": Path("/runs/npu"), "model": Path("/net.onnx")}, ("x=1x3:float32",))
SETUP_TEXT = (
    '{"scenario": "npu-float", "files": {"candidate": "/runs/npu", "model": "/net.onnx"}, "shapes": ["x=1x3:float32"]}'
)
MENU_ENTRY = """{
 "version": 1,
 "files": ["applications/org.errorflow.Errorflow.desktop", 3],
 "folders": ["applications", "../elsewhere"],
 "choices": {"application/x-onnx": {"given": "a.desktop", "before": ""}},
 "above": 2
}
"""


def test_views_keys_and_times(settings: Settings) -> None:
    settings._store.setValue("files/recent", ["/a.onnx", SETUP_TEXT])
    settings._store.setValue("files/views", '{"/a.onnx": "down", "/b.onnx": 3}')
    settings._store.setValue("files/opened", json.dumps({"/a.onnx": 7, SETUP_TEXT: 8, "/b.onnx": "x"}))
    settings._store.setValue("keys/fold", '["F12", "Ctrl+F"]')
    assert settings.recents == (Path("/a.onnx"), SETUP)
    assert settings.view_of(Path("/a.onnx")) == "down" and settings.view_of(Path("/b.onnx")) == "auto"
    assert [settings.opened_at(recent) for recent in settings.recents] == [7, 8]
    assert settings.keys_of("fold") == ("F12", "Ctrl+F")


def test_a_view_that_only_a_newer_version_knows_is_kept(settings: Settings) -> None:
    for name in ("/a.onnx", "/b.onnx"):
        settings.add_recent(Path(name))
    settings._store.setValue("files/views", '{"/a.onnx": "spiral"}')
    settings.set_view_of(Path("/b.onnx"), "down")
    assert settings._rows("files/views", str) == {"/a.onnx": "spiral", "/b.onnx": "down"}


@pytest.mark.parametrize("rows", ['["F1", 2]', '{"F1": 1}', "F1"])
def test_keys_that_are_odd_are_none(settings: Settings, rows: str) -> None:
    settings._store.setValue("keys/fold", rows)
    assert settings.keys_of("fold") is None


def test_files_that_brought_the_app_down(tmp_path: Path) -> None:
    model = tmp_path / "net.onnx"
    (tmp_path / "troubles.json").write_text(json.dumps({str(model): [1.5e12, 1500000000001], "/b": "x"}))
    model.touch()
    assert Troubles(tmp_path).too_often(model) and not Troubles(tmp_path).too_often(tmp_path / "other.onnx")


def test_the_record_of_a_menu_entry(tmp_path: Path) -> None:
    (tmp_path / RECORD).parent.mkdir(parents=True)
    (tmp_path / RECORD).write_text(MENU_ENTRY)
    found = read_record(tmp_path)
    assert found.folders == ("applications",) and found.above == 2
    assert found.choices == {"application/x-onnx": OpeningChoice("a.desktop", "")}
    write_record(tmp_path, found)
    assert read_record(tmp_path) == found
