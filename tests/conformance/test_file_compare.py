"""`errorflow file_compare` against what msaccucmp 26.2.0 wrote of the same two arrays."""

from pathlib import Path

import pytest

from errorflow.cli.main import main

DATA = Path(__file__).parents[3] / "shared" / "data" / "ascend"
GOLDEN = DATA / "s1_golden"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the vendor files next to the repository are absent")


def test_the_file_is_that_of_the_tool(tmp_path: Path) -> None:
    mine, golden = (GOLDEN / f"{name}.0.1700000000000001.npy" for name in ("conv1", "relu1"))
    assert main(["file_compare", "-m", str(mine), "-g", str(golden), "-out", str(tmp_path)]) == 0
    (made,) = tmp_path.glob("file_result_*.txt")
    assert made.read_bytes() == (DATA / "expected" / "s7_fc_new" / "file_result.txt").read_bytes()
