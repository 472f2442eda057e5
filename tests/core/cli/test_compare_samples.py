"""`errorflow compare` of several inputs and several models: each is named, and none is forgotten."""

from pathlib import Path

import numpy as np
import pytest

from errorflow.cli.main import main


@pytest.fixture
def sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inputs 0 and 1 on both sides, the second one wrong, and input 2 without a reference."""
    monkeypatch.chdir(tmp_path)
    for side, inputs in (("m", (0, 1, 2)), ("g", (0, 1))):
        Path(side).mkdir()
        for each in inputs:
            wrong = each if side == "m" else 0
            np.savez(f"{side}/{each}.npz", a=np.array([1, 2 + wrong], np.float32))


@pytest.mark.usefixtures("sides")
def test_the_summary_is_of_all_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "-m", "m", "-g", "g", "--samples", "-out", "out", "--limit", "cosine=0.999"]) == 1

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1 of 2 inputs has tensors beyond the limits."
    assert lines[3].endswith("1: a")
    assert lines[4:6] == [
        "Limit cosine ≥ 0.999 is not kept by 1 input, first 1",
        "Inputs that only the candidate has, not compared: 2",
    ]
