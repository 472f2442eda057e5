"""The committed sample is what its builder makes, and its truth is true: measured again with ONNX Runtime."""

import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from errorflow.base.sample import SAMPLES, Sample
from make_sample import build, measure
from make_sample.members import MEMBERS, Member
from make_sample.net import Floats
from make_sample.quantize import ALL_QUANTIZED, Plan, activation_params, quantized_tensors, weight_params
from make_sample.run import all_tensors, runs
from make_sample.store import HERE, SAMPLE, load_npz, save_npz, stored_ranges

# Other processors add in another order: two evaluation inputs of 300 may fall on the other side.
TWO_INPUTS = 0.0067
BY_KEY = {sample.key: sample for sample in SAMPLES}
each_member = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.key)


@cache
def measured(key: str, plan: Plan) -> float:
    member = next(member for member in MEMBERS if member.key == key)
    return measure.accuracy(member, build.quantized_member(member, plan, stored_ranges(key)))


def cure(sample: Sample) -> Plan:
    truth = sample.truth()
    return Plan(float_nodes=truth.restoring_nodes, float_tensors=truth.restoring_tensors)


def test_every_member_has_its_row_and_every_row_its_member() -> None:
    assert {member.key for member in MEMBERS} == set(BY_KEY)


@each_member
def test_the_committed_models_are_built_from_the_committed_weights(member: Member, tmp_path: Path) -> None:
    build.write_models(member, tmp_path)
    sample = BY_KEY[member.key]

    for committed in (sample.model, sample.candidate_model):
        assert (tmp_path / committed.name).read_bytes() == committed.read_bytes(), committed.name


@each_member
def test_the_committed_ranges_are_those_of_the_calibration_inputs(member: Member) -> None:
    found, stored = build.calibrated(member), stored_ranges(member.key)

    assert list(found) == list(stored)
    for name, pair in found.items():
        assert pair == pytest.approx(stored[name], rel=1e-4, abs=1e-5), name


@each_member
def test_the_committed_runs_are_what_onnx_runtime_gives(member: Member) -> None:
    sample, image = BY_KEY[member.key], measure.shown(member)

    for committed, model in (
        (sample.reference_run, build.float_member(member)),
        (sample.candidate_run, build.quantized_member(member, ALL_QUANTIZED, stored_ranges(member.key))),
    ):
        stored = load_npz(committed)
        for name, value in next(runs(model, member.net, image, all_tensors(member.net))).items():
            assert cosine(stored[name], value) > 0.9999, name


@each_member
def test_in_float_nobody_can_tell_it_from_its_twin(member: Member) -> None:
    assert measure.twin_difference(member) == 0


@each_member
def test_the_recorded_accuracies_are_measured_again(member: Member) -> None:
    truth = BY_KEY[member.key].truth()

    assert measure.accuracy(member, build.float_member(member)) == pytest.approx(
        truth.accuracy.in_float, abs=TWO_INPUTS
    )
    assert measured(member.key, ALL_QUANTIZED) == pytest.approx(truth.accuracy.quantized, abs=TWO_INPUTS)


@each_member
def test_the_cure_brings_the_task_back(member: Member) -> None:
    sample = BY_KEY[member.key]
    in_float = sample.truth().accuracy.in_float

    assert measured(member.key, cure(sample)) >= in_float - measure.SLACK - TWO_INPUTS


@pytest.mark.parametrize("key", ["node_fault", "drift", "loud_channel", "cosine_lies", "transformer"])
def test_no_part_of_the_cure_is_enough(key: str) -> None:
    sample = BY_KEY[key]
    truth = sample.truth()

    for left_out in (*truth.restoring_nodes, *truth.restoring_tensors):
        part = Plan(
            float_nodes=tuple(name for name in truth.restoring_nodes if name != left_out),
            float_tensors=tuple(name for name in truth.restoring_tensors if name != left_out),
        )
        assert measured(key, part) < truth.accuracy.in_float - measure.SLACK, left_out


@pytest.mark.parametrize("key", ["loud_channel", "transformer"])
def test_a_loud_activation_is_no_matter_of_weights(key: str) -> None:
    member = next(member for member in MEMBERS if member.key == key)
    in_float = BY_KEY[key].truth().accuracy.in_float

    weights_in_float = Plan(float_nodes=tuple(step.name for step in member.net.steps))
    per_channel = Plan(per_channel=True)

    assert measured(key, weights_in_float) < in_float - 0.1
    assert measured(key, per_channel) < in_float - 0.1


@pytest.mark.parametrize("key", ["node_fault", "drift"])
def test_loud_weights_are_cured_by_weights_alone(key: str) -> None:
    member = next(member for member in MEMBERS if member.key == key)
    sample = BY_KEY[key]

    in_float = Plan(float_nodes=tuple(step.name for step in member.net.steps))

    assert measured(key, in_float) >= sample.truth().accuracy.in_float - measure.SLACK


@each_member
def test_both_runs_of_members_that_share_a_file_are_equal_to_the_last_bit(member: Member) -> None:
    if not BY_KEY[member.key].shares_reference:
        return
    first = next(member for member in MEMBERS if BY_KEY[member.key].shares_reference)
    image = measure.shown(member)
    ours, theirs = (
        next(runs(build.float_member(each), each.net, image, all_tensors(each.net))) for each in (member, first)
    )

    for name, value in ours.items():
        assert value.tobytes() == theirs[name].tobytes(), name


def cosine(a: NDArray[np.generic], b: NDArray[np.generic]) -> float:
    x, y = a.ravel().astype(np.float64), b.ravel().astype(np.float64)
    return 1.0 if np.array_equal(x, y) else float(x @ y / np.sqrt((x @ x) * (y @ y)))


@each_member
def test_quantized_values_follow_the_formula_bit_for_bit(member: Member) -> None:
    ranges = stored_ranges(member.key)
    model = build.quantized_member(member, ALL_QUANTIZED, ranges)
    held = [name for name in quantized_tensors(member.net) if name != member.net.input]
    before = [f"{name}_unquantized" for name in held]

    found = next(runs(model, member.net, measure.shown(member), (*held, *before)))

    for name in held:
        scale, zero = activation_params(*ranges[name])
        value = found[f"{name}_unquantized"].astype(np.float32)
        codes = np.clip(np.rint(value / scale) + np.float32(zero), 0, 255)
        expected = ((codes - np.float32(zero)) * scale).astype(np.float32)
        assert found[name].tobytes() == expected.tobytes(), name


def test_scales_and_zero_points_are_those_of_onnx_runtimes_quantizer() -> None:
    from onnxruntime.quantization.quant_utils import compute_scale_zp

    codes, signed = (np.array(0, np.uint8), np.array(255, np.uint8)), (np.array(-127, np.int8), np.array(127, np.int8))
    for low, high in ((-1.0, 3.0), (0.0, 5.5), (2.0, 7.0), (-9.0, -1.0), (0.0, 0.0), (-1e-3, 1e3)):
        zero, scale = compute_scale_zp(np.array(low, np.float32), np.array(high, np.float32), *codes)
        assert activation_params(float(np.float32(low)), float(np.float32(high))) == (scale, zero)
    weight = np.array([[0.5, -2.0], [0.1, 0.25]], np.float32)
    zero, scale = compute_scale_zp(weight.min(), weight.max(), *signed, symmetric=True)
    assert (weight_params(weight, None), 0) == (scale, zero)
    assert weight_params(weight, 0).tolist() == [np.float32(2.0 * 2 / 254), np.float32(0.25 * 2 / 254)]


@each_member
def test_the_models_are_valid_and_named_like_an_exporters(member: Member) -> None:
    for path in (BY_KEY[member.key].model, BY_KEY[member.key].candidate_model):
        model = onnx.load(path)
        onnx.checker.check_model(model, full_check=True)
        names = [node.name for node in model.graph.node]
        assert len(set(names)) == len(names)
        assert all(names)
    assert sum(step.name.startswith("/") for step in member.net.steps) == len(member.net.steps)


def test_archives_do_not_change_with_the_day(tmp_path: Path) -> None:
    arrays: dict[str, Floats] = {"/a/b": np.arange(3, dtype=np.float32), "c": np.zeros((0, 2), np.float32)}
    save_npz(tmp_path / "x.npz", arrays)

    with zipfile.ZipFile(tmp_path / "x.npz") as file:
        assert {info.date_time for info in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    read = load_npz(tmp_path / "x.npz")
    assert list(read) == list(arrays)
    assert all(np.array_equal(read[name], arrays[name]) for name in arrays)


def test_the_sample_and_what_it_is_made_from_stay_under_a_megabyte() -> None:
    files = [path for folder in (SAMPLE, HERE) for path in folder.rglob("*") if path.is_file()]
    sizes = {path: path.stat().st_size for path in files if "__pycache__" not in path.parts}

    assert sum(sizes.values()) < 1_000_000


def test_nothing_of_the_evaluation_was_trained_or_calibrated_on() -> None:
    for family in ("digits", "locator"):
        evaluation = {image.tobytes() for image in measure.images(family, "evaluation")}
        assert len(evaluation) == 300
        assert evaluation.isdisjoint(image.tobytes() for image in measure.images(family, "calibration"))
