"""Models that are run, and what runs them."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from errorflow.formats import read_model, read_tensors
from errorflow.graph.dump import Dump
from errorflow.run.model import Inputs, Ran
from errorflow.run.ort import OnnxRuntime
from run_models import RunIt


@pytest.fixture
def run_it(tmp_path: Path) -> RunIt:
    """Saves the model, runs it on the arrays and opens what it left behind."""

    def run(model: onnx.ModelProto, *, path: Path | None = None, **arrays: NDArray[np.generic]) -> tuple[Ran, Dump]:
        file = tmp_path / "model.onnx" if path is None else path
        if path is None:
            onnx.save(model, file)
        ran = OnnxRuntime.of(read_model(file).graph).run(file, Inputs(arrays), tmp_path / "run.npz")
        return ran, read_tensors(ran.path)

    return run
