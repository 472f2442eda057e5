"""`errorflow compare --simulator`."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from errorflow.base.sample import SAMPLES
from errorflow.cli.main import main
from errorflow.formats import read_tensors
from npu_board import Board
from run_models import savez

CLEAN = next(sample for sample in SAMPLES if sample.key == "clean")
FAULT = next(sample for sample in SAMPLES if sample.key == "node_fault")
INPUTS = ("--inputs", str(CLEAN.reference_run))


def call(board: Path, golden: Path, simulator: Path, out: Path, *more: str) -> int:
    sides = ["-m", str(board), "-g", str(golden), "--simulator", str(simulator)]
    return main(["compare", *sides, "-out", str(out), *more])


def stages(out: Path) -> dict[str, dict[str, str]]:
    with (out / "stages.csv").open(encoding="utf-8", newline="") as file:
        return {line["tensor"]: line for line in csv.DictReader(file)}


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """The simulator's run with one output spoiled."""
    run = read_tensors(CLEAN.candidate_run)
    arrays = {name: np.asarray(run.read(name), np.float32) for name in run.names()}
    arrays["probabilities"] = arrays["probabilities"][:, ::-1]
    return savez(tmp_path / "board.npz", arrays)


def test_the_stage_at_fault_is_printed_first(board: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = call(board, CLEAN.reference_run, CLEAN.candidate_run, tmp_path, "--model", str(CLEAN.model))
    assert code == 0
    said = capsys.readouterr().out
    assert said.startswith("The deployment is at fault at the output probabilities: simulator and board differ from ")
    assert "stages.csv" in said
    assert stages(tmp_path)["probabilities"]["fault"] == "deployment"
    assert stages(tmp_path)["/stem/conv/Conv_output_0"]["fault"] == "none"


def test_a_faulty_quantization_is_not_the_boards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(FAULT.candidate_run, FAULT.reference_run, FAULT.candidate_run, tmp_path, "--model", str(FAULT.model))
    said = capsys.readouterr().out
    assert said.startswith("The quantization is at fault at the output probabilities: float and simulator differ from ")
    assert "simulator and board agree." in said


def test_float_and_simulator_may_be_models(board: Path, tmp_path: Path) -> None:
    call(board, CLEAN.model, CLEAN.candidate_model, tmp_path / "models", *INPUTS)
    call(board, CLEAN.reference_run, CLEAN.candidate_run, tmp_path / "runs", "--model", str(CLEAN.model))
    models, plain = stages(tmp_path / "models"), stages(tmp_path / "runs")
    assert set(plain) <= set(models)
    assert all(models[name]["fault"] == line["fault"] for name, line in plain.items() if name != "image")
    assert {path.name for path in (tmp_path / "models").iterdir()} >= {"reference_run.npz", "simulator_run.npz"}


def test_the_runs_of_models_are_said_to_be_written(
    board: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    call(board, CLEAN.model, CLEAN.candidate_model, out, *INPUTS)
    told = capsys.readouterr().out.splitlines()[-1].removeprefix("Written: ").split(", ")
    assert set(told) == {str(path) for path in out.iterdir()}


def test_programs_get_the_stages_too(board: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(board, CLEAN.reference_run, CLEAN.candidate_run, tmp_path, "--model", str(CLEAN.model), "--json")
    printed = json.loads(capsys.readouterr().out)
    assert printed["stages"]["fault"] == "deployment"
    assert printed["stages"]["first beyond the limits"]["deployment"] == "probabilities"
    assert json.loads((tmp_path / "summary.json").read_text("utf-8"))["stages"] == printed["stages"]


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("-op", "conv"), "-op does not go with --simulator."),
        (INPUTS, "--inputs and --random are for models that are run."),
    ],
)
def test_what_does_not_go_with_three_runs_is_a_sentence(
    more: tuple[str, ...], sentence: str, board: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(board, CLEAN.reference_run, CLEAN.candidate_run, tmp_path, *more) != 0
    assert sentence in capsys.readouterr().err


def test_the_board_may_be_an_npu_that_fused_operators(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    npu = Board(tmp_path)
    npu.write("conv2")
    files = ["-f", str(tmp_path / "fusion.json")]
    call(tmp_path / "npu", tmp_path / "golden", tmp_path / "simulator", tmp_path / "out", *files)
    said = capsys.readouterr().out
    assert said.startswith("The deployment is at fault")
    assert "simulator and board differ from add.0 " in said
    found = stages(tmp_path / "out")
    assert found["relu1.0"]["fault"] == "none"
    assert found["gemm.0"]["fault"] == "deployment"
