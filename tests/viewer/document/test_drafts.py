"""Drafts: kept while a window is open, found again after a sudden end."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from errorflow.base.errors import FileError
from errorflow.case.session.file import read_session
from errorflow.case.session.model import Session
from errorflow_viewer.document.drafts import MOST, Drafts

CASE = Session(notes={"conv1": "look here"})


@pytest.fixture
def folder(tmp_path: Path, qtbot: QtBot) -> Path:
    return tmp_path / "drafts"


def test_a_draft_of_a_living_window_is_left_alone(folder: Path) -> None:
    alive = Drafts(folder, 1)
    alive.begin()
    alive.write(CASE, None)
    assert Drafts(folder, 2).begin() == ()
    assert alive.own.exists()


def test_the_draft_of_a_process_that_was_killed_is_found(folder: Path) -> None:
    script = (
        "import os\nfrom pathlib import Path\nfrom errorflow.case.session.model import Session\n"
        "from errorflow_viewer.document.drafts import Drafts\n"
        f"drafts = Drafts(Path({str(folder)!r}))\ndrafts.begin()\n"
        "drafts.write(Session(notes={'conv1': 'look here'}), Path('/work/case.errorflow'))\nos.abort()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode != 0
    (found,) = Drafts(folder).begin()
    opened = read_session(found)
    assert opened.session == CASE
    assert opened.belongs_to == Path("/work/case.errorflow")


def test_after_a_good_end_there_is_only_the_last_one(folder: Path) -> None:
    drafts = Drafts(folder, 1)
    drafts.begin()
    drafts.write(CASE, None)
    drafts.end(CASE, None)
    assert Drafts(folder, 2).begin() == ()
    assert read_session(drafts.last).session == CASE


def test_what_is_written_while_the_window_closes_is_no_sudden_end(folder: Path) -> None:
    drafts = Drafts(folder, 1)
    drafts.begin()
    drafts.end(CASE, None)
    drafts.write(CASE, None)  # by a thread that was not through
    assert Drafts(folder, 2).begin() == ()


def test_a_window_without_a_model_leaves_nothing(folder: Path) -> None:
    drafts = Drafts(folder, 1)
    drafts.end(CASE, None)
    drafts.end(None, None)
    assert not drafts.last.exists()


def test_the_oldest_that_were_set_aside_give_way(folder: Path) -> None:
    drafts = Drafts(folder, 1)
    for _ in range(MOST + 3):
        drafts.put_aside(CASE, None)
    assert len(drafts.aside()) == MOST


def test_what_was_written_before_the_clock_was_set_back_gives_way_to_what_is_written_now(folder: Path) -> None:
    drafts, tomorrow = Drafts(folder, 1), time.time() + 86400
    for _ in range(MOST):
        os.utime(drafts.put_aside(CASE, None), (tomorrow, tomorrow))
    newest = drafts.put_aside(CASE, None)
    assert drafts.aside()[0] == newest and len(drafts.aside()) == MOST


def test_a_folder_that_cannot_be_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    drafts = Drafts(tmp_path / "file" / "drafts", 1)
    assert drafts.begin() == ()
    drafts.end(CASE, None)
    assert drafts.aside() == ()


def test_a_draft_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    drafts = Drafts(tmp_path / "file" / "drafts", 1)
    for write in (drafts.write, drafts.put_aside):
        with pytest.raises(FileError, match="could not be made"):
            write(CASE, None)


def test_the_lock_of_a_process_that_is_gone_is_cleared_away(folder: Path) -> None:
    """It was killed before there was anything to keep."""
    script = (
        "import os\nfrom pathlib import Path\nfrom errorflow_viewer.document.drafts import Drafts\n"
        f"drafts = Drafts(Path({str(folder)!r}))\ndrafts.begin()\nos.abort()\n"
    )
    subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    (left,) = folder.glob("open-*.lock")
    own = Drafts(folder)
    own.begin()
    assert not left.exists() and len(list(folder.glob("open-*.lock"))) == 1
    own.end(None, None)


def test_the_lock_of_a_living_window_stays(folder: Path) -> None:
    alive = Drafts(folder, 1)
    alive.begin()
    Drafts(folder, 2).begin()
    assert alive.own.with_suffix(".lock").exists()
