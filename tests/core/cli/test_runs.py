"""`errorflow runs`, and pictures of what changed."""

import csv
from pathlib import Path

import onnx
import pytest

from errorflow.base.sample import SAMPLES
from errorflow.cli.main import main
from run_models import floats, net, savez

SAMPLE = next(sample for sample in SAMPLES if sample.key == "node_fault")
CULPRIT = "/block2/project/conv/Conv"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """As it is quantized, with the culprit in float, and on other samples."""
    place = tmp_path_factory.mktemp("runs")
    options = ((), ("--keep-float", CULPRIT), ("--calibrate-on", "4"))
    for name, more in zip(("first", "second", "third"), options, strict=True):
        given = ["simulate", str(SAMPLE.model), "--data", str(SAMPLE.calibration), "--samples", "12", "--quick"]
        assert main([*given, *more, "-out", str(place / name)]) == 0
    return place / "first", place / "second", place / "third"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_it_says_what_changed_and_where(
    folders: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    first, second, _ = folders
    table, changes = tmp_path / "runs.csv", tmp_path / "changes.csv"
    assert main(["runs", str(first), str(second), "--most", "99", "--csv", str(table), "--changes", str(changes)]) == 0
    out = capsys.readouterr().out
    assert f"second: float: {CULPRIT}" in out
    assert "second against first: " in out and f"  better  {CULPRIT}: SQNR " in out
    assert [row["run"] for row in rows(table)] == ["first", "second"]
    found = {row["tensor"]: row for row in rows(changes)}
    assert float(found["probabilities"]["change"]) > 6
    assert found["probabilities"]["turn"] == "better"
    assert float(found["probabilities"]["sqnr"]) - float(found["probabilities"]["sqnr_before"]) == pytest.approx(
        float(found["probabilities"]["change"]), abs=0.01
    )


def test_other_samples_are_not_compared(folders: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["runs", str(folders[0]), str(folders[2])]) == 0
    assert "on other samples, their numbers cannot be compared" in capsys.readouterr().out


def test_a_picture_shows_what_changed(folders: tuple[Path, Path, Path], tmp_path: Path) -> None:
    first, second = (str(folder / "tensors.csv") for folder in folders[:2])
    picture = tmp_path / "change.svg"
    assert main(["render", str(SAMPLE.model), "--compared", second, "--against", first, "-o", str(picture)]) == 0
    text = picture.read_text("utf-8")
    assert "second against first · change of Relative error" in text
    assert "better by 1 dB or more" in text


@pytest.mark.parametrize("file", ["summary.json", "tensors.csv", "plan.json"])
def test_what_is_no_simulation_is_refused(
    folders: tuple[Path, Path, Path], tmp_path: Path, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("summary.json", "tensors.csv", "plan.json"):
        (tmp_path / name).write_bytes((folders[0] / name).read_bytes())
    (tmp_path / file).write_text("[1, 2]")
    assert main(["runs", str(tmp_path)]) == 2
    assert capsys.readouterr().err


def test_against_needs_the_other_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", str(SAMPLE.model), "--against", "x.csv", "-o", str(tmp_path / "a.svg")]) == 2
    assert "--compared" in capsys.readouterr().err


def test_as_many_samples_of_other_values_are_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "net.onnx"
    onnx.save(net(), model)
    for seed in (1, 2):
        given = savez(tmp_path / f"{seed}.npz", {"x": floats(8, 3, 4, 4, seed=seed)})
        out = str(tmp_path / f"run{seed}")
        assert main(["simulate", str(model), "--data", str(given), "--quick", "-out", out]) == 0
    capsys.readouterr()
    table = tmp_path / "runs.csv"
    assert main(["runs", str(tmp_path / "run1"), str(tmp_path / "run2"), "--csv", str(table)]) == 0
    assert "run2 against run1: on other samples, their numbers cannot be compared." in capsys.readouterr().out
    assert [row["comparable_with_first"] for row in rows(table)] == ["yes", "no"]
    assert rows(table)[1]["changed"] == "evaluated on other values"


def test_what_a_folder_does_not_say_is_left_empty(folders: tuple[Path, Path, Path], tmp_path: Path) -> None:
    table = tmp_path / "runs.csv"
    assert main(["runs", str(folders[0]), "--csv", str(table)]) == 0
    [row] = rows(table)
    assert (row["tensors"], row["float_weights"], row["weight_bytes"]) == ("", "", "")


def test_made_up_samples_are_told_from_run_to_run(tmp_path: Path) -> None:
    model, out, table = tmp_path / "net.onnx", tmp_path / "run", tmp_path / "runs.csv"
    onnx.save(net(), model)
    assert main(["simulate", str(model), "--random", "1", "--quick", "-out", str(out)]) == 0
    assert main(["runs", str(out), "--csv", str(table)]) == 0
    assert rows(table)[0]["made_up"] == "yes"


def test_runs_of_two_models_are_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = net()
    for node in other.graph.node:
        names = [f"other_{name}" if name not in ("x", "y") else name for name in node.output]
        node.output[:] = names
        node.input[:] = [f"other_{name}" if name in ("c1", "r1", "c2", "s", "f") else name for name in node.input]
    given = savez(tmp_path / "x.npz", {"x": floats(8, 3, 4, 4)})
    for name, proto in (("one", net()), ("two", other)):
        onnx.save(proto, tmp_path / f"{name}.onnx")
        command = ["simulate", str(tmp_path / f"{name}.onnx"), "--data", str(given), "--quick"]
        assert main([*command, "-out", str(tmp_path / name)]) == 0
    capsys.readouterr()
    assert main(["runs", str(tmp_path / "one"), str(tmp_path / "two")]) == 0
    said = "two against one: of another model (two.onnx, before one.onnx), their numbers cannot be compared."
    assert said in capsys.readouterr().out
