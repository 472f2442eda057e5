"""`errorflow outliers`."""

import csv
import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from errorflow.base.sample import SAMPLES
from errorflow.cli.main import main
from errorflow.compare.results import read_results
from run_models import floats, net, savez

LOUD = next(sample for sample in SAMPLES if sample.key == "loud_channel")
CULPRIT = "/block2/depthwise/act/Relu_output_0"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    onnx.save(net(), tmp_path / "m.onnx")
    np.savez(tmp_path / "x.npz", x=np.concatenate([floats(1, 3, 4, 4, seed=seed) for seed in range(5)]))
    return tmp_path


def outliers(folder: Path, *arguments: str) -> int:
    return main(["outliers", *arguments, "--out", str(folder / "out")])


def rows(folder: Path, name: str = "outliers.csv") -> list[dict[str, str]]:
    with (folder / "out" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("model", [LOUD.model, LOUD.candidate_model], ids=["float", "quantized"])
def test_it_finds_the_loud_channel_in_a_model(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert outliers(tmp_path, str(model), "--data", str(LOUD.calibration), "--samples", "6", "--worst", "1") == 0

    first = rows(tmp_path)[0]
    assert (first["tensor"], first["loudest_channels"].split()[0]) == (CULPRIT, "15")
    assert float(first["median_level"]) > 8
    said = capsys.readouterr().out
    assert f"Outliers of {model.name} on 6 samples" in said
    assert CULPRIT in said
    assert "probabilities" not in said


def test_the_three_files_tell_of_the_same_tensors(folder: Path) -> None:
    assert outliers(folder, str(folder / "m.onnx"), "--data", str(folder / "x.npz"), "--weights") == 0

    names = {row["tensor"] for row in rows(folder)}
    [table] = read_results(folder / "out" / "outliers.txt")
    found = json.loads((folder / "out" / "outliers.json").read_text("utf-8"))
    assert names == {row.name for row in table.rows} == {row["tensor"] for row in found["tensors"]}
    assert {"w1", "w2", "w3", "c1", "y"} <= names
    assert not (folder / "out" / "channels.csv").exists()


def test_weights_are_looked_at_when_asked_for(folder: Path) -> None:
    assert outliers(folder, str(folder / "m.onnx"), "--data", str(folder / "x.npz")) == 0
    assert {row["kind"] for row in rows(folder)} == {"activation"}


def test_the_channels_of_a_tensor_have_a_table(folder: Path) -> None:
    assert outliers(folder, str(folder / "m.onnx"), "--data", str(folder / "x.npz"), "--tensor", "c1") == 0
    assert [(row["tensor"], row["channel"]) for row in rows(folder, "channels.csv")] == [
        ("c1", str(number)) for number in range(4)
    ]


def test_tensors_of_runs_need_no_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert outliers(tmp_path, str(LOUD.reference_run), str(LOUD.candidate_run)) == 0
    assert {row["tensor"] for row in rows(tmp_path)[:2]} == {CULPRIT, "/block2/depthwise/conv/Conv_output_0"}
    assert "on 2 samples" in capsys.readouterr().out


def test_a_folder_of_arrays_is_a_run(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    np.save(tmp_path / "run" / "t.npy", np.array([[1.0, 1.0, 256.0]], np.float32))
    assert outliers(tmp_path, str(tmp_path / "run")) == 0
    assert [(row["tensor"], row["median_level"]) for row in rows(tmp_path)] == [("t", "8")]


def test_a_model_names_the_nodes_of_a_run(tmp_path: Path) -> None:
    assert outliers(tmp_path, str(LOUD.reference_run), "--model", str(LOUD.model)) == 0
    assert [row["type"] for row in rows(tmp_path) if row["tensor"] == CULPRIT] == ["Relu"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("m.onnx", "m.onnx", "--random", "1"), "one at a time"),
        (("m.onnx", "--random", "1", "--axis", "1"), "--model and --axis are for runs"),
        (("run.npz", "--data", "x.npz"), "holds tensors of a run"),
        (("run.npz", "--tensor", "c"), "No tensor with channels is called c"),
        (("run.npz", "--worst", "0"), "--worst must be at least 1"),
        (("nothing",), "no file"),
    ],
)
def test_a_wrong_call_is_a_sentence(
    arguments: tuple[str, ...], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    savez(folder / "run.npz", {"c1": floats(1, 4)})
    given = [word if word.startswith("-") or "." not in word else str(folder / word) for word in arguments]
    assert outliers(folder, *given) == 2
    assert said in capsys.readouterr().err
    assert not (folder / "out").exists()


def test_made_up_samples_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert outliers(folder, str(folder / "m.onnx"), "--random", "1") == 0
    assert capsys.readouterr().out.count("made up") == 1
