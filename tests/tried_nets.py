"""Runs of small nets in which chosen tensors are changed, and what is said of them with the net at hand."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper

from errorflow.compare.match.any_runs import match_runs
from errorflow.compare.pairs import compare_match
from errorflow.explain.blame.by_running import blame_by_running
from errorflow.explain.blame.model import Blame, ExactParts
from errorflow.formats import read_model, read_tensors
from onnx_models import graph, model, relu, value
from run_models import one_node, savez

Floats = NDArray[np.float32]
SHAPE = (1, 64)
X = np.random.default_rng(5).uniform(0.5, 1.5, SHAPE).astype(np.float32)


def skipping() -> onnx.ModelProto:
    """x → a → b, and b added to a: y."""
    nodes = [
        relu("x", "a", "first"),
        helper.make_node("Sqrt", ["a"], ["b"], "second"),
        helper.make_node("Add", ["a", "b"], ["y"], "sum"),
    ]
    return model(graph(*nodes, inputs=[value("x", SHAPE)], outputs=[value("y", SHAPE)]), ir_version=10)


def noise(seed: int) -> Floats:
    return np.random.default_rng(seed).uniform(-0.4, 0.4, SHAPE).astype(np.float32)


def runs(
    changes: Mapping[str, object], net: onnx.ModelProto | None = None, x: Floats = X
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """By tensor what the candidate makes of what is right."""
    proto, golden, mine = skipping() if net is None else net, {"x": x}, {"x": x}
    for node in proto.graph.node:
        name = node.output[0]
        golden[name], mine[name] = one_node(proto, node, golden), one_node(proto, node, mine)
        change = changes.get(name)
        if callable(change):
            mine[name] = change(mine[name])
    return golden, mine


def judged(
    place: Path,
    golden: Mapping[str, Floats],
    mine: Mapping[str, Floats],
    known: ExactParts | None = None,
    net: onnx.ModelProto | None = None,
) -> Blame:
    onnx.save(skipping() if net is None else net, place / "m.onnx")
    savez(place / "golden.npz", golden)
    savez(place / "mine.npz", mine)
    shape = read_model(place / "m.onnx").graph
    match = match_runs(read_tensors(place / "golden.npz"), read_tensors(place / "mine.npz"), shape)
    comparison = compare_match(match)
    found, _ = blame_by_running(place / "m.onnx", shape, comparison, match, side="candidate", known=known)
    return found


def named(found: Blame) -> list[str]:
    return [found.graph.title(each.node) for each in found.model.top]


def disturbed(seed: int) -> Callable[[Floats], Floats]:
    return lambda right: right + noise(seed)
