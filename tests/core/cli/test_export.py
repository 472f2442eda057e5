"""`errorflow export`."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from errorflow.base.sample import SAMPLES
from errorflow.cli.main import main
from errorflow.formats.amct.record import read_record
from errorflow.quant.plan import FLOAT, Plan, Rule
from errorflow.quant.plan_file import read_plan, write_plan
from errorflow.quant.presets import preset
from errorflow.report.toolchains import TOOLCHAINS
from errorflow.report.toolchains.model import NOT_RUN

SAMPLE = next(sample for sample in SAMPLES if sample.key == "node_fault")
CULPRIT = "/block2/project/conv/Conv"
DATA = ("--data", str(SAMPLE.calibration), "--samples", "6")


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "mine.json"
    write_plan(preset("amct").plan.keeping_float(CULPRIT), path)
    return path


def export(out: Path, *options: str) -> int:
    return main(["export", str(SAMPLE.model), *options, "--out", str(out)])


def test_one_toolchain_writes_its_file_and_says_so(
    plan: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(tmp_path / "out", "--plan", str(plan), "--to", "amct") == 0
    config = json.loads((tmp_path / "out" / "amct_quant_config.json").read_text("utf-8"))
    assert [name for name, layer in config.items() if isinstance(layer, dict) and not layer["quant_enable"]] == [
        CULPRIT
    ]
    assert "Ascend AMCT, setting by layer: " in capsys.readouterr().out


def test_all_write_theirs_and_tell_what_they_cannot_be_told(
    plan: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(tmp_path / "out", "--plan", str(plan), "--to", "all", *DATA) == 0
    out = capsys.readouterr().out
    assert all(each.label in out for each in TOOLCHAINS)
    assert "not written" not in out
    assert "Pulsar2 has no float for Conv. There: U16. 1: /block2/project/conv/Conv" in out
    told = (tmp_path / "out" / "pulsar2_left_out.txt").read_text("utf-8")
    assert CULPRIT in told
    onnx.checker.check_model(onnx.load(tmp_path / "out" / "node_fault_qdq.onnx"))


def test_what_can_be_run_here_says_what_it_reaches_and_what_cannot_that_it_was_not(
    plan: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(tmp_path, "--plan", str(plan), "--to", "onnxruntime", *DATA) == 0
    said = "Run here by ONNX Runtime "
    assert said in capsys.readouterr().out
    assert said in (tmp_path / "quantize_onnxruntime.py").read_text("utf-8")
    for key, name in (("horizon", "horizon_node_info.yaml"), ("tpu-mlir", "tpu_mlir.qtable"), ("amct-simple", "")):
        assert export(tmp_path, "--plan", str(plan), "--to", key, *DATA) == 0
        assert NOT_RUN in capsys.readouterr().out
        assert f"# {NOT_RUN}\n" in (tmp_path / (name or "amct_simple.cfg")).read_text("utf-8")
    assert export(tmp_path, "--plan", str(plan), "--to", "plan") == 0
    assert "run here" not in capsys.readouterr().out


def test_without_ranges_all_but_those_that_need_them_are_written(
    plan: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(tmp_path / "out", "--plan", str(plan), "--to", "all") == 0
    assert capsys.readouterr().out.count("not written") == 2
    assert not (tmp_path / "out" / "scale_offset_record.txt").exists()


def test_a_record_has_the_scales_of_a_calibration(plan: Path, tmp_path: Path) -> None:
    assert export(tmp_path / "out", "--plan", str(plan), "--to", "amct-record", *DATA) == 0
    record = read_record(tmp_path / "out" / "scale_offset_record.txt")
    assert CULPRIT not in record.layers
    layer = record.layers["/stem/conv/Conv"]
    assert layer.activation is not None
    assert layer.weights is not None
    weights = onnx.numpy_helper.to_array(
        next(t for t in onnx.load(SAMPLE.model).graph.initializer if t.name.startswith("stem") and len(t.dims) == 4)
    )
    largest = np.abs(weights).max(axis=(1, 2, 3))
    expected = np.where(largest > 0, largest / 127, 1.0)  # of nothing but zeros any scale will do
    np.testing.assert_allclose(layer.weights.scales, expected, rtol=1e-6)
    assert set(layer.weights.zero_points) == {0}


def test_ones_own_setting_is_the_start(plan: Path, tmp_path: Path) -> None:
    assert export(tmp_path, "--plan", str(plan), "--to", "amct") == 0
    base = tmp_path / "amct_quant_config.json"
    own = json.loads(base.read_text("utf-8"))
    own["batch_num"], own["mine"] = 7, "kept"
    own["/stem/conv/Conv"]["dmq_balancer_param"] = 0.5
    own[CULPRIT]["quant_enable"] = True
    base.write_text(json.dumps(own), "utf-8")
    assert export(tmp_path / "out", "--plan", str(plan), "--to", "amct", "--base", str(base)) == 0
    found = json.loads((tmp_path / "out" / base.name).read_text("utf-8"))
    assert (found["batch_num"], found["mine"]) == (7, "kept")
    assert found["/stem/conv/Conv"]["dmq_balancer_param"] == 0.5
    assert found[CULPRIT]["quant_enable"] is False


@pytest.mark.parametrize("key", ["amct", "amct-simple", "pulsar2", "horizon", "horizon-hmct", "onnxruntime", "plan"])
def test_what_was_written_is_recognised_and_read_again(
    key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.json"
    wished = Plan(preset=preset("pulsar2-u8").key).with_rule(Rule(FLOAT, FLOAT, types=("Add", "Softmax")))
    write_plan(wished, path)
    assert export(tmp_path / "out", "--plan", str(path), "--to", key) == 0
    file = next(file for file in sorted((tmp_path / "out").iterdir()) if "left_out" not in file.name)
    capsys.readouterr()
    assert main(["export", "--read", str(file), "--for", str(SAMPLE.model), "--out", str(tmp_path / "back")]) == 0
    label = next(each.label for each in TOOLCHAINS if each.key == key)
    assert f"{file.name} as {label}" in capsys.readouterr().out
    read_plan(tmp_path / "back" / "plan.json")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--to", "amct"), "What was decided is missing"),
        (("--preset", "amct"), "needs a model and --to"),
        (("--preset", "amct", "--to", "tensorrt"), "There is no toolchain tensorrt"),
        (("--preset", "amct", "--to", "horizon", "--base", "x"), "starts from no file of yours"),
        (("--preset", "amct", "--to", "all", "--base", "x"), "--base goes with one toolchain"),
        (("--preset", "amct", "--to", "amct-record"), "needs ranges"),
        (("--preset", "amct", "--to", "qdq"), "needs ranges"),
        (("--preset", "amct", "--to", "amct", "--for", "m.onnx"), "belong to --read"),
        (("--read", "x.json"), "--read needs --for MODEL"),
    ],
)
def test_what_cannot_be_is_refused(
    options: tuple[str, ...], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(tmp_path / "out", *options) == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_file_of_nobody_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear reader")
    assert main(["export", "--read", str(file), "--for", str(SAMPLE.model), "--out", str(tmp_path)]) == 2
    assert "no setting that is known here" in capsys.readouterr().err
