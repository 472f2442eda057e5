"""What was found as a file, by its ending."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from core.report.cases import case_of
from errorflow.base.errors import FileError, UsageError
from errorflow.quant.plan import Plan
from errorflow.report.content import Content
from errorflow.report.session_files import WRITERS, ReportRequest, check, write_report, write_tables
from errorflow.study.simulate.trial import Trial


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("ending", sorted(WRITERS))
def test_every_ending_is_known_in_any_case(tmp_path: Path, ending: str) -> None:
    check(tmp_path / f"report{ending.upper()}")


@pytest.mark.parametrize(("name", "said"), [("report.docx", "cannot be written as .docx"), ("report", "has no ending")])
def test_an_unknown_ending_is_answered_by_a_list_of_those_there_are(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        check(tmp_path / name, ".zip")
    assert all(ending in caught.value.hint for ending in (*WRITERS, ".zip"))


def test_a_folder_that_is_not_there_is_said_before_anything_is_measured(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="There is no folder"):
        write_report(ReportRequest(tmp_path, lambda _: pytest.fail("measured"), tmp_path / "gone" / "report.csv"))


def test_tables_hold_all_nodes_tensors_and_runs(tmp_path: Path) -> None:
    case = replace(case_of(), trials=(Trial("Run 1", Plan()),))
    assert case.findings is not None
    said = write_tables(case, tmp_path / "drift.csv")
    assert said.endswith("31 nodes; beside it drift-tensors.csv, drift-runs.csv")
    assert len(_rows(tmp_path / "drift.csv")) == 1 + len(case.graph)
    assert len(_rows(tmp_path / "drift-tensors.csv")) == 1 + len(case.findings.comparison.rows)
    assert _rows(tmp_path / "drift-runs.csv")[1][0] == "Run 1"


def test_of_a_model_alone_there_are_its_nodes(tmp_path: Path) -> None:
    graph = case_of().graph
    write_tables(Content("alone", graph), tmp_path / "nodes.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["nodes.csv"]
    assert len(_rows(tmp_path / "nodes.csv")) == 1 + len(graph)


def test_the_picture_has_title_legend_and_limits(tmp_path: Path) -> None:
    case = replace(case_of(), title="Build <412>")
    said = write_report(ReportRequest(tmp_path, lambda _: case, tmp_path / "graph.svg", theme="dark", scale=2.0))
    text = (tmp_path / "graph.svg").read_text(encoding="utf-8")
    assert "Build &lt;412&gt;" in text and 'class="legend"' in text and "Relative error" in text
    assert "31 nodes" in said
