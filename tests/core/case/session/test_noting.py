"""Notes on a session and on nodes."""

from pathlib import Path

import pytest

from errorflow.base.codec import MOST_LETTERS
from errorflow.base.errors import UsageError
from errorflow.case.session.file import read_session, write_session
from errorflow.case.session.model import Session
from errorflow.case.session.noting import kept, with_note, with_note_on


def test_a_note_and_the_session_before_are_kept(tmp_path: Path) -> None:
    session = Session(note="Build 412\n\nworse than 411", since=tmp_path / "old" / "yesterday.errorflow")
    write_session(session, tmp_path / "case.errorflow")
    assert read_session(tmp_path / "case.errorflow").session == session
    assert str(tmp_path) not in (tmp_path / "case.errorflow").read_text(encoding="utf-8")


def test_what_is_only_space_is_no_note() -> None:
    assert with_note(Session(note="x"), " \n ").note == ""
    assert with_note_on(Session(notes={"a": "x", "b": "y"}), "a", "").notes == {"b": "y"}


def test_a_note_that_could_not_be_read_again_is_refused() -> None:
    with pytest.raises(UsageError, match="at most"):
        with_note(Session(), "x" * (MOST_LETTERS + 1))
    assert len(kept("x" * (MOST_LETTERS + 1))) == MOST_LETTERS
