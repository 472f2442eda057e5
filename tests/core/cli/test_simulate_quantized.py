"""`errorflow simulate` on models that are quantized already."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from errorflow.base.sample import SAMPLES
from errorflow.cli.main import main
from errorflow.quant.plan_file import read_plan
from pulsar2_nets import X, output_folder
from run_models import savez

SAMPLE = next(sample for sample in SAMPLES if sample.key == "node_fault")
CULPRIT = "/block2/project/conv/Conv"


def simulate(out: Path, *options: str) -> int:
    data = ("--data", str(SAMPLE.evaluation), "--samples", "3", "--quick")
    return main(["simulate", str(SAMPLE.candidate_model), *data, *options, "-out", str(out)])


def summary(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "summary.json").read_text("utf-8"))
    return found


def effective(out: Path) -> dict[str, tuple[str, str]]:
    with (out / "nodes.csv").open(encoding="utf-8", newline="") as file:
        return {row["node"]: (row["requested"], row["effective"]) for row in csv.DictReader(file)}


def test_its_own_plan_and_scales_are_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate(tmp_path) == 0
    out = capsys.readouterr().out
    assert f"{SAMPLE.candidate_model.name} as it is quantized, calibrated by the model's own scales." in out
    assert "the reference has the rounded ones" in out
    facts = summary(tmp_path)["facts"]
    assert facts["quantized as"] == "QuantizeLinear and DequantizeLinear"
    assert "rounded" in facts["reference"]
    assert summary(tmp_path)["samples"] == 3
    requested, got = effective(tmp_path)[CULPRIT]
    assert requested.startswith("uint8")
    assert got.startswith("uint8")


def test_the_float_model_gives_its_weights_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate(tmp_path / "rounded") == 0
    capsys.readouterr()
    assert simulate(tmp_path / "float", "--reference", str(SAMPLE.model)) == 0
    out = capsys.readouterr().out
    assert "15 of 15 coded constants have their float values from" in out
    assert "rounded ones" not in out
    assert summary(tmp_path / "rounded")["verdict"] == "good"
    assert summary(tmp_path / "float")["verdict"] == "node error"
    assert f"Node error: {CULPRIT}" in out


def test_a_float_model_needs_no_reference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--data", str(SAMPLE.evaluation), "--reference", str(SAMPLE.model), "-out", str(tmp_path))
    assert main(["simulate", str(SAMPLE.model), *options]) == 2
    assert "is not quantized" in capsys.readouterr().err


def test_nodes_go_back_to_float(tmp_path: Path) -> None:
    assert simulate(tmp_path, "--keep-float", "/block2/*") == 0
    assert effective(tmp_path)[CULPRIT] == ("float", "float")


def test_the_plan_can_be_given_again(tmp_path: Path) -> None:
    assert simulate(tmp_path / "first", "--bits", f"{CULPRIT}=16") == 0
    plan = tmp_path / "first" / "plan.json"
    assert read_plan(plan).coded
    assert simulate(tmp_path / "second", "--plan", str(plan)) == 0
    assert effective(tmp_path / "first") == effective(tmp_path / "second")
    assert "uint16" in effective(tmp_path / "second")[CULPRIT][1]


def test_a_preset_quantizes_its_float_graph_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate(tmp_path, "--preset", "pulsar2-u16") == 0
    assert "as pulsar2-u16, calibrated by minmax. Calibrated and evaluated on" in capsys.readouterr().out
    assert effective(tmp_path)[CULPRIT][1].startswith("uint16")


def test_what_only_its_own_tools_run_is_simulated_on_the_float_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = output_folder(tmp_path)
    savez(tmp_path / "x.npz", X)
    command = ["simulate", str(path), "--data", str(tmp_path / "x.npz"), "--deployed", "--keep-float", "add"]
    assert main([*command, "-out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "quant_axmodel.onnx as it is quantized, calibrated by the model's own scales." in out
    assert "quant_axmodel.onnx cannot be run itself" in out
    assert "As deployed (ONNX Runtime" in out
    assert effective(tmp_path)["relu1"] == ("uint8", "float")
    assert effective(tmp_path)["conv1"] == ("int8", "int8 / float")
    assert summary(tmp_path)["facts"]["quantized as"] == "operators of Pulsar2"


def test_without_the_float_model_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = output_folder(tmp_path, floating=False)
    assert main(["simulate", str(path), "--random", "1", "-out", str(tmp_path)]) == 2
    assert "conv1 in quant_axmodel.onnx is AxQuantizedConv, which only its own tools can run." in (
        capsys.readouterr().err
    )
