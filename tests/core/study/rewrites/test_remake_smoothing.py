"""Outliers of activations move into the weights."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from errorflow.quant.presets import preset
from errorflow.quant.steps import Smooth
from errorflow.study.rewrites.remake import smoothing_factors_of as factors_of
from onnx_models import value
from planted_faults import base, loud_norm
from remedied import ROUNDING, Case, gated, gated_case, gated_feed

PLAN = preset("onnxruntime").plan


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("net", ["transformer", "encoder"])
def test_a_loud_channel_of_a_norm_is_made_good(net: str, seed: int, tmp_path: Path) -> None:
    sound = base(net, seed)
    harmed = loud_norm(sound, np.random.default_rng([seed, 1]), False)
    samples = {sound.net.input: sound.samples}
    (tmp_path / "sound").mkdir()
    good = Case.of(sound.model, tmp_path / "sound", samples).sqnr(PLAN)
    ready = Case.of(harmed.model, tmp_path, samples)
    lost = good - ready.sqnr(PLAN)
    assert lost > 3
    # The steps of a few codes of probabilities are a decibel or two.
    assert ready.sqnr(PLAN.with_step(Smooth())) > good - 0.15 * lost


def test_where_nothing_takes_the_factors_a_node_is_put_in(tmp_path: Path) -> None:
    ready = gated_case(tmp_path)
    made = ready.remade(Smooth())
    (change,) = made.changes
    assert (change.tensor, change.makers, change.readers) == ("s", (), ("second",))
    before, after = onnx.load(ready.path), onnx.load(made.model.path)
    assert [node.name for node in after.graph.node] == [
        *(node.name for node in before.graph.node[:-1]),
        change.inserted,
        "second",
    ]
    assert ready.outputs_apart(made.model.path) < ROUNDING
    before_it = PLAN.keeping_float("louder")
    assert ready.sqnr(before_it.with_step(Smooth())) > ready.sqnr(before_it) + 6


def test_nodes_and_tensors_keep_their_numbers(tmp_path: Path) -> None:
    ready = gated_case(tmp_path)
    before, made = ready.remade().model.graph, ready.remade(Smooth())
    after = made.model.graph
    assert after.node_names[: len(before)] == before.node_names
    assert after.tensor_names[: len(before.tensor_names)] == before.tensor_names
    assert after.tensor_names[after.node_inputs[len(before)].tolist()[0]] == "s"


def test_below_the_threshold_nothing_happens(tmp_path: Path) -> None:
    ready = Case.of(gated(loud=2.0), tmp_path, gated_feed())
    assert not ready.remade(Smooth(threshold=0.5)).changes


def test_what_others_read_too_is_said_and_left_alone(tmp_path: Path) -> None:
    proto = gated()
    proto.graph.node.append(helper.make_node("Exp", ["s"], ["z"], "other"))
    proto.graph.output.append(value("z", None))
    made = Case.of(proto, tmp_path, gated_feed()).remade(Smooth())
    assert not made.changes
    assert "Exp" in made.skipped[0].reason


@pytest.mark.parametrize(("strength", "activations"), [(0.0, False), (1.0, True)])
def test_strength_says_which_side_becomes_even(strength: float, activations: bool) -> None:
    loud, weights = np.array([8.0, 1.0, 2.0]), np.array([1.0, 4.0, 2.0])
    factors = factors_of(loud, weights, strength)
    even = loud / factors if activations else weights * factors
    np.testing.assert_allclose(even, even[0])


def test_half_a_strength_makes_both_sides_the_same() -> None:
    loud, weights = np.array([8.0, 1.0, 2.0]), np.array([1.0, 4.0, 2.0])
    factors = factors_of(loud, weights, 0.5)
    np.testing.assert_allclose(loud / factors, weights * factors)
