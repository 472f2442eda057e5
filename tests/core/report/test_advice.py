"""What msaccucmp's advisor says; expected answers were given by the one of 26.2.0 to the same tables."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.report.advice import AdviceError, advise, parse_nodes

FINE = "check the post-processing process of model outputs."
PROBLEM = "Calibrate the data or contact Huawei for further diagnosis. "
DEVIATION = "Ignore or contact Huawei for further diagnosis. "


def table(folder: Path, *rows: str, head: str = "Index,NPUDump,OverFlow,CosineSimilarity") -> Path:
    path = folder / "result.csv"
    path.write_text("\n".join([head, *rows]) + "\n", "utf-8")
    return path


@pytest.mark.parametrize(
    ("rows", "finding", "index", "end"),
    [
        (["0,data,NO,1.0", "1,a,YES,0.5", "2,b,YES,0.2"], "FP16 Overflow", "1", "perform comparison again."),
        (["0,a,NO,0.5", "3,data,NO,0.98"], "Input Inconsistent", "3", "check the data preprocessing process."),
        (["0,data,NO,1.0", "1,a,NO,0.99", "2,b,NaN,NaN"], "Global Consistency", "NA", FINE),
        (
            ["0,data,NO,1", "1,a,NO,0.98", "2,b,NO,0.995", "3,c,NO,0.5", "4,d,NO,NaN"],
            "Global Consistency",
            "1",
            PROBLEM,
        ),
        (["0,data,NO,1", "1,a,NO,0.989999", "2,b,NO,0.99"], "Global Consistency", "1", DEVIATION),
        (["0,data,NO,NaN", "1,a,NO,"], "NA", "NA", "NA"),
        ([], "NA", "NA", "NA"),
    ],
)
def test_the_first_finding_counts(rows: list[str], finding: str, index: str, end: str, tmp_path: Path) -> None:
    advice = advise(table(tmp_path, *rows), ["data"])

    assert (advice.finding, advice.index) == (finding, index)
    assert advice.text.endswith(end)


def test_the_summary_is_three_lines(tmp_path: Path) -> None:
    summary = advise(table(tmp_path, "7,a,YES,1")).summary

    assert summary == (
        "Detection Type: FP16 Overflow\n"
        "Operator Index: 7\n"
        "Expert Advice: Float16 data overflow occurs. Rectify the fault and perform comparison again.\n"
    )


def test_inputs_are_asked_in_the_order_they_are_named(tmp_path: Path) -> None:
    path = table(tmp_path, "0,a,NO,0.5", "1,b,NO,0.5")

    assert advise(path, ["c", "b", "a"]).index == "1"


@pytest.mark.parametrize("head", ["Index,NPUDump,Other,CosineSimilarity", "Index,NPUDump,OverFlow,Other"])
def test_a_column_that_is_missing_is_passed_over(head: str, tmp_path: Path) -> None:
    path = table(tmp_path, "5,a,NO,0.5", head=head)

    assert advise(path).index == ("5" if "Cosine" in head else "NA")


@pytest.mark.parametrize(
    ("rows", "index"),
    [
        (["1,a,NO,0.995", ",b,NO,0.5"], "nan"),
        (["1,a,NO,0.995", "2,b,NO,0.5", ",c,NO,1"], "2.0"),
        (["x,a,NO,0.995", "02,b,NO,0.5"], "02"),
        (["01,a,NO,0.995", "02,b,NO,0.5"], "2"),
    ],
    ids=["missing", "one missing", "a text", "leading zeros"],
)
def test_an_index_is_printed_as_pandas_types_its_column(rows: list[str], index: str, tmp_path: Path) -> None:
    assert advise(table(tmp_path, *rows)).index == index


def test_names_that_are_all_numbers_are_no_names(tmp_path: Path) -> None:
    assert advise(table(tmp_path, "0,1,NO,0.5", "1,2,NO,0.5"), ["1"]).finding == "Global Consistency"


def test_lines_that_are_too_long_are_left_out_and_short_ones_filled(tmp_path: Path) -> None:
    assert advise(table(tmp_path, "0,a,NO,1", "1,b,NO,0.5,x", "2,c", "", "   ", "3,d,NO,0.4")).index == "3"


def test_a_first_line_that_is_longer_moves_all_of_them(tmp_path: Path) -> None:
    """pandas takes what is too much for names of rows."""
    assert advise(table(tmp_path, "r1,0,a,NO,1", "r2,1,b,NO,0.5")).index == "1"


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("result.txt", b"Index,NPUDump\n", 24),
        ("result.csv", b"", 7),
        ("result.csv", b"\xff\xfe\n", 7),
        ("result.csv", b"a,b\n1,2\n", 33),
        ("result.csv", b"Index,NPUDump,CosineSimilarity\n1,a,bad\n", 1),
    ],
    ids=["no csv", "empty", "no text", "other columns", "no number"],
)
def test_what_cannot_be_judged_ends_like_msaccucmp(name: str, data: bytes, code: int, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)

    with pytest.raises(AdviceError) as caught:
        advise(path)
    assert caught.value.code == code


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(AdviceError, match="There is no file") as caught:
        advise(tmp_path / "none.csv")
    assert caught.value.code == 7


def test_names_are_parted_by_semicolons() -> None:
    assert parse_nodes("") == ()
    assert parse_nodes("data;a/b;;c.1") == ("data", "a/b", "c.1")


@pytest.mark.parametrize(("text", "code"), [("a; b", 1), ("a:0", 1), ("ä", 1), ("a" * 1025, 33)])
def test_names_that_msaccucmp_refuses_are_refused(text: str, code: int) -> None:
    with pytest.raises(AdviceError) as caught:
        parse_nodes(text)
    assert caught.value.code == code


@given(st.text(alphabet='0123456789.,"\n NaYES-ab', max_size=80))
def test_any_table_is_judged_or_refused(text: str) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = table(Path(folder), text)
        try:
            assert advise(path, ["a"]).summary.count("\n") == 3
        except AdviceError as error:
            assert error.code in (1, 7)
