"""What is learned of a measure from what was evaluated."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.study.search.strategies.noise import NoiseCurve


@given(st.floats(0.2, 3.0), st.floats(1e-3, 1e3), st.floats(1e-6, 1e-2))
def test_a_loss_that_is_a_power_of_the_noise_is_learned_from_two_points(
    growth: float, unit: float, power: float
) -> None:
    allowed = unit * (power * 3) ** growth
    curve = NoiseCurve(allowed, 0.5, is_exact=True)
    for factor in (10.0, 6.0):
        curve.add(power * factor, unit * (power * factor) ** growth, False)
    assert curve.target == pytest.approx(power * 3, rel=1e-6)
    assert curve.loss_at(power) == pytest.approx(unit * power**growth, rel=1e-6)


def test_the_target_lies_between_what_was_good_and_what_was_not() -> None:
    curve = NoiseCurve(math.nan, 0.5)
    curve.add(1.0, math.nan, False)
    assert 0 < curve.target < 1.0
    curve.add(0.01, math.nan, True)
    assert curve.target == pytest.approx(0.1)
    assert not curve.is_broken
    curve.add(0.001, math.nan, False)
    assert curve.is_broken, "less noise was worse"
