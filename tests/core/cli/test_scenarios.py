"""`errorflow scenarios`: what there is to compare."""

import json
import shlex
from pathlib import Path

import pytest

import run_folders
from errorflow.case.scenarios import SCENARIOS
from errorflow.cli.main import main


def test_every_comparison_is_listed_with_its_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenarios"]) == 0
    printed = capsys.readouterr().out
    assert all(f"[{row.key}]" in printed for row in SCENARIOS)
    assert "atc --mode=1 --om=model.om --json=model.json" in printed


def test_the_call_that_is_printed_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run_folders.npu(Path("dump"))
    run_folders.npy(Path("golden"))
    run_folders.atc_json(Path("net.json"))
    assert main(["scenarios", "dump", "golden", "net.json"]) == 0
    call = capsys.readouterr().out.splitlines()[-1]
    assert main([*shlex.split(call)[1:], "-out", "out", "--workers", "1"]) == 0
    assert Path("out", "tensors.csv").is_file()


def test_what_lacks_is_said_with_how_to_get_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_folders.npu(tmp_path / "dump")
    run_folders.npy(tmp_path / "golden")
    main(["scenarios", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "Compiled model (ATC JSON or .om): missing. Print it from the offline model" in printed


def test_a_guess_is_called_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_folders.npz(tmp_path / "golden.npz")
    run_folders.npz(tmp_path / "mine.npz")
    main(["scenarios", str(tmp_path)])
    assert "golden.npz (a guess: “golden” in its name)" in capsys.readouterr().out


def test_for_programs_it_prints_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_folders.npz(tmp_path / "one.npz")
    run_folders.npz(tmp_path / "two.npz")
    main(["scenarios", str(tmp_path), "--json"])
    data = json.loads(capsys.readouterr().out)
    assert [each["kind"] for each in data["found"]] == ["arrays", "arrays"]
    runs = next(each for each in data["proposals"] if each["scenario"] == "runs")
    assert (runs["complete"], len(runs["choices"]["reference"])) == (False, 2)
    main(["scenarios", "--json"])
    assert [each["key"] for each in json.loads(capsys.readouterr().out)["scenarios"]] == [row.key for row in SCENARIOS]


def test_a_folder_with_nothing_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenarios", str(tmp_path)]) == 0
    assert "Nothing was found" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["nowhere"], [".", "nowhere"], ["onnx", "nowhere"]])
def test_what_is_neither_a_path_nor_a_comparison_is_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scenarios", *words]) == 2
    sentence, hint = capsys.readouterr().err.splitlines()
    assert sentence == "errorflow: There is no folder, file or comparison nowhere."
    assert all(row.key in hint for row in SCENARIOS)


def test_comparisons_are_told_of_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenarios", "onnx", "npu-npu"]) == 0
    told = capsys.readouterr().out
    assert [line for line in told.splitlines() if line.endswith("]") and not line.startswith(" ")] == [
        "Float against quantized ONNX [onnx]",
        "NPU against NPU [npu-npu]",
    ]


def test_names_and_paths_do_not_go_together(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenarios", "onnx", "."]) == 2
    assert "Name comparisons alone" in capsys.readouterr().err
