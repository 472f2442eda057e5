"""Broken files inside of runs."""

from pathlib import Path

import numpy as np
import pytest

import run_folders
from errorflow.compare import compare_match
from errorflow.compare.match.plan import MatchRequest, plan
from errorflow.compare.unreadable import UnreadableFile, unreadable


def _cut(path: Path) -> str:
    path.write_bytes(path.read_bytes()[:-4])
    return path.name


def _said(folder: Path, fusion: str = "") -> tuple[UnreadableFile, ...]:
    match = plan(MatchRequest(folder / "a", folder / "b", fusion=fusion)).match
    return unreadable(match, compare_match(match).rows)


def test_a_file_of_a_folder_is_named(tmp_path: Path) -> None:
    for side in "ab":
        (tmp_path / side).mkdir()
        for name in ("conv", "pool"):
            np.save(tmp_path / side / f"{name}.npy", run_folders.VALUES)
    assert _said(tmp_path) == ()
    name = _cut(tmp_path / "b" / "pool.npy")
    (found,) = _said(tmp_path)
    assert found.text.startswith(f"{name} is cut off")
    assert found.side == "reference"


def test_a_file_that_is_broken_on_both_sides_is_named_for_each(tmp_path: Path) -> None:
    for side in "ab":
        (tmp_path / side).mkdir()
        for name in ("conv", "pool"):
            np.save(tmp_path / side / f"{name}.npy", run_folders.VALUES)
        _cut(tmp_path / side / "pool.npy")
    assert [found.side for found in _said(tmp_path)] == ["candidate", "reference"]


@pytest.mark.parametrize("side", ["a", "b"])
def test_a_dump_is_named(tmp_path: Path, side: str) -> None:
    run_folders.npu(tmp_path / "a")
    run_folders.npy(tmp_path / "b")
    fusion = str(run_folders.atc_json(tmp_path / "net.json"))
    assert _said(tmp_path, fusion) == ()
    name = _cut(min(path for path in (tmp_path / side).rglob("*") if path.is_file()))
    (found,) = _said(tmp_path, fusion)
    assert found.text.startswith(f"{name} is cut off")
    assert found.side == {"a": "candidate", "b": "reference"}[side]


@pytest.mark.parametrize(("side", "word"), [("a", "candidate"), ("b", "reference")])
def test_of_two_dumps_the_broken_one_is_named(tmp_path: Path, side: str, word: str) -> None:
    for each in "ab":
        run_folders.npu(tmp_path / each)
    _cut(min(path for path in (tmp_path / side).rglob("*") if path.is_file()))
    assert [found.side for found in _said(tmp_path)] == [word]
