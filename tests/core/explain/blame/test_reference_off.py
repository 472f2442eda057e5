"""The judge is judged: where float64 sides with the candidate, the reference is what is wrong."""

from pathlib import Path

import numpy as np
import onnx
from onnx import helper

from errorflow.explain.blame.model import Verdict
from onnx_models import graph, model, value, weight
from rerun_nets import every_tensor
from tried_nets import SHAPE, Floats, X, disturbed, judged, runs


def probabilities() -> onnx.ModelProto:
    """x, shifted to where ONNX Runtime's Sigmoid is 0 though it should be 1e-8, and that times two."""
    nodes = [
        helper.make_node("Sub", ["x", "far"], ["a"], "shift"),
        helper.make_node("Sigmoid", ["a"], ["b"], "sigmoid"),
        helper.make_node("Add", ["b", "b"], ["y"], "twice"),
    ]
    weights = [weight("far", np.array([18.4], np.float32))]
    main = graph(*nodes, inputs=[value("x", SHAPE)], outputs=[value("y", SHAPE)], weights=weights)
    return model(main, ir_version=10)


def sides() -> tuple[dict[str, Floats], dict[str, Floats]]:
    """The reference is ONNX Runtime's; the candidate's Sigmoid is right."""
    golden = {"x": X, **every_tensor(probabilities(), {"x": X})}
    mine = dict(golden)
    mine["b"] = (1 / (1 + np.exp(-mine["a"].astype(np.float64)))).astype(np.float32)
    mine["y"] = 2 * mine["b"]
    return golden, mine


def test_the_reference_is_said_to_be_wrong(tmp_path: Path) -> None:
    found = judged(tmp_path, *sides(), net=probabilities())

    assert found.model.text.startswith("Not judged: the reference is wrong at sigmoid (the reference is off by ")
    assert found.model.kind == "beyond limits" and not found.model.advice
    assert found.word(1) == "not judged" and found.blamed is None
    assert Verdict.ORIGIN not in found.verdicts and not found.front.any()


def test_what_was_kept_says_the_same(tmp_path: Path) -> None:
    found = judged(tmp_path, *sides(), net=probabilities())

    assert found.ran is not None and list(found.ran.off) == [1]
    assert judged(tmp_path, *sides(), found.ran, net=probabilities()).model.text == found.model.text


def test_a_candidate_that_is_wrong_stays_accused(tmp_path: Path) -> None:
    golden, mine = runs({"a": disturbed(1)})

    assert "reference" not in judged(tmp_path, golden, mine).model.text
