"""Small pictures of what was opened last."""

import os
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios.setup import Setup
from errorflow_viewer.document import thumbnails as module
from errorflow_viewer.document.thumbnails import Thumbnails, stamp_now
from errorflow_viewer.kit.look import DARK, LIGHT
from errorflow_viewer.window.thumbnailing import painted
from errorflow_viewer.window.window import MainWindow


@pytest.fixture
def kept(tmp_path: Path) -> Thumbnails:
    return Thumbnails(lambda: tmp_path / "cache")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"a")
    return path


def picture(color: Qt.GlobalColor = Qt.GlobalColor.red) -> QImage:
    image = QImage(module.WIDTH, module.HEIGHT, QImage.Format.Format_RGB32)
    image.fill(color)
    return image


def test_a_picture_comes_back_with_the_sign_of_its_verdict(kept: Thumbnails, model: Path) -> None:
    kept.write(model, {"light": picture(), "dark": picture(Qt.GlobalColor.blue)}, "node", stamp_now(model))
    found = kept.read(model, "dark")
    assert found is not None and found.sign == "node"
    assert found.image.pixelColor(9, 9) == QColor(Qt.GlobalColor.blue)


def test_of_another_file_under_the_same_name_there_is_none(kept: Thumbnails, model: Path) -> None:
    kept.write(model, {"light": picture()}, "", stamp_now(model))
    os.utime(model, ns=(1, 1))
    assert kept.read(model, "light") is None


def test_of_a_comparison_every_file_counts(kept: Thumbnails, model: Path, tmp_path: Path) -> None:
    run = tmp_path / "run.npz"
    run.touch()
    setup = Setup("runs", {"model": model, "candidate": run})
    kept.write(setup, {"light": picture()}, "", stamp_now(setup))
    assert kept.read(setup, "light") is not None and kept.read(model, "light") is None
    os.utime(run, ns=(1, 1))
    assert kept.read(setup, "light") is None


def test_what_is_forgotten_leaves_nothing(kept: Thumbnails, model: Path, tmp_path: Path) -> None:
    kept.write(model, {"light": picture(), "dark": picture()}, "", stamp_now(model))
    kept.forget(model)
    assert list((tmp_path / "cache").iterdir()) == []


def test_there_are_never_many(kept: Thumbnails, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 3)
    for number in range(5):
        path = tmp_path / f"{number}.onnx"
        path.touch()
        kept.write(path, {"light": picture()}, "", stamp_now(path))
    assert len(list((tmp_path / "cache").iterdir())) == 3
    assert kept.read(tmp_path / "4.onnx", "light") is not None


def test_pictures_of_before_the_clock_was_set_back_give_way(
    kept: Thumbnails, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST", 1)
    other = tmp_path / "other.onnx"
    other.touch()
    kept.write(other, {"light": picture()}, "", stamp_now(other))
    (file,) = (tmp_path / "cache").iterdir()
    os.utime(file, (time.time() + 3600, time.time() + 3600))
    kept.write(model, {"light": picture()}, "", stamp_now(model))
    assert kept.read(model, "light") is not None and not file.exists()


def test_a_cache_that_cannot_be_written_is_no_matter(tmp_path: Path, model: Path) -> None:
    (tmp_path / "file").touch()
    kept = Thumbnails(lambda: tmp_path / "file" / "cache")
    kept.write(model, {"light": picture()}, "", stamp_now(model))
    assert kept.read(model, "light") is None
    kept.forget(model)
    kept.clear()


@pytest.mark.parametrize("rubbish", [b"", b"rubbish", b"\x89PNG\r\n\x1a\n" + b"\0" * 40])
def test_rubbish_in_the_cache_is_no_picture(kept: Thumbnails, model: Path, tmp_path: Path, rubbish: bytes) -> None:
    kept.write(model, {"light": picture()}, "", stamp_now(model))
    (file,) = (tmp_path / "cache").iterdir()
    file.write_bytes(rubbish)
    assert kept.read(model, "light") is None


def test_a_picture_of_another_size_is_not_read(kept: Thumbnails, model: Path) -> None:
    kept.write(model, {"light": QImage(3 * module.WIDTH, 10, QImage.Format.Format_RGB32)}, "", stamp_now(model))
    assert kept.read(model, "light") is None


# What is on view


def compared(window: MainWindow, qtbot: QtBot, model: Path) -> Setup:
    sample = SAMPLES[0]
    model.write_bytes(sample.model.read_bytes())
    files = {"candidate": sample.candidate_run, "reference": sample.reference_run, "model": model}
    setup = Setup("runs", files)
    window.comparisons.start(setup)
    qtbot.waitUntil(lambda: window.document.state.findings is not None and not window.jobs.steps)
    return setup


def test_a_comparison_that_is_on_view_is_painted_in_both_themes(window: MainWindow, qtbot: QtBot, model: Path) -> None:
    setup = compared(window, qtbot, model)
    kept = window.recents.thumbnails
    qtbot.waitUntil(lambda: (found := kept.read(setup, "dark")) is not None and found.sign == "node")
    light, dark = (kept.read(setup, theme.name) for theme in (LIGHT, DARK))
    assert light is not None and dark is not None
    assert light.image.pixelColor(1, 1) == QColor(LIGHT.canvas)
    assert dark.image.pixelColor(1, 1) == QColor(DARK.canvas)


def test_what_was_not_painted_yet_is_painted_when_the_window_closes(
    window: MainWindow, qtbot: QtBot, model: Path
) -> None:
    model.write_bytes(SAMPLES[0].model.read_bytes())
    window.open(model)
    qtbot.waitUntil(lambda: window.document.model is not None and window._graph_view.shown is not None)
    window.close()
    assert window.recents.thumbnails.read(model, "light") is not None


def test_a_file_that_was_changed_while_it_was_open_has_no_picture_of_before(
    window: MainWindow, qtbot: QtBot, model: Path
) -> None:
    model.write_bytes(SAMPLES[0].model.read_bytes())
    window.open(model)
    qtbot.waitUntil(lambda: window.document.model is not None and window._graph_view.shown is not None)
    os.utime(model, (1, 1))
    window.close()
    kept = window.recents.thumbnails
    assert kept.read(model, "light") is None and any(kept._folder().iterdir())


def test_a_sample_is_not_remembered(window: MainWindow, qtbot: QtBot) -> None:
    window.open(SAMPLES[0].model)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    window.close()
    assert window.recents.thumbnails.read(SAMPLES[0].model, "light") is None


def test_a_graph_like_a_thread_fills_the_picture(deep: MainWindow) -> None:
    motif = deep._thumbnailing.motif()
    assert motif is not None
    image = painted(motif, LIGHT, 60, 400)
    ground = QColor(LIGHT.canvas)
    assert any(image.pixelColor(x, 200) != ground for x in range(60))
