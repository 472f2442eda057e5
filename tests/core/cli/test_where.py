"""`--where`: nodes that a query finds, after a comparison and in a model alone."""

import csv
import json
from pathlib import Path

import pytest

from errorflow.base.sample import SAMPLES
from errorflow.cli.main import main
from errorflow.compare.match import codes

SAMPLE = next(sample for sample in SAMPLES if sample.key == "node_fault")
RUNS = ["-m", str(SAMPLE.candidate_run), "-g", str(SAMPLE.reference_run)]
MODEL = ["--model", str(SAMPLE.model), "--estimate"]
CULPRIT = "/block2/project/conv/Conv"


def compare(out: Path, *more: str) -> int:
    return main(["compare", *RUNS, "-out", str(out), *more])


def test_the_nodes_that_match_are_listed_with_what_is_known_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(tmp_path, *MODEL, "--where", "verdict:origin rel>0.1") == 0
    lines = capsys.readouterr().out.splitlines()

    place = lines.index("Found by verdict:origin rel>0.1: 1 node")
    assert CULPRIT in lines[place + 1] and "Verdict origin" in lines[place + 1]


def test_json_names_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compare(tmp_path, *MODEL, "--json", "--where", "verdict:origin")
    data = json.loads(capsys.readouterr().out)

    assert data["where"]["query"] == "verdict:origin"
    assert [node["name"] for node in data["where"]["nodes"]] == [CULPRIT]


def test_a_query_that_makes_no_sense_is_refused_before_anything_is_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(tmp_path, *MODEL, "--where", "cos<abc") != 0
    assert "cos wants a number" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_without_a_model_there_are_no_nodes_to_find(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(tmp_path, "--where", "cos<0.9") != 0
    assert "Add --model or -f" in capsys.readouterr().err


def test_nodes_of_a_model_are_found_without_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(SAMPLE.model), "--where", "type:Softmax or attr:kernel depth:0"]) == 0
    lines = capsys.readouterr().out.splitlines()

    assert [line.split("\t")[2] for line in lines] == ["/stem/conv/Conv", "/head/Softmax"]


def test_what_needs_runs_is_refused_for_a_model_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(SAMPLE.model), "--where", "verdict:origin"]) == 2
    assert "once two runs are compared" in capsys.readouterr().err


def test_nodes_of_a_run_are_not_to_be_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(SAMPLE.candidate_run), "--where", "conv"]) == 2
    assert "Leave --where out" in capsys.readouterr().err


def test_what_was_measured_behind_its_pair_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the quantized model a run holds only what comes behind DequantizeLinear."""
    quantized = ["--model", str(SAMPLE.candidate_model), "--estimate"]
    node, behind = "/block1/Add", "/block1/Add_output_0_DequantizeLinear"
    assert compare(tmp_path / "text", *quantized, "--where", f"name:{node} type:Add measured:yes") == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.endswith(f"measured behind its DequantizeLinear {behind}") and node in line for line in lines)

    compare(tmp_path / "json", *quantized, "--json", "--where", f"name:{node} type:Add")
    assert json.loads(capsys.readouterr().out)["where"]["nodes"][0]["measured behind"] == behind
    with (tmp_path / "json" / "nodes.csv").open(encoding="utf-8", newline="") as file:
        notes = {row["name"]: row["note"] for row in csv.DictReader(file)}
    assert f"measured behind its DequantizeLinear {behind}" in notes[node]


def test_a_table_of_a_comparison_has_no_nodes_to_find(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compare(tmp_path, *MODEL)
    assert main(["inspect", str(tmp_path / "tensors.csv"), "--where", "measured:no"]) == 2
    assert "`errorflow compare --where`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("foo:bar", "“foo” is no field."),
        ("typ:Conv", 'Did you mean type:"Conv"?'),
        ("(", "is not written to its end"),
        ("type:Conv or", "is not written to its end"),
    ],
)
def test_a_query_that_is_not_understood_is_refused(query: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(SAMPLE.model), "--where", query]) == 2
    assert said in capsys.readouterr().err


def test_a_model_without_what_is_asked_for_says_what_it_has(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(SAMPLE.model), "--where", "type:Convs"]) == 0
    told = capsys.readouterr()
    assert told.out == "" and told.err == "errorflow: No node has type:Convs. Did you mean type:Conv?\n"

    assert main(["inspect", str(SAMPLE.model), "--where", "type:Convs", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["nodes"] == [] and "Did you mean type:Conv?" in data["why"]


def test_a_comparison_says_why_nothing_was_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(tmp_path / "none", *MODEL, "--where", "rel>1e9") == 0
    lines = capsys.readouterr().out.splitlines()
    place = lines.index("Found by rel>1e9: 0 nodes")
    assert lines[place + 1].startswith("  No node has rel>1e9; the worst is")

    assert compare(tmp_path / "misspelt", *MODEL, "--json", "--where", "foo:bar") == codes.WRONG_OPTIONS
    assert "“foo” is no field" in json.loads(capsys.readouterr().out)["where"]["why"]
    assert compare(tmp_path / "unfinished", *MODEL, "--where", "(") == codes.WRONG_OPTIONS
    assert not list((tmp_path / "unfinished").glob("*"))
