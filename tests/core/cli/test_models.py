"""`errorflow compare` with models in place of runs."""

import csv
import json
from pathlib import Path

import pytest

from errorflow.base.sample import SAMPLES
from errorflow.cli.main import main
from errorflow.compare.match import codes
from npu_board import Board

FAULT = next(sample for sample in SAMPLES if sample.key == "node_fault")
INPUTS = ("--inputs", str(FAULT.reference_run))


def call(candidate: Path, reference: Path, out: Path, *more: str) -> int:
    return main(["compare", "-m", str(candidate), "-g", str(reference), "-out", str(out), *more])


def told_files(said: str) -> set[str]:
    """What the last line says was written."""
    return set(said.splitlines()[-1].removeprefix("Written: ").split(", "))


def measured(out: Path) -> dict[str, str]:
    """The cosine of each tensor that has one."""
    with (out / "tensors.csv").open(encoding="utf-8", newline="") as file:
        return {row["tensor"]: row["cosine"] for row in csv.DictReader(file) if row["cosine"]}


def test_two_models_are_run_and_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(FAULT.candidate_model, FAULT.model, tmp_path, *INPUTS) == 0
    said = capsys.readouterr().out
    assert "first /block2/project/conv/Conv_output_0" in said
    assert "32 tensors measured" in said
    written = {path.name for path in tmp_path.iterdir()}
    assert written >= {"candidate_run.npz", "reference_run.npz", "summary.json", "tensors.csv"}
    assert told_files(said) == {str(path) for path in tmp_path.iterdir()}


@pytest.mark.parametrize("side", ["candidate", "reference"])
def test_a_model_may_stand_for_one_of_the_runs(side: str, tmp_path: Path) -> None:
    models = {"candidate": FAULT.candidate_model, "reference": FAULT.model}
    runs = {"candidate": FAULT.candidate_run, "reference": FAULT.reference_run}
    chosen = runs | {side: models[side]}
    assert call(chosen["candidate"], chosen["reference"], tmp_path / "model", *INPUTS) == 0
    assert call(runs["candidate"], runs["reference"], tmp_path / "runs", "--model", str(FAULT.model)) == 0
    assert measured(tmp_path / "model") == measured(tmp_path / "runs")


def test_the_run_of_one_model_is_said_to_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(FAULT.candidate_run, FAULT.model, tmp_path, *INPUTS) == 0
    assert told_files(capsys.readouterr().out) == {str(path) for path in tmp_path.iterdir()}


def test_programs_hear_of_the_runs_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(FAULT.candidate_model, FAULT.model, tmp_path, *INPUTS, "--json") == 0
    assert set(json.loads(capsys.readouterr().out)["files"]) == {str(path) for path in tmp_path.iterdir()}


def test_a_limit_decides_about_models_too(tmp_path: Path) -> None:
    assert call(FAULT.candidate_model, FAULT.model, tmp_path, *INPUTS, "--limit", "cosine=0.99") == 1


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ((), "The model wants inputs that were not given: image float32 [1, 1, 8, 8]."),
        ((*INPUTS, "-op", "conv"), "-op is for runs, and both sides are ONNX models."),
        ((*INPUTS, "--samples"), "--samples is for runs, and both sides are ONNX models."),
        ((*INPUTS, "--threads", "0"), "--threads must be at least 1."),
    ],
)
def test_what_does_not_go_with_models_is_a_sentence(
    more: tuple[str, ...], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(FAULT.candidate_model, FAULT.model, tmp_path, *more) != 0
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    "more", [("--where", "cos<much"), ("--profile", "a.pdf"), ("--pair", "alone"), ("--limit", "nothing")]
)
def test_what_makes_no_sense_is_refused_before_a_model_is_run(more: tuple[str, ...], tmp_path: Path) -> None:
    assert call(FAULT.candidate_model, FAULT.model, tmp_path, *INPUTS, *more) != 0
    assert not list(tmp_path.iterdir())


def test_inputs_without_a_model_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(FAULT.candidate_run, FAULT.reference_run, tmp_path, *INPUTS) != 0
    assert "--inputs and --random are for models that are run." in capsys.readouterr().err


def test_json_is_all_that_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(FAULT.candidate_model, FAULT.model, tmp_path, "--random", "3", "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["verdict"]
    assert printed["problems"] == ["image: made up, random values of seed 3 in the shape [1, 1, 8, 8]."]


@pytest.mark.parametrize("more", [(), ("--simulator", str(FAULT.candidate_run))])
def test_made_up_inputs_stand_in_the_result(more: tuple[str, ...], tmp_path: Path) -> None:
    call(FAULT.candidate_run, FAULT.model, tmp_path, "--random", "3", *more)
    written = json.loads((tmp_path / "summary.json").read_text("utf-8"))
    assert written["problems"][0] == "image: made up, random values of seed 3 in the shape [1, 1, 8, 8]."


def test_an_npu_is_compared_with_the_model_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board = Board(tmp_path)
    board.write("conv2")
    more = ["-f", str(tmp_path / "fusion.json"), "--inputs", str(tmp_path / "x.npz")]
    call(tmp_path / "npu", tmp_path / "model.onnx", tmp_path / "model", *more)
    assert "Node error: conv2 (conv2add) brings" in capsys.readouterr().out
    call(tmp_path / "npu", tmp_path / "golden", tmp_path / "files", *more[:2])
    close = {name: pytest.approx(float(cosine), abs=1e-6) for name, cosine in measured(tmp_path / "files").items()}
    assert {name: float(cosine) for name, cosine in measured(tmp_path / "model").items()} == close


@pytest.mark.parametrize("side", ["candidate", "reference"])
@pytest.mark.parametrize("more", [(), ("--random", "1"), ("--simulator", str(FAULT.candidate_model))])
def test_a_file_that_cannot_be_used_is_told_before_inputs_are_asked_for(
    side: str, more: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = {"candidate": FAULT.candidate_model, "reference": FAULT.model} | {side: tmp_path / "gone.onnx"}
    assert call(paths["candidate"], paths["reference"], tmp_path / "out", *more) == codes.WRONG_PATH
    assert "gone.onnx" in capsys.readouterr().err
    paths[side].write_text("hello", "utf-8")
    assert call(paths["candidate"], paths["reference"], tmp_path / "out", *more) == codes.NO_RUN
    assert "gone.onnx" in capsys.readouterr().err
    assert not list((tmp_path / "out").glob("*"))


def test_a_file_that_is_gone_is_told_before_inputs_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(tmp_path / "gone.onnx", FAULT.reference_run, tmp_path, *INPUTS) == codes.WRONG_PATH
    assert "gone.onnx" in capsys.readouterr().err
