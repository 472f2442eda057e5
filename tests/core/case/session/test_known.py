"""Comparisons that are known again before anything has run."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from errorflow.base.errors import FileError
from errorflow.case.session.known import KnownRows, path_in, read_known, write_known
from errorflow.compare import compare_match
from errorflow.compare.match.model import Match
from errorflow.compare.match.plan import MatchRequest, plan
from errorflow.explain.blame.model import ExactParts
from errorflow.graph.model import Problem

MARK = "0123456789abcdef" * 4


@pytest.fixture
def match(tmp_path: Path) -> Match:
    for run, error in (("reference", 0.0), ("candidate", 0.1)):
        (tmp_path / run).mkdir()
        for name in ("a", "b"):
            np.save(tmp_path / run / f"{name}.npy", np.arange(8.0, dtype=np.float32) + error)
    np.save(tmp_path / "reference" / "c.npy", np.zeros(3, np.float32))
    found = plan(MatchRequest(tmp_path / "candidate", tmp_path / "reference")).match
    return replace(found, problems=(Problem("made up", "x", "reference"),))


def parts() -> ExactParts:
    numbers = np.array([0.5, np.nan])
    return ExactParts(np.array([True, False]), numbers, numbers, numbers, numbers, {1: "no"})


def kept(folder: Path, match: Match) -> KnownRows:
    write_known(folder, MARK, KnownRows(match, compare_match(match).rows, parts()))
    found = read_known(folder, MARK)
    assert found is not None
    return found


def test_rows_and_what_they_are_of_come_back(match: Match, tmp_path: Path) -> None:
    found = kept(tmp_path, match)
    assert found.rows == compare_match(match).rows
    assert found.match is not None
    assert found.match.problems == match.problems
    assert found.match.only_reference == match.only_reference
    assert found.fits(match)


def test_what_running_single_nodes_found_comes_back(match: Match, tmp_path: Path) -> None:
    found, wanted = kept(tmp_path, match).parts, parts()
    assert found is not None
    for name in ("exact", "accumulated", "introduced", "inherited", "shares"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
    assert found.notes == wanted.notes


def test_its_tensors_cannot_be_read_before_they_are_there(match: Match, tmp_path: Path) -> None:
    found = kept(tmp_path, match).match
    assert found is not None
    stored = found.pairs[0].candidate
    assert stored is not None
    with pytest.raises(FileError, match="not there yet"):
        stored.read()


def test_it_does_not_fit_other_pairs(match: Match, tmp_path: Path) -> None:
    assert not kept(tmp_path, match).fits(replace(match, pairs=match.pairs[:-1]))


def test_another_comparison_is_not_known(match: Match, tmp_path: Path) -> None:
    kept(tmp_path, match)
    assert read_known(tmp_path, MARK[::-1]) is None
    assert read_known(tmp_path, MARK[:16] + MARK[:48][::-1]) is None


def _numbers(found: dict[str, dict[str, object]]) -> object:
    found["parts"]["shares"] = [1.0]
    return found


def _rows(found: dict[str, dict[str, object]]) -> object:
    found["match"]["measured"] = []
    return found


def _types(found: dict[str, dict[str, object]]) -> object:
    found["match"]["pairs"] = [{"tensor": {}}]
    return found


@pytest.mark.parametrize("change", [_numbers, _rows, _types, lambda _: [], lambda _: "[" * 9])
def test_rubbish_is_not_believed(match: Match, tmp_path: Path, change: object) -> None:
    kept(tmp_path, match)
    path = path_in(tmp_path, MARK)
    assert callable(change)
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    assert read_known(tmp_path, MARK) is None
