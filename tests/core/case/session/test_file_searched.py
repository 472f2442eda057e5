"""Searches in a session file."""

import json
import math
from pathlib import Path

from errorflow.case.session.file import parse_session, session_text
from errorflow.case.session.model import MOST_SEARCHES, Searched, Session
from errorflow.quant.presets import preset
from errorflow.study.rank.model import Part
from errorflow.study.search.asked import Sought
from errorflow.study.search.model import Choice, Search, SearchRequest, Tried
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.trial import Accuracy, Trial

PLAN = preset("onnxruntime").plan
PARTS = (Part("a", "Conv", ("a",), ("x", "w")), Part("b", "Gemm", ("b",), ("y",)))
TRIED = (
    Tried(0, Choice(), 0.5, False, 0.4, 1.25, "the plan as it is"),
    Tried(1, Choice.of({0: "float", 1: 16}), math.nan, False, math.nan, note="It failed."),
    Tried(2, Choice.of([1]), 0.95, True, math.inf, known=True),
)
FOUND = Search(
    SearchRequest("noise"),
    PLAN,
    "top-1",
    "at least 0.9",
    True,
    PARTS,
    (0.5, 0.25),
    "noise",
    0.97,
    TRIED,
    (0, 1, 2, 1),
    4,
)
SOUGHT = Sought("top1", "relative", 0.02, ("scores",), labels=Path("/data/labels.txt"), most=40, to=16)


def read_back(session: Session, tmp_path: Path) -> Session:
    opened = parse_session(session_text(session, tmp_path).encode(), tmp_path)
    assert not opened.problems
    return opened.session


def test_what_was_asked_and_tried_comes_back(tmp_path: Path) -> None:
    session = Session(sought=SOUGHT, searches=(Searched(Basis(samples=8), SOUGHT, FOUND),))
    found = read_back(session, tmp_path)
    assert found.sought == SOUGHT
    (searched,) = found.searches
    assert (searched.basis, searched.sought) == (Basis(samples=8), SOUGHT)
    assert repr(searched.search) == repr(FOUND)


def test_a_file_without_searches_has_the_first_form(tmp_path: Path) -> None:
    rows = json.loads(session_text(Session(), tmp_path))
    del rows["sought"], rows["searches"]
    opened = parse_session(json.dumps(rows).encode(), tmp_path)
    assert not opened.problems
    assert opened.session.sought == Sought() and not opened.session.searches


def test_parts_that_are_not_there_leave_the_search_out(tmp_path: Path) -> None:
    session = Session(searches=(Searched(Basis(), SOUGHT, FOUND),))
    rows = json.loads(session_text(session, tmp_path))
    rows["searches"][0]["search"]["tried"][2]["choice"]["raised"] = [[7, "float"]]
    opened = parse_session(json.dumps(rows).encode(), tmp_path)
    assert not opened.session.searches and "searches[0]" in opened.problems[0]


def test_the_oldest_searches_give_way(tmp_path: Path) -> None:
    searches = tuple(Searched(Basis(samples=count + 1), SOUGHT, FOUND) for count in range(MOST_SEARCHES + 2))
    found = read_back(Session(searches=searches), tmp_path).searches
    assert [each.basis.samples for each in found] == [each.basis.samples for each in searches[2:]]


def test_how_often_a_run_is_right_comes_back(tmp_path: Path) -> None:
    accuracy = Accuracy("y.npy", 40, {"top-1": 38}, {"top-1": 39}, "mine.py", 0.5, 0.75, ("A loss of 1 % or less.",))
    session = Session(trials=(Trial("Run 1", PLAN, accuracy=accuracy), Trial("Run 2", PLAN)))
    found = read_back(session, tmp_path)
    assert [trial.accuracy for trial in found.trials] == [accuracy, None]
