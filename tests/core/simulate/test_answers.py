"""Probabilities differ, answers need not."""

from pathlib import Path

import onnx
import pytest
from onnx import helper

from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.presets import preset
from errorflow.report.simulation import simulated_lines
from errorflow.rerun.engine import Engine
from errorflow.sample import SAMPLES, Sample
from errorflow.simulate.answers import Answers, answers
from errorflow.simulate.outcome import simulate
from onnx_models import graph, model, value
from planted_engines import opened
from run_models import floats

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
