"""The table of tensors read back: what it says is what the comparison said."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.errors import ErrorflowError, FormatError
from errorflow.base.files import Source
from errorflow.base.sample import SAMPLES
from errorflow.compare import Comparison, Row, compare
from errorflow.compare.metrics.states import State
from errorflow.compare.metrics.sums import Side
from errorflow.compare.states import states_of
from errorflow.compare.table_file import is_tensor_table, read_tensor_table
from errorflow.formats import read_tensors
from errorflow.graph.dump import TensorInfo
from errorflow.report.tables import tensors_csv

INFO = TensorInfo("t", "float16", (1, 3), 6, "NCHW")


def written(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "tensors.csv"
    path.write_bytes(text.encode("utf-8", "replace") if isinstance(text, str) else text)
    return path


def read(path: Path) -> Comparison:
    with Source(path) as source:
        assert is_tensor_table(source)
        return read_tensor_table(source)


def back(tmp_path: Path, *rows: Row) -> tuple[Row, ...]:
    return read(written(tmp_path, tensors_csv(Comparison(rows)))).rows


def test_numbers_shapes_and_types_come_back(tmp_path: Path) -> None:
    sample = SAMPLES[0]
    before = compare(read_tensors(sample.reference_run), read_tensors(sample.candidate_run)).rows
    after = back(tmp_path, *before)
    assert [row.tensor for row in after] == [row.tensor for row in before]
    assert [row.shape for row in after] == [row.shape for row in before]
    assert [row.rule for row in after] == [row.rule for row in before]
    for one, other in zip(before, after, strict=True):
        assert other.values == pytest.approx(one.values, rel=1e-8, nan_ok=True)


def test_the_names_of_both_runs_come_back(tmp_path: Path) -> None:
    mine, golden = TensorInfo("t_dq", "int8", (1, 3), 3), TensorInfo("t", "float32", (1, 3), 12)
    (row,) = back(tmp_path, Row("t_dq", golden, mine, {"cosine": 1.0}))
    assert row.reference is not None and row.candidate is not None
    assert (row.reference.name, row.candidate.name) == ("t", "t_dq")


def test_a_table_of_an_earlier_version_names_a_tensor_once(tmp_path: Path) -> None:
    head = "tensor,operator,type,dtype,shape,candidate dtype,candidate shape,reference dtype,reference shape,cosine"
    (row,) = read(written(tmp_path, f"{head}\nt_dq,,,int8,3,int8,3,float32,3,0.5\n")).rows
    assert row.reference is not None and row.candidate is not None
    assert (row.reference.name, row.candidate.name) == ("t_dq", "t_dq")


SIDES = {
    State.NAN: Side(nan=3, low=0.0, high=1.0),
    State.INF: Side(inf=1234, low=0.0, high=1.0),
    State.ZERO: Side(low=0.0, high=0.0),
    State.CONSTANT: Side(low=7.0, high=7.0),
    State.NAN | State.INF: Side(nan=1, inf=2, low=0.0, high=1.0),
}


@pytest.mark.parametrize("state", SIDES)
def test_states_come_back(tmp_path: Path, state: State) -> None:
    values = {"cosine": 0.5}
    [row] = back(tmp_path, Row("t", INFO, INFO, values, "", Side(low=-1.0, high=1.0), SIDES[state]))
    assert states_of(row) == state


@pytest.mark.parametrize(
    ("row", "state"),
    [
        (Row("t", INFO, INFO, note="shapes differ: (1,) and (2,)"), State.INCOMPARABLE),
        (Row("t", None, INFO, note="the reference has no such tensor"), State.MISSING),
        (Row("t", INFO, INFO, {"cosine": -0.9}), State.FLIPPED),
        (Row("t", INFO, INFO, {"cosine": 0.9}, overflows=True), State.OVERFLOW),
    ],
)
def test_why_nothing_was_measured_comes_back(tmp_path: Path, row: Row, state: State) -> None:
    [found] = back(tmp_path, row)
    assert states_of(found) == state and found.note == row.note


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0")))
def test_any_name_comes_back(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    if name.startswith("'"):  # which marks a cell as text
        name = f"x{name}"
    [row] = back(tmp_path_factory.mktemp("table"), Row(name, INFO, INFO, {"cosine": 1.0}))
    assert row.tensor == name


def test_a_table_with_shares_of_blame_is_read_as_one_without(tmp_path: Path) -> None:
    rows = tuple(Row(name, INFO, INFO, {"cosine": 0.5}, "a note") for name in "ab")
    text = tensors_csv(Comparison(rows), {1: 0.25})
    assert [line["share"] for line in csv.DictReader(io.StringIO(text))] == ["", "0.25"]
    assert read(written(tmp_path, text)).rows == back(tmp_path, *rows)


def test_a_file_of_something_else_is_none(tmp_path: Path) -> None:
    for text in ("", "tensor,cosine\na,1\n", "\0\0", "Index,OpType,NPUDump\n"):
        with Source(written(tmp_path, text)) as source:
            assert not is_tensor_table(source)


@pytest.mark.parametrize("cut", [0.3, 0.7, 0.99])
def test_a_cut_file_is_refused_or_read_up_to_a_whole_row(tmp_path: Path, cut: float) -> None:
    rows = tuple(Row(f"tensor {number}", INFO, INFO, {"cosine": 1.0}) for number in range(20))
    data = tensors_csv(Comparison(rows)).encode()
    path = written(tmp_path, data[: int(len(data) * cut)])
    with Source(path) as source, pytest.raises(FormatError, match=r"Row \d+ of tensors.csv has|no sound table"):
        read_tensor_table(source)


@given(st.binary(max_size=400))
def test_whatever_follows_the_head_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, rest: bytes) -> None:
    head = tensors_csv(Comparison(())).encode()
    path = written(tmp_path_factory.mktemp("table"), head + rest)
    with Source(path) as source:
        try:
            comparison = read_tensor_table(source)
        except ErrorflowError:
            return
    assert all(isinstance(row, Row) for row in comparison.rows)


def test_a_state_without_a_count_says_nothing(tmp_path: Path) -> None:
    head, line = tensors_csv(Comparison((Row("a", None, None),))).splitlines()
    cells = dict(zip(head.split(","), line.split(","), strict=True)) | {"states": '", NaN in the candidate"'}
    row = read(written(tmp_path, f"{head}\n{','.join(cells.values())}\n")).rows[0]
    assert row.candidate_side == Side()
