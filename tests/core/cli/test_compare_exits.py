"""How `errorflow compare` ends where something is wrong: never like a comparison in which an operator has no dump."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ascend_writer import graph, model, op, write_json
from errorflow.cli.main import main
from npu_writer import NpuArray, write_npu


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dump in `m`, its reference in `g`, their rules in `f.json`, and things that are none of these."""
    monkeypatch.chdir(tmp_path)
    for folder in ("m", "g", "empty"):
        Path(folder).mkdir()
    write_npu(Path("m/Relu.a.1.2.1700000000000000"), [], [NpuArray(np.array([1, 2], np.float16))])
    np.save("g/a.0.1700000000000000.npy", np.array([1, 2], np.float32))
    np.savez("run.npz", a=np.ones(2))
    write_json(Path("f.json"), model(graph(op("a", "Relu"))))
    Path("text.txt").write_text("hello")
    Path("cut.json").write_text(Path("f.json").read_text()[:-20])
    Path("cut.npz").write_bytes(Path("run.npz").read_bytes()[:100])


def compared(mine: str = "m", golden: str = "g", rules: str = "f.json", *more: str) -> int:
    fusion = ("-f", rules) if rules else ()
    return main(["compare", "-m", mine, "-g", golden, *fusion, "-out", "out", "--workers", "1", *more])


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("run", "code", "said"),
    [
        (lambda: compared(), 0, ""),
        (lambda: compared("missing"), 3, "There is no file missing."),
        (lambda: compared(rules="missing.json"), 3, "There is no file missing.json."),
        (lambda: compared("m", "g", "f.json", "-out", "text.txt/out"), 3, "could not be made"),
        (lambda: compared(rules="text.txt"), 13, "atc --mode=1"),
        (lambda: compared(rules="cut.json"), 13, "cut.json"),
        (lambda: compared("empty"), 18, "holds nothing that is known"),
        (lambda: compared("text.txt", "run.npz", ""), 18, "a folder of dumps"),
        (lambda: compared("f.json", "run.npz", ""), 18, "a folder of dumps"),
        (lambda: compared("cut.npz", "run.npz", ""), 11, "cut off"),
        (lambda: compared("m", "g", "f.json", "--limit", "nice=1"), 6, "is no limit"),
        (lambda: compared("g", "g", "", "--shapes", "a=b"), 6, "is no shape"),
    ],
)
def test_each_kind_of_mistake_has_its_code(
    run: Callable[[], int], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run() == code
    assert said in capsys.readouterr().err


@pytest.mark.usefixtures("runs")
def test_a_model_that_has_none_of_the_tensors_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    np.savez("other.npz", b=np.ones(2))

    assert compared("other.npz", "other.npz", "", "--model", "f.json") == 0
    assert "it may be another model" in capsys.readouterr().out


@pytest.mark.usefixtures("runs")
def test_files_of_a_folder_that_cannot_be_read_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    Path("raw").mkdir()
    np.ones(2, np.float32).tofile("raw/a.bin")

    assert compared("raw", "run.npz", "", "--shapes", "a=1x3:float32") == 2
    assert "a.bin has 8 bytes" in capsys.readouterr().out


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(("golden", "same"), [("run.npz", True), ("./empty/../run.npz", True), ("copy.npz", False)])
def test_a_run_against_itself_is_said(golden: str, same: bool, capsys: pytest.CaptureFixture[str]) -> None:
    Path("copy.npz").write_bytes(Path("run.npz").read_bytes())

    assert compared("run.npz", golden, "") == 0
    assert ("Both sides are the same run" in capsys.readouterr().out) == same
