"""`errorflow count`."""

from pathlib import Path

import pytest

from errorflow.cli.main import main

SAMPLE = Path(__file__).parents[2] / "data" / "formats" / "edge-list" / "tiny.edges"


def test_it_counts_by_type(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["count", str(SAMPLE)]) == 0
    assert capsys.readouterr().out == "Conv: 1\nRelu: 1\nSoftmax: 1\n"
