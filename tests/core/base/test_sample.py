"""The sample as the program finds it: complete, readable by its own readers, and consistent."""

from pathlib import Path

import numpy as np
import pytest

from errorflow.base.sample import SAMPLES, Sample, folder
from errorflow.formats import read
from errorflow.formats.arrays.npz import NpzDump
from errorflow.graph.dump import Dump
from errorflow.graph.model import Model

DOCS = Path(__file__).parents[3] / "docs" / "sample.md"
each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)


def model(sample: Sample) -> Model:
    content = read(sample.model)
    assert isinstance(content, Model)
    return content


def dump(sample: Sample, which: str) -> Dump:
    content = read(getattr(sample, which))
    assert isinstance(content, NpzDump)
    return content


@each_sample
def test_every_file_is_there(sample: Sample) -> None:
    for path in (
        *(sample.model, sample.candidate_model, sample.reference_run, sample.candidate_run),
        *(sample.calibration, sample.evaluation, sample.labels),
    ):
        assert path.is_file()


def test_nothing_lies_in_the_folder_that_no_sample_names() -> None:
    named = {folder() / "README.md"}
    for sample in SAMPLES:
        named |= {sample.model, sample.candidate_model, sample.reference_run, sample.candidate_run}
        named |= {sample.calibration, sample.evaluation, sample.labels, sample.model.parent / "truth.json"}

    assert {path for path in folder().rglob("*") if path.is_file()} == named


@each_sample
def test_it_introduces_itself_in_one_sentence(sample: Sample) -> None:
    assert sample.title
    assert sample.story.endswith(".")
    assert "\n" not in sample.story


@each_sample
def test_both_runs_hold_the_tensors_of_the_float_model_in_its_order(sample: Sample) -> None:
    graph = model(sample).graph
    made = [name for node in graph.nodes() for name in node.outputs]
    inputs = [graph.tensor_names[i] for i in graph.inputs.tolist()]

    for which in ("reference_run", "candidate_run"):
        assert list(dump(sample, which).names()) == inputs + made


@each_sample
def test_shapes_of_the_runs_are_those_of_the_model(sample: Sample) -> None:
    graph, run = model(sample).graph, dump(sample, "reference_run")

    for name in run.names():
        index = graph.tensor_index(name)
        assert index is not None
        assert graph.tensor(index).shape == run.info(name).shape


@each_sample
def test_both_runs_were_given_the_same_input(sample: Sample) -> None:
    graph = model(sample).graph
    name = graph.tensor_names[int(graph.inputs[0])]
    inputs, shown = read(sample.evaluation), sample.truth().shown
    assert isinstance(inputs, NpzDump)

    for which in ("reference_run", "candidate_run"):
        assert np.array_equal(dump(sample, which).read(name)[0], inputs.read(name)[shown])


@each_sample
def test_inputs_carry_the_name_of_the_models_input(sample: Sample) -> None:
    graph = model(sample).graph
    name = graph.tensor_names[int(graph.inputs[0])]

    for path, count in ((sample.calibration, 64), (sample.evaluation, 300)):
        content = read(path)
        assert isinstance(content, NpzDump)
        assert list(content.names()) == [name]
        assert content.info(name).shape == (count, *model(sample).graph.tensor(int(graph.inputs[0])).shape[1:])  # type: ignore[index]


@each_sample
def test_the_truth_names_things_that_are_in_the_model(sample: Sample) -> None:
    graph, truth = model(sample).graph, sample.truth()
    outputs = {graph.tensor_names[i] for i in graph.outputs.tolist()}

    assert set(truth.verdicts) == set(truth.cosine_quantized) == set(truth.cosine_restored) == outputs
    for node in (*truth.culprits, *truth.restoring_nodes):
        assert graph.node_index(node) is not None
    for tensor in truth.restoring_tensors:
        assert graph.tensor_index(tensor) is not None


@each_sample
def test_a_fault_has_a_culprit_and_a_cure(sample: Sample) -> None:
    truth = sample.truth()
    faulty = set(truth.verdicts.values()) != {"good"}

    assert bool(truth.fault) == bool(truth.culprits) == faulty
    assert bool(truth.restoring_nodes or truth.restoring_tensors) == faulty
    assert set(truth.verdicts.values()) <= {"good", "node error", "accumulated error"}


@each_sample
def test_the_numbers_of_the_truth_tell_the_story(sample: Sample) -> None:
    truth = sample.truth()
    harmed = sample.key not in ("clean", "cosine_cries")

    assert truth.accuracy.in_float >= 0.97
    assert truth.accuracy.in_float - truth.accuracy.restored <= 0.0101
    assert (truth.accuracy.in_float - truth.accuracy.quantized > 0.2) == harmed
    assert (truth.answer_quantized != truth.label) == harmed
    assert truth.answer_in_float == truth.label
    assert truth.twin_difference == 0
    assert truth.recovery[0] == truth.accuracy.quantized
    assert truth.recovery[-1] == truth.accuracy.restored


@each_sample
def test_the_documentation_tells_what_was_measured(sample: Sample) -> None:
    (line,) = [line for line in DOCS.read_text("utf-8").splitlines() if f"**{sample.title}** `{sample.key}`" in line]
    truth = sample.truth()
    accuracy = truth.accuracy

    shown = [f"{share:.1%}".replace("%", " %") for share in (accuracy.in_float, accuracy.quantized, accuracy.restored)]
    cells = [cell.strip() for cell in line.split("|")]
    assert cells[3:6] == (shown if truth.culprits else [*shown[:2], ""])
    assert all(verdict in cells[6] for verdict in truth.verdicts.values())


def test_no_single_node_explains_the_drift() -> None:
    truth = next(sample for sample in SAMPLES if sample.key == "drift").truth()

    assert len(truth.restoring_nodes) >= 4
    assert truth.recovery[1] < truth.accuracy.in_float - 0.1


def test_cosine_lies_and_cries() -> None:
    truths = {sample.key: sample.truth() for sample in SAMPLES}

    assert truths["cosine_lies"].cosine_quantized["detections"] > 0.9999
    assert truths["cosine_lies"].accuracy.quantized < 0.15
    assert truths["cosine_cries"].cosine_quantized["auxiliary"] < 0.7
    assert truths["cosine_cries"].accuracy.quantized >= truths["cosine_cries"].accuracy.in_float - 0.01
