"""`errorflow compare` of several inputs and several models: each is named, and none is forgotten."""

from pathlib import Path

import numpy as np
import pytest

from ascend_writer import graph, model, op, write_json
from errorflow.cli.main import main
from npu_writer import NpuArray, write_npu


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


def test_the_summary_of_each_of_several_models_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules").mkdir()
    Path("golden").mkdir()
    for name in ("one", "two"):
        folder = Path(f"20260101000000/0/{name}/1/0")
        folder.mkdir(parents=True)
        write_npu(folder / f"Relu.op_{name}.1.2.1700000000000000", [], [NpuArray(np.array([1, 2], np.float16))])
        write_json(Path(f"rules/{name}.json"), model(graph(op(f"op_{name}", "Relu"), name=name)))
        np.save(f"golden/op_{name}.0.1.npy", np.array([1, 2], np.float32))

    assert main(["compare", "-m", "20260101000000", "-g", "golden", "-f", "rules", "-out", "out"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line in ("0_one_0:", "0_two_0:")] == ["0_one_0:", "0_two_0:"]
