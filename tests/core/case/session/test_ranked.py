"""Rankings and what is asked, in the file of a session."""

import json
from pathlib import Path

import numpy as np
import pytest

from errorflow.case.session import ranked
from errorflow.case.session.file import parse_session, session_text
from errorflow.case.session.model import KeptRanking, Painting, Session
from errorflow.quant.plan import Plan
from errorflow.report.sensitivity import ranking_csv
from errorflow.study.rank.model import Part, Question, Ranking
from errorflow.study.simulate.basis import Basis
from rankings import ranking_of

FOLDER = Path("/work")
PARTS = tuple(Part(name, "Conv + Relu", (name, f"{name}/relu"), (f"{name}:0",)) for name in "abc")
PLAN = Plan().keeping_float("b")
BOTH = Question(kind="node", measures=("impact", "recovery"), metrics=("sqnr", "cosine"), only=(("a",),), to=16)


def again(session: Session) -> Session:
    opened = parse_session(session_text(session, FOLDER).encode(), FOLDER)
    assert opened.problems == ()
    return opened.session


def same(one: Ranking, other: Ranking) -> bool:
    arrays = (ranked._arrays(each) for each in (one, other))
    first, second = ({key: array.astype(float) for key, array in each.items()} for each in arrays)
    rest = ("question", "plan", "parts", "outputs", "samples", "notes")
    alike = all(getattr(one, name) == getattr(other, name) for name in rest)
    return alike and all(np.array_equal(first[key], second[key], equal_nan=True) for key in {**first, **second})


@pytest.mark.parametrize("question", [Question(), BOTH, Question(measures=("recovery",), outputs=("y",))])
def test_a_ranking_comes_back_as_it_was(question: Question) -> None:
    ranking = ranking_of(PARTS, [0.5, float("inf"), None], question=question, plan=PLAN, notes={"c": "it is no number"})
    basis = Basis(samples=3)
    (found,) = again(Session(rankings=(KeptRanking(basis, ranking),))).rankings
    assert found.basis == basis
    assert same(found.ranking, ranking)


def test_a_ranking_of_recoveries_at_two_outputs_can_still_be_told() -> None:
    ranking = ranking_of(PARTS, [0.5, 0.1, 0.2], question=Question(measures=("recovery",)), outputs=("y", "z"))
    (found,) = again(Session(rankings=(KeptRanking(Basis(), ranking),))).rankings
    assert ranking_csv(found.ranking) == ranking_csv(ranking)


def test_what_is_asked_and_painted_comes_back() -> None:
    session = Session(question=BOTH, painting=Painting(ranked="recovery"))
    assert again(session) == session


def test_only_the_newest_are_kept_where_there_is_no_room_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    rankings = tuple(KeptRanking(Basis(samples=count), ranking_of(PARTS, [0.1] * 3)) for count in (1, 2, 3))
    numbers = sum(array.size for array in ranked._arrays(rankings[0].ranking).values())
    monkeypatch.setattr(ranked, "MOST_NUMBERS", 2 * numbers)
    assert [each.basis.samples for each in again(Session(rankings=rankings)).rankings] == [2, 3]


def broken(change: str) -> str:
    """The file of a session with one ranking, of which something is odd."""
    session = Session(rankings=(KeptRanking(Basis(), ranking_of(PARTS, [0.1, 0.2, 0.3])),))
    rows = json.loads(session_text(session, FOLDER))
    row = rows["rankings"][0]
    if change == "shorter":
        row["numbers"]["impact"] = row["numbers"]["whole"]
    elif change == "no numbers":
        row["numbers"] = 3
    elif change == "no code":
        row["numbers"]["impact"] = "§"
    elif change == "twice":
        row["parts"][1] = row["parts"][0]
    elif change == "no part":
        row["parts"] = [["a"]]
    elif change == "no metric":
        row["question"]["metrics"] = ["nobody"]
    else:
        row["samples"] = "all"
    return json.dumps(rows)


@pytest.mark.parametrize("change", ["shorter", "no numbers", "no code", "twice", "no part", "no metric", "no samples"])
def test_a_ranking_that_is_odd_is_left_out_and_noted(change: str) -> None:
    opened = parse_session(broken(change).encode(), FOLDER)
    assert opened.session.rankings == ()
    assert any("rankings[0]" in problem for problem in opened.problems)


@pytest.mark.parametrize("count", [10_000, 1 << 16])
def test_a_bomb_is_not_unpacked(count: int) -> None:
    """Of the larger one the product of all sizes is 0 in 64 bits, as many numbers as there are."""
    rows = json.loads(broken("no numbers"))
    row = rows["rankings"][0]
    row["numbers"] = dict.fromkeys(row["question"]["measures"], ranked._packed(np.zeros(0)))
    row["samples"] = list(range(count))
    row["outputs"] = [str(number) for number in range(count)]
    row["question"]["metrics"] = ["sqnr"] * count
    row["parts"] = [[str(number), "", [], []] for number in range(count)]
    opened = parse_session(json.dumps(rows).encode(), FOLDER)
    assert opened.session.rankings == ()


def test_a_question_without_a_known_metric_is_left_out() -> None:
    rows = json.loads(session_text(Session(), FOLDER))
    rows["question"]["metrics"] = []
    opened = parse_session(json.dumps(rows).encode(), FOLDER)
    assert opened.session.question == Question()
    assert opened.problems
