"""msaccucmp's tables in all their headers."""

import math
from pathlib import Path

import pytest

from errorflow.compare.results import ResultTable, read_results
from errorflow.vendors.ascend.results.msaccucmp import BOTH_ZERO, NOT_MEASURED, OVERFLOWN
from result_samples import DATA

HEAD = "Index,OpType,NPUDump,DataType,Address,GroundTruth,DataType,TensorIndex,Shape,"
MEASURES = "CosineSimilarity,MaxAbsoluteError"


def read(folder: Path, text: str, name: str = "result.csv") -> ResultTable:
    path = folder / name
    path.write_text(text, "utf-8")
    (table,) = read_results(path)
    return table


@pytest.fixture
def table() -> ResultTable:
    (found,) = read_results(DATA / "msaccucmp.csv")
    return found


def test_numbers_stand_under_the_tools_own_definitions(table: ResultTable) -> None:
    assert [column.name for column in table.columns] == [
        *("CosineSimilarity", "MaxAbsoluteError", "AccumulatedRelativeError", "RelativeEuclideanDistance"),
        *("KullbackLeiblerDivergence", "MeanAbsoluteError", "RootMeanSquareError"),
        *("MaxRelativeError", "MeanRelativeError"),
    ]
    assert table.measures == ("accumulated",)
    assert table.rows[3].values["msaccucmp.CosineSimilarity"] == 0.97


def test_rows_are_tensors(table: ResultTable) -> None:
    row = table.rows[3]

    assert (row.name, row.op_type, row.shape, row.dtype) == (
        "stem/convstem/relu:output:0",
        "Conv2D",
        (1, 8, 8, 8),
        "float16",
    )
    assert row.names == ("stem/convstem/relu", "stem/relu")
    assert row.extra["StandardDeviation"] == "(0.400;0.516),(0.400;0.516)"


def test_two_columns_of_one_name_are_told_apart_by_their_place(table: ResultTable) -> None:
    assert table.rows[3].extra["DataType (GroundTruth)"] == "float32"
    assert table.rows[3].extra["Address"] == "8192"


def test_an_operator_without_a_dump_has_a_reason_and_no_numbers(table: ResultTable) -> None:
    row = table.rows[0]

    assert (row.name, row.values) == ("image", {})
    assert row.notes == ('[image] There is no dump file for my output operator "image". The type is Data.',)


def test_what_was_not_measured_is_not_what_came_out_as_nan(table: ResultTable) -> None:
    key = "msaccucmp.CosineSimilarity"

    assert table.rows[0].states[key] == NOT_MEASURED
    assert math.isnan(table.rows[5].values[key])
    assert key not in table.rows[5].states
    assert table.rows[5].values["msaccucmp.MaxAbsoluteError"] == math.inf


def test_the_worst_row_is_the_one_that_is_no_number(table: ResultTable) -> None:
    assert [row.name for row in table.worst(table.columns[0], 2)] == ["prob:output:0", "stem/convstem/relu:output:0"]


def test_an_overflow_is_noted(table: ResultTable) -> None:
    assert [row.name for row in table.rows if OVERFLOWN in row.notes] == ["stem/convstem/relu:output:0"]


def test_zeros_on_both_sides_are_noted(table: ResultTable) -> None:
    """The tool writes 1.0 there and 1.000000 elsewhere."""
    assert [row.name for row in table.rows if BOTH_ZERO in row.notes] == ["zeros:output:0"]


def test_an_inserted_operator_has_no_name_in_the_original_model(table: ResultTable) -> None:
    assert table.rows[1].names == ("cast_in",)


@pytest.mark.parametrize(
    ("head", "generation"),
    [
        ("Index,LeftOp,RightOp,TensorIndex,CosineSimilarity,MaxAbsoluteError,CompareFailReason", "before May 2022"),
        ("Index,NPUDump,GroundTruth,TensorIndex,CosineSimilarity,CompareFailReason", "May to August 2022"),
        (f"{HEAD}{MEASURES},CompareFailReason", "August 2022 or later"),
    ],
)
def test_the_header_tells_the_generation(head: str, generation: str, tmp_path: Path) -> None:
    cells = ["1" if "Error" in name or "Cosine" in name else "op:output:0" for name in head.split(",")]
    table = read(tmp_path, f"{head}\n{','.join(cells)}\n")

    assert table.generation == generation
    assert table.rows[0].values["msaccucmp.CosineSimilarity"] == 1.0


def test_the_text_of_old_is_parted_by_spaces(tmp_path: Path) -> None:
    head = "Index LeftOp RightOp TensorIndex CosineSimilarity MaxAbsoluteError CompareFailReason"
    table = read(tmp_path, f"{head}\n0 conv1 conv1 conv1:output:0 0.5 2.0\n1 a b a:output:0 NaN NaN it has no dump\n")

    assert [row.name for row in table.rows] == ["conv1:output:0", "a:output:0"]
    assert table.rows[0].values == {"msaccucmp.CosineSimilarity": 0.5, "msaccucmp.MaxAbsoluteError": 2.0}
    assert table.rows[1].notes == ("it has no dump",)


def squares(written: float) -> str:
    """A row whose reference has a root mean square of 5, and whose error has one of 1: a distance of 0.2."""
    head = f"{HEAD}RelativeEuclideanDistance,StandardDeviation,MeanAbsoluteError,RootMeanSquareError,CompareFailReason"
    return f'{head}\n1,Conv,c,float16,0,c,float32,c:output:0,[8],{written:.6f},"(3;4),(3.000;4.000)",0.8,1.000000,\n'


def test_ten_months_of_squares_are_recognised(tmp_path: Path) -> None:
    table = read(tmp_path, squares(0.04))
    (distance, *_) = table.columns

    assert table.generation == "August 2023 to June 2024"
    assert distance.definition.key == "msaccucmp.RelativeEuclideanDistance.2023"
    assert distance.definition.ours(table.rows[0].values[distance.key]) == pytest.approx(0.2)


def test_other_months_are_not(tmp_path: Path) -> None:
    table = read(tmp_path, squares(0.2))
    (distance, *_) = table.columns

    assert distance.definition.key == "msaccucmp.RelativeEuclideanDistance"
    assert table.generation == "August 2022 to August 2023, or June 2024 and later"


def test_a_measure_of_the_users_own_is_a_column(tmp_path: Path) -> None:
    table = read(tmp_path, f"{HEAD}{MEASURES},MyError,CompareFailReason\n1,A,a,f,0,a,f,a:output:0,[1],1,0,7.5,\n")

    assert table.columns[-1].name == "MyError"
    assert table.columns[-1] not in table.judging
    assert table.rows[0].values[table.columns[-1].key] == 7.5


def test_columns_that_msit_adds_are_kept(tmp_path: Path) -> None:
    table = read(tmp_path, f"{HEAD}{MEASURES},CompareFailReason,IsNpuOps\n1,A,a,f,0,a,f,a:output:0,[1],1,0,,YES\n")

    assert table.rows[0].extra["IsNpuOps"] == "YES"
    assert len(table.columns) == 2


def test_a_line_that_does_not_fit_is_a_problem_not_the_end(tmp_path: Path) -> None:
    good = "1,A,a,f,0,a,f,a:output:0,[1],1,0,"
    table = read(tmp_path, f"{HEAD}{MEASURES},CompareFailReason\n{good}\n1,A,a\n\n{good}\n")

    assert len(table.rows) == 2
    assert [(problem.where, problem.text) for problem in table.problems] == [
        ("line 3", "It has 3 cells, not the header's 12, and is left out.")
    ]


def test_the_mapping_has_paths_and_no_numbers() -> None:
    (table,) = read_results(DATA / "msaccucmp-mapping.csv")

    assert (table.columns, len(table.rows)) == ((), 3)
    assert table.rows[2].extra["GroundTruthPath"] == "golden/stem_relu.0.2.npy"
    assert table.rows[0].name == "image"


def test_own_measures_that_differ_in_case_only_are_two(tmp_path: Path) -> None:
    table = read(tmp_path, f"{HEAD}{MEASURES},Abs,abs\n1,A,a,f,0,a,f,a:output:0,[1],1,0,2,3\n")

    assert [table.rows[0].values[column.key] for column in table.columns] == [1, 0, 2, 3]


def test_a_measure_that_stands_twice_is_taken_once(tmp_path: Path) -> None:
    table = read(tmp_path, f"{HEAD}{MEASURES},CosineSimilarity\n1,A,a,f,0,a,f,a:output:0,[1],1,0,0.5\n")

    assert len(table.columns) == 2
    assert table.rows[0].values["msaccucmp.CosineSimilarity"] == 1.0
