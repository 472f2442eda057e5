"""`errorflow overflow` against what msaccucmp 26.2.0 wrote from the same dumps."""

from pathlib import Path

import pytest

from errorflow.cli.main import main

DATA = Path(__file__).parents[3] / "shared" / "data" / "ascend"
EXPECTED = DATA / "expected" / "s6_ov_new"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the vendor files next to the repository are absent")


def test_the_files_are_those_of_the_tool(tmp_path: Path) -> None:
    assert main(["overflow", "-d", str(DATA / "s6_overflow"), "-n", "1", "-out", str(tmp_path)]) == 0
    summary = next(tmp_path.glob("overflow_summary_*.txt"))
    summary.rename(tmp_path / "overflow_summary.txt")
    made = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert made == {file.name: file.read_bytes() for file in EXPECTED.iterdir()}
