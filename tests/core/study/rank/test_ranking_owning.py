"""Rankings by the user's own measure, beside those by metrics."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from errorflow.base.progress import Cancelled
from errorflow.quant.plan import Plan
from errorflow.run.engine.engine import Engine
from errorflow.study.rank.model import Question
from errorflow.study.rank.ranking import rank
from errorflow.study.rank.ranking_file import parse_ranking, ranking_text
from errorflow.study.rank.reading import order, own_order
from rankings_made import PLAN, Seen, engine_of

BOTH = Question(measures=("impact", "recovery"), metrics=("relative_l2",), samples=(0,))


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with engine_of("residual", tmp_path_factory.mktemp("net")) as opened:
        yield opened


@dataclass
class Faithful:
    """What is left of the output, by its relative error: 1 in float."""

    engine: Engine
    label: str = "faithfulness"
    higher_is_better: bool = True
    identity: str = "as it was"
    most: int = 10_000
    asked: list[Plan] = field(default_factory=list)

    def score(self, plan: Plan) -> float:
        if len(self.asked) == self.most:
            raise Cancelled
        self.asked.append(plan)
        sums = self.engine.run(plan, self.engine.outputs, [0]).sums(self.engine.outputs[0], 0)
        assert sums is not None
        return 1 - math.sqrt(float(sums.dd) / float(sums.rr))


def test_each_part_is_scored_beside_its_metrics(engine: Engine) -> None:
    ranking = rank(engine, PLAN, BOTH, scorer=Faithful(engine))
    own = ranking.own
    assert own is not None and ranking.complete
    assert own.floating == 1 and own.whole < 1
    for measure in BOTH.measures:
        assert own.values[measure] == pytest.approx(1 - ranking.values[measure][0, :, 0, 0], abs=1e-4)
    assert own_order(ranking, "recovery").tolist() == order(ranking, "recovery").tolist()


def test_a_cancelled_score_goes_on_where_it_was(engine: Engine) -> None:
    seen, scorer = Seen(), Faithful(engine, most=6)
    with pytest.raises(Cancelled):
        rank(engine, PLAN, BOTH, give=seen.give, scorer=scorer)
    kept = parse_ranking(ranking_text(seen.pictures[-1]))
    assert kept.own is not None and int(kept.own.done["impact"].sum()) == 4
    rest = Faithful(engine)
    found = rank(engine, PLAN, BOTH, known=kept, scorer=rest)
    assert len(rest.asked) == 2 * len(found.parts) - 4
    whole = rank(engine, PLAN, BOTH, scorer=Faithful(engine))
    assert found.own is not None and whole.own is not None
    assert all(np.array_equal(found.own.values[each], whole.own.values[each]) for each in BOTH.measures)


def test_another_measure_begins_anew(engine: Engine) -> None:
    question = replace(BOTH, measures=("impact",))
    known = rank(engine, PLAN, question, scorer=Faithful(engine))
    other = Faithful(engine, label="something else")
    found = rank(engine, PLAN, question, known=known, scorer=other)
    assert found.own is not None and found.own.label == "something else"
    assert len(other.asked) == 2 + len(found.parts)
    assert known.own is not None and known.own.label == "faithfulness"


def test_an_edited_measure_of_the_same_name_begins_anew_also_from_a_file(engine: Engine) -> None:
    question = replace(BOTH, measures=("impact",))
    known = parse_ranking(ranking_text(rank(engine, PLAN, question, scorer=Faithful(engine))))
    same, edited = Faithful(engine), Faithful(engine, identity="edited")
    rank(engine, PLAN, question, known=known, scorer=same)
    found = rank(engine, PLAN, question, known=known, scorer=edited)
    assert not same.asked
    assert len(edited.asked) == 2 + len(found.parts)
