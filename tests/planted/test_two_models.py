"""Between a float model and its quantized one the culprit is named, and brings what is gone when it is in float."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

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


def chain(path: Path, batch: str, wrong: int = -1) -> Path:
    """Four products, of which nothing but the ends says its type; the weights of one are three times as large."""
    dice = np.random.default_rng(0)
    names = ["x", "h0", "h1", "h2", "out"]
    weights = [dice.standard_normal((6, 6)).astype(np.float32) * (3 if at == wrong else 1) for at in range(4)]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [batch, 6]) for name in ("x", "out")]
    nodes = [helper.make_node("MatMul", [names[at], f"w{at}"], [names[at + 1]], f"mm{at}") for at in range(4)]
    tensors = [numpy_helper.from_array(weight, f"w{at}") for at, weight in enumerate(weights)]
    graph = helper.make_graph(nodes, "chain", ends[:1], ends[1:], tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def test_models_that_say_few_types_and_other_names_of_sizes_are_run_as_one(tmp_path: Path) -> None:
    original, candidate = chain(tmp_path / "a.onnx", "N"), chain(tmp_path / "b.onnx", "batch", wrong=1)
    np.savez(tmp_path / "in.npz", allow_pickle=False, x=np.ones((2, 6), np.float32))
    inputs = ["--inputs", str(tmp_path / "in.npz"), "-out", str(tmp_path)]
    assert main(["compare", "-m", str(candidate), "-g", str(original), *inputs]) == 0

    told = json.loads((tmp_path / "summary.json").read_text("utf-8"))["blame"]
    assert told["remedy"]["nodes"] == ["mm1"]
    assert told["remedy"]["gain"] == pytest.approx(1)
