"""Where single parts tell too little, that is said, and pairs show it."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest

from errorflow.base.errors import UsageError
from errorflow.quant.plan import Plan
from errorflow.quant.ranges import Calibration, Range
from errorflow.report.pairs import interaction_lines, pairs_csv
from errorflow.run.engine.engine import Engine
from errorflow.study.rank.interaction import PartPair, PartPairs, explained, pairs_of
from errorflow.study.rank.model import Question
from errorflow.study.rank.ranking import rank
from onnx_models import graph, model, value
from rankings_made import PLAN, engine_of, made_up

NAN = math.nan
UNIT = Question(metrics=("relative_l2",))


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with engine_of("residual", tmp_path_factory.mktemp("net")) as opened:
        yield opened


@pytest.fixture
def cancelling(tmp_path: Path) -> Iterator[Engine]:
    """y = q(x) − q(x) twice over: both copies have the same error, and it is gone where both are coded."""
    nodes = [
        onnx.helper.make_node("Abs", ["x"], ["a"], "first"),
        onnx.helper.make_node("Abs", ["x"], ["b"], "second"),
        onnx.helper.make_node("Sub", ["a", "b"], ["d"], "less"),
        onnx.helper.make_node("Add", ["d", "x"], ["y"], "more"),
    ]
    made = model(graph(*nodes, inputs=[value("x", (1, 64))], outputs=[value("y", (1, 64))]))
    path = tmp_path / "model.onnx"
    onnx.save(made, path)
    dice = np.random.default_rng(0)
    ranges = {name: Range(0.0, 3.0) for name in ("a", "b")}
    samples = [{"x": dice.uniform(0, 3, (1, 64)).astype(np.float32)}]
    with Engine(path, samples, Calibration("made", ranges)) as opened:
        yield opened


def test_parts_of_a_net_without_faults_explain_the_whole(engine: Engine) -> None:
    (found,) = explained(rank(engine, PLAN, UNIT))
    assert found.way is None
    assert "adds up" in found.text


def test_pairs_that_act_on_their_own_add_up(engine: Engine) -> None:
    ranking = rank(engine, PLAN, UNIT)
    found = pairs_of(engine, ranking, top=4)
    assert len(found.pairs) == 6
    best = found.pairs[0]
    assert best.powers[0, 0] == pytest.approx(float(ranking.powers[best.first, 0].sum()), rel=0.05)
    assert sum(pair.way(0) == "add up" for pair in found.pairs) >= 4


def test_errors_that_cancel_each_other_hide_each_other(cancelling: Engine) -> None:
    plan = replace(Plan(), types=("Sub",), outputs=False)
    ranking = rank(cancelling, plan, UNIT)
    (whole,) = explained(ranking)
    assert whole.way == "hide each other" and "cancel" in whole.text
    (pair,) = pairs_of(cancelling, ranking, top=2).pairs
    assert pair.way(0) == "hide each other" and pair.ratio(0) == pytest.approx(0, abs=1e-9)
    lines = list(interaction_lines(ranking, pairs_of(cancelling, ranking, top=2)))
    both = ("first and second", "second and first")
    assert any(f"  {names} hide each other at y: 0.00 times the sum of each." in lines for names in both)


def test_what_must_be_freed_together_works_together(cancelling: Engine) -> None:
    """One copy in float brings the error that both in codes had not."""
    plan = replace(Plan(), types=("Sub",), outputs=False)
    ranking = rank(cancelling, plan, replace(UNIT, measures=("recovery",)))
    (pair,) = pairs_of(cancelling, ranking, top=2).pairs
    assert pair.powers[0, 0] < 0 and pair.powers[0, 1] < 0
    assert pair.powers[0, 2] == pytest.approx(0, abs=1e-9)
    assert pair.way(0) == "work together"


def test_the_table_has_a_line_for_each_pair_and_output(engine: Engine) -> None:
    ranking = rank(engine, PLAN, UNIT)
    found = pairs_of(engine, ranking, top=3)
    lines = pairs_csv(ranking, found).splitlines()
    assert lines[0].startswith("measure,output,first,second")
    assert len(lines) == 1 + 3 * len(found.outputs)


@pytest.mark.parametrize(
    ("powers", "way"),
    [
        ([1, 1, 4], "work together"),
        ([1, 1, 2], "add up"),
        ([2, 2, 1], "hide each other"),
        ([0, 0, 0], "add up"),
        ([NAN, 1, 4], None),
        ([1, 1, NAN], None),
    ],
)
def test_a_pair_is_said_in_words(powers: list[float], way: str | None) -> None:
    assert PartPair(0, 1, np.array([powers], float)).way(0) == way


def test_parts_that_overlap_make_no_sum() -> None:
    ranking = made_up([[0.5], [0.4]])
    assert explained(replace(ranking, question=replace(ranking.question, kind="node"))) == ()
    assert explained(replace(ranking, question=replace(ranking.question, only=(("a",),)))) == ()


def test_what_is_no_number_on_one_side_gives_no_verdict_on_the_sum() -> None:
    """One part alone makes NaN on a sample; the whole, whose codes hide it, does not."""
    powers, whole = np.array([[[1.0, 1.0]], [[1.0, NAN]]]), np.array([[2.0, 20.0]])
    ranking = replace(made_up([[0.5, 0.5], [0.5, NAN]]), powers=powers, whole_powers=whole)
    (found,) = explained(ranking)
    assert found.way is None and not found.is_known
    assert list(interaction_lines(ranking, None)) == [
        "y: some values are no numbers: whether parts act on their own is not known."
    ]


def test_pairs_without_a_verdict_are_counted_and_have_none_in_the_table() -> None:
    ranking = replace(made_up([[0.5]] * 3), powers=np.ones((3, 1, 1)), whole_powers=np.full((1, 1), 3.0))
    made = (PartPair(0, 1, np.array([[1.0, 1.0, 2.0]])), PartPair(0, 2, np.array([[1.0, NAN, NAN]])))
    pairs = PartPairs("impact", ("y",), (0,), made, np.array([3.0]))
    assert next(interaction_lines(ranking, pairs)).startswith("Of 1 of 2 pairs nothing can be said")
    assert pairs_csv(ranking, pairs).splitlines()[2].endswith("p0,p2,0.333333333,,,,")


def test_one_part_makes_no_pair(engine: Engine) -> None:
    with pytest.raises(UsageError, match="Pairs are made of"):
        pairs_of(engine, rank(engine, PLAN, replace(UNIT, samples=(0,))), top=1)
