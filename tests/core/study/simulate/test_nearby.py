"""Samples next to a model."""

from pathlib import Path

import numpy as np

from errorflow.base.sample import SAMPLES
from errorflow.run.model import ModelInput
from errorflow.study.simulate.nearby import nearby

WANTED = (ModelInput("x:0", "float32", (1, 4)),)


def test_a_sample_has_its_own() -> None:
    assert nearby(SAMPLES[0].model, WANTED) == (SAMPLES[0].calibration,)


def test_what_toolchains_call_them_comes_first(tmp_path: Path) -> None:
    for name in ("src", "x_0", "Calibration_Data"):
        (tmp_path / name).mkdir()
    for name in ("x_0.npz", "net.npz", "results.npz"):
        np.savez(tmp_path / name, x=np.zeros(4))
    found = [path.name for path in nearby(tmp_path / "net.onnx", WANTED)]
    assert found == ["Calibration_Data", "x_0", "net.npz", "x_0.npz"]


def test_a_model_alone_has_none(tmp_path: Path) -> None:
    assert nearby(tmp_path / "net.onnx", WANTED) == ()
    assert nearby(tmp_path / "gone" / "net.onnx", WANTED) == ()
