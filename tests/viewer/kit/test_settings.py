"""What is remembered, and that rubbish does no harm."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QByteArray, QSettings

from errorflow.case.scenarios.setup import Setup
from errorflow_viewer.kit.settings import RECENTS, Settings


def again(settings: Settings, tmp_path: Path) -> Settings:
    settings.flush()
    return Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))


def test_a_round_trip_keeps_everything(settings: Settings, tmp_path: Path) -> None:
    model = tmp_path / "a b,c&ü.onnx"
    model.touch()
    settings.theme = "dark"
    settings.switch("quiet", True)
    settings.switch("path", False)
    settings.geometry = QByteArray(b"\x00geometry\xff")
    settings.layout = QByteArray(b"layout")
    settings.add_recent(model)
    settings.set_view_of(model, "down")
    read = again(settings, tmp_path)
    assert read.theme == "dark" and read.view_of(model) == "down"
    assert read.is_on("quiet", False) and not read.is_on("path", True)
    assert read.geometry == QByteArray(b"\x00geometry\xff")
    assert read.layout == QByteArray(b"layout")
    assert read.recents == (model,)
    assert read.last_folder == str(tmp_path)


def test_at_first_there_is_nothing(settings: Settings) -> None:
    assert settings.theme == "system" and settings.view_of(Path("/a")) == "auto"
    assert [settings.is_on("quiet", otherwise) for otherwise in (True, False)] == [True, False]
    assert settings.geometry.isEmpty() and settings.layout.isEmpty()
    assert settings.recents == ()
    assert settings.last_folder == str(Path.home())


@pytest.mark.parametrize("rubbish", ["", "rubbish", "3.7", ["a", "b"], {"a": 1}, 12, b"bytes", "@Invalid()", "\x00"])
def test_rubbish_counts_as_nothing(tmp_path: Path, rubbish: object) -> None:
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    for key in (
        "look/theme",
        "graph/quiet",
        "window/geometry",
        "window/layout",
        "window/sides",
        "files/recent",
        "files/folder",
        "files/views",
    ):
        store.setValue(key, rubbish)
    settings = again(Settings(store), tmp_path)
    assert settings.theme == "system" and settings.view_of(Path("/a")) == "auto"
    assert [settings.is_on("quiet", otherwise) for otherwise in (True, False)] == [True, False]
    assert settings.recents == ()
    assert settings.last_folder == str(Path.home())
    assert isinstance(settings.geometry, QByteArray) and isinstance(settings.layout, QByteArray)
    assert settings.sides == {}


def test_sides_are_remembered_with_the_layout_that_they_are_of(settings: Settings, tmp_path: Path) -> None:
    settings.layout = QByteArray(b"layout")
    settings.sides = {"left": (460, 389)}
    read = again(settings, tmp_path)
    assert read.sides == {"left": (460, 389)}
    read.layout = QByteArray(b"of another version, which knows nothing of sides")
    assert read.sides == {}


@pytest.mark.parametrize("row", [None, 3, [], [1], [1, 2, 3], ["a", 1], [True, 1], [-1, 1], [1, 10**9], {"a": 1}])
def test_widths_that_are_none_count_as_nothing(settings: Settings, row: Any) -> None:
    settings.sides = {"left": row, "right": (400, 329)}
    assert settings.sides == {"right": (400, 329)}


def test_a_broken_file_counts_as_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "settings.ini").write_bytes(bytes(range(256)) * 20)
    settings = Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    assert settings.theme == "system" and settings.recents == ()


def test_recent_files_are_newest_first_and_each_once(settings: Settings, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "abc"]
    for path in (*paths, paths[0]):
        path.touch()
        settings.add_recent(path)
    assert settings.recents == (paths[0], paths[2], paths[1])


def test_recent_files_are_newest_first_when_the_clock_is_set_back(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, now in (("first", 2e9), ("second", 1e9)):
        monkeypatch.setattr("errorflow_viewer.kit.settings.time.time", lambda now=now: now)
        settings.add_recent(tmp_path / name)
    assert settings.recents == (tmp_path / "second", tmp_path / "first")
    assert settings.opened_at(tmp_path / "second") == 1e9


def test_recent_files_are_not_looked_for(settings: Settings, tmp_path: Path) -> None:
    settings.add_recent(tmp_path / "gone")
    assert settings.recents == (tmp_path / "gone",)


def test_a_view_goes_with_its_model_and_is_forgotten_with_it(settings: Settings, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    settings.add_recent(one)
    settings.set_view_of(one, "down")
    settings.set_view_of(other, "down")  # no recent file, such as a sample
    assert [settings.view_of(path) for path in (one, other)] == ["down", "auto"]
    settings.set_view_of(one, "auto")
    assert settings.view_of(one) == "auto"
    settings.set_view_of(one, "columns")
    settings.remove_recent(one)
    settings.add_recent(other)
    settings.set_view_of(other, "down")
    assert [settings.view_of(path) for path in (one, other)] == ["auto", "down"]


@pytest.mark.parametrize("text", ["[", "[1]", "3", '{"/a": 3}', '{"/a": "up"}', "[" * 100_000])
def test_rubbish_is_no_view(settings: Settings, text: str) -> None:
    settings._store.setValue("files/views", text)
    assert settings.view_of(Path("/a")) == "auto"


def test_recent_files_are_limited(settings: Settings, tmp_path: Path) -> None:
    for i in range(RECENTS + 5):
        path = tmp_path / str(i)
        path.touch()
        settings.add_recent(path)
    assert len(settings.recents) == RECENTS


def test_a_recent_file_can_be_forgotten_and_all_can(settings: Settings, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).touch()
        settings.add_recent(tmp_path / name)
    settings.remove_recent(tmp_path / "b")
    assert settings.recents == (tmp_path / "a",)
    settings.clear_recents()
    assert not settings.recents


SETUP = Setup("npu", {"candidate": Path("/a/npu"), "reference": Path("/a/cpu"), "fusion": Path("/a/m.json")}, ("x=1",))


def test_comparisons_are_kept_among_the_files_and_the_views_of_their_models(settings: Settings, tmp_path: Path) -> None:
    settings.add_recent(tmp_path / "m.onnx")
    settings.add_recent(SETUP)
    settings.set_view_of(Path("/a/m.json"), "down")
    read = again(settings, tmp_path)
    assert read.recents == (SETUP, tmp_path / "m.onnx")
    assert read.view_of(Path("/a/m.json")) == "down"
    read.remove_recent(SETUP)
    assert list(read.recents) == [tmp_path / "m.onnx"]


@pytest.mark.parametrize(
    "text", ["{", "{}", "{" * 100_000, '{"files": 3}', '{"scenario": "npu", "files": {"candidate": "a"}, "shapes": []}']
)
def test_rubbish_is_no_comparison(settings: Settings, text: str) -> None:
    settings._store.setValue("files/recent", [text, "/there"])
    assert settings.recents == (Path("/there"),)
