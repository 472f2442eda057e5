"""Result tables of other tools as text, JSON and CSV."""

import csv
import io
import json
import math
from pathlib import Path

import pytest

from errorflow.compare.results import Column, ResultRow, ResultTable
from errorflow.graph.model import Problem
from errorflow.report.imported import definition_text, result_csv, result_facts, result_lines, result_summary

PATH = Path("folder/file.txt")
SQNR, LOSS = Column.of("horizon.sensitivity.sqnr"), Column.of("tpu-mlir.loss")
COSINE = Column.of("rknn.single.cos")
TABLE = ResultTable(
    "a table",
    "Tool",
    "tensor",
    (COSINE, SQNR),
    (
        ResultRow("good", "Conv", (1, 3), "int8", {COSINE.key: 1.0, SQNR.key: 13.5}),
        ResultRow("=bad()", "Relu", values={COSINE.key: 0.25}, notes=("Look.", "Here."), extra={"rank": "1"}),
        ResultRow("zero", values={COSINE.key: math.nan}, states={COSINE.key: "q_zero: all zero"}),
        ResultRow("blank", states={SQNR.key: "not measured"}),
    ),
    generation="version 2",
    facts=("all of it: 0.5",),
    problems=(Problem("It is odd.", "line 3"),),
)


def facts(*tables: ResultTable) -> list[tuple[str, str, str]]:
    return [(fact.section, fact.label, fact.value) for fact in result_facts(PATH, tables)]


def test_a_table_is_introduced() -> None:
    assert facts(TABLE)[:8] == [
        ("File", "Name", "file.txt"),
        ("Table", "Kind", "a table"),
        ("Table", "Tool", "Tool"),
        ("Table", "Written by", "version 2"),
        ("Table", "Measures", "node, impact"),
        ("Table", "Rows", "4, 3 with numbers"),
        ("Table", "Says", "all of it: 0.5"),
        ("Columns", "cos", definition_text(COSINE)),
    ]
    assert facts(TABLE)[-1] == ("Problems", "line 3", "It is odd.")


def test_the_worst_rows_stand_first() -> None:
    assert [row[1:] for row in facts(TABLE) if row[0] == "Worst by cos"] == [
        ("zero", "cos q_zero"),
        ("=bad()", "cos 0.25, Relu"),
        ("good", "cos 1, sqnr 13.5, Conv"),
    ]


def test_of_several_tables_each_has_its_sections() -> None:
    sections = dict.fromkeys(section for section, _, _ in facts(TABLE, TABLE))

    assert list(sections)[1:] == [
        *("Table 1", "Columns of table 1", "Worst of table 1 by cos", "Problems of table 1"),
        *("Table 2", "Columns of table 2", "Worst of table 2 by cos", "Problems of table 2"),
    ]


def test_a_definition_says_what_where_and_when_not_to_trust_it() -> None:
    text = definition_text(SQNR)

    assert text.startswith("impact, higher is better: 20 · log₁₀(√‖r‖ / √‖c − r‖); turns into our sqnr. ")
    assert text.endswith("Half of the decibels that it should be.")
    assert definition_text(Column.plain("Tool", "Max", "the greatest value")) == "the greatest value"


def test_programs_get_the_files_numbers_and_ours() -> None:
    data = result_summary(PATH, [TABLE], with_rows=True)
    text = json.dumps(data, allow_nan=False)
    rows = json.loads(text)["tables"][0]["rows"]

    assert rows[0]["values"] == {COSINE.key: 1.0, SQNR.key: 13.5}
    assert rows[0]["ours"] == {"cosine": 1.0, "sqnr": 27.0}
    assert rows[2]["values"] == {COSINE.key: "nan"}
    assert rows[2]["states"] == {COSINE.key: "q_zero: all zero"}
    assert rows[1]["notes"] == ["Look.", "Here."]


def test_a_summary_has_no_rows() -> None:
    (table,) = json.loads(json.dumps(result_summary(PATH, [TABLE], with_rows=False)))["tables"]

    assert "rows" not in table
    assert table["count"] == 4
    assert table["worst"][COSINE.key] == ["zero", "=bad()", "good"]
    assert table["columns"][1]["equals"] == "sqnr"


def test_a_spreadsheet_gets_every_cell_and_runs_none() -> None:
    head, *lines = csv.reader(io.StringIO(result_csv(TABLE)))

    assert head == ["name", "type", "dtype", "shape", "cos", "sqnr", "notes", "rank"]
    assert lines == [
        ["good", "Conv", "int8", "1×3", "1.0", "13.5", "", ""],
        ["'=bad()", "Relu", "", "", "0.25", "", "Look.; Here.", "1"],
        ["zero", "", "", "", "q_zero: all zero", "", "", ""],
        ["blank", "", "", "", "", "not measured", "", ""],
    ]


def test_a_terminal_gets_aligned_columns() -> None:
    assert list(result_lines(TABLE, TABLE.rows)) == [
        "name    type  cos     sqnr",
        "good    Conv  1       13.5",
        "=bad()  Relu  0.25    –  Look. Here.",
        "zero          q_zero  –",
        "blank         –       not measured",
    ]


@pytest.mark.parametrize("subject", ["trial", "layer"])
def test_without_numbers_to_show_the_other_cells_are_shown(subject: str) -> None:
    columns = (LOSS,) if subject == "trial" else ()
    table = ResultTable(
        "t", "v", "trial" if subject == "trial" else "layer", columns, (ResultRow("a", extra={"b": "c"}),)
    )

    assert next(result_lines(table, table.rows)).split()[-1] == "b"


def test_long_cells_are_cut_on_a_terminal_only() -> None:
    table = ResultTable("t", "v", "tensor", (), (ResultRow("x" * 100),))

    assert [len(line) for line in result_lines(table, table.rows)] == [4, 60]
    assert "x" * 100 in result_csv(table)
