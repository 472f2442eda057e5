"""A network drive that does not answer holds nobody up."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from errorflow.base.progress import SILENT
from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import read_session
from errorflow.case.session.model import Painting, Session
from errorflow.formats import read
from errorflow.graph.model import Model
from errorflow_viewer.document.bundles import Bundles
from errorflow_viewer.document.derived import Deriving
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.drafts import Drafts
from errorflow_viewer.document.opening import Opening
from errorflow_viewer.document.recents import Recents
from errorflow_viewer.document.second_graph import Second
from errorflow_viewer.kit.drawings import Drawings, Form
from errorflow_viewer.kit.jobs import Jobs
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.pages.guide.looking import looked_again
from errorflow_viewer.window.sessions import keep_unsaved

DEAD = Path("/dead-drive/models/net.onnx")


def _ignored(_: object) -> None:
    """What is told here is of no interest."""


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def jobs(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, asked: list[str]) -> Iterator[Jobs]:
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
    yield jobs
    answer.set()
    jobs.stop()


@pytest.fixture
def recents(jobs: Jobs, settings: Settings) -> Recents:
    return Recents(settings, jobs)


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
    assert list(recents._found.missing) == [tmp_path / "other.onnx"] and len(recents._keys) == 1


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


@pytest.fixture
def document(qtbot: QtBot) -> Document:
    return Document()


def model() -> Model:
    found = read(SAMPLES[0].model)
    assert isinstance(found, Model)
    return found


class Asked(Bundles):
    """Of a bundle whose files lie in some place, with what it asked for and what it could begin."""

    def __init__(self, document: Document, jobs: Jobs, files: Path) -> None:
        self.buttons: list[str] = []
        self.done: list[str] = []
        opening = Opening(document, jobs, Drawings(Form()), lambda _: Form())
        super().__init__(
            document,
            jobs,
            opening,
            Path(),
            lambda notice: self.buttons.append(notice.button),
            lambda _path, error: self.done.append(str(error)),
        )
        self.look = lambda: self.done.append("look")
        self.start = lambda session: self.done.append(f"start {session.setup is not None} {session.bundle}")
        session = Session(SAMPLES[0].model, Setup("runs", {"model": files}), bundle=Path("case.zip"))
        document.open(model(), session)


def test_a_bundle_whose_files_lie_there_lets_one_say_where_they_are(
    document: Document, jobs: Jobs, qtbot: QtBot, asked: list[str]
) -> None:
    bundles = Asked(document, jobs, DEAD)
    bundles.again()
    qtbot.waitUntil(lambda: bool(asked))
    assert bundles.withhold() and bundles.buttons == ["Look for the files…"] and not bundles.done
    bundles.again()
    assert bundles.done == ["look"]


def test_a_bundle_whose_files_are_there_is_run(document: Document, jobs: Jobs, qtbot: QtBot) -> None:
    bundles = Asked(document, jobs, SAMPLES[0].model)
    bundles.again()
    qtbot.waitUntil(lambda: bundles.done == ["start True None"])
    assert bundles.withhold() and bundles.buttons == ["Run it here"]


def test_the_second_model_there_is_proposed_as_soon_as_the_drive_answers(
    document: Document, jobs: Jobs, qtbot: QtBot, asked: list[str]
) -> None:
    second, told = Second(document, jobs, Deriving(document, jobs, (), _ignored, _ignored, jobs)), list[object]()
    second.changed.connect(told.append)
    files = {"fusion": SAMPLES[0].model, "original": DEAD}
    document.open(model(), Session(SAMPLES[0].model, Setup("npu", files), bundle=Path("case.zip")))
    assert second.proposed is None
    qtbot.waitUntil(lambda: bool(asked))
    assert second.proposed is None and len(asked) == 1
    there = SAMPLES[0].candidate_model
    document.take_session(Session(SAMPLES[0].model, Setup("npu", files | {"original": there}), bundle=Path("case.zip")))
    assert second.proposed is None
    qtbot.waitUntil(lambda: {"proposed"} in told)
    assert second.proposed == there


def test_what_came_along_stands_for_a_second_model_that_is_gone(
    document: Document, jobs: Jobs, qtbot: QtBot, tmp_path: Path
) -> None:
    second, brought = Second(document, jobs, Deriving(document, jobs, (), _ignored, _ignored, jobs)), model()
    second.brought = lambda: brought
    gone = tmp_path / "gone.onnx"
    document.open(brought, Session(brought.path, second=gone))
    assert second.proposed == gone
    qtbot.waitUntil(lambda: second.proposed == brought.path)


def test_of_what_a_guide_knew_what_is_gone_is_left_out(tmp_path: Path) -> None:
    there = SAMPLES[0].model
    assert looked_again([tmp_path / "gone.onnx", there], SILENT).paths == (there,)
