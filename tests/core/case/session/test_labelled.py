"""On what runs are evaluated, in a session file."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from errorflow.case.session.file import Opened, parse_session, session_text
from errorflow.case.session.model import Session
from errorflow.study.evaluate.asked import LabelledSet


def rows_of(labelled: LabelledSet, folder: Path) -> dict[str, Any]:
    rows: dict[str, Any] = json.loads(session_text(Session(labelled=labelled), folder))
    return rows


def read(rows: dict[str, Any], folder: Path) -> Opened:
    return parse_session(json.dumps(rows).encode(), folder)


def test_it_comes_back_and_moves_with_the_session(tmp_path: Path) -> None:
    folder = tmp_path / "before"
    labelled = LabelledSet((str(folder / "images"),), folder / "y.txt", False, folder / "mine.py", "scores", 60.0)
    rows = rows_of(labelled, folder)
    assert str(tmp_path) not in json.dumps(rows)
    after = tmp_path / "after"
    opened = read(rows, after)
    assert not opened.problems
    assert opened.session.labelled == LabelledSet(
        (str(after / "images"),), after / "y.txt", False, after / "mine.py", "scores", 60.0
    )


def test_a_session_from_before_has_the_first_form(tmp_path: Path) -> None:
    rows = rows_of(LabelledSet(), tmp_path)
    del rows["labelled"]
    opened = read(rows, tmp_path)
    assert opened.session.labelled == LabelledSet() and not opened.problems


@pytest.mark.parametrize("seconds", [0, -1.0, 1e300, {"number": "nan"}, "long"])
def test_a_time_that_nobody_can_mean_is_left_out(tmp_path: Path, seconds: object) -> None:
    rows = rows_of(LabelledSet(output="scores"), tmp_path)
    rows["labelled"]["seconds"] = seconds
    opened = read(rows, tmp_path)
    assert opened.session.labelled == LabelledSet(output="scores") and opened.problems
    assert math.isfinite(opened.session.labelled.seconds)


@pytest.mark.parametrize("value", [3, [], {"data": 5}, {"data": ["https://elsewhere/x"]}, {"labels": 1}])
def test_rubbish_is_left_out(tmp_path: Path, value: object) -> None:
    rows = rows_of(LabelledSet(), tmp_path)
    rows["labelled"] = value
    opened = read(rows, tmp_path)
    assert opened.session.labelled == LabelledSet() and opened.problems
