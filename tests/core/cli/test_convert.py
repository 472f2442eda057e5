"""`errorflow convert`, `overflow` and `file_compare` as they are called."""

from pathlib import Path

import numpy as np
import pytest

from errorflow.cli.main import main
from npu_writer import NpuArray, write_npu


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    array = np.arange(64, dtype=np.float16).reshape(1, 1, 2, 2, 16)
    feature_map = NpuArray(array, "NC1HWC0", original_shape=(1, 3, 2, 2))
    return write_npu(tmp_path / "Conv2D.conv1.3.7.1700000000003000", [], [feature_map])


def test_it_says_what_it_wrote(dump: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "-d", str(dump), "-out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out == f"1 file from 1 dump written to {tmp_path / 'out'}.\n"


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["-o", "0"], 6, "together with -f"),
        (["-s", "1,2"], 6, "together with -f"),
        (["-c", "."], 6, "together with -f"),
        (["-f", "FOO"], 6, "no layout FOO"),
        (["-f", "NCHW", "-o", "x"], 6, "no number"),
        (["-f", "NCHW", "-o", "1"], 12, "none has the number 1"),
        (["-f", "NCHW", "-s", "3"], 23, "no shape"),
        (["-f", "NCHW", "-s", "3,0"], 23, "no shape"),
        (["-f", "YUV"], 22, "how NC1HWC0 becomes YUV"),
        (["-f", "NCHW", "-c", "missing"], 3, "no folder"),
        (["-d", "missing"], 3, "no file"),
    ],
)
def test_what_cannot_be_done_has_the_code_of_the_tool(
    dump: Path, tmp_path: Path, options: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", "-d", str(dump), "-out", str(tmp_path / "out"), *options]) == code
    assert said in capsys.readouterr().err


def test_problems_of_converters_are_told(dump: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "-d", str(dump), "-f", "NCHW", "-c", str(tmp_path), "-out", str(tmp_path / "out")]) == 0
    assert "no converter" in capsys.readouterr().err


def test_many_failures_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "dumps"
    place.mkdir()
    for at in range(25):
        (place / f"Add.a.{at}.1").write_bytes(b"broken")
    assert main(["convert", "-d", str(place), "-out", str(tmp_path / "out")]) == 11
    assert "5 more could not be converted" in capsys.readouterr().err


def test_no_overflow_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["overflow", "-d", str(tmp_path), "-out", str(tmp_path / "out")]) == 0
    assert "No overflow is recorded" in capsys.readouterr().out


def test_a_folder_of_overflows_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    assert main(["overflow", "-d", str(tmp_path / "missing"), "-out", str(tmp_path / "out")]) == 3


def test_two_arrays_are_compared_in_eight_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "a.npy", np.array([1.0, 2.0, 3.0], np.float32))
    np.save(tmp_path / "b.npy", np.array([1.0, 2.0, 4.0], np.float32))
    out = tmp_path / "out"
    assert main(["file_compare", "-m", f"{tmp_path}/a.npy", "-g", f"{tmp_path}/b.npy", "-out", str(out)]) == 0
    (made,) = out.glob("file_result_*.txt")
    assert made.read_text().splitlines()[1] == "MaxAbsoluteError: 1.000000"
    assert len(made.read_text().splitlines()) == 8
    assert "CosineSimilarity" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "code"), [("c.npy", 23), ("missing.npy", 3), ("a.txt", 24)])
def test_files_that_cannot_be_compared_have_the_code_of_the_tool(tmp_path: Path, name: str, code: int) -> None:
    np.save(tmp_path / "a.npy", np.zeros(3))
    np.save(tmp_path / "c.npy", np.zeros((3, 1)))
    golden = str(tmp_path / name)
    assert main(["file_compare", "-m", f"{tmp_path}/a.npy", "-g", golden, "-out", str(tmp_path / "out")]) == code
