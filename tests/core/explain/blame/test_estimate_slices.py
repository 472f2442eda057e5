"""Outputs that are put together of loud and quiet parts."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from blame_cases import compared, graph_of, row
from errorflow.compare.model import Comparison, Row
from errorflow.explain.blame.estimate import blame
from errorflow.graph.dump import TensorInfo
from onnx_models import graph, model, value
from tried_nets import SHAPE, X, disturbed, judged, named, runs


def detecting(*behind: str) -> onnx.ModelProto:
    """Boxes of hundreds and scores below one, put side by side; then nodes that only pass them on."""
    nodes = [
        helper.make_node("Exp", ["x"], ["large"], "large"),
        helper.make_node("Pow", ["large", "x"], ["boxes"], "boxes"),
        helper.make_node("Neg", ["x"], ["low"], "low"),
        helper.make_node("Sigmoid", ["low"], ["scores"], "scores"),
        helper.make_node("Concat", ["boxes", "scores"], ["both"], "join", axis=1),
    ]
    names = ["both", *(f"t{at}" for at in range(len(behind)))]
    nodes += [helper.make_node(kind, [names[at]], [names[at + 1]], f"pass{at}") for at, kind in enumerate(behind)]
    main = graph(*nodes, inputs=[value("x", SHAPE)], outputs=[value(names[-1], None)])
    return model(main, ir_version=10)


@pytest.mark.parametrize("behind", [(), ("Identity",), ("Transpose", "Identity")], ids=len)
@pytest.mark.parametrize("guilty", ["low", "scores"])
def test_a_fault_in_the_quiet_part_is_named(guilty: str, behind: tuple[str, ...], tmp_path: Path) -> None:
    net = detecting(*behind)
    change = disturbed(1)
    loud = X + 3

    golden, mine = runs({guilty: lambda right: change(right) * 0.9}, net, loud)
    found = judged(tmp_path, golden, mine, net=net)
    last = net.graph.output[0].name

    whole = np.linalg.norm(mine[last] - golden[last]) / np.linalg.norm(golden[last])
    assert whole < 0.01, "by its power the output is good"
    assert found.model.kind == "node error" and named(found) == [guilty]
    part = f"the part scores of {last}" if "Transpose" in behind else f"columns 64–127 of {last}"
    assert f"of the error at {part}: " in found.model.text


def test_where_both_parts_are_as_good_as_the_whole_it_is_judged_as_one() -> None:
    lines = [("n", "Conv", ["x", "w0"], ["a"]), ("m", "Conv", ["x", "w1"], ["b"]), ("j", "Concat", ["a", "b"], ["y"])]
    net = graph_of(lines, outputs=["y"])

    assert "at y" in blame(net, compared({"x": 0, "a": 0.2, "b": 0.25, "y": 0.22})).model.text
    assert blame(net, compared({"x": 0, "a": 0.02, "b": 0.04, "y": 0.01})).model.kind == "good"
    found = blame(net, compared({"x": 0, "a": 0.01, "b": 0.4, "y": 0.01}))
    assert "m is where the error at " in found.model.text and found.blamed_at == "b"
    assert found.in_part


def shaped(name: str, error: float, *shape: int) -> Row:
    info = TensorInfo(name, "float32", shape, 4)
    return replace(row(name, error), reference=info, candidate=info)


@pytest.mark.parametrize(
    ("parts", "whole", "where"),
    [
        ([("b", 1, 4)], (1, 80), "the part b of y"),
        ([("a", 1, 4), ("b", 1, 4)], (1, 8), "columns 4–7 of y"),
        ([("a", 1, 4), ("b", 1, 4)], (1, 80), "the part b of y"),
        ([("a", 2, 4), ("b", 2, 4)], (4, 4), "columns 2–3 of y"),
        ([("a", 2, 4), ("b", 2, 6)], (4, 10), "the part b of y"),
        ([("b", 1, 80)], (1, 80), "the part b of y"),
        ([("a", 8, 4), ("b", 8)], (8, 8), "the part b of y"),
    ],
)
def test_columns_are_told_only_where_the_parts_make_up_the_whole(
    parts: list[tuple[str, *tuple[int, ...]]], whole: tuple[int, int], where: str
) -> None:
    lines = [("n", "Conv", ["x", "w0"], ["a"]), ("m", "Conv", ["x", "w1"], ["b"]), ("j", "Concat", ["a", "b"], ["y"])]
    rows = [shaped(name, 0.4 if name == "b" else 0.01, *shape) for name, *shape in parts]
    comparison = Comparison((shaped("x", 0, 1, 8), *rows, shaped("y", 0.01, *whole)))

    text = blame(graph_of(lines, outputs=["y"]), comparison).model.text
    assert f"the error at {where} " in text, text


def test_parts_of_parts_are_told_apart() -> None:
    lines = [
        ("n", "Conv", ["x", "w0"], ["a"]),
        ("m", "Conv", ["x", "w1"], ["b"]),
        ("i", "Concat", ["a", "b"], ["c"]),
        ("r", "Reshape", ["c"], ["d"]),
        ("k", "Conv", ["x", "w2"], ["e"]),
        ("j", "Concat", ["d", "e"], ["y"]),
    ]
    net = graph_of(lines, outputs=["y"])
    found = blame(net, compared({"x": 0, "a": 0.01, "b": 0.4, "c": 0.01, "d": 0.01, "e": 0.01, "y": 0.01})).model

    assert [net.title(each.node) for each in found.top] == ["m"]
