"""Another version takes the place of the one that runs."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from errorflow_viewer.app import replaced as module
from errorflow_viewer.app.replaced import Replaced, own_mark, start_again
from errorflow_viewer.app.running import _arguments
from errorflow_viewer.kit.banner import Notice


class Case:
    """A bundle that is only a program, and what was told of it."""

    def __init__(self, folder: Path) -> None:
        self.program = folder / "errorflow-viewer"
        self.program.write_text("the old one")
        self.told: list[Notice] = []
        self.starts = 0
        self.parent = QObject()
        self.replaced = Replaced(self.program, self.told.append, self._count, self.parent)

    def _count(self) -> None:
        self.starts += 1

    def install(self, text: str) -> None:
        """As package managers do: another file takes its name."""
        new = self.program.with_suffix(".dpkg-new")
        new.write_text(text)
        os.replace(new, self.program)  # noqa: PTH105 - as they do


@pytest.fixture
def case(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    monkeypatch.setattr(module, "SETTLED", 0)
    return Case(tmp_path)


def test_another_version_is_told_of_once_and_can_be_started(case: Case, qtbot: QtBot) -> None:
    case.replaced.look()
    assert not case.told
    case.install("the newer one")
    case.replaced.look()
    assert not case.told  # it may be half there
    qtbot.waitUntil(lambda: bool(case.told))
    (notice,) = case.told
    assert notice.text == "Errorflow was updated while it was open." and notice.pressed is not None
    notice.pressed()
    case.replaced.look()
    assert case.starts == 1 and len(case.told) == 1 and case.replaced.is_due


def test_what_is_away_in_the_midst_of_an_update_is_waited_for(case: Case, qtbot: QtBot) -> None:
    case.program.unlink()
    case.replaced.look()
    case.replaced.look()
    assert not case.told
    case.install("the newer one")
    case.replaced.look()
    qtbot.waitUntil(lambda: bool(case.told))


def test_who_comes_back_to_the_window_meanwhile_is_told_no_sooner(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SETTLED", 10_000_000)
    case = Case(tmp_path)
    case.install("the newer one")
    for _ in range(3):
        case.replaced.look()
    assert not case.told


def test_the_same_once_more_is_no_other_version(case: Case) -> None:
    before = case.program.stat()
    case.install("the old one")
    os.utime(case.program, ns=(before.st_atime_ns, before.st_mtime_ns))
    for _ in range(2):
        case.replaced.look()
    assert not case.told


def test_the_mark_of_a_bundle_is_its_program(monkeypatch: pytest.MonkeyPatch) -> None:
    assert own_mark().name == "__init__.py" and own_mark().is_file()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert own_mark() == Path(sys.executable)


def test_it_is_started_as_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[Sequence[str], dict[str, Any]]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **how: started.append((command, how)))
    start_again(("--new-instance", "/work/net.onnx"))
    ((command, how),) = started
    assert list(command[-2:]) == ["--new-instance", "/work/net.onnx"] and Path(command[0]).is_absolute()
    assert how["start_new_session"] and how["env"]["PYINSTALLER_RESET_ENVIRONMENT"] == "1"


@pytest.mark.parametrize(
    ("file", "alone", "safe", "reopens", "arguments"),
    [
        ("/net.onnx", False, False, True, ()),
        ("/net.onnx", False, False, False, ("/net.onnx",)),
        ("/net.onnx", True, True, True, ("--safe", "--new-instance", "/net.onnx")),
        ("", True, False, True, ("--new-instance",)),
    ],
)
def test_what_was_open_comes_back(
    file: str, alone: bool, safe: bool, reopens: bool, arguments: tuple[str, ...]
) -> None:
    assert _arguments(file, alone, safe, reopens) == arguments
