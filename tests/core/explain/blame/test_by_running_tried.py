"""The named nodes are tried: who gains nothing when made right is acquitted."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from errorflow.explain.blame.model import Blame
from onnx_models import graph, model, relu, value
from tried_nets import SHAPE, Floats, disturbed, judged, named, runs


def losing() -> onnx.ModelProto:
    """x → a and x → low; of both the larger, which is never low: y."""
    nodes = [
        relu("x", "a", "first"),
        helper.make_node("Neg", ["x"], ["low"], "lost"),
        helper.make_node("Max", ["a", "low"], ["y"], "larger"),
    ]
    return model(graph(*nodes, inputs=[value("x", SHAPE)], outputs=[value("y", SHAPE)]), ir_version=10)


def gains(found: Blame) -> dict[str, float]:
    assert found.ran is not None
    return {found.graph.title(node): gain for node, gain in found.ran.gains.items()}


def clipped(right: Floats) -> Floats:
    """As a range that was calibrated for good values cuts off what a fault makes too large."""
    return np.minimum(right, np.float32(2.9))


def test_who_only_cuts_what_a_fault_made_too_large_is_not_named(tmp_path: Path) -> None:
    found = judged(tmp_path, *runs({"a": lambda right: right + 2, "y": clipped}))

    assert named(found) == ["first"]
    assert gains(found)["first"] > 0


def test_whose_error_is_discarded_behind_it_is_acquitted(tmp_path: Path) -> None:
    changes = {"a": disturbed(1), "low": lambda right: 5 * right}
    found = judged(tmp_path, *runs(changes, losing()), net=losing())

    assert named(found) == ["first"]
    assert gains(found) == {"lost": pytest.approx(0.0), "first": pytest.approx(1.0, abs=1e-4)}
    assert found.notes[1].startswith("made right alone")


@pytest.mark.parametrize("shape", [(64,), (1, 8, 8)])
def test_a_dump_in_another_shape_than_the_model_is_tried_alike(shape: tuple[int, ...], tmp_path: Path) -> None:
    golden, mine = runs({"a": disturbed(1)})
    golden, mine = ({**run, "y": run["y"].reshape(shape)} for run in (golden, mine))

    assert gains(judged(tmp_path, golden, mine)) == {"first": pytest.approx(1.0, abs=1e-4)}


@pytest.mark.parametrize("changed", ["a", "b", "y"])
def test_one_fault_gains_all(changed: str, tmp_path: Path) -> None:
    found = judged(tmp_path, *runs({changed: disturbed(1)}))

    assert gains(found) == {named(found)[0]: pytest.approx(1.0, abs=1e-4)}


def test_two_faults_stay_named(tmp_path: Path) -> None:
    found = judged(tmp_path, *runs({"a": disturbed(1), "b": disturbed(2)}))

    assert set(named(found)[:2]) == {"first", "second"}
    assert min(gains(found).values()) > 0.1


def test_where_all_is_well_nothing_is_tried(tmp_path: Path) -> None:
    assert gains(judged(tmp_path, *runs({}))) == {}


def test_a_node_whose_output_meets_an_unknown_tensor_is_not_tried(tmp_path: Path) -> None:
    """The sum reads `a` as well: without it, nor what it is made of, `b` leads nowhere."""
    golden, mine = runs({"a": lambda right: right + 2, "b": disturbed(2)})
    for run in (golden, mine):
        del run["x"], run["a"]

    assert "second" not in gains(judged(tmp_path, golden, mine))


def test_what_is_not_finite_is_not_tried(tmp_path: Path) -> None:
    broken = judged(tmp_path, *runs({"a": lambda right: np.where(right > 1, np.inf, right)}))

    assert named(broken)[0] == "first"
    assert gains(broken) == {}


def test_what_was_kept_gives_the_same_without_running(tmp_path: Path) -> None:
    golden, mine = runs({"a": lambda right: right + 2, "y": clipped})
    found = judged(tmp_path, golden, mine)
    again = judged(tmp_path, golden, mine, found.ran)

    assert again.model == found.model
    assert dict(again.notes) == dict(found.notes)
