"""Probabilities differ, answers need not."""

import math
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from errorflow.base.sample import SAMPLES, Sample
from errorflow.explain.blame.limits import CLEAN
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.precision import Precision
from errorflow.quant.presets import preset
from errorflow.report.simulation import simulated_lines
from errorflow.run.engine.engine import Engine
from errorflow.study.simulate.answers import Answers, answers
from errorflow.study.simulate.running import simulate
from onnx_models import graph, model, value
from planted_engines import opened
from rerun_nets import Array, calibration, every_tensor
from run_models import floats

COARSE = Plan(Precision("uint4"), FLOAT)
BY_KEY = {sample.key: sample for sample in SAMPLES}


def of(sample: Sample, plan: Plan) -> Answers:
    with opened(sample) as engine:
        return answers(engine, plan)["probabilities"]


@pytest.mark.parametrize(("key", "some"), [("clean", False), ("node_fault", True)])
def test_of_probabilities_it_is_told_how_often_the_same_is_chosen(key: str, some: bool) -> None:
    found = of(BY_KEY[key], preset("onnxruntime").plan)
    assert found.count == 8
    assert (found.same < found.count) == some


def test_in_float_all_is_as_before() -> None:
    assert of(BY_KEY["node_fault"], Plan(FLOAT, FLOAT)) == Answers(8, 8)


def test_boxes_are_no_answers() -> None:
    with opened(BY_KEY["cosine_lies"]) as engine:
        assert not answers(engine, preset("onnxruntime").plan)


@pytest.mark.parametrize(
    ("said", "is_kept"),
    [
        (Answers(16, 16, 0.1), True),
        (Answers(16, 16, -0.2), True),
        (Answers(15, 15, 0.0), False),
        (Answers(15, 16, 0.0), False),
        (Answers(16, 16, 0.11), False),
        (Answers(16, 16, math.inf), False),
    ],
    ids=["all as before", "all surer", "too few", "another one", "one less sure", "no number"],
)
def test_nothing_is_lost_where_many_answers_are_the_same_and_as_sure(said: Answers, is_kept: bool) -> None:
    assert bool(said.kept) == is_kept


def shared(place: Path, kind: str, logits: Array) -> Engine:
    """A net that shares among the logits, on its bench."""
    shape = logits.shape
    nodes = [helper.make_node("Relu", ["x"], ["r"]), helper.make_node(kind, ["r"], ["y"], axis=1)]
    main = graph(*nodes, inputs=[value("x", shape)], outputs=[value("y", shape)])
    proto = model(main, {"": 13}, ir_version=8)
    onnx.save(proto, place / "net.onnx")
    return Engine(
        place / "net.onnx", [{"x": logits}], calibration(({"x": logits} | every_tensor(proto, {"x": logits}),))
    )


@pytest.mark.parametrize("kind", ["Softmax", "LogSoftmax"])
def test_how_much_less_sure_an_answer_is_is_measured(tmp_path: Path, kind: str) -> None:
    with shared(tmp_path, kind, floats(20, 3)) as engine:
        golden, mine = (engine.values(plan, ["y"], 0)["y"].astype(float) for plan in (None, COARSE))
        found = answers(engine, COARSE)["y"]
    if kind == "LogSoftmax":
        golden, mine = np.exp(golden), np.exp(mine)
    best = golden.argmax(axis=1)
    assert found.lost == pytest.approx((golden - mine)[range(20), best].max())
    assert found.lost > 0


def test_an_output_whose_answers_are_as_before_is_good_whatever_its_error(tmp_path: Path) -> None:
    logits = abs(0.3 * floats(20, 12))
    logits[range(20), np.arange(20) % 12] += 1.5
    with shared(tmp_path, "Softmax", logits) as engine:
        outcome = simulate(engine, COARSE, noise_samples=0)
    blame, (row,) = outcome.findings.blame, [row for row in outcome.comparison.rows if row.tensor == "y"]
    assert row.value("relative_l2") > CLEAN
    assert blame is not None
    assert blame.model.kind == "good"
    assert "all 20 answers are the same" in blame.model.text
    assert f"relative error is {row.value('relative_l2'):.2g}" in blame.model.text


def test_it_stands_beside_the_errors_of_the_output() -> None:
    with opened(BY_KEY["clean"]) as engine:
        lines = list(simulated_lines(simulate(engine, preset("onnxruntime").plan, noise_samples=0)))
    assert lines[0].endswith("8 of 8 answers are the same")


def of_softmax(place: Path, opset: int, axis: int | None) -> Answers:
    """Of a net whose output is shares of x, which is [2, 3, 4]."""
    nodes = [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Softmax", ["r"], ["y"], axis=axis)]
    main = graph(*nodes, inputs=[value("x", (2, 3, 4))], outputs=[value("y", (2, 3, 4))])
    onnx.save(model(main, {"": opset}, ir_version=8), place / "net.onnx")
    with Engine(place / "net.onnx", [{"x": floats(2, 3, 4)}]) as engine:
        return answers(engine, Plan(FLOAT, FLOAT))["y"]


@pytest.mark.parametrize(("opset", "axis", "count"), [(13, None, 6), (13, 1, 8), (11, None, 2), (11, 2, 6), (11, 0, 1)])
def test_older_models_choose_among_all_from_an_axis_on(
    tmp_path: Path, opset: int, axis: int | None, count: int
) -> None:
    assert of_softmax(tmp_path, opset, axis) == Answers(count, count)
