import csv
import io
import json
import sys
from pathlib import Path

import pytest

from errorflow.base.sample import SAMPLES
from errorflow.cli.main import main

SAMPLE = SAMPLES[0]
BOTH = (str(SAMPLE.model), str(SAMPLE.candidate_model))


def _printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["diff", *arguments]) == 0
    return capsys.readouterr().out


def test_it_counts_and_lists_what_quantization_did(capsys: pytest.CaptureFixture[str]) -> None:
    lines = _printed(capsys, *BOTH).splitlines()

    assert lines[:2] == ["reference  node_fault.onnx, 31 nodes", "candidate  node_fault_int8.onnx, 103 nodes"]
    assert "       72  inserted" in lines
    assert "changed    /stem/conv/Conv (Conv)  precision float32 → uint8" in lines
    assert lines[-1] == "… and 52 more: --all lists them, --kind chooses."


def test_all_and_kind_choose_what_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [line for line in _printed(capsys, *BOTH, "--all", "--kind", "inserted").splitlines() if line[:1].isalpha()]

    assert len(rows) == 2 + 72


def test_json_has_all_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(_printed(capsys, *BOTH, "--json"))

    assert found["counts"]["inserted"] == 72
    assert found["same"] == 11
    first = found["differences"][0]
    assert first["reference"] == [{"index": 0, "name": "/stem/conv/Conv", "type": "Conv"}]
    assert first["changes"] == [{"what": "precision", "reference": "float32", "candidate": "uint8"}]


def test_csv_has_a_line_per_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _printed(capsys, *BOTH, "--csv", str(tmp_path / "out.csv"))

    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 92
    assert rows[-1]["kind"] == "inserted"
    assert rows[-1]["what"] == "quantization"


def test_kind_narrows_files_as_well_as_the_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = _printed(capsys, *BOTH, "--kind", "changed", "--json", "--csv", str(tmp_path / "out.csv"))

    found = json.loads(printed)
    rows = list(csv.DictReader((tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["kind"] for row in (*rows, *found["differences"])} == {"changed"}
    assert len(rows) == len(found["differences"]) == 20
    assert found["counts"]["inserted"] == 72


def test_the_help_says_that_kind_narrows_files(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["diff", "--help"])

    told = " ".join(capsys.readouterr().out.split())
    assert "listed, in --json and in --csv" in told
    assert "every difference, or those of --kind, to a table" in told


@pytest.mark.parametrize(("candidate", "code"), [(BOTH[0], 0), (BOTH[1], 1)])
def test_the_exit_code_says_whether_they_differ_when_asked(candidate: str, code: int) -> None:
    assert main(["diff", BOTH[0], candidate, "--exit-code"]) == code


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((*BOTH, "--kind", "gone"), "'gone' is no kind of difference."),
        ((BOTH[0], str(SAMPLE.candidate_run)), "holds tensors, not a model."),
    ],
)
def test_what_makes_no_sense_is_refused(
    arguments: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", *arguments]) == 2
    assert sentence in capsys.readouterr().err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("more", [(), ("--shapes",)])
def test_somebody_who_looks_sees_how_far_it_is(more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["diff", *BOTH, *more]) == 0
    told = terminal.getvalue()
    assert all(f"Reading {Path(file).name}" in told for file in BOTH)
    assert ("Working out shapes" in told) == bool(more)
    assert told.endswith("\x1b[K")
