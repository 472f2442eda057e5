"""What is left of a plan in which a part alone is quantized."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from errorflow.quant.carriers import carriers
from errorflow.quant.shifting import shifts_under
from errorflow.quant.steps import CorrectBiases
from errorflow.run.engine.engine import Engine
from errorflow.study.rank.model import Question
from errorflow.study.rank.ranking import rank
from errorflow.study.rank.switching import Switching
from rankings_made import PLAN, engine_of

SHIFTED = 0.5


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with engine_of("residual", tmp_path_factory.mktemp("net"), samples=1) as opened:
        yield opened


def corrected(engine: Engine) -> tuple[CorrectBiases, str]:
    """The first layer's biases, and the name of its weight."""
    layer = carriers(engine.graph)[0]
    names = engine.graph.tensor_names
    return CorrectBiases(((names[layer.made], (SHIFTED,) * layer.channels),)), names[layer.weight]


def test_of_a_part_alone_the_biases_of_its_own_layers_are_corrected(engine: Engine) -> None:
    step, weight = corrected(engine)
    plan = PLAN.with_step(step)
    switching = Switching(engine.graph, plan, engine.assigned(plan))
    for part in rank(engine, plan, Question(samples=(0,))).parts:
        alone = switching.alone([part])
        shifts = shifts_under(engine.graph, alone, engine.assigned(alone))
        assert bool(shifts) == (weight in part.tensors)


def test_an_impact_counts_the_biases_that_the_plan_corrects(engine: Engine) -> None:
    step, weight = corrected(engine)
    question = Question(samples=(0,), metrics=("relative_l2",))
    without, found = (rank(engine, plan, question) for plan in (PLAN, replace(PLAN, steps=(step,))))
    differ = found.values["impact"][0, :, 0, 0] != without.values["impact"][0, :, 0, 0]
    assert [part.name for part, other in zip(found.parts, differ, strict=True) if other] == [
        part.name for part in found.parts if weight in part.tensors
    ]
