"""What `compare` says first is what its verdict says, and a finished step of a guide is judged by the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from errorflow.base.sample import SAMPLES, Sample
from errorflow.cli.main import main
from planted.test_scenarios import command_of, written
from planted_by_command import said
from planted_scenarios import ROWS

FOUND = {sample.key: sample for sample in SAMPLES}


def compared(sample: Sample, place: Path) -> dict[str, Any]:
    sides = ("-m", str(sample.candidate_run), "-g", str(sample.reference_run), "--model", str(sample.model))
    assert main(["compare", *sides, "-out", str(place / "out")]) == 0
    found: dict[str, Any] = json.loads((place / "out" / "summary.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("key", FOUND)
def test_the_first_line_is_as_good_or_bad_as_the_verdict(key: str, tmp_path: Path) -> None:
    data = compared(FOUND[key], tmp_path)

    is_good = data["verdict"]["key"] in ("good", "good-output")
    assert is_good == (data["blame"]["kind"] == "good")
    assert [row["tensor"] for row in data["outputs"]] == [each["tensor"] for each in data["blame"]["outputs"]]


@pytest.mark.parametrize("key", FOUND)
def test_with_the_original_at_hand_nothing_is_left_to_dumps(
    key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compared(FOUND[key], tmp_path)

    assert "two dumps" not in capsys.readouterr().out + (tmp_path / "out" / "nodes.csv").read_text(encoding="utf-8")


def test_a_part_that_is_wrong_does_not_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verdict = compared(FOUND["cosine_lies"], tmp_path)["verdict"]["text"]
    assert verdict.endswith("as a whole, but not in every part.")
    capsys.readouterr()

    assert main(["guide", "onnx", "--step", "compare", "--check", str(tmp_path / "out"), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["outcome"] == "node error" and "not good in every part" in told["evidence"]


def test_with_the_network_the_first_line_is_about_its_output(tmp_path: Path) -> None:
    written(tmp_path, "fake-quantized", next(name for name in ROWS["fake-quantized"].cases() if "scale" in name))
    said([*command_of(tmp_path, "fake-quantized").split()[1:], "-out", "out"], tmp_path)
    data = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))

    assert data["blame"]["output"] == "prob" and data["outputs"][0]["tensor"] == "prob:output:0"
    assert data["verdict"]["text"].startswith("The output is beyond the limits")


def test_the_folder_of_a_session_is_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample, new = SAMPLES[0], tmp_path / "new"
    sides = ["-m", str(sample.candidate_run), "-g", str(sample.reference_run)]
    assert main(["compare", *sides, "-out", str(new), "--session", str(new / "case.errorflow")]) == 0
    assert (new / "case.errorflow").is_file()
