"""How far apart two models are that should compute the same."""

from pathlib import Path

import numpy as np
import onnx
from onnx import helper

from errorflow.study.rewrites.remake import apart
from onnx_models import graph, model, value, weight
from run_models import floats


def saved(path: Path, factor: float, shift: float = 0.0) -> str:
    """Sigmoid(factor · x + shift), as float32 has it."""
    nodes = [
        helper.make_node("Mul", ["x", "k"], ["a"]),
        helper.make_node("Add", ["a", "c"], ["b"]),
        helper.make_node("Sigmoid", ["b"], ["y"]),
    ]
    weights = [weight("k", np.float32(factor)), weight("c", np.float32(shift))]
    main = graph(*nodes, inputs=[value("x", (1, 64))], outputs=[value("y", (1, 64))], weights=weights)
    onnx.save(model(main, ir_version=10), path)
    return str(path)


def errors(one: str, other: str, folder: Path, spread: float = 1.0) -> list[float]:
    np.save(folder / "x.npy", 1 + np.float32(spread) * floats(1, 64))
    found: list[float] = apart(one, other, str(folder), [{"x": "x.npy"}, {"x": "x.npy"}])["y"]
    return found


def test_a_model_is_the_same_as_itself(tmp_path: Path) -> None:
    one = saved(tmp_path / "one.onnx", 2.0)
    error, nudged = errors(one, one, tmp_path)
    assert error == 0
    assert 0 < nudged < 1e-6


def test_another_one_is_not(tmp_path: Path) -> None:
    error, nudged = errors(saved(tmp_path / "one.onnx", 2.0), saved(tmp_path / "other.onnx", 2.5), tmp_path)
    assert error > 0.01 > nudged


def test_outputs_that_hang_on_last_digits_are_known_by_them(tmp_path: Path) -> None:
    """Large numbers take each other off."""
    one, other = saved(tmp_path / "a.onnx", 3e4, -3e4), saved(tmp_path / "b.onnx", 30000.01, -3e4)
    error, nudged = errors(one, other, tmp_path, 1e-4)
    assert nudged > 1e-4
    assert error < 10 * nudged
