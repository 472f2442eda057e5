"""Whether a session's file is as it was."""

import os
from pathlib import Path

import pytest

from errorflow.case.session.stamp import ChangedFileError, refuse_changed, stamp_of


def test_a_file_that_was_touched_only_is_the_same(tmp_path: Path) -> None:
    file = tmp_path / "a.errorflow"
    file.write_text("one")
    stamp = stamp_of(file)
    os.utime(file, (1, 1))
    refuse_changed(file, stamp)
    assert stamp_of(file) == stamp


def test_one_that_somebody_wrote_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.errorflow"
    file.write_text("one")
    stamp = stamp_of(file)
    file.write_text("two")
    with pytest.raises(ChangedFileError, match=r"a\.errorflow was changed on disk"):
        refuse_changed(file, stamp)


def test_one_that_is_gone_is_written_anew(tmp_path: Path) -> None:
    file = tmp_path / "a.errorflow"
    file.write_text("one")
    stamp = stamp_of(file)
    file.unlink()
    refuse_changed(file, stamp)
    assert stamp_of(file) == ""
