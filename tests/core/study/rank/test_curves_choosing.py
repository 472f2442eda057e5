"""What a ranking that is there already gives to a curve."""

from dataclasses import replace

import pytest

from errorflow.study.rank.curves_choosing import with_impacts
from errorflow.study.rank.curves_recovery import RecoveryRequest
from errorflow.study.rank.model import Ground
from rankings_made import PLAN, made_up

GROUND = Ground("model", "data", "ranges")
WISH = RecoveryRequest((), metrics=("cosine",), marks=True)


def test_impacts_of_the_same_are_not_measured_again() -> None:
    ranking = replace(made_up([[0.5, 0.4], [0.9, 0.8]]), ground=GROUND)
    found = with_impacts(WISH, ranking, PLAN, GROUND, 2, ("y",)).impacts
    assert found is not None
    assert {name: values.tolist() for name, values in found.items()} == {"p0": [[[0.5, 0.4]]], "p1": [[[0.9, 0.8]]]}


@pytest.mark.parametrize(
    "ground",
    [None, Ground("other", "data", "ranges"), Ground("model", "other", "ranges"), Ground("model", "data", "other")],
)
def test_impacts_of_another_model_other_samples_or_ranges_are_not_taken(ground: Ground | None) -> None:
    ranking = replace(made_up([[0.5, 0.4]]), ground=ground)
    assert with_impacts(WISH, ranking, PLAN, GROUND, 2, ("y",)).impacts is None
