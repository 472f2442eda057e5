"""What was not measured is no proof: neither against who reads it nor of what is behind it."""

import math
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from blame_cases import chain, compared, graph_of
from errorflow.explain.blame.estimate import blame
from onnx_models import graph, model, relu, value, weight
from tried_nets import SHAPE, disturbed, judged, named, runs

NAN = math.nan


def in_a_row() -> onnx.ModelProto:
    """x → a → b → c → y."""
    nodes = [
        relu("x", "a", "first"),
        helper.make_node("Sqrt", ["a"], ["b"], "second"),
        helper.make_node("Exp", ["b"], ["c"], "third"),
        helper.make_node("Neg", ["c"], ["y"], "last"),
    ]
    return model(graph(*nodes, inputs=[value("x", SHAPE)], outputs=[value("y", SHAPE)]), ir_version=10)


@pytest.mark.parametrize("guilty", ["b", "c"])
@pytest.mark.parametrize("lacking", ["one run", "both runs"])
def test_of_a_missing_dump_maker_and_reader_are_suspects(guilty: str, lacking: str, tmp_path: Path) -> None:
    golden, mine = runs({guilty: disturbed(1)}, in_a_row())
    for run in (mine,) if lacking == "one run" else (golden, mine):
        del run["b"]
    found = judged(tmp_path, golden, mine, net=in_a_row())

    assert named(found) == ["second", "third"]
    assert found.model.text.startswith("Node error: second or third brings 100 % of the error at y: made right, ")
    assert found.model.text.endswith(" Not sure which: not all that third reads was compared.")
    assert found.blame_shares[1] == found.blame_shares[2] == pytest.approx(0.5)


def test_who_reads_nothing_unknown_is_named_alone(tmp_path: Path) -> None:
    golden, mine = runs({"a": disturbed(1)}, in_a_row())
    del golden["b"], mine["b"]

    assert named(judged(tmp_path, golden, mine, net=in_a_row())) == ["first"]


def test_of_an_input_that_was_not_compared_it_is_said(tmp_path: Path) -> None:
    golden, mine = runs({"a": disturbed(1)}, in_a_row())
    del mine["x"]
    found = judged(tmp_path, golden, mine, net=in_a_row()).model

    assert "the input x or first brings 100 % of the error at y: made right, " in found.text
    assert found.text.endswith(" Not sure which: not all that first reads was compared.")
    ((leaf, share),) = found.inputs
    assert leaf == 0 and share == pytest.approx(0.5)


def test_no_share_is_claimed_at_an_output_that_was_not_measured(tmp_path: Path) -> None:
    golden, mine = runs({"b": disturbed(1)}, in_a_row())
    del mine["y"]
    found = judged(tmp_path, golden, mine, net=in_a_row())

    assert found.model.text.startswith("Node error: second brings 100 % of the error at c: made right, ")
    assert found.blamed_at == "c"


def test_beside_an_output_that_was_measured_the_way_to_another_is_judged() -> None:
    lines = [("n", "Conv", ["x", "w0"], ["a"]), ("m", "Conv", ["a", "w1"], ["b"]), ("o", "Conv", ["b", "w2"], ["y"])]
    net = graph_of([*lines, ("p", "Conv", ["x", "w3"], ["z"])], outputs=["z", "y"])
    judged = blame(net, compared({"x": 0, "a": 0.01, "b": 0.4, "z": 0.01}))
    found = judged.model

    assert not judged.in_part, "what is bad is another tensor, no part of the output that was measured"
    assert "m is where the error at b begins." in found.text
    assert [net.tensor_names[tensor] for tensor, _ in found.outputs] == ["z", "b"]


def test_a_long_stretch_is_told_by_its_ends() -> None:
    found = blame(*chain(0, 0.01, NAN, NAN, NAN, 0.5)).model

    assert "a node between n1 and n4 is where the error at t4 begins." in found.text
    assert len(found.top) == 4


def test_of_very_many_suspects_one_is_still_named() -> None:
    makers = [(f"n{at}", "Conv", ["x", f"w{at}"], [f"a{at}"]) for at in range(150)]
    net = graph_of([*makers, ("all", "Sum", [f"a{at}" for at in range(150)], ["y"])], outputs=["y"])
    found = blame(net, compared({"x": 0, "y": 0.4})).model

    assert found.kind == "node error" and "a node between n0 and all is where the error at y begins." in found.text
    assert [net.title(each.node) for each in found.top] == ["all"]


def test_what_changes_the_form_only_is_no_suspect() -> None:
    lines = [("n", "Conv", ["x", "w0"], ["a"]), ("m", "Reshape", ["a"], ["b"]), ("o", "Conv", ["b", "w1"], ["y"])]
    net = graph_of(lines, outputs=["y"])

    assert "n or o is where the error at y begins." in blame(net, compared({"x": 0, "y": 0.4})).model.text
    assert "o is where the error at y begins." in blame(net, compared({"x": 0, "a": 0.01, "y": 0.4})).model.text


# NaN and infinities that nobody takes


def picking(rare: float) -> onnx.ModelProto:
    """Of x the root where it is more than `rare`, else twice x; then its negative."""
    nodes = [
        helper.make_node("Sub", ["x", "least"], ["less"], "minus"),
        helper.make_node("Sqrt", ["less"], ["root"], "root"),
        helper.make_node("Exp", ["root"], ["high"], "high"),
        helper.make_node("Greater", ["x", "least"], ["mask"], "mask"),
        helper.make_node("Add", ["x", "x"], ["twice"], "twice"),
        helper.make_node("Where", ["mask", "high", "twice"], ["picked"], "pick"),
        helper.make_node("Neg", ["picked"], ["y"], "last"),
    ]
    weights = [weight("least", np.array([rare], np.float32))]
    main = graph(*nodes, inputs=[value("x", SHAPE)], outputs=[value("y", SHAPE)], weights=weights)
    return model(main, ir_version=10)


def judged_with_holes(place: Path, hole: float, changed: str, drop: str = "") -> list[str]:
    """The named ones, where the candidate's root is not finite wherever it is not taken."""
    right, _ = runs({}, picking(1.0))
    taken = right["mask"].astype(bool)
    whole = {name: np.where(np.isfinite(values), values, 0.25).astype(values.dtype) for name, values in right.items()}
    mine = {name: values.copy() for name, values in whole.items()}
    mine["root"][~taken] = hole
    mine["high"] = np.exp(mine["root"])
    if changed:
        mine[changed] = disturbed(3)(mine[changed])
    if changed == "root":
        mine["high"] = np.exp(mine["root"])
    mine["picked"] = np.where(taken, mine["high"], mine["twice"])
    mine["y"] = -mine["picked"]
    for run in (whole, mine):
        run.pop(drop, None)
    return named(judged(place, whole, mine, net=picking(1.0)))


@pytest.mark.parametrize("drop", ["", "less", "x"])
@pytest.mark.parametrize("hole", [math.nan, math.inf])
def test_who_makes_a_nan_that_nobody_takes_is_innocent(hole: float, drop: str, tmp_path: Path) -> None:
    assert "twice" in judged_with_holes(tmp_path, hole, "twice", drop)
    assert not {"root", "high", "minus"} & set(judged_with_holes(tmp_path, hole, "twice", drop))


@pytest.mark.parametrize("guilty", ["root", "high"])
def test_who_makes_the_rest_of_such_a_tensor_wrong_is_found_by_trying(guilty: str, tmp_path: Path) -> None:
    assert judged_with_holes(tmp_path, math.nan, guilty)[0] == guilty


def test_holes_alone_do_no_harm(tmp_path: Path) -> None:
    assert judged_with_holes(tmp_path, math.nan, "") == []
