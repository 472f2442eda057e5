"""msaccucmp's tables: columns that come and go, cells that lack, and lines that it cannot write."""

import csv
from datetime import datetime
from pathlib import Path

import pytest

from errorflow.compare.comparer import Printed
from errorflow.compare.match.by_fusion import MappingLine
from errorflow.compare.match.model import GOLDEN_TYPE, MY_TYPE, OVERFLOW, SHAPE, Listed
from errorflow.compare.model import Row
from errorflow.graph.dump import TensorInfo
from errorflow.report.tables import ResultColumns, result_name, write_mapping, write_result

MINE = TensorInfo("output:0", "float16", (1, 1, 8, 8, 16), 2048, "NC1HWC0", address=4096)
GOLDEN = TensorInfo("conv.0", "float32", (1, 5, 8, 8), 1280)
LISTED = Listed(4, "Conv2D", "conv", "conv,relu", "conv:output:0", sequence=7)
COLUMNS = {MY_TYPE: "float16", GOLDEN_TYPE: "float32", SHAPE: "[1,5,8,8]", "CosineSimilarity": "0.999999"}
ROW = Row("conv:output:0", GOLDEN, MINE, printed=Printed(LISTED, COLUMNS, "said"))
METRICS = ("CosineSimilarity", "MaxAbsoluteError")


def written(path: Path, table: ResultColumns, *rows: Row) -> list[list[str]]:
    write_result(path / "result.csv", rows, table)
    with (path / "result.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_a_line_has_what_was_known_and_what_was_measured(tmp_path: Path) -> None:
    header, line = written(tmp_path, ResultColumns(METRICS, golden_address=False), ROW)

    assert header == [
        *("Index", "OpType", "NPUDump", "DataType", "Address", "GroundTruth", "DataType", "TensorIndex", "Shape"),
        *(*METRICS, "CompareFailReason"),
    ]
    assert line == [
        *("4", "Conv2D", "conv", "float16", "4096", "conv,relu", "float32", "conv:output:0", "[1,5,8,8]"),
        *("0.999999", "NaN", "said"),
    ]


@pytest.mark.parametrize(
    ("table", "title", "cell"),
    [
        (ResultColumns((), sequence=True), "OpSequence", "7"),
        (ResultColumns((), overflow=True), "OverFlow", "NO"),
        (ResultColumns((), my_address=False), "Address", "77"),
        (ResultColumns((), knows_golden_address=False, my_address=False), "Address", "NaN"),
    ],
)
def test_columns_are_there_when_they_are_wanted(tmp_path: Path, table: ResultColumns, title: str, cell: str) -> None:
    golden = TensorInfo("g", "float16", (1,), 2, address=77)
    row = Row("t", golden, MINE, printed=Printed(LISTED, COLUMNS | {OVERFLOW: "NO"}))

    header, line = written(tmp_path, table, row)

    assert header.count(title) == 1
    assert line[header.index(title)] == cell


def test_an_operator_without_dump_has_nothing_but_its_names(tmp_path: Path) -> None:
    listed = Listed(0, "Data", "x", "x", "NaN", reason="none", measured=False)

    _, line = written(tmp_path, ResultColumns(METRICS, overflow=True), Row("x", None, None, printed=Printed(listed)))

    assert line == ["0", "Data", "x", "NaN", "NaN", "x", *["NaN"] * 7, "none"]


def test_what_only_we_can_pair_stays_as_the_tool_prints_it(tmp_path: Path) -> None:
    listed = Listed(0, "Cast", "c", "*", "c:output:0", reason="lost", measured=False)
    row = Row("c:output:0", GOLDEN, MINE, values={"cosine": 1.0}, printed=Printed(listed, reason="something else"))

    _, line = written(tmp_path, ResultColumns(METRICS, golden_address=False), row)

    assert line == ["0", "Cast", "c", "NaN", "4096", "*", "NaN", "c:output:0", "[1,1,8,8,16]", "NaN", "NaN", "lost"]


def test_tensors_that_the_tool_does_not_list_are_left_out(tmp_path: Path) -> None:
    assert len(written(tmp_path, ResultColumns(METRICS), Row("t", GOLDEN, MINE))) == 1


def test_an_address_may_be_that_of_the_line_and_not_of_what_was_measured(tmp_path: Path) -> None:
    listed = Listed(0, "Add", "a", "a", "a:input:0", address=5)

    header, line = written(
        tmp_path, ResultColumns((), golden_address=False), Row("t", GOLDEN, MINE, printed=Printed(listed))
    )

    assert line[header.index("Address")] == "5"


def test_a_name_is_no_formula(tmp_path: Path) -> None:
    listed = Listed(0, "Add", "=1+2", "-5", "t")

    _, line = written(tmp_path, ResultColumns(()), Row("t", None, None, printed=Printed(listed)))

    assert (line[2], line[5]) == ("'=1+2", "-5")


def test_the_mapping_says_which_files_belong_together(tmp_path: Path) -> None:
    lines = [
        MappingLine(3, 9, "Add", "a", "b", "a:output:0", "mine/a", "golden/b.0.1.npy"),
        MappingLine(4, 1, "D", "d", "*"),
    ]
    write_mapping(tmp_path / "mapping.csv", lines, sequence=True)

    assert (tmp_path / "mapping.csv").read_bytes().decode().split("\r\n") == [
        "Index,OpSequence,OpType,NPUDump,GroundTruth,TensorIndex,NPUDumpPath,GroundTruthPath",
        "3,9,Add,a,b,a:output:0,mine/a,golden/b.0.1.npy",
        "4,1,D,d,*,NaN,NaN,NaN",
        "",
    ]


def test_a_result_is_named_after_the_time() -> None:
    assert result_name("result", datetime(2026, 1, 31, 23, 59, 58), "0_net_1_") == "0_net_1_result_20260131235958.csv"
