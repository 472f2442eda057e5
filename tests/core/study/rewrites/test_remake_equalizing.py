"""Cross-layer equalization of pairs of layers."""

from pathlib import Path

import numpy as np
import pytest

from errorflow.quant.plan import Plan
from errorflow.quant.precision import Precision
from errorflow.quant.steps import Equalize
from errorflow.study.rewrites.remake import factors_of
from remedied import ROUNDING, Case, activated, feed, pair

# Weights with one scale for all channels are what it is for.
PLAN = Plan(weights=Precision("int8", symmetric=True))


@pytest.mark.parametrize(
    "kind", [("Relu",), ("LeakyRelu",), ("Identity",), ("Clip", "zero", "endless"), ("Clip", "zero")]
)
@pytest.mark.parametrize("groups", [1, 2, 8])
def test_a_loud_channel_between_two_layers_is_made_as_loud_as_others(
    kind: tuple[str, ...], groups: int, tmp_path: Path
) -> None:
    ready = Case.of(pair(activated(*kind), 300.0, groups), tmp_path, feed())
    made = ready.remade(Equalize())
    (change,) = made.changes
    assert (change.tensor, change.makers, change.readers) == ("r1", ("first",), ("second",))
    assert change.before.weights > 5 * change.after.weights
    assert ready.outputs_apart(made.model.path) < ROUNDING


@pytest.mark.parametrize("groups", [1, 8])
def test_weights_with_one_scale_for_all_gain(groups: int, tmp_path: Path) -> None:
    ready = Case.of(pair(activated("Relu"), 300.0, groups), tmp_path, feed())
    assert ready.sqnr(PLAN.with_step(Equalize())) > ready.sqnr(PLAN) + 6


def test_both_layers_have_channels_of_the_same_size(tmp_path: Path) -> None:
    ready = Case.of(pair(activated("Relu"), 30.0), tmp_path, feed())
    weights = ready.remade(Equalize()).model.graph.weights
    made = np.abs(weights.read("w1")).max(axis=(1, 2, 3))
    read = np.abs(weights.read("w2")).max(axis=(0, 2, 3))
    np.testing.assert_allclose(made, read, rtol=1e-3)


def test_an_end_that_all_channels_share_is_said_and_left_alone(tmp_path: Path) -> None:
    made = Case.of(pair(activated("Clip", "zero", "six"), 30.0), tmp_path, feed()).remade(Equalize())
    assert not made.changes
    (skipped,) = made.skipped
    assert "ends at 0 … 6, which would be another value in each channel" in skipped.reason


def test_what_makes_something_else_of_large_values_is_left_alone(tmp_path: Path) -> None:
    made = Case.of(pair(activated("Sigmoid"), 30.0), tmp_path, feed()).remade(Equalize())
    assert not made.changes
    assert made.skipped[0].reason.startswith("Sigmoid")


def test_the_root_of_both_is_what_they_become() -> None:
    made, read = np.array([4.0, 1.0]), np.array([1.0, 9.0])
    factors = factors_of(made, read)
    np.testing.assert_allclose(made / factors, np.sqrt(made * read))
    np.testing.assert_allclose(read * factors, np.sqrt(made * read))


def test_channels_that_are_always_zero_have_no_loud_weights_behind_them() -> None:
    factors = factors_of(np.array([0.0, 1.0, 1.0]), np.array([500.0, 1.0, 1.0]))
    np.testing.assert_allclose(factors, [0.002, 1, 1])


def test_what_nobody_reads_stays() -> None:
    assert factors_of(np.array([5.0, 1.0]), np.zeros(2)).tolist() == [1, 1]
