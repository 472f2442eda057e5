"""Two builds of one float model differ by rounding alone: nobody is accused, and nothing is advised."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import version_converter

from errorflow.cli.main import main
from planted_kinds import NETS, Right
from rerun_nets import every_tensor

LEVELS = onnxruntime.GraphOptimizationLevel


def optimised(level: Any) -> Callable[[onnx.ModelProto, Path], onnx.ModelProto]:
    def build(model: onnx.ModelProto, place: Path) -> onnx.ModelProto:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = level
        options.optimized_model_filepath = str(place)
        options.log_severity_level = 4
        onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return onnx.load(place)

    return build


def converted(model: onnx.ModelProto, _: Path) -> onnx.ModelProto:
    return version_converter.convert_version(model, 19)


BUILDS = {
    "basic": optimised(LEVELS.ORT_ENABLE_BASIC),
    "extended": optimised(LEVELS.ORT_ENABLE_EXTENDED),
    "all": optimised(LEVELS.ORT_ENABLE_ALL),
    "opset 19": converted,
}


def told(right: Right, build: str, folder: Path) -> dict[str, Any]:
    onnx.save(right.model, folder / "right.onnx")
    other = BUILDS[build](right.model, folder / "other.onnx")
    np.savez(folder / "right.npz", allow_pickle=False, **every_tensor(right.model, right.sample))
    np.savez(folder / "other.npz", allow_pickle=False, **every_tensor(other, right.sample))
    runs = ["-m", str(folder / "other.npz"), "-g", str(folder / "right.npz"), "--model", str(folder / "right.onnx")]
    assert main(["compare", *runs, "-out", str(folder)]) == 0
    found: dict[str, Any] = json.loads((folder / "summary.json").read_text("utf-8"))["blame"]
    return found


@pytest.mark.parametrize("net", NETS)
@pytest.mark.parametrize("build", BUILDS)
def test_nobody_is_accused(build: str, net: str, tmp_path: Path) -> None:
    found = told(Right.of(net, 0), build, tmp_path)

    assert found["kind"] == "good"
    assert not found["top"] and not found["nodes"]["origin"]
    assert {each["key"] for each in found["advice"]} <= {"healthy", "nothing"}
