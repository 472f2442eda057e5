"""Runs of ONNX Runtime itself, with all that it optimises."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnxruntime
from numpy.typing import NDArray


def optimised(model: Path, inputs: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """The first output."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    found: NDArray[Any] = session.run(None, dict(inputs))[0]
    return found
