"""Results that are known again."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from errorflow.case.session import results
from errorflow.case.session.results import beside, keep, recall, tidy
from errorflow.compare import Options, compare_match
from errorflow.compare.match.model import Match
from errorflow.compare.match.plan import MatchRequest, plan
from errorflow.vendors.ascend.comparers.printing import MsaccucmpPrinter


def case(folder: Path) -> Match:
    return plan(MatchRequest(folder / "candidate", folder / "reference")).match


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for run, error in (("reference", 0.0), ("candidate", 0.1)):
        (tmp_path / "case" / run).mkdir(parents=True)
        for name in ("a", "b"):
            np.save(tmp_path / "case" / run / f"{name}.npy", np.arange(8.0, dtype=np.float32) + error)
    return tmp_path / "case"


def test_what_was_kept_is_known_again(folder: Path, tmp_path: Path) -> None:
    match = case(folder)
    rows = compare_match(match).rows
    keep(tmp_path / "kept", match, Options(), rows)
    assert tuple(recall(tmp_path / "kept", match, Options()).values()) == rows


def test_nothing_is_known_of_another_comparison(folder: Path, tmp_path: Path) -> None:
    match = case(folder)
    keep(tmp_path / "kept", match, Options(), compare_match(match).rows)
    np.save(folder / "candidate" / "a.npy", np.zeros(9, np.float32))
    assert recall(tmp_path / "kept", case(folder), Options()) == {}
    assert recall(tmp_path / "nowhere", match, Options()) == {}


def test_beside_a_session_results_move_with_it(folder: Path, tmp_path: Path) -> None:
    match = case(folder)
    keep(beside(folder / "case.errorflow"), match, Options(), compare_match(match).rows, base=folder)
    moved = tmp_path / "elsewhere"
    shutil.copytree(folder, moved, copy_function=shutil.copy2)
    found = recall(beside(moved / "case.errorflow"), case(moved), Options(), base=moved)
    assert len(found) == len(match.pairs)


def test_a_file_that_is_broken_is_no_fault(folder: Path, tmp_path: Path) -> None:
    match = case(folder)
    keep(tmp_path, match, Options(), compare_match(match).rows)
    (kept,) = tmp_path.glob(".errorflow-compare-*")
    kept.write_text(kept.read_text().split("\n")[0] + "\n[0, {}]\n")
    assert recall(tmp_path, match, Options()) == {}


def test_the_ones_not_asked_for_longest_give_way(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "MOST", 2)
    match = case(folder)
    rows = compare_match(match).rows
    for number, most in enumerate((1, 2, 3)):
        keep(tmp_path, match, Options(MsaccucmpPrinter((), most)), rows)
        for path in tmp_path.glob(".errorflow-compare-*"):
            if path.stat().st_mtime > most:
                os.utime(path, (number, number))
    assert recall(tmp_path, match, Options(MsaccucmpPrinter((), 1))) == {}
    assert recall(tmp_path, match, Options(MsaccucmpPrinter((), 3))) != {}


def test_a_folder_that_cannot_be_written_is_no_fault(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    match = case(folder)
    keep(tmp_path / "file" / "kept", match, Options(), compare_match(match).rows)
    assert recall(tmp_path / "file" / "kept", match, Options()) == {}


def test_beside_sessions_only_what_one_of_them_needs_stays(folder: Path, tmp_path: Path) -> None:
    one, other = folder / "one.errorflow", folder / "other.errorflow"
    for file in (one, other):
        file.write_text("")
    match = case(folder)
    rows = compare_match(match).rows
    theirs = keep(beside(other), match, Options(MsaccucmpPrinter((), 3)), rows)
    assert theirs is not None
    tidy(other, [theirs])
    keep(beside(one), match, Options(MsaccucmpPrinter((), 2)), rows)
    mine = keep(beside(one), match, Options(MsaccucmpPrinter((), 1)), rows)
    assert mine is not None
    tidy(one, [mine])
    assert set(beside(one).glob(".errorflow-compare-*")) == {mine, theirs}
    other.unlink()
    tidy(one, [mine])
    assert set(beside(one).glob(".errorflow-compare-*")) == {mine}
