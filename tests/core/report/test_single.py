"""The files of the comparison of one operator."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from errorflow.base.files import Source
from errorflow.base.progress import Cancelled
from errorflow.compare.match import codes
from errorflow.compare.match.codes import RefusedError
from errorflow.compare.match.model import BOTH_NPU, BY_ORIGIN, Listed, Pair
from errorflow.formats.npu.file import NpuFile
from errorflow.report.single import MAPPING, SingleOptions, run_single
from npu_writer import NpuArray, write_npu

HEAD = "Index,N C H W,NPUDump,GroundTruth,AbsoluteError,RelativeError\n"


def stored(path: Path, tensor: NpuArray) -> Any:
    write_npu(path, [], [tensor])
    with Source(path) as source:
        return NpuFile.of(source).stored("output:0")


def pair(tmp_path: Path, mine: NpuArray, golden: NDArray[Any], **fields: Any) -> Pair:
    reference = stored(tmp_path / "golden", NpuArray(golden))
    values = {"way": BY_ORIGIN, "layout": "NCHW", "node": "a", "shape": golden.shape} | fields
    return Pair("a:output:0", stored(tmp_path / "Relu.a.1.2.1700000000000000", mine), reference, **values)


def plain(count: int = 4) -> tuple[NpuArray, NDArray[np.float32]]:
    golden = np.arange(count, dtype=np.float32).reshape(1, 1, 1, count)
    return NpuArray(golden + np.float32(0.5), "NCHW"), golden


def test_each_value_has_its_line(tmp_path: Path) -> None:
    run_single(pair(tmp_path, *plain(3)), SingleOptions(tmp_path / "out", "a"))
    assert (tmp_path / "out" / "a_output_0_0.csv").read_text() == (
        f"{HEAD}0,0 0 0 0,0.500000\t,0.000000\t,0.500000\t,-\n"
        "1,0 0 0 1,1.500000\t,1.000000\t,0.500000\t,0.500000\t\n"
        "2,0 0 0 2,2.500000\t,2.000000\t,0.500000\t,0.250000\t\n"
    )


def test_lines_are_spread_over_files(tmp_path: Path) -> None:
    run_single(pair(tmp_path, *plain(25)), SingleOptions(tmp_path / "out", "a", lines=10))
    names = sorted(path.name for path in (tmp_path / "out").glob("a_output_0_[0-9]*.csv"))
    assert names == ["a_output_0_0.csv", "a_output_0_10.csv", "a_output_0_20.csv"]
    assert (tmp_path / "out" / "a_output_0_20.csv").read_text().count("\n") == 6


def test_a_brief_result_has_no_lines_per_value(tmp_path: Path) -> None:
    made = run_single(pair(tmp_path, *plain()), SingleOptions(tmp_path / "out", "a", brief=True))
    assert sorted(path.name for path in made.files) == [
        *("a_output_0.npy", "a_output_0_absolute_error_topn.csv", "a_output_0_relative_error_topn.csv"),
        "a_output_0_summary.txt",
    ]


def test_the_summary_names_the_group(tmp_path: Path) -> None:
    listed = Listed(0, "Relu", "a,b", "x,y", "a:output:0")
    made = run_single(pair(tmp_path, *plain(), listed=listed), SingleOptions(tmp_path / "out", "a"))
    assert made.summary.startswith("TotalCount:4\nNPUDump:a b\nGroundTruth:x y\nFormat:N C H W\nMinAbsoluteError:0.5")


def test_padding_is_cut_before_anything_is_compared(tmp_path: Path) -> None:
    mine = NpuArray(np.ones((1, 1, 1, 2, 16), np.float16), "NC1HWC0", original_shape=(1, 3, 1, 2))
    made = run_single(pair(tmp_path, mine, np.ones((1, 3, 1, 2), np.float32)), SingleOptions(tmp_path / "out", "a"))
    assert made.summary.startswith("TotalCount:6\n")
    assert np.load(tmp_path / "out" / "a_output_0.npy").shape == (1, 3, 1, 2)
    assert made.done


def test_an_earlier_result_of_the_same_tensor_is_gone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for name in ("a_output_0_999.csv", "a_output_0_1000.csv", "b_output_0_0.csv", "notes.txt"):
        (out / name).touch()
    run_single(pair(tmp_path, *plain()), SingleOptions(out, "a", brief=True))
    left = {path.name for path in out.iterdir()}
    assert {"b_output_0_0.csv", "notes.txt"} <= left
    assert left & {"a_output_0_999.csv", "a_output_0_1000.csv"} == set()


def test_files_that_only_begin_alike_stay(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    others = ["a_output_0_relu.0.1700000000000000.npy", "a_output_0_notes.csv", "a_output_01_summary.txt"]
    for name in others:
        (out / name).write_text("precious")

    run_single(pair(tmp_path, *plain()), SingleOptions(out, "a"))

    assert [(out / name).read_text() for name in others] == ["precious"] * 3


def test_names_too_long_for_a_file_are_mapped(tmp_path: Path) -> None:
    out, name = tmp_path / "out", "a" * 250
    for _ in range(2):
        run_single(pair(tmp_path, *plain()), SingleOptions(out, name))
    lines = (out / MAPPING).read_text().splitlines()
    assert "Relu_a_1_2_1700000000000000_output_0_0.csv," + name + "_output_0_0.csv" in lines
    assert len(lines) == 5
    assert all((out / line.partition(",")[0]).is_file() for line in lines)


def test_truths_have_no_errors(tmp_path: Path) -> None:
    golden = np.array([[True, False]])
    made = run_single(pair(tmp_path, NpuArray(~golden), golden, layout="ND"), SingleOptions(tmp_path / "out", "a"))
    text = (tmp_path / "out" / "a_output_0_0.csv").read_text()
    assert text == f"{HEAD}0,0 0 0 0,False\t,True\t,-\t,-\n1,0 1 0 0,True\t,False\t,-\t,-\n"
    assert made.summary.endswith("MaxRelativeError:-\n")


@pytest.mark.parametrize(
    ("mine", "shape", "layout", "code"),
    [
        (NpuArray(np.ones((1, 2, 3, 4)), "NCHW"), (1, 2, 3, 5), "NCHW", codes.WRONG_SHAPE),
        (NpuArray(np.ones((1, 1, 16, 16)), "FRACTAL_NZ"), (40, 40), "ND", codes.WRONG_MATRIX),
        (NpuArray(np.ones((2, 3)), "ND"), (2, 3), "FOO", codes.UNKNOWN_LAYOUT),
    ],
)
def test_what_cannot_be_brought_together_has_the_code_of_the_tool(
    tmp_path: Path, mine: NpuArray, shape: tuple[int, ...], layout: str, code: int
) -> None:
    with pytest.raises(RefusedError) as raised:
        run_single(pair(tmp_path, mine, np.ones(shape), layout=layout), SingleOptions(tmp_path / "out", "a"))
    assert raised.value.code == code


def test_two_dumps_of_npus_are_compared_as_they_are_stored(tmp_path: Path) -> None:
    mine = NpuArray(np.ones((1, 1, 1, 2, 16), np.float16), "NC1HWC0", original_shape=(1, 3, 1, 2))
    both = Pair("a:output:0", stored(tmp_path / "x", mine), stored(tmp_path / "y", mine), way=BOTH_NPU)
    assert run_single(both, SingleOptions(tmp_path / "out", "a")).summary.startswith("TotalCount:32\n")


@pytest.mark.parametrize(
    ("other", "code"),
    [(NpuArray(np.ones((2, 2))), codes.BROKEN_DUMP), (NpuArray(np.ones((2, 3)), "NHWC"), codes.UNKNOWN_LAYOUT)],
)
def test_two_dumps_of_npus_must_be_alike(tmp_path: Path, other: NpuArray, code: int) -> None:
    mine = stored(tmp_path / "x", NpuArray(np.ones((2, 3))))
    both = Pair("a:output:0", mine, stored(tmp_path / "y", other), way=BOTH_NPU)
    with pytest.raises(RefusedError) as raised:
        run_single(both, SingleOptions(tmp_path / "out", "a"))
    assert raised.value.code == code


def test_complex_numbers_are_refused(tmp_path: Path) -> None:
    mine = NpuArray(np.ones(3, np.complex64))
    with pytest.raises(RefusedError, match="Complex"):
        run_single(pair(tmp_path, mine, np.ones(3), layout="ND"), SingleOptions(tmp_path / "out", "a"))


def test_a_cancel_leaves_no_half_of_a_file(tmp_path: Path) -> None:
    class Impatient:
        def step(self, done: int, total: int, text: str) -> None:
            if text.startswith("Writing"):
                raise Cancelled

    many = np.ones((1, 1, 1, 500_000), np.float32)
    with pytest.raises(Cancelled):
        run_single(pair(tmp_path, NpuArray(many, "NCHW"), many), SingleOptions(tmp_path / "out", "a"), Impatient())
    assert not list((tmp_path / "out").glob("*.csv"))
    assert not list((tmp_path / "out").glob(".*"))
