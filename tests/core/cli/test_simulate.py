"""`errorflow simulate`."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from errorflow.base.sample import SAMPLES
from errorflow.cli.main import main
from errorflow.cli.simulate import APPLIED
from errorflow.formats import read_model
from errorflow.quant.calibrate.saved import save_calibrations
from errorflow.quant.plan import Plan
from errorflow.quant.plan_file import read_plan, write_plan
from errorflow.quant.ranges import Calibration, Range
from onnx_models import graph, model, value
from run_models import floats, net, savez

SAMPLE = next(sample for sample in SAMPLES if sample.key == "node_fault")
CULPRIT = "/block2/project/conv/Conv"
# So many of its samples make calibration quick.
FEW = ("--samples", "12")


def simulate(out: Path, *options: str) -> int:
    data = () if "--random" in options else ("--data", str(SAMPLE.calibration))
    return main(["simulate", str(SAMPLE.model), *data, *FEW, *options, "-out", str(out)])


def nodes(out: Path) -> dict[str, dict[str, str]]:
    with (out / "nodes.csv").open(encoding="utf-8", newline="") as file:
        return {row["node"]: row for row in csv.DictReader(file)}


def summary(out: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((out / "summary.json").read_text("utf-8"))
    return found


def test_it_names_the_culprit_and_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate(tmp_path) == 0
    out = capsys.readouterr().out
    assert "as onnxruntime, calibrated by minmax. Calibrated on 9 samples, evaluated on 3 others." in out
    assert f"Node error: {CULPRIT} brings" in out
    assert "Written: " in out


def test_its_tables_hold_every_node_and_tensor(tmp_path: Path) -> None:
    assert simulate(tmp_path) == 0
    graph = read_model(SAMPLE.model).graph
    found = nodes(tmp_path)
    assert list(found) == list(graph.node_names)
    assert found[CULPRIT]["verdict"] == "origin"
    shares = [float(found[CULPRIT][f"{part}_share"]) for part in ("introduced", "inherited")]
    assert sum(shares) == pytest.approx(1.0, abs=1e-4)
    with (tmp_path / "tensors.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["tensor"]: row for row in csv.DictReader(file)}
    assert rows["probabilities"]["precision"] == "int8"
    assert float(rows["probabilities"]["relative_l2"]) > 0.5


def test_its_summary_is_for_programs(tmp_path: Path) -> None:
    assert simulate(tmp_path) == 0
    found = summary(tmp_path)
    assert found["verdict"] == "node error"
    contributors = found["contributors"]
    assert isinstance(contributors, list)
    assert contributors[0]["node"] == CULPRIT
    assert contributors[0]["share"] > 0.9
    # What brings most of it comes first: its weights are bad.
    assert contributors[0]["tensors"][0] == "block2.project.conv.weight"
    assert found["predicted_sqnr_db"] == pytest.approx(found["measured_sqnr_db"], abs=3)
    facts = found["facts"]
    assert isinstance(facts, dict)
    assert {"ONNX Runtime", "optimisation", "threads", "calibration"} <= set(facts)


@pytest.mark.parametrize("key", ["node_fault", "drift"])
def test_its_text_its_summary_and_its_tables_say_the_same_share(tmp_path: Path, key: str) -> None:
    """Each group alone makes other noise than all together where these make each other worse, as in the second one."""
    sample = next(sample for sample in SAMPLES if sample.key == key)
    assert main(["simulate", str(sample.model), "--data", str(sample.calibration), *FEW, "-out", str(tmp_path)]) == 0
    found, shares = summary(tmp_path), {name: row["share"] for name, row in nodes(tmp_path).items()}
    contributors = found["contributors"]
    assert isinstance(contributors, list) and found["output"] == "probabilities"
    first = max(shares, key=lambda name: float(shares[name] or 0))
    assert [contributors[0][each] for each in ("node", "share")] == [first, float(shares[first])]
    assert all(float(shares[each["node"]]) == each["share"] for each in contributors)
    assert f"{first} " in str(found["text"]) and f"{float(shares[first]) * 100:.0f} %" in str(found["text"])
    with (tmp_path / "tensors.csv").open(encoding="utf-8", newline="") as file:
        told = {row["node"]: row["share"] for row in csv.DictReader(file) if row["share"]}
    assert told[first] == shares[first]


def test_keeping_the_culprit_in_float_is_seen_in_the_plan_and_the_result(tmp_path: Path) -> None:
    assert simulate(tmp_path, "--keep-float", CULPRIT, "--quick") == 0
    assert summary(tmp_path)["verdict"] == "good"
    assert nodes(tmp_path)[CULPRIT]["effective"] == "float"
    again = tmp_path / "again"
    assert simulate(again, "--plan", str(tmp_path / "plan.json"), "--quick") == 0
    assert read_plan(again / "plan.json") == read_plan(tmp_path / "plan.json")
    assert summary(again)["outputs"] == summary(tmp_path)["outputs"]


def test_bits_of_a_node_are_requested_and_effective(tmp_path: Path) -> None:
    assert simulate(tmp_path, "--bits", f"{CULPRIT}=16", "--quick") == 0
    row = nodes(tmp_path)[CULPRIT]
    assert (row["requested"], row["effective"], row["effective_weights"]) == ("int16", "int16", "int16 symmetric")
    assert summary(tmp_path)["verdict"] == "good"


@pytest.mark.parametrize(
    ("asked", "rule"),
    [
        ("type:Conv", {"types": ["Conv"]}),
        (f"after:{CULPRIT}", {"names": [CULPRIT], "starts": ["/block2/project/conv/Conv_output_0"]}),
        ("before:probabilities", {"ends": ["probabilities"]}),
    ],
)
def test_nodes_are_named_by_type_and_place_and_the_plan_says_it_so(
    tmp_path: Path, asked: str, rule: dict[str, object]
) -> None:
    assert simulate(tmp_path, "--keep-float", asked, "--quick") == 0
    rules = json.loads((tmp_path / "plan.json").read_text("utf-8"))["rules"]
    assert rules == [{"activations": "float", "weights": "float", **rule}]


def test_ranges_that_were_found_before_are_taken(tmp_path: Path) -> None:
    ranges = tmp_path / "calibration.json"
    assert main(["calibrate", str(SAMPLE.model), "--data", str(SAMPLE.calibration), "--out", str(ranges)]) == 0
    assert simulate(tmp_path, "--calibration", str(ranges), "--quick") == 0
    assert summary(tmp_path)["samples"] == 12


def test_the_quantized_model_is_written_on_request(tmp_path: Path) -> None:
    assert simulate(tmp_path, "--export", "--quick") == 0
    model = onnx.load(tmp_path / "model_qdq.onnx")
    assert {"QuantizeLinear", "DequantizeLinear"} <= {node.op_type for node in model.graph.node}
    onnx.checker.check_model(model)


def test_made_up_samples_are_called_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate(tmp_path, "--random", "1", "--quick") == 0
    assert "made up: this says nothing about the model in use" in capsys.readouterr().out
    facts = summary(tmp_path)["facts"]
    assert isinstance(facts, dict)
    assert facts["made up"] == "yes"


def test_a_single_sample_serves_for_both_and_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate(tmp_path, "--samples", "1", "--quick") == 0
    assert "Calibrated and evaluated on the same 1 sample: no others are left." in capsys.readouterr().out
    assert summary(tmp_path)["samples"] == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--keep-float", "/block2/project/conv"), f"Did you mean {CULPRIT}"),
        (("--bits", "x=3"), "NODE=16"),
        (("--bits", "nothing=8"), "has no node nothing"),
        (("--keep-float", "type:Konv"), "There are Conv"),
        (("--keep-float", "after:nothing"), "has no node nothing"),
        (("--preset", "tensorrt"), "There is no preset tensorrt"),
        (("--preset", "amct", "--plan", "plan.json"), "cannot both be given"),
        (("--method", "all"), "needs one method"),
        (("--calibrate-on", "0"), "at least 1"),
        (("--plan", "missing.json"), "missing.json"),
        (("--keep-float", ","), "names no node"),
        (("--method", "=mse"), "names no tensor"),
        (("--method", "probabilities=all"), "needs one method"),
        (("--samples", "99999999999999999999"), "2,147,483,647 at most"),
        (("--random", "99999999999999999999"), "from 0 to"),
        (("--data", "x.npz", "--random", "1"), "cannot both be given"),
    ],
)
def test_what_cannot_be_done_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    assert simulate(tmp_path, *options) == 2
    assert said in capsys.readouterr().err


def test_a_broken_sample_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "x.npy", np.zeros((3, 2), np.float32))
    assert main(["simulate", str(SAMPLE.model), "--data", str(tmp_path / "x.npy"), "-out", str(tmp_path)]) == 2
    assert "the model wants" in capsys.readouterr().err


def test_the_run_as_deployed_has_lines_and_a_place_in_the_summary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert simulate(tmp_path, "--preset", "onnxruntime-x86", "--quick", "--deployed") == 0
    out = capsys.readouterr().out
    assert "As deployed (ONNX Runtime " in out
    assert "14 QLinearConv" in out
    deployed = summary(tmp_path)["deployed"]
    assert isinstance(deployed, dict)
    assert deployed["quantized"]["fused"]["QLinearConv"] == 14
    assert deployed["quantized"]["nodes_after_optimisation"] < deployed["quantized"]["nodes"]
    [output] = deployed["outputs"]
    assert output["tensor"] == "probabilities"
    assert len(output["against_float"]["by_sample"]) == 3
    assert output["largest_difference_steps"] >= 0


def test_what_the_verdict_names_is_run_as_deployed_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate(tmp_path, "--deployed", "--apply") == 0
    out = capsys.readouterr().out
    assert "With /block2/project/conv/Conv in float:\nAs deployed (ONNX Runtime " in out
    told: Any = summary(tmp_path)
    before, after = (told[key]["outputs"][0]["against_float"]["values"] for key in ("deployed", "remedy_deployed"))
    assert after["relative_l2"] < 0.1 * before["relative_l2"]
    assert summary(tmp_path / "applied")["deployed"] == told["remedy_deployed"]


def test_without_the_wish_nothing_is_deployed(tmp_path: Path) -> None:
    assert simulate(tmp_path, "--quick") == 0
    assert "deployed" not in summary(tmp_path)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A net with one input, samples of it, and its ranges."""
    onnx.save(net(), tmp_path / "m.onnx")
    savez(tmp_path / "x.npz", {"x": np.concatenate([floats(1, 3, 4, 4, seed=seed) for seed in range(6)])})
    command = ["calibrate", str(tmp_path / "m.onnx"), "--data", str(tmp_path / "x.npz")]
    assert main([*command, "--out", str(tmp_path / "ranges.json")]) == 0
    return tmp_path


def small_run(folder: Path, samples: NDArray[np.float32], *options: str) -> int:
    savez(folder / "given.npz", {"x": samples})
    command = ["simulate", str(folder / "m.onnx"), "--data", str(folder / "given.npz"), "--quick", *options]
    return main([*command, "-out", str(folder / "out")])


def test_samples_in_another_range_than_the_calibration_are_warned_about(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pixels = np.rint(100 * np.abs(floats(2, 3, 4, 4)))
    assert small_run(small, pixels, "--calibration", str(small / "ranges.json")) == 0
    out = capsys.readouterr().out
    assert "given.npz[0]: x lies in 0 … " in out
    assert "and calibration saw -2.9" in out
    assert "is it normalised alike?" in out


def test_evaluated_samples_in_another_range_than_those_before_are_warned_about(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    samples = np.concatenate([floats(4, 3, 4, 4), 200 * floats(2, 3, 4, 4, seed=1)])
    assert small_run(small, samples, "--calibrate-on", "4") == 0
    assert "given.npz[4]: x lies in " in capsys.readouterr().out


def test_samples_like_those_of_the_calibration_are_not(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert small_run(small, floats(2, 3, 4, 4, seed=9), "--calibration", str(small / "ranges.json")) == 0
    assert "normalised" not in capsys.readouterr().out


def test_a_nan_in_a_sample_is_named_with_it(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    samples = floats(4, 3, 4, 4)
    samples[3, 0, 0, 0] = np.nan
    assert small_run(small, samples) == 0
    out = capsys.readouterr().out
    assert "given.npz[3]: x holds 1 NaN and 0 infinite values." in out
    assert "x is the first tensor that is NaN, in the reference, on sample 0." in out


def test_a_nan_in_a_weight_is_named_with_its_node(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proto = net()
    broken = np.array(onnx.numpy_helper.to_array(proto.graph.initializer[1]))
    broken[0, 0, 0, 0] = np.inf
    proto.graph.initializer[1].CopyFrom(onnx.numpy_helper.from_array(broken, "w2"))
    onnx.save(proto, small / "m.onnx")
    assert small_run(small, floats(4, 3, 4, 4)) == 0
    said = ": conv2 (Conv) makes it, whose w2 holds such values itself"
    out = capsys.readouterr().out
    assert f"in the reference, on sample 0{said}." in out
    assert f"infinite{said}; " in out


def test_a_tensor_alone_has_a_method_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    simulate(before, "--method", "minmax")
    simulate(after, "--method", "minmax", "--method", "/stem/act/Relu_output_0=percentile-90")
    both = [(folder / "tensors.csv").read_text().splitlines() for folder in (before, after)]
    assert both[0] != both[1]
    assert simulate(after, "--method", "nowhere=mse") == 2
    assert "No range of nowhere is known" in capsys.readouterr().err


def test_a_name_with_a_comma_is_one_name(tmp_path: Path) -> None:
    proto = net()
    proto.graph.node[0].name = "conv,1"
    onnx.save(proto, tmp_path / "net.onnx")
    out = tmp_path / "out"
    options = ["--random", "1", "--quick", "--keep-float", "conv,1", "--keep-float", "relu1, add", "-out", str(out)]
    assert main(["simulate", str(tmp_path / "net.onnx"), *options]) == 0
    assert [rule.names for rule in read_plan(out / "plan.json").rules] == [("conv,1",), ("relu1",), ("add",)]


def test_a_plan_that_names_what_is_not_there_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_plan(Plan().keeping_float("gone"), tmp_path / "plan.json")
    assert simulate(tmp_path, "--quick", "--plan", str(tmp_path / "plan.json")) == 0
    assert "The plan has a rule that means no node of the model: gone → float." in capsys.readouterr().out


def test_a_model_without_nodes_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    held = value("x", (1, 2))
    onnx.save(model(graph(inputs=[held], outputs=[held])), tmp_path / "empty.onnx")
    assert main(["simulate", str(tmp_path / "empty.onnx"), "--random", "1", "-out", str(tmp_path)]) == 2
    assert "empty.onnx has no nodes" in capsys.readouterr().err


def test_tensors_without_a_range_are_named(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_calibrations(small / "c.json", [Calibration("minmax", {"x": Range(-1.0, 1.0)})])
    assert small_run(small, floats(2, 3, 4, 4), "--calibration", str(small / "c.json")) == 0
    out = capsys.readouterr().out
    assert "Left in float: " in out and " others (its range is not known)." in out


def test_ranges_of_no_method_are_refused(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_calibrations(small / "c.json", [])
    assert small_run(small, floats(2, 3, 4, 4), "--calibration", str(small / "c.json")) == 2
    assert "holds no ranges" in capsys.readouterr().err


def test_a_tensor_that_is_no_number_is_so_in_the_table(small: Path) -> None:
    samples = floats(2, 3, 4, 4)
    samples[1] = np.nan
    assert small_run(small, samples, "--calibration", str(small / "ranges.json")) == 0
    with (small / "out" / "tensors.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["tensor"]: row for row in csv.DictReader(file)}
    assert rows["y"]["sqnr"] == "nan"


@pytest.mark.parametrize(
    ("largest", "options", "said"),
    [
        (9.0, (), "input x is clipped (its calibration range ends at 2."),
        (-9.0, (), "input x is clipped (its calibration range begins at -2."),
        # The values lie within the range, and between two of 16 codes.
        (0.0, ("--bits", "conv1=4"), "input x is coded too coarsely and is where the error at y begins."),
    ],
)
def test_an_input_that_its_codes_ruin_is_named_and_no_other_data_are_asked_for(
    small: Path, capsys: pytest.CaptureFixture[str], largest: float, options: tuple[str, ...], said: str
) -> None:
    samples = 0.3 * floats(2, 3, 4, 4, seed=9)
    if largest:
        samples[:, 0] = largest
    assert small_run(small, samples, "--calibration", str(small / "ranges.json"), *options) == 0
    out = capsys.readouterr().out
    assert said in out
    assert "Calibrate on data that reach as far as those of use, or keep the named input in float" in out
    assert "Feed both runs" not in out and "inputs differ" not in out


def test_samples_that_hold_nothing_but_nan_are_said_to(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert small_run(small, np.full((2, 3, 4, 4), np.nan, np.float32), "--calibration", str(small / "ranges.json")) == 0
    out = capsys.readouterr().out
    said = "the samples hold NaN in the input x, on 2 of 2 samples, the first is sample 0."
    assert f"Nothing could be measured: {said}" in out
    assert "Mend the samples that hold NaN" in out
    assert "dump" not in out and "adds up to" not in out


def test_a_float_model_that_makes_nothing_but_nan_is_named_by_its_node(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nodes = [onnx.helper.make_node("Log", ["x"], ["l"], "log"), onnx.helper.make_node("Relu", ["l"], ["y"], "relu")]
    onnx.save(
        model(graph(*nodes, inputs=[value("x", (1, 3, 4, 4))], outputs=[value("y", (1, 3, 4, 4))])), small / "m.onnx"
    )
    assert small_run(small, np.full((2, 3, 4, 4), -1.0, np.float32)) == 0
    out = capsys.readouterr().out
    assert "Nothing could be measured: log (Log) is the first to make NaN, in the float model, on 2 of 2" in out
    assert "Mend the named node in the float model" in out and "dump" not in out


def test_the_first_node_that_codes_make_infinite_is_named_first(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nodes = [
        onnx.helper.make_node("Abs", ["x"], ["a"], "abs"),
        onnx.helper.make_node("Log", ["a"], ["l"], "log"),
        onnx.helper.make_node("Neg", ["l"], ["y"], "neg"),
    ]
    onnx.save(
        model(graph(*nodes, inputs=[value("x", (1, 3, 4, 4))], outputs=[value("y", (1, 3, 4, 4))])), small / "m.onnx"
    )
    samples = np.full((2, 3, 4, 4), 100.0, np.float32)
    # Both are the code of zero, whose logarithm is clipped to that of the smaller one.
    samples[:, 1], samples[:, 2] = 0.15, 1e-3
    assert small_run(small, samples, "--preset", "pulsar2-u8") == 0
    out = capsys.readouterr().out
    assert "log (Log) is the first to make NaN or infinite values. " in out
    assert "  Keep log and what feeds it in float; then simulate again." in out
    assert "Find the first node" not in out


def test_an_input_that_has_16_bits_is_to_be_kept_in_float(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    samples = 0.3 * floats(2, 3, 4, 4, seed=9)
    samples[:, 0] = 9.0
    assert small_run(small, samples, "--calibration", str(small / "ranges.json"), "--bits", "conv1=16") == 0
    out = capsys.readouterr().out
    assert "input x is clipped" in out
    assert "or keep the named input in float." in out and "or 16 bit" not in out


def test_what_is_wrong_with_the_samples_to_measure_on_names_their_option(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert small_run(small, floats(2, 3, 4, 4), "--evaluate", str(small / "gone.npz")) == 2
    err = capsys.readouterr().err
    assert "--evaluate" in err and "There is no data at" in err


@pytest.mark.parametrize("given", [".", "ranges.json/calibration.json"])
def test_ranges_that_are_no_file_ask_for_the_file(small: Path, capsys: pytest.CaptureFixture[str], given: str) -> None:
    assert small_run(small, floats(2, 3, 4, 4), "--calibration", str(small / given)) == 2
    err = capsys.readouterr().err
    assert "Give the " in err and "calibration.json" in err


def test_a_changed_plan_does_not_take_the_place_of_the_one_that_was_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_plan(Plan(), tmp_path / "plan.json")
    before = (tmp_path / "plan.json").read_bytes()
    sample = SAMPLES[0]
    given = ["simulate", str(sample.model), "--data", str(sample.calibration), "--plan", str(tmp_path / "plan.json")]
    assert main([*given, "--keep-float", "/head/Softmax", "--out", str(tmp_path)]) == 2
    assert "would take the place" in capsys.readouterr().err
    assert (tmp_path / "plan.json").read_bytes() == before


def test_what_the_verdict_names_is_applied_and_simulated_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert simulate(tmp_path, "--apply") == 0

    remedy, applied = summary(tmp_path)["remedy"], summary(tmp_path / APPLIED)
    assert isinstance(remedy, dict) and remedy["nodes"] == [CULPRIT]
    assert f"With {CULPRIT} in float" in capsys.readouterr().out
    assert applied["verdict"] == "good"
    outputs = applied["outputs"]
    assert isinstance(outputs, list)
    assert outputs[0]["values"]["relative_l2"] == pytest.approx(remedy["after"], rel=1e-3)
    assert read_plan(tmp_path / APPLIED / "plan.json") != read_plan(tmp_path / "plan.json")


def test_where_nothing_is_named_nothing_is_applied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate(tmp_path, "--apply", "--keep-float", CULPRIT) == 0

    assert "Nothing was applied" in capsys.readouterr().out
    assert not (tmp_path / APPLIED).exists()
