"""Rankings are made early, kept when they are cancelled, and gone on with."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from errorflow.base.errors import UsageError
from errorflow.base.progress import Cancelled
from errorflow.quant.plan import Plan
from errorflow.run.engine.engine import Engine
from errorflow.study.rank.model import Ground, Question, Ranking
from errorflow.study.rank.ranking import rank
from errorflow.study.rank.ranking_file import parse_ranking, ranking_text
from errorflow.study.rank.reading import order
from rankings_made import PLAN, Seen, engine_of, same

BOTH = Question(measures=("impact", "recovery"))
GROUND = Ground("model", "data", "ranges")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with engine_of("residual", tmp_path_factory.mktemp("net")) as opened:
        yield opened


@pytest.fixture(scope="module")
def whole(engine: Engine) -> Ranking:
    return rank(engine, PLAN, BOTH, ground=GROUND)


def test_everything_that_was_asked_is_measured(whole: Ranking) -> None:
    assert whole.complete and whole.share_done == 1
    assert not np.isnan(whole.values["impact"]).any()
    assert np.isfinite(whole.powers).all() and np.isfinite(whole.whole).all()
    assert (whole.counts > 0).all()


def test_the_numbers_are_those_of_the_plans_themselves(engine: Engine, whole: Ranking) -> None:
    part = int(order(whole)[0])
    tensors = tuple((name, "float") for name in whole.parts[part].tensors)
    plan = replace(PLAN, tensors=tuple(sorted(tensors)))  # type: ignore[arg-type]  # float is a wish
    table = engine.run(plan, whole.outputs)
    for place in range(len(whole.samples)):
        sums = table.sums(whole.outputs[0], place)
        assert sums is not None
        assert whole.values["recovery"][0, part, 0, place] == whole.metrics[0].of(sums)


def test_a_first_picture_of_all_parts_comes_before_the_second_sample(engine: Engine) -> None:
    seen = Seen()
    rank(engine, PLAN, Question(), give=seen.give)
    done = [picture.done["impact"] for picture in seen.pictures]
    assert all((each.sum(axis=1) <= 1).all() or each.any(axis=1).all() for each in done)
    assert seen.pictures[-1].complete


def test_a_cancel_keeps_what_is_known(engine: Engine) -> None:
    seen = Seen(0.5)
    with pytest.raises(Cancelled):
        rank(engine, PLAN, Question(), give=seen.give, progress=seen)
    assert 0 < seen.pictures[-1].share_done < 1
    assert np.isfinite(seen.pictures[-1].whole).all()


@pytest.mark.parametrize("share", [0.1, 0.4, 0.8])
def test_what_is_gone_on_with_is_what_would_have_been(engine: Engine, whole: Ranking, share: float) -> None:
    seen = Seen(share)
    with pytest.raises(Cancelled):
        rank(engine, PLAN, BOTH, give=seen.give, progress=seen, ground=GROUND)
    kept = parse_ranking(ranking_text(seen.pictures[-1]))
    assert not kept.complete
    assert same(rank(engine, PLAN, BOTH, known=kept, ground=GROUND), whole)


def test_nothing_is_measured_twice(engine: Engine, whole: Ranking) -> None:
    def never(_: int, __: int, text: str) -> None:
        raise AssertionError(text)

    class Never:
        step = staticmethod(never)

    assert same(rank(engine, PLAN, BOTH, known=whole, progress=Never(), ground=GROUND), whole)


def test_more_samples_and_measures_go_on_from_fewer(engine: Engine, whole: Ranking) -> None:
    fewer = rank(engine, PLAN, Question(samples=(0, 2)), ground=GROUND)
    assert fewer.samples == (0, 2)
    assert same(rank(engine, PLAN, BOTH, known=fewer, ground=GROUND), replace(whole, expected=fewer.expected))


@pytest.mark.parametrize(
    ("question", "plan", "ground", "said"),
    [
        (BOTH, Plan(), GROUND, "another plan"),
        (replace(BOTH, kind="node"), PLAN, GROUND, "other parts"),
        (replace(BOTH, metrics=("cosine",)), PLAN, GROUND, "other metrics"),
        (replace(BOTH, to=16), PLAN, GROUND, "other bits"),
        (BOTH, PLAN, Ground("other", "data", "ranges"), "another model"),
        (BOTH, PLAN, Ground("model", "other", "ranges"), "other samples"),
        (BOTH, PLAN, Ground("model", "data", "other"), "other ranges"),
    ],
)
def test_what_does_not_fit_is_a_sentence(
    engine: Engine, whole: Ranking, question: Question, plan: Plan, ground: Ground, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        rank(engine, plan, question, known=whole, ground=ground)


def test_tensors_inside_can_be_what_is_measured(engine: Engine, whole: Ranking) -> None:
    name = engine.tensors[len(engine.tensors) // 2]
    found = rank(engine, PLAN, Question(outputs=(name,), samples=(0,)))
    assert found.outputs == (name,)
    before = [part for part in found.parts if not np.nan_to_num(found.powers[found.parts.index(part)]).any()]
    assert before, "what comes behind does nothing to it"


def test_a_sample_that_is_not_there_is_a_sentence(engine: Engine) -> None:
    with pytest.raises(UsageError, match="no sample 10"):
        rank(engine, PLAN, Question(samples=(9,)))
