"""Between a float model and its quantized one the culprit is named, and brings what is gone when it is in float."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from errorflow.cli.main import main
from errorflow.explain.blame.limits import CLEAN
from errorflow.quant.presets import preset
from planted_faults import FAMILIES, Planted, planted
from planted_judging import Trial, opened
from rerun_nets import every_tensor

BY_KEY = {family.key: family for family in FAMILIES}
CASES = (
    ("loud weights", "transformer", "onnxruntime"),
    ("loud weights", "digits", "amct"),
    ("loud channel", "mobile", "onnxruntime"),
    ("loud norm", "encoder", "amct"),
    ("mixed", "repvgg", "onnxruntime"),
    ("drift", "mobile", "onnxruntime"),
)
# Of the error's power.
SLACK = 0.15


def compared(case: Planted, key: str, trial: Trial, folder: Path) -> dict[str, Any]:
    """The verdict of `compare`, for the first sample."""
    trial.bench.engine.export(preset(key).plan, folder / "quantized.onnx")
    np.savez(folder / "inputs.npz", allow_pickle=False, **trial.samples[0])
    models = ["-m", str(folder / "quantized.onnx"), "-g", str(folder / "model.onnx")]
    assert main(["compare", *models, "--inputs", str(folder / "inputs.npz"), "-out", str(folder)]) == 0
    found: dict[str, Any] = json.loads((folder / "summary.json").read_text("utf-8"))["blame"]
    return found


def power(trial: Trial, key: str, folder: Path, output: str, *kept: str) -> float:
    """Of the error on the first sample, by ONNX Runtime's own run with these nodes in float."""
    trial.bench.engine.export(preset(key).plan.keeping_float(*kept) if kept else preset(key).plan, folder / "kept.onnx")
    mine = every_tensor(onnx.load(folder / "kept.onnx"), trial.samples[0])[output]
    return float(np.square(mine.astype(float) - trial.golden[0][output]).sum())


@pytest.mark.parametrize(("family", "net", "key"), CASES)
def test_what_is_claimed_is_gained(family: str, net: str, key: str, tmp_path: Path) -> None:
    case = planted(BY_KEY[family], net, 0, key != "onnxruntime")
    trial = opened(case.model, case, key, tmp_path, "model")
    with trial.bench:
        told = compared(case, key, trial, tmp_path)
        remedy = told["remedy"]
        kept = [*remedy["nodes"], *remedy["with"]]
        before, after = (power(trial, key, tmp_path, told["output"], *each) for each in ((), kept))

    assert 1 - after / before == pytest.approx(remedy["gain"], abs=SLACK)
    assert remedy["gain"] >= 0.9 or remedy["after"] <= CLEAN
    assert told["kind"] == (case.kind if case.kind else "node error")
    guilty = frozenset().union(*case.culprits)
    assert not guilty or guilty.issuperset(remedy["nodes"]), "nobody else is named"
