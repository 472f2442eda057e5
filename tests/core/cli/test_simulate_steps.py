"""`errorflow simulate` with steps before quantization."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from errorflow.cli.main import main
from errorflow.quant.plan_file import read_plan
from errorflow.quant.steps import CorrectBiases, Equalize, Smooth
from planted_faults import base, loud_norm
from remedied import Case
from rerun_nets import every_tensor


@pytest.fixture(scope="module")
def harmed(tmp_path_factory: pytest.TempPathFactory) -> Case:
    sound = base("transformer", 1)
    found = loud_norm(sound, np.random.default_rng(3), False)
    return Case.of(found.model, tmp_path_factory.mktemp("harmed"), {sound.net.input: sound.samples})


def simulate(case: Case, out: Path, *options: str) -> int:
    data = ("--data", case.asked.paths[0], "--quick")
    return main(["simulate", str(case.path), *data, *options, "-out", str(out)])


def measured(out: Path) -> float:
    found: Any = json.loads((out / "summary.json").read_text("utf-8"))
    return float(found["measured_sqnr_db"])


def test_all_three_bring_the_output_back(harmed: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate(harmed, tmp_path / "plain") == 0
    assert not (tmp_path / "plain/remedies.csv").exists()
    assert simulate(harmed, tmp_path / "all", "--smooth", "--equalize", "--correct-biases", "--export") == 0
    assert measured(tmp_path / "all") > measured(tmp_path / "plain") + 5
    out = capsys.readouterr().out
    assert "Smoothed: 1 tensor; worst /layer1/norm2/LayerNormalization_output_0" in out
    assert "Equalized: 2 pairs of layers" in out and "Biases corrected: " in out

    with (tmp_path / "all/remedies.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if not row["what"].startswith("not ")]
    (smoothed,) = [row for row in rows if row["what"] == "smoothed"]
    assert smoothed["makers"] == "/layer1/norm2/LayerNormalization"
    assert float(smoothed["activations_before_bits"]) > 5 > 1 > float(smoothed["activations_after_bits"])
    assert {row["what"] for row in rows} == {"equalized", "smoothed", "corrected"}
    onnx.checker.check_model(onnx.load(tmp_path / "all/model_qdq.onnx"))


def test_its_plan_repeats_it(harmed: Case, tmp_path: Path) -> None:
    assert simulate(harmed, tmp_path / "first", "--smooth", "0.5,0.1", "--correct-biases") == 0
    plan = read_plan(tmp_path / "first/plan.json")
    assert [type(step) for step in plan.steps] == [Smooth, CorrectBiases]
    assert plan.steps[0] == Smooth(0.5, 0.1)
    assert simulate(harmed, tmp_path / "again", "--plan", str(tmp_path / "first/plan.json")) == 0
    assert measured(tmp_path / "again") == measured(tmp_path / "first")
    assert (tmp_path / "again/remedies.csv").read_text() == (tmp_path / "first/remedies.csv").read_text()


def test_the_exported_model_gives_the_float_outputs_of_the_users_model(harmed: Case, tmp_path: Path) -> None:
    assert simulate(harmed, tmp_path, "--smooth", "--keep-float", "*", "--export") == 0
    exported = onnx.load(tmp_path / "model_qdq.onnx")
    assert not any(node.op_type == "QuantizeLinear" for node in exported.graph.node)
    one = harmed.samples[0]
    name = exported.graph.output[0].name
    mine, theirs = (every_tensor(proto, one)[name] for proto in (exported, onnx.load(harmed.path)))
    np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)


def test_the_model_of_the_user_is_left_alone(harmed: Case, tmp_path: Path) -> None:
    before = harmed.path.read_bytes()
    assert simulate(harmed, tmp_path, "--equalize") == 0
    assert harmed.path.read_bytes() == before
    assert read_plan(tmp_path / "plan.json").steps == (Equalize(),)


@pytest.mark.parametrize(("word", "said"), [("much", "neither"), ("1,2,3", "neither"), ("2", "between 0 and 1")])
def test_what_is_no_strength_is_said(
    word: str, said: str, harmed: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert simulate(harmed, tmp_path, "--smooth", word) != 0
    assert said in capsys.readouterr().err
