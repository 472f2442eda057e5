"""What a comparison offers to simulate its model on."""

from pathlib import Path

import numpy as np

from errorflow.case.scenarios.samples import samples_of
from errorflow.case.scenarios.setup import Setup
from errorflow.run.model import ModelInput
from run_models import savez

ONE = (ModelInput("x:0", "float32", (1, 4)),)
TWO = (*ONE, ModelInput("mask", "float32", (1, 2)))


def saved(path: Path, *shape: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, np.ones(shape, np.float32))
    return path


def compared(**files: Path) -> Setup:
    return Setup("runs", files)


def test_the_inputs_of_the_comparison_come_first(tmp_path: Path) -> None:
    inputs, run = tmp_path / "mine.npz", tmp_path / "run.npz"
    savez(inputs, {"x:0": np.ones((1, 4), np.float32)})
    savez(run, {"x:0": np.ones((1, 4), np.float32), "y": np.ones(3, np.float32)})
    assert samples_of(compared(reference=run, inputs=inputs), ONE) == (inputs, run)


def test_of_a_folder_of_tensors_it_is_the_file_of_the_input(tmp_path: Path) -> None:
    saved(tmp_path / "run" / "conv.0.1700000000000001.npy", 1, 4)
    given = saved(tmp_path / "run" / "x.0.1700000000000001.npy", 1, 4)
    assert samples_of(compared(reference=tmp_path / "run"), (ModelInput("x", "float32", (1, 4)),)) == (given,)


def test_several_inputs_are_taken_out_of_a_folder_by_their_names(tmp_path: Path) -> None:
    for name, size in (("x_0", 4), ("mask", 2), ("y", 4)):
        saved(tmp_path / "run" / f"{name}.npy", 1, size)
    assert samples_of(compared(reference=tmp_path / "run"), TWO) == (tmp_path / "run",)


def test_what_lies_beside_a_run_is_offered_if_it_fits(tmp_path: Path) -> None:
    saved(tmp_path / "run" / "y.npy", 1, 4)
    savez(tmp_path / "inputs.npz", {"x:0": np.ones((1, 4), np.float32)})
    saved(tmp_path / "input" / "0.npy", 1, 9)
    assert samples_of(compared(reference=tmp_path / "run"), ONE) == (tmp_path / "inputs.npz",)


def test_what_does_not_fit_is_gone_or_is_a_model_is_not_offered(tmp_path: Path) -> None:
    run = tmp_path / "run.npz"
    savez(run, {"x:0": np.ones((1, 5), np.float32)})
    assert samples_of(compared(reference=run, inputs=tmp_path / "gone.npz"), ONE) == ()
    assert samples_of(compared(reference=tmp_path / "net.onnx"), ONE) == ()
    assert samples_of(Setup(), ONE) == ()
