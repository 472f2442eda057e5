"""A candidate that left dumps only is rebuilt: who is named gains what is said when its error is left out."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from errorflow.explain.blame.model import Blame
from onnx_models import graph, model, relu, value, weight
from tried_nets import SHAPE, Floats, X, disturbed, judged, named, runs


def losing() -> onnx.ModelProto:
    """x → a and x → low; of both the larger, which is never low: y."""
    nodes = [
        relu("x", "a", "first"),
        helper.make_node("Neg", ["x"], ["low"], "lost"),
        helper.make_node("Max", ["a", "low"], ["y"], "larger"),
    ]
    return model(graph(*nodes, inputs=[value("x", SHAPE)], outputs=[value("y", SHAPE)]), ir_version=10)


def shares(found: Blame) -> dict[str, float]:
    """What the named ones gain, as runs showed it."""
    assert found.ran is not None
    switched = found.ran.switched[found.model.output]
    assert switched.of_dumps
    return {found.graph.title(node): gain for node, gain in switched.shares.items()}


def clipped(right: Floats) -> Floats:
    """As a range that was calibrated for good values cuts off what a fault makes too large."""
    return np.minimum(right, np.float32(2.9))


def test_who_only_cuts_what_a_fault_made_too_large_is_not_named(tmp_path: Path) -> None:
    found = judged(tmp_path, *runs({"a": lambda right: right + 2, "y": clipped}))

    assert named(found) == ["first"]
    assert found.model.remedy is not None
    assert found.model.remedy.gain == pytest.approx(1)


def test_whose_error_is_discarded_behind_it_is_not_named(tmp_path: Path) -> None:
    changes = {"a": disturbed(1), "low": lambda right: 5 * right}
    found = judged(tmp_path, *runs(changes, losing()), net=losing())

    assert shares(found) == {"first": pytest.approx(1.0, abs=1e-4)}


@pytest.mark.parametrize("shape", [(64,), (1, 8, 8)])
def test_a_dump_in_another_shape_than_the_model_is_rebuilt_alike(shape: tuple[int, ...], tmp_path: Path) -> None:
    golden, mine = runs({"a": disturbed(1)})
    golden, mine = ({**run, "y": run["y"].reshape(shape)} for run in (golden, mine))

    assert shares(judged(tmp_path, golden, mine)) == {"first": pytest.approx(1.0, abs=1e-4)}


@pytest.mark.parametrize("changed", ["a", "b", "y"])
def test_one_fault_gains_all(changed: str, tmp_path: Path) -> None:
    found = judged(tmp_path, *runs({changed: disturbed(1)}))

    assert shares(found) == {named(found)[0]: pytest.approx(1.0, abs=1e-4)}


def test_two_faults_are_both_named(tmp_path: Path) -> None:
    found = judged(tmp_path, *runs({"a": disturbed(1), "b": disturbed(2)}))

    assert set(named(found)[:2]) == {"first", "second"}
    assert min(shares(found).values()) > 0.1


def test_where_all_is_well_nothing_is_run(tmp_path: Path) -> None:
    found = judged(tmp_path, *runs({}))

    assert found.ran is not None and not found.ran.switched


def test_what_cannot_be_made_of_the_dumps_is_judged_by_following_the_error_back(tmp_path: Path) -> None:
    """The sum reads `a` as well: without it, nor what it is made of, `b` leads nowhere."""
    golden, mine = runs({"a": lambda right: right + 2, "b": disturbed(2)})
    for run in (golden, mine):
        del run["x"], run["a"]
    found = judged(tmp_path, golden, mine)

    assert found.ran is not None and not found.ran.switched
    assert found.model.kind != "good"


@pytest.mark.parametrize("broken", [np.inf, np.nan])
def test_what_is_not_finite_is_named_where_it_is_born(broken: float, tmp_path: Path) -> None:
    found = judged(tmp_path, *runs({"a": lambda right: np.where(right > 1, broken, right)}))

    assert named(found)[0] == "first"
    assert found.model.remedy is not None and found.model.remedy.before == np.inf


def test_what_was_kept_gives_the_same_without_running(tmp_path: Path) -> None:
    golden, mine = runs({"a": lambda right: right + 2, "y": clipped})
    found = judged(tmp_path, golden, mine)
    again = judged(tmp_path, golden, mine, found.ran)

    assert again.model == found.model
    assert dict(again.notes) == dict(found.notes)


def in_a_row(*lines: tuple[str, str], shape: tuple[int, ...] = SHAPE) -> onnx.ModelProto:
    """Operators one behind the other: x → a → b …, the last one makes y."""
    names = ["x", *(f"t{at}" for at in range(len(lines) - 1)), "y"]
    nodes = [
        helper.make_node(op_type, [read, *(["w"] if op_type == "MatMul" else [])], [made], title)
        for (op_type, title), read, made in zip(lines, names, names[1:], strict=False)
    ]
    weights = [weight("w", np.eye(shape[-1], dtype=np.float32) * 0.9)]
    main = graph(*nodes, inputs=[value("x", shape)], outputs=[value("y", None)], weights=weights)
    return model(main, ir_version=10)


@pytest.mark.parametrize("behind", [("Relu",), ("Relu", "LeakyRelu")], ids=len)
def test_of_a_group_who_was_disturbed_is_named(behind: tuple[str, ...], tmp_path: Path) -> None:
    lines = [("MatMul", "product"), *((op_type, op_type.lower()) for op_type in behind), ("MatMul", "next")]
    found = judged(tmp_path, *runs({"t0": disturbed(1)}, in_a_row(*lines)), net=in_a_row(*lines))

    assert named(found)[0] == "product"
    assert found.model.remedy is not None and found.model.remedy.gain == pytest.approx(1, abs=1e-3)


def test_a_single_value_is_not_taken_for_one_that_is_cut_off(tmp_path: Path) -> None:
    net = in_a_row(("Exp", "first"), ("Sqrt", "second"), ("Neg", "last"), shape=(1, 1))
    x = np.ones((1, 1), np.float32)
    golden, mine = runs({"t0": lambda right: right - 0.8, "t1": lambda right: right - 0.05}, net, x)
    found = judged(tmp_path, golden, mine, net=net)

    assert named(found)[0] == "first"


def test_what_both_have_no_number_for_is_no_error(tmp_path: Path) -> None:
    """As attention masks have it."""
    net = in_a_row(("Log", "first"), ("Neg", "second"), ("Neg", "last"))
    x = X.copy()
    x[:, :8] = 0
    with np.errstate(divide="ignore"):
        golden, mine = runs({"t1": disturbed(1)}, net, x)
    found = judged(tmp_path, golden, mine, net=net)

    assert shares(found) == {"second": pytest.approx(1.0, abs=1e-3)}


@pytest.mark.parametrize("op_type", ["ArgMax", "IsNaN"])
def test_whole_numbers_and_truths_may_be_dumped_as_real_ones(op_type: str, tmp_path: Path) -> None:
    nodes = [helper.make_node("Exp", ["x"], ["a"], "first"), helper.make_node(op_type, ["a"], ["b"], "which")]
    nodes.append(helper.make_node("Neg", ["a"], ["y"], "last"))
    outputs = [value("y", SHAPE)]
    net = model(graph(*nodes, inputs=[value("x", SHAPE)], outputs=outputs), ir_version=10)
    golden, mine = runs({"a": disturbed(1)}, net)
    mine["b"] = 1 - golden["b"].astype(np.float32)

    assert named(judged(tmp_path, golden, mine, net=net))[0] == "first"
