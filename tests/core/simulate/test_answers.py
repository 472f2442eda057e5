"""Probabilities differ, answers need not."""

import pytest

from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.presets import preset
from errorflow.report.simulation import simulated_lines
from errorflow.sample import SAMPLES, Sample
from errorflow.simulate.answers import Answers, answers
from errorflow.simulate.outcome import simulate
from planted_engines import opened

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
