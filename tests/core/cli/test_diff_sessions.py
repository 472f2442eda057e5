"""`errorflow diff` of two sessions, and of two folders with tables of tensors."""

import csv
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from errorflow.base.sample import SAMPLES
from errorflow.case.session.file import read_session, write_session
from errorflow.case.session.model import Session
from errorflow.cli.main import main
from since_cases import write_case

BEFORE = {"a": 1e-3, "b": 0.01, "c": 0.02, "d": 0.01}
NOW = {"a": 1e-3, "b": 0.5, "c": 0.001, "e": 0.01}


@pytest.fixture
def two(tmp_path: Path) -> list[str]:
    return [str(write_case(tmp_path, name, errors)) for name, errors in (("yesterday", BEFORE), ("today", NOW))]


def test_it_says_what_got_worse_and_what_better(two: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", *two]) == 0
    said = capsys.readouterr().out
    assert "1 tensor got worse, 1 better, 1 the same, 1 not measured any more, 1 newly measured." in said
    lines = [line.split()[0] for line in said.splitlines() if "  b" in line or "  c" in line]
    assert lines == ["worse", "better"] and "The same means that" in said


@pytest.mark.parametrize(
    ("limit", "code"), [("relative_l2=0.6", 0), ("relative_l2=0.1", 1), ("worse=0", 1), ("worse=1", 0), ("gone=0", 1)]
)
def test_a_limit_that_is_broken_ends_with_1_and_says_so(
    two: list[str], limit: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", *two, "--limit", limit]) == code
    said = capsys.readouterr()
    assert f"limit {limit}" in (said.err if code else said.out)


def test_the_files_hold_all_of_it(two: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, xml = tmp_path / "out.csv", tmp_path / "out.xml"
    files = ["--csv", str(table), "--junit", str(xml), "--limit", "cosine=0.99"]
    assert main(["diff", *two, *files, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    with table.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["tensor"] for row in rows] == [each["tensor"] for each in found["tensors"]] and len(rows) == 5
    assert found["counts"] == {"worse": 1, "gone": 1, "better": 1, "new": 1, "same": 1}
    assert [each["holds"] for each in found["limits"]] == [False]
    root = ET.fromstring(xml.read_text(encoding="utf-8"))
    assert (root.get("tests"), root.get("failures")) == ("5", "1")


def test_folders_of_compare_do_as_well(two: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = []
    for name in ("yesterday", "today"):
        out = tmp_path / f"{name}_out"
        out.mkdir()
        runs = [str(tmp_path / f"{name}_{side}") for side in ("candidate", "reference")]
        assert main(["compare", "-m", runs[0], "-g", runs[1], "-out", str(out)]) == 0
        folders.append(str(out))
    capsys.readouterr()
    assert main(["diff", *folders, "--exit-code", "--kind", "worse", "--metric", "cos"]) == 1
    said = capsys.readouterr().out
    assert "1 tensor got worse" in said and said.splitlines()[-1].startswith("worse")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--kind", "merged"], "no kind of change"),
        (["--shapes"], "--shapes is for models"),
        (["--junit", "x.xml"], "there is none"),
        (["--limit", "kosine=1"], "no metric kosine"),
        (["--metric", "kosine"], "no metric kosine"),
        (["--limit", "worse=1", "--junit", "gone/x.xml"], "There is no folder gone"),
    ],
)
def test_what_makes_no_sense_is_said(
    two: list[str],
    more: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["diff", *two, *more]) == 2
    assert said in capsys.readouterr().err


def test_files_that_are_gone_are_named_with_the_way_out(two: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(two[0]).with_name("yesterday_reference")
    folder.rename(folder.with_name("elsewhere"))
    assert main(["diff", *two]) == 2
    said = capsys.readouterr().err
    assert "yesterday_reference" in said and "--look-in" in said


def test_a_session_and_a_model_are_not_compared(two: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    model = str(SAMPLES[0].model)
    assert main(["diff", two[0], model]) == 2
    assert f"{Path(model).name} is neither" in capsys.readouterr().err
    assert main(["diff", model, model, "--limit", "worse=0"]) == 2
    assert "--limit is for two sessions" in capsys.readouterr().err


def test_what_cannot_be_compared_leaves_no_older_result_for_a_build_server(two: list[str], tmp_path: Path) -> None:
    xml = tmp_path / "out.xml"
    assert main(["diff", *two, "--limit", "worse=1", "--junit", str(xml)]) == 0
    Path(two[1]).write_text("{")
    assert main(["diff", *two, "--limit", "worse=1", "--junit", str(xml)]) == 2
    (suite,) = ET.parse(xml).getroot()
    assert suite.get("errors") == "1" and suite.find("testcase/error") is not None


def test_a_comparison_is_saved_as_a_session_that_diff_asks_for_its_outputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sample = SAMPLES[0]
    runs = ["-m", str(sample.candidate_run), "-g", str(sample.reference_run), "--model", str(sample.model)]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "builds").mkdir()
    call = ["compare", *runs, "-out", "out", "--workers", "1", "--session", "builds/today.errorflow"]
    assert main(call) == 0
    assert "builds/today.errorflow" in capsys.readouterr().out
    assert list((tmp_path / "builds" / ".errorflow-results").glob("*.journal"))
    both = ["builds/today.errorflow"] * 2
    assert main(["diff", *both, "--limit", "output:cosine=0.5"]) == 0
    assert main(["diff", "out", "out", "--limit", "output:cosine=0.5"]) == 2
    assert "--session FILE.errorflow" in capsys.readouterr().err


def test_a_comparison_keeps_what_was_written_into_the_session_of_its_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sample, case = SAMPLES[0], tmp_path / "case.errorflow"
    runs = ["-m", str(sample.candidate_run), "-g", str(sample.reference_run), "--model", str(sample.model)]
    call = ["compare", *runs, "-out", str(tmp_path / "out"), "--workers", "1", "--session", str(case)]
    write_session(Session(sample.model, note="look here", bundle=tmp_path / "old.zip"), case)
    assert main(call) == 0
    found = read_session(case).session
    assert found.note == "look here" and found.setup is not None and found.bundle is None
    write_session(Session(SAMPLES[1].model, note="another"), case)
    assert main(call) == 3
    assert "another model" in capsys.readouterr().err and read_session(case).session.note == "another"


def test_what_no_session_holds_is_refused_before_anything_is_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (["--session", "today.txt"], ["--session", "today.errorflow", "--samples"]):
        assert main(["compare", "-m", "a", "-g", "b", *words]) != 0
    said = capsys.readouterr().err
    assert "Let it end with .errorflow." in said and "Leave --session out" in said
    assert not list(tmp_path.iterdir())
