"""Looking into folders within limits."""

from pathlib import Path

import pytest

from errorflow.base.errors import ErrorflowError, FormatError
from errorflow.formats.folders import FOLDERS, scan
from errorflow.formats.folders.scan import Folder, listing, walk
from errorflow.formats.runs import read_run

PAGE = Path(__file__).parents[4] / "docs" / "formats" / "dump-folders.md"


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "MAX_FILES", 3)
    for number in range(4):
        (tmp_path / str(number)).touch()

    with pytest.raises(FormatError, match="more than 3 files"):
        listing(tmp_path)


def test_too_many_files_in_all_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "MAX_FILES", 3)
    for number in range(4):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "x").touch()
    (tmp_path / "0").rename(tmp_path / "1" / "0")

    with pytest.raises(FormatError, match="more than 3 files"):
        list(walk(listing(tmp_path)))


def test_what_lies_too_deep_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "MAX_DEPTH", 2)
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)

    levels = list(walk(listing(tmp_path)))

    assert [level.path.name for level in levels[1:]] == ["a", "b"]
    [problem] = levels[-1].problems
    assert problem.where == "c"


def test_folders_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b/x", "a/y", "a/z", "c"):
        (tmp_path / name).mkdir(parents=True)

    found = [level.path.relative_to(tmp_path).as_posix() for level in walk(listing(tmp_path))]

    assert found == [".", "a", "a/y", "a/z", "b", "b/x", "c"]


@pytest.mark.parametrize("row", FOLDERS, ids=lambda row: row.key)
def test_each_kind_is_described_and_claims_no_empty_folder(row: Folder, tmp_path: Path) -> None:
    assert not row.claims(listing(tmp_path))
    assert row.obtain.endswith(".")
    assert row.label in PAGE.read_text("utf-8")


@pytest.mark.parametrize("name", ["none", "bad\0name", "x" * 300, "x/" * 3000])
def test_what_cannot_be_is_a_sentence(name: str, tmp_path: Path) -> None:
    with pytest.raises(ErrorflowError):
        read_run(f"{tmp_path}/{name}")
    with pytest.raises(ErrorflowError):
        listing(tmp_path / name)
