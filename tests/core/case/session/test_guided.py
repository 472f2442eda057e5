"""How far one is on the way through a guide, in a session file."""

import json
from pathlib import Path
from typing import Any

import pytest

from errorflow.case.session.file import Opened, parse_session, session_text
from errorflow.case.session.model import GivenFiles, GuideProgress, Session, StepProgress
from errorflow.case.session.moved import with_files

STEP = StepProgress("node error", {}, {"output_cosine": 0.9}, {"kind": "node error"}, "2026-01-31 17:05")


def rows_of(guide: GuideProgress | None, folder: Path) -> dict[str, Any]:
    rows: dict[str, Any] = json.loads(session_text(Session(guide=guide), folder))
    return rows


def read(rows: dict[str, Any], folder: Path) -> Opened:
    return parse_session(json.dumps(rows).encode(), folder)


def guide_in(folder: Path) -> GuideProgress:
    step = StepProgress(STEP.outcome, {"fusion": folder / "net.json"}, STEP.numbers, STEP.texts, STEP.when)
    given = GivenFiles(folder / "net.prototxt", folder / "net.caffemodel", soc_version="Ascend310P3")
    return GuideProgress("ascend-caffe", {"target": "ascend"}, "conversion", {"conversion": step}, given)


def test_it_comes_back_and_moves_with_the_session(tmp_path: Path) -> None:
    rows = rows_of(guide_in(tmp_path / "before"), tmp_path / "before")
    assert str(tmp_path) not in json.dumps(rows)
    opened = read(rows, tmp_path / "after")
    assert not opened.problems and opened.session.guide == guide_in(tmp_path / "after")


def test_a_session_from_before_has_none(tmp_path: Path) -> None:
    rows = rows_of(None, tmp_path)
    assert rows.pop("guide") is None
    opened = read(rows, tmp_path)
    assert opened.session.guide is None and not opened.problems


@pytest.mark.parametrize(
    "spoil",
    [
        lambda guide: guide | {"flow": 3},
        lambda guide: guide | {"answers": {"target": 5}},
        lambda guide: guide | {"steps": {"conversion": 5}},
        lambda guide: guide | {"steps": {str(each): {} for each in range(200)}},
        lambda guide: guide | {"steps": {"conversion": {"numbers": {"output_cosine": "much"}}}},
        lambda guide: guide | {"steps": {"conversion": {"files": {"fusion": "https://elsewhere/x"}}}},
        lambda guide: guide | {"given": {"model": "//elsewhere/x"}},
        lambda guide: guide | {"given": []},
        lambda guide: [guide],
        lambda guide: 7,
    ],
)
def test_rubbish_is_left_out_and_noted(spoil: Any, tmp_path: Path) -> None:
    rows = rows_of(guide_in(tmp_path), tmp_path)
    rows["guide"] = spoil(rows["guide"])
    assert read(rows, tmp_path).problems


def test_files_that_moved_are_followed(tmp_path: Path) -> None:
    before, after = guide_in(tmp_path / "before"), guide_in(tmp_path / "after")
    names = ("net.json", "net.prototxt", "net.caffemodel")
    moved = with_files(Session(guide=before), {tmp_path / "before" / name: tmp_path / "after" / name for name in names})
    assert moved.guide == after
