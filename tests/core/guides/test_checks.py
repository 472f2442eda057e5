"""Checks on both sides of each threshold, and the step that each outcome leads to."""

import math

import pytest

from errorflow.guides import checks
from errorflow.guides.judging import judge
from errorflow.guides.model import Check, SeenResult, Step
from errorflow.guides.table import flow_of
from errorflow.vendors.ascend.guide import checks as ascend
from errorflow.vendors.axera.guide import checks as axera
from errorflow.vendors.horizon.guide import checks as horizon


def step_of(flow: str, key: str) -> Step:
    found = flow_of(flow).step(key)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("check", "numbers", "state"),
    [
        (checks.LOSS, {"float_accuracy": 0.76, "accuracy": 0.75}, "passed"),
        (checks.LOSS, {"float_accuracy": 0.76, "accuracy": 0.7499}, "close"),
        (checks.LOSS, {"float_accuracy": 0.76, "accuracy": 0.73}, "close"),
        (checks.LOSS, {"float_accuracy": 0.76, "accuracy": 0.7299}, "failed"),
        (checks.LOSS, {"float_accuracy": 0.76, "accuracy": 0.77}, "passed"),
        (checks.LOSS, {"float_accuracy": 0.76}, "not measured"),
        (ascend.IMAGE_COUNT, {"calibration_images": 9}, "failed"),
        (ascend.IMAGE_COUNT, {"calibration_images": 10}, "passed"),
        (ascend.IMAGE_COUNT, {"calibration_images": 100}, "passed"),
        (ascend.IMAGE_COUNT, {"calibration_images": 101}, "close"),
        (checks.OUTPUT, {"output_cosine": 0.99}, "passed"),
        (checks.OUTPUT, {"output_cosine": 0.9899}, "failed"),
        (checks.OUTPUT, {"output_cosine": 0.995, "output_relative": 0.05}, "passed"),
        (checks.OUTPUT, {"output_cosine": 0.995, "output_relative": 0.051}, "close"),
        (checks.OUTPUT, {"output_cosine": math.nan}, "not measured"),
        (checks.SUSPECTS, {"suspects": 0}, "passed"),
        (checks.SUSPECTS, {"suspects": 1}, "close"),
        (axera.LAST_LAYER, {"end_to_end": 0.98}, "passed"),
        (axera.LAST_LAYER, {"end_to_end": 0.9799}, "failed"),
        (axera.LAST_LAYER, {"per_layer": 1.0}, "not measured"),
        (axera.LAYERS, {"per_layer": 0.999}, "passed"),
        (axera.LAYERS, {"per_layer": 0.9989, "layers_below": 2}, "failed"),
        (axera.LAYERS, {"end_to_end": 1.0}, "not measured"),
        (axera.WIDE, {"wide": 1, "layers_below": 1}, "failed"),
        (axera.WIDE, {"wide": 0, "layers_below": 1}, "passed"),
        (axera.OUTLIERS, {"outliers": 0.0}, "passed"),
        (axera.OUTLIERS, {"outliers": 0.4}, "close"),
        (horizon.KEPT_SHARE, {"float_accuracy": 0.8, "accuracy": 0.792}, "passed"),
        (horizon.KEPT_SHARE, {"float_accuracy": 0.8, "accuracy": 0.7919}, "close"),
        (horizon.KEPT_SHARE, {"float_accuracy": 0.8, "accuracy": 0.768}, "close"),
        (horizon.KEPT_SHARE, {"float_accuracy": 0.8, "accuracy": 0.7679}, "failed"),
        (horizon.OUTPUT_HORIZON, {"output_cosine": 0.99}, "passed"),
        (horizon.OUTPUT_HORIZON, {"output_cosine": 0.9}, "close"),
        (horizon.OUTPUT_HORIZON, {"output_cosine": 0.79}, "failed"),
        (horizon.SENSITIVE_NODES, {"sensitive": 0.99}, "passed"),
        (horizon.SENSITIVE_NODES, {"sensitive": 0.98, "sensitive_count": 1}, "failed"),
        (checks.ALIKE, {"alike": 1}, "passed"),
        (checks.ALIKE, {"alike": 0}, "failed"),
        (horizon.CURVES, {"weights_end": 0.95, "activations_end": 0.999}, "close"),
        (horizon.CURVES, {"weights_end": 0.995, "activations_end": 0.999}, "passed"),
        (horizon.CURVES, {"weights_end": 0.95}, "not measured"),
        (horizon.PARTIAL, {"kept_none": 0.9, "kept_most": 20, "knee": 3, "kept_knee": 0.995}, "passed"),
        (horizon.PARTIAL, {"kept_none": 0.9, "kept_most": 20, "knee": 3, "kept_knee": 0.95}, "close"),
        (horizon.PARTIAL, {"kept_none": 0.9, "kept_most": 20, "kept_best": 0.91}, "failed"),
        (horizon.PARTIAL, {"kept_none": 0.995, "kept_most": 20, "kept_best": 0.999}, "close"),
        (checks.SMALLEST_SET, {"search_met": 1, "search_parts": 2}, "passed"),
        (checks.SMALLEST_SET, {"search_met": 1, "search_parts": 0}, "passed"),
        (checks.SMALLEST_SET, {"search_met": 0, "search_parts": 4}, "failed"),
    ],
)
def test_a_check_knows_its_threshold(check: Check, numbers: dict[str, float], state: str) -> None:
    found = check.look(SeenResult(numbers))
    assert (found.state, found.text.endswith(".")) == (state, True)


@pytest.mark.parametrize("check", checks.CHECKS, ids=lambda check: check.key)
def test_nothing_measured_is_no_failure(check: Check) -> None:
    assert check.look(SeenResult()).state == "not measured"
    assert check.label and check.rule and check.source


def test_the_accuracy_counts_more_than_the_similarity_of_the_output() -> None:
    step = step_of("ascend-caffe", "quantization")
    seen = SeenResult({"float_accuracy": 0.76, "accuracy": 0.755, "output_cosine": 0.9})
    assert judge(step, seen).outcome == "passed"


@pytest.mark.parametrize(("flow", "key"), [("ascend-onnx-quick", "quick"), ("ascend-caffe", "quantization")])
def test_a_good_output_decides_nothing_where_the_accuracy_counts(flow: str, key: str) -> None:
    step = step_of(flow, key)
    seen = SeenResult({"output_cosine": 0.9999, "output_relative": 0.01, "suspects": 60})
    judged = judge(step, seen)
    assert judged.outcome == "undecided" and judged.evidence.startswith("Output of the model: Cosine similarity")
    way = step.way(judged.outcome)
    assert way is not None and "one sample" in way.why
    assert judge(step, SeenResult({**seen.numbers, "output_cosine": 0.5})).outcome == "failed"
    known = judge(step, SeenResult({**seen.numbers, "float_accuracy": 0.9891, "accuracy": 0.985}))
    assert known.outcome == "passed" and known.evidence.startswith("Top-N accuracy: 98.91%")


@pytest.mark.parametrize(
    ("kind", "outcome", "to"),
    [
        ("node error", "node error", "node"),
        ("accumulated error", "accumulated error", "requantize"),
        ("inputs differ", "inputs differ", "conversion"),
        ("beyond limits", "failed", "operator"),
    ],
)
def test_the_kind_of_an_error_chooses_the_next_step(kind: str, outcome: str, to: str) -> None:
    step = step_of("ascend-caffe", "conversion")
    judged = judge(step, SeenResult({"output_cosine": 0.9}, {"kind": kind, "verdict": "So it is."}))
    way = step.way(judged.outcome)
    assert (judged.outcome, way is not None and way.to) == (outcome, to)


def test_a_good_output_passes_whatever_nodes_inside_do() -> None:
    step = step_of("ascend-caffe", "conversion")
    seen = SeenResult(
        {"output_cosine": 1.0, "output_relative": 0.0, "suspects": 20}, {"kind": "good", "verdict": "Good."}
    )
    way = step.way(judge(step, seen).outcome)
    assert way is not None and way.to == "fusion"


def test_inputs_that_differ_come_before_any_number() -> None:
    step = step_of("onnx", "compare")
    seen = SeenResult({"output_cosine": 1.0}, {"kind": "inputs differ", "verdict": "The inputs differ."})
    assert judge(step, seen).outcome == "inputs differ"


def test_a_layer_that_has_16_bits_already_goes_to_support() -> None:
    step = step_of("pulsar2", "perlayer")
    judged = judge(step, SeenResult({"per_layer": 0.9, "layers_below": 1, "wide": 1}))
    way = step.way(judged.outcome)
    assert judged.outcome == "exhausted" and way is not None and way.to == "conclude"
    judged = judge(step, SeenResult({"per_layer": 0.9, "layers_below": 1, "wide": 0}))
    way = step.way(judged.outcome)
    assert judged.outcome == "failed" and way is not None and way.to == "wide"


def test_more_than_four_percent_of_loss_asks_for_faults_first() -> None:
    step = step_of("horizon", "accuracy")
    leads = {}
    for accuracy in (0.71138, 0.77, 0.788):
        way = step.way(judge(step, SeenResult({"float_accuracy": 0.78788, "accuracy": accuracy})).outcome)
        leads[accuracy] = "" if way is None else way.to
    assert leads == {0.71138: "config", 0.77: "curves", 0.788: "conclude"}


def test_nothing_measured_has_no_outcome() -> None:
    assert judge(step_of("ascend-onnx", "fusion"), SeenResult()).outcome == ""


@pytest.mark.parametrize("check", [checks.OUTPUT, horizon.OUTPUT_HORIZON])
@pytest.mark.parametrize(
    ("kind", "state"), [("good", "passed"), ("node error", "close"), ("accumulated error", "close")]
)
def test_an_output_that_is_good_as_a_whole_is_not_all(check: Check, kind: str, state: str) -> None:
    found = check.look(SeenResult({"output_cosine": 0.9999}, {"kind": kind, "part": "bad"}))
    assert found.state == state and "not good in every part" in found.text
    whole = check.look(SeenResult({"output_cosine": 0.9999}, {"kind": kind, "part": ""}))
    assert whole.state == state and "every part" not in whole.text


def test_without_an_accuracy_no_loss_is_told_of() -> None:
    step = step_of("ascend-caffe", "quantization")
    found = judge(step, SeenResult({"output_cosine": 0.995, "output_relative": 0.06}))
    way = step.way(found.outcome)
    assert found.outcome == "close" and way is not None and "%" not in way.why
