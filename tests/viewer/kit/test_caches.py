"""What is kept is counted and taken away by part; what is not ours stays."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from errorflow_viewer.kit.caches import PARTS, Amount, Part, amount_of, cache_root, clear, state_root, writable

OLD = time.time() - 3600


@pytest.fixture
def part(tmp_path: Path) -> Part:
    found = next(part for part in PARTS if part.key == "thumbnails")
    return replace(found, root=lambda: tmp_path)


def put(path: Path, size: int = 10) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    os.utime(path, (OLD, OLD))
    return path


def test_what_is_kept_is_counted(part: Part) -> None:
    assert amount_of(part) == Amount()
    put(part.place / "0a-dark.png", 10)
    put(part.place / "0a-light.png", 20)
    assert amount_of(part) == Amount(2, 30)


def test_clearing_says_how_much_it_was_and_leaves_what_is_not_ours(part: Part) -> None:
    put(part.place / "0a-dark.png", 10)
    others = [put(part.place / name) for name in ("thesis.doc", "0a.png.bak", "inner/0a.png")]
    assert clear(part) == Amount(1, 10)
    assert amount_of(part) == Amount() and all(path.exists() for path in others)


def test_what_a_link_points_to_stays(part: Part, tmp_path: Path) -> None:
    mine = put(tmp_path / "mine.png")
    part.place.mkdir(parents=True)
    (part.place / "link.png").symlink_to(mine)
    assert clear(part) == Amount() and mine.exists()


def test_what_is_being_written_stays(part: Part) -> None:
    path = put(part.place / "0a.png")
    os.utime(path)
    assert clear(part) == Amount() and path.exists()


def test_what_was_written_before_the_clock_was_set_back_goes(part: Part) -> None:
    path = put(part.place / "0a.png")
    os.utime(path, (time.time() + 3600, time.time() + 3600))
    assert clear(part).files == 1 and not path.exists()


def test_a_bundle_that_is_on_view_stays(tmp_path: Path) -> None:
    part = replace(next(part for part in PARTS if part.key == "bundles"), root=lambda: tmp_path)
    shown, other = (put(part.place / (letter * 24) / "model" / "m.onnx", 7) for letter in "ab")
    for path in (shown, other):
        os.utime(path.parents[1], (OLD, OLD))
    assert amount_of(part) == Amount(2, 14)
    assert clear(part, [shown]) == Amount(1, 7)
    assert shown.exists() and not other.parents[1].exists()


def test_the_folder_is_the_one_that_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ERRORFLOW_CACHE", str(tmp_path / "elsewhere"))
    assert cache_root() == tmp_path / "elsewhere"
    assert state_root().is_absolute()


def test_a_folder_that_cannot_be_made_is_not_writable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert writable(tmp_path / "new" / "folder") and list((tmp_path / "new" / "folder").iterdir()) == []
    assert not writable(tmp_path / "file" / "folder") and not writable(Path("/a\0b"))


def test_each_part_knows_what_it_keeps(tmp_path: Path) -> None:
    """The names are those that are written: what is measured, and digests."""
    from errorflow.case.session.known import NAME as KNOWN
    from errorflow.compare.journal import NAME

    results = replace(next(part for part in PARTS if part.key == "results"), root=lambda: tmp_path)
    for name in (NAME.format("0af3"), KNOWN.format("0af3")):
        put(results.place / name)
    digests = replace(next(part for part in PARTS if part.key == "digests"), root=lambda: tmp_path)
    put(tmp_path / "digests.json")
    assert amount_of(results).files == 2 and amount_of(digests).files == 1
