"""`errorflow run`."""

from pathlib import Path

import numpy as np
import onnx
import pytest

from errorflow.cli.main import main
from onnx_models import graph, model, small, value


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    onnx.save(small(), tmp_path / "m.onnx")
    np.savez(tmp_path / "x.npz", x=np.array([1, -1], np.float32))
    return tmp_path


def test_it_writes_every_tensor(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["run", str(folder / "m.onnx"), "--inputs", str(folder / "x.npz"), "-out", str(folder / "out")])
    assert code == 0
    assert capsys.readouterr().out.startswith("2 tensors of m.onnx (ONNX Runtime ")
    with np.load(folder / "out" / "m.npz") as run:
        assert run["y"].tolist() == [1, 0]


def test_it_writes_files_that_are_named_as_msaccucmp_wants_them(folder: Path) -> None:
    main(["run", str(folder / "m.onnx"), "--inputs", str(folder / "x.npz"), "--npy", "-out", str(folder)])
    files = sorted(path.name.split(".")[:2] for path in (folder / "m_npy").iterdir())
    assert files == [["relu", "0"], ["x", "0"]]


def test_made_up_inputs_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(folder / "m.onnx"), "--random", "3", "-out", str(folder)]) == 0
    assert "x: made up, random values of seed 3 in the shape [2]." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], r"The model wants inputs that were not given: x float32 [2]."),
        (["--random", "-1"], "--random takes a number from 0 on."),
        (["--random", "1", "--threads", "0"], "--threads must be at least 1."),
    ],
)
def test_what_is_wrong_is_a_sentence(
    arguments: list[str], sentence: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(folder / "m.onnx"), *arguments, "-out", str(folder)]) == 2
    assert sentence in capsys.readouterr().err


def test_a_run_is_no_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(folder / "x.npz"), "-out", str(folder)]) == 2
    assert "holds tensors, not a model" in capsys.readouterr().err


def test_files_of_an_earlier_run_are_gone(folder: Path) -> None:
    for _ in range(2):
        main(["run", str(folder / "m.onnx"), "--inputs", str(folder / "x.npz"), "--npy", "-out", str(folder)])
    assert len(list((folder / "m_npy").iterdir())) == 2


def test_a_run_never_takes_the_place_of_its_inputs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "x.npz").rename(folder / "m.npz")
    before = (folder / "m.npz").read_bytes()
    assert main(["run", str(folder / "m.onnx"), "--inputs", str(folder / "m.npz"), "-out", str(folder)]) == 2
    assert "take the place of the inputs" in capsys.readouterr().err
    assert (folder / "m.npz").read_bytes() == before


def test_one_tensor_is_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    onnx.save(model(graph(inputs=[value("x")], outputs=[value("x")])), folder / "alone.onnx")
    assert main(["run", str(folder / "alone.onnx"), "--inputs", str(folder / "x.npz"), "-out", str(folder)]) == 0
    assert capsys.readouterr().out.startswith("1 tensor of alone.onnx")
