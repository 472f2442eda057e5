"""A network drive that does not answer holds nobody up."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from errorflow.session.file import read_session
from errorflow.session.model import Painting, Session
from errorflow_viewer.drafts import Drafts
from errorflow_viewer.jobs import Jobs
from errorflow_viewer.recents import Recents
from errorflow_viewer.session_reading import keep_unsaved
from errorflow_viewer.settings import Settings

DEAD = Path("/dead-drive/models/net.onnx")


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def recents(qtbot: QtBot, settings: Settings, monkeypatch: pytest.MonkeyPatch, asked: list[str]) -> Iterator[Recents]:
    """Who asks for something there waits; on the thread of the window that would be a window that is frozen."""
    answer, stat, jobs = threading.Event(), os.stat, Jobs()

    def ask(path: Any, *more: Any, **how: Any) -> os.stat_result:
        if not isinstance(path, int) and os.fspath(path).startswith("/dead-drive"):
            asked.append(os.fspath(path))
            assert threading.current_thread() is not threading.main_thread(), "the window waits for the drive"
            answer.wait()
            raise TimeoutError
        return stat(path, *more, **how)

    monkeypatch.setattr(os, "stat", ask)
    yield Recents(settings, jobs)
    answer.set()
    jobs.stop()


def test_what_lies_elsewhere_is_known_all_the_same(
    recents: Recents, settings: Settings, qtbot: QtBot, asked: list[str], tmp_path: Path
) -> None:
    gone = tmp_path / "gone.onnx"
    for path in (gone, DEAD):
        settings.add_recent(path)
    for _ in range(2):  # a second look waits for nothing either
        recents.check()
    qtbot.waitUntil(lambda: recents.is_missing(gone) and len(asked) == 2)
    assert not recents.is_missing(DEAD) and recents.is_looking


def test_of_what_is_not_listed_any_more_nothing_is_kept(
    recents: Recents, settings: Settings, qtbot: QtBot, tmp_path: Path
) -> None:
    """Nor of the places where it was looked for: somebody may open thousands of files in one day."""
    for number in range(3):
        settings.add_recent(tmp_path / str(number) / "gone.onnx")
        recents.check()
        qtbot.waitUntil(lambda: not recents.is_looking)
    assert len(recents._found.missing) == 3
    settings.clear_recents()
    settings.add_recent(tmp_path / "other.onnx")
    recents.check()
    qtbot.waitUntil(lambda: not recents.is_looking)
    assert recents._found.missing == (tmp_path / "other.onnx",) and len(recents._keys) == 1


def test_a_dialog_does_not_begin_there(recents: Recents, settings: Settings, qtbot: QtBot, asked: list[str]) -> None:
    settings.add_recent(DEAD)
    recents.check()
    qtbot.waitUntil(lambda: len(asked) == 2)
    assert settings.last_folder == str(Path.home())
    assert settings.export_folder(DEAD.parent) == str(Path.home())


def test_what_belongs_to_a_file_there_is_set_aside_without_a_look_at_it(tmp_path: Path, qtbot: QtBot) -> None:
    drafts, case = Drafts(tmp_path, 1), DEAD.with_name("case.errorflow")
    drafts.end(Session(notes={"conv1": "look here"}), case)
    keep_unsaved(drafts, "", Painting(), answers=False)
    (path,) = drafts.aside()
    assert read_session(path).belongs_to == case


def test_a_folder_that_answers_is_where_a_dialog_begins(
    recents: Recents, settings: Settings, qtbot: QtBot, tmp_path: Path
) -> None:
    settings.add_recent(tmp_path / "net.onnx")
    recents.check()
    qtbot.waitUntil(lambda: settings.last_folder == str(tmp_path))
