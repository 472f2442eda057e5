"""`errorflow convert` against what msaccucmp 26.2.0 wrote from the same dumps: the same names, the same bytes."""

from pathlib import Path

import pytest

from errorflow.cli.main import main

DATA = Path(__file__).parents[3] / "shared" / "data" / "ascend"
CONV = "Conv2D.conv1.3.7.1700000000003000"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the vendor files next to the repository are absent")


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.parametrize(
    ("case", "dump", "options"),
    [
        ("s5_npy", CONV, []),
        ("s5_bin", CONV, ["-t", "bin"]),
        ("s5_msnpy", CONV, ["-t", "msnpy"]),
        ("s5_fmt", CONV, ["-f", "NCHW", "-o", "0"]),
        ("s5_nz", "MatMul.fc1.6.7.1700000000006000", ["-f", "ND", "-o", "0", "-s", "4,20"]),
    ],
)
def test_the_files_are_those_of_the_tool(tmp_path: Path, case: str, dump: str, options: list[str]) -> None:
    assert main(["convert", "-d", str(DATA / "s1_npu" / dump), "-out", str(tmp_path), *options]) == 0
    assert contents(tmp_path) == contents(DATA / "expected" / f"{case}_new")


def test_a_folder_gives_the_files_of_each_dump_in_it(tmp_path: Path) -> None:
    assert main(["convert", "-d", str(DATA / "s1_npu"), "-out", str(tmp_path)]) == 0
    made = contents(tmp_path)
    expected = contents(DATA / "expected" / "s5_npy_new")
    assert expected.items() <= made.items()
    assert len(made) == 57
